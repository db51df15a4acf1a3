/* Entry point, vector table, context save and restore.
 *
 * A context is 36 words on the task's stack: word 0 mepc, word n register xn, word 32 mstatus.
 * gp is the same for all; sp is kept in the task control block. */

    .option arch, +zicsr

    .equ CONTEXT_SIZE, 36 * 4
    .equ MSTATUS_WORD, 32 * 4

    .macro for_each_saved op
    \op x1, 4(sp)
    .irp n, 4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    \op x\n, 4*\n(sp)
    .endr
    .endm

    .section .iram.vectors, "ax"
    .balign 256
    .option push
    .option norvc
    .global vector_table
vector_table:
    j exception_entry
    .rept 31
    j interrupt_entry
    .endr
    .option pop

interrupt_entry:
    addi sp, sp, -CONTEXT_SIZE
    for_each_saved sw
    csrr t0, mepc
    csrr t1, mstatus
    sw t0, 0(sp)
    sw t1, MSTATUS_WORD(sp)
    la t0, current_task
    lw t0, 0(t0)
    sw sp, 0(t0)
    la sp, interrupt_stack_top
    csrr a0, mcause
    call port_interrupt

    .global port_start_first_task
port_start_first_task:
    la t0, current_task
    lw t0, 0(t0)
    lw sp, 0(t0)
    lw t0, 0(sp)
    lw t1, MSTATUS_WORD(sp)
    csrw mepc, t0
    csrw mstatus, t1
    for_each_saved lw
    addi sp, sp, CONTEXT_SIZE
    mret

/* Fills panic_frame in the order of ESP-IDF's register dump; the stack may be unusable. */
exception_entry:
    csrw mscratch, t0
    la t0, panic_frame
    .irp n, 1,2,3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sw x\n, 4*\n(t0)
    .endr
    csrr t1, mscratch
    sw t1, 4*5(t0)
    csrr t1, mepc
    sw t1, 0(t0)
    csrr t1, mstatus
    sw t1, 4*32(t0)
    csrr t1, mtvec
    sw t1, 4*33(t0)
    csrr t1, mcause
    sw t1, 4*34(t0)
    csrr t1, mtval
    sw t1, 4*35(t0)
    csrr t1, mhartid
    sw t1, 4*36(t0)
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, interrupt_stack_top
    tail panic_handle_exception

    .section .iram.entry, "ax"
    .global call_start
call_start:
    csrci mstatus, 8
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, interrupt_stack_top
    la t0, vector_table
    ori t0, t0, 1
    csrw mtvec, t0
    la t0, _bss_start
    la t1, _bss_end
1:  bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:  la tp, startup_tls
    tail startup

/* For interrupt handlers, start-up and panics; printf takes about 600 bytes of it. */
    .section .bss.interrupt_stack, "aw", @nobits
    .balign 16
    .space 2048
    .global interrupt_stack_top
interrupt_stack_top:
