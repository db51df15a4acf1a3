#include "port.h"

#include <string.h>

#include "esp_intr_alloc.h"
#include "freertos/FreeRTOS.h"
#include "interrupts.h"
#include "kernel.h"
#include "soc.h"

#define CONTEXT_WORDS 36
#define CONTEXT_RA 1
#define CONTEXT_TP 4
#define CONTEXT_A0 10
#define CONTEXT_MSTATUS 32
/* MPP = machine mode, MPIE = 1: interrupts come on with the context's mret. */
#define MSTATUS_FIRST 0x1880

#define TICK_COUNTS (SYSTIMER_HZ / configTICK_RATE_HZ)

/* Start-up runs as one critical section, which ends when the first task is loaded. */
static volatile uint32_t critical_nesting = 1;
static volatile bool in_interrupt;
static volatile bool switch_requested;
static uint32_t last_tick_count;

void vPortEnterCritical(void)
{
    port_disable_interrupts();
    critical_nesting++;
}

void vPortExitCritical(void)
{
    if (--critical_nesting > 0 || in_interrupt) {
        return;
    }
    port_enable_interrupts();
    if (switch_requested && xTaskGetSchedulerState() == taskSCHEDULER_RUNNING) {
        vPortYield();
    }
}

UBaseType_t xPortSetInterruptMaskFromISR(void)
{
    return port_disable_interrupts();
}

void vPortClearInterruptMaskFromISR(UBaseType_t previous)
{
    port_restore_interrupts(previous);
}

BaseType_t xPortInIsrContext(void)
{
    return in_interrupt;
}

bool port_can_block(void)
{
    return !in_interrupt && critical_nesting == 0 &&
           xTaskGetSchedulerState() == taskSCHEDULER_RUNNING;
}

bool port_in_outermost_section(void)
{
    return !in_interrupt && critical_nesting == 1;
}

void port_request_switch(void)
{
    switch_requested = true;
}

void vPortYieldFromISR(void)
{
    switch_requested = true;
}

void vPortYield(void)
{
    if (in_interrupt || critical_nesting > 0) {
        switch_requested = true;
        return;
    }
    REG(SYSTEM_CPU_INTR_FROM_CPU_0) = 1;
    /* The interrupt takes a few instructions to arrive; this task must not run on before. */
    while (REG(SYSTEM_CPU_INTR_FROM_CPU_0) != 0) {
    }
}

static void yield_interrupt(void *arg)
{
    (void)arg;
    REG(SYSTEM_CPU_INTR_FROM_CPU_0) = 0;
    switch_requested = true;
}

static uint32_t tick_counter(void)
{
    REG(SYSTIMER_UNIT_OP(1)) = SYSTIMER_UNIT_UPDATE;
    while (!(REG(SYSTIMER_UNIT_OP(1)) & SYSTIMER_UNIT_VALUE_VALID)) {
    }
    return REG(SYSTIMER_UNIT_VALUE_LO(1));
}

/* Counts the ticks that passed, so that none is lost while interrupts were off. */
static void tick_interrupt(void *arg)
{
    (void)arg;
    REG(SYSTIMER_INT_CLR) = BIT(0);
    uint32_t now = tick_counter();
    while (now - last_tick_count >= TICK_COUNTS) {
        last_tick_count += TICK_COUNTS;
        kernel_tick();
    }
}

uint32_t *port_first_context(uint32_t *top, void (*entry)(void *), void *argument,
                             void *thread_pointer)
{
    uint32_t *context = top - CONTEXT_WORDS;
    memset(context, 0, CONTEXT_WORDS * sizeof(uint32_t));
    context[0] = (uint32_t)entry;
    context[CONTEXT_TP] = (uint32_t)thread_pointer;
    context[CONTEXT_A0] = (uint32_t)argument;
    context[CONTEXT_MSTATUS] = MSTATUS_FIRST;
    return context;
}

void port_interrupt(uint32_t mcause);

void port_interrupt(uint32_t mcause)
{
    in_interrupt = true;
    interrupt_dispatch(mcause & 31);
    if (switch_requested && xTaskGetSchedulerState() == taskSCHEDULER_RUNNING) {
        switch_requested = false;
        kernel_switch();
    }
    in_interrupt = false;
}

void port_init(void)
{
    ESP_ERROR_CHECK(
        esp_intr_alloc(SOURCE_FROM_CPU_0, ESP_INTR_FLAG_LEVEL1, yield_interrupt, NULL, NULL));
    ESP_ERROR_CHECK(esp_intr_alloc(SOURCE_SYSTIMER_TARGET(0), ESP_INTR_FLAG_LEVEL1,
                                   tick_interrupt, NULL, NULL));
    REG(SYSTIMER_CONF) |= SYSTIMER_CLK_EN | SYSTIMER_UNIT_WORK_EN(1);
    REG(SYSTIMER_UNIT_LOAD_HI(1)) = 0;
    REG(SYSTIMER_UNIT_LOAD_LO(1)) = 0;
    REG(SYSTIMER_UNIT_LOAD(1)) = 1;
    /* The reference manual's order for a periodic alarm: unit and period, load, mode, enable. */
    REG(SYSTIMER_TARGET_CONF(0)) = SYSTIMER_TARGET_UNIT_1 | TICK_COUNTS;
    REG(SYSTIMER_COMP_LOAD(0)) = 1;
    REG(SYSTIMER_TARGET_CONF(0)) =
        SYSTIMER_TARGET_UNIT_1 | SYSTIMER_TARGET_PERIOD_MODE | TICK_COUNTS;
    REG(SYSTIMER_CONF) |= SYSTIMER_TARGET_WORK_EN(0);
    REG(SYSTIMER_INT_ENA) |= BIT(0);
    critical_nesting = 0;
}
