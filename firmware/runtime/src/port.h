/* The CPU side of the kernel: interrupt masking, context switches, the tick. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MSTATUS_MIE 8U

/* CSR instructions are not in -march=rv32imc: gcc would pick 64-bit libraries for it. */
#define CSR_READ(csr)                                                                       \
    ({                                                                                      \
        uint32_t value_;                                                                    \
        __asm__ volatile(".option push\n.option arch, +zicsr\ncsrr %0, " #csr               \
                         "\n.option pop"                                                    \
                         : "=r"(value_));                                                   \
        value_;                                                                             \
    })

static inline uint32_t port_disable_interrupts(void)
{
    uint32_t previous;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrrci %0, mstatus, 8\n.option pop"
                     : "=r"(previous)
                     :
                     : "memory");
    return previous;
}

static inline void port_enable_interrupts(void)
{
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrsi mstatus, 8\n.option pop" ::
                         : "memory");
}

static inline void port_restore_interrupts(uint32_t previous)
{
    if (previous & MSTATUS_MIE) {
        port_enable_interrupts();
    }
}

static inline void port_wait_for_interrupt(void)
{
    __asm__ volatile("wfi" ::: "memory");
}

/* Sleeps until an interrupt, with no tick before the next one that a task waits for; for the idle
 * task. The tick count is right again before any interrupt handler runs. */
void port_sleep(void);

/* Asks for a context switch at the end of the critical section or interrupt handler. */
void port_request_switch(void);

/* True where blocking is possible: in a task, interrupts on, scheduler running. */
bool port_can_block(void);

/* True in the outermost critical section of a task: leaving it lets another task run. */
bool port_in_outermost_section(void);

/* Writes a first context for `entry(argument)` below `top`; returns its stack pointer. */
uint32_t *port_first_context(uint32_t *top, void (*entry)(void *), void *argument,
                             void *thread_pointer);

/* Sets up the yield interrupt and the tick; interrupts stay off. */
void port_init(void);

/* Loads current_task's context (trap.S). */
void port_start_first_task(void) __attribute__((noreturn));
