/* What happens when the firmware cannot go on: a report on the console, then a reset.
 *
 * Everything ends in a CPU exception: abort() and its relatives leave their message and execute
 * an illegal instruction, so that a debugger or an emulator sees where it happened. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "console.h"
#include "driver/uart.h"
#include "esp_system.h"
#include "freertos/FreeRTOS.h"
#include "reset.h"
#include "uart_private.h"

#define STACK_BYTES_SHOWN 1024
#define STACK_WORDS_A_LINE 8
#define REGISTERS_A_LINE 4

/* Registers in the dump's order, filled by trap.S. */
uint32_t panic_frame[37];
#define FRAME_SP 2
#define FRAME_MCAUSE 34

extern uint8_t _dram_start[];
extern uint8_t _heap_end[];

static const char *abort_message;
static bool is_panicking;

static const char *const register_names[] = {
    "MEPC",  "RA",  "SP",  "GP", "TP", "T0", "T1",  "T2",  "S0/FP", "S1",
    "A0",    "A1",  "A2",  "A3", "A4", "A5", "A6",  "A7",  "S2",    "S3",
    "S4",    "S5",  "S6",  "S7", "S8", "S9", "S10", "S11", "T3",    "T4",
    "T5",    "T6",  "MSTATUS", "MTVEC", "MCAUSE", "MTVAL", "MHARTID",
};
static_assert(sizeof register_names / sizeof register_names[0] ==
                  sizeof panic_frame / sizeof panic_frame[0],
              "one name for each register");

static const char *const causes[] = {
    [0] = "Instruction address misaligned",
    [1] = "Instruction access fault",
    [2] = "Illegal instruction",
    [3] = "Breakpoint",
    [4] = "Load address misaligned",
    [5] = "Load access fault",
    [6] = "Store address misaligned",
    [7] = "Store access fault",
    [8] = "Environment call from U-mode",
    [9] = "Environment call from S-mode",
    [11] = "Environment call from M-mode",
    [12] = "Instruction page fault",
    [13] = "Load page fault",
    [15] = "Store page fault",
};

static const char *cause_name(uint32_t cause)
{
    bool is_known = cause < sizeof causes / sizeof causes[0] && causes[cause] != NULL;
    return is_known ? causes[cause] : "Unknown reason";
}

static void print_registers(void)
{
    printf("Core  0 register dump:");
    for (size_t i = 0; i < sizeof panic_frame / sizeof panic_frame[0]; i++) {
        printf("%s%-8s: 0x%08x  ", i % REGISTERS_A_LINE == 0 ? "\n" : "", register_names[i],
               (unsigned)panic_frame[i]);
    }
    printf("\n");
}

static void print_stack(void)
{
    printf("\nStack memory:\n");
    uintptr_t address = panic_frame[FRAME_SP] & ~(uintptr_t)3;
    uintptr_t end = address + STACK_BYTES_SHOWN;
    while (address < end && address >= (uintptr_t)_dram_start &&
           address + STACK_WORDS_A_LINE * sizeof(uint32_t) <= (uintptr_t)_heap_end) {
        printf("%08x:", (unsigned)address);
        for (int i = 0; i < STACK_WORDS_A_LINE; i++) {
            printf(" 0x%08x", (unsigned)*(const uint32_t *)address);
            address += sizeof(uint32_t);
        }
        printf("\n");
    }
}

void panic_handle_exception(void) __attribute__((noreturn));

void panic_handle_exception(void)
{
    vPortEnterCritical(); /* never left: nothing may switch interrupts on again */
    console_take_over();
    if (is_panicking) {
        printf("\nPanic handler entered multiple times. Abort panic handling. Rebooting ...\n");
        reset_after(ESP_RST_PANIC);
    }
    is_panicking = true;
    if (abort_message != NULL) {
        printf("\n%s\n", abort_message);
    } else {
        printf("\nGuru Meditation Error: Core  0 panic'ed (%s). Exception was unhandled.\n\n",
               cause_name(panic_frame[FRAME_MCAUSE]));
    }
    print_registers();
    print_stack();
    printf("\n\nRebooting...\n");
    reset_after(ESP_RST_PANIC);
}

void esp_system_abort(const char *details)
{
    abort_message = details;
    __asm__ volatile("unimp");
    __builtin_unreachable();
}

void abort(void)
{
    static char message[64];
    snprintf(message, sizeof message, "abort() was called at PC 0x%08x on core 0",
             (unsigned)(uintptr_t)__builtin_return_address(0));
    esp_system_abort(message);
}

void _exit(int status)
{
    (void)status;
    abort();
}

void __assert_func(const char *file, int line, const char *function, const char *expression)
{
    static char message[256];
    snprintf(message, sizeof message, "assert failed: %s %s:%d (%s)",
             function != NULL ? function : "?", file, line, expression);
    esp_system_abort(message);
}
