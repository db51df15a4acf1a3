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
#define TICK_ALARM 0
#define LONGEST_SLEEP_TICKS (60U * configTICK_RATE_HZ)

/* Start-up runs as one critical section, which ends when the first task is loaded. */
static volatile uint32_t critical_nesting = 1;
static volatile bool in_interrupt;
static volatile bool switch_requested;
static uint64_t next_tick; /* when the next tick is due, in counts of SYSTIMER unit 1 */
static uint64_t tick_alarm; /* what is programmed: next_tick, or a later one while idle */

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

/* A time in the past fires at once, so no tick is lost while interrupts are off. */
static void arm_tick(uint64_t counts)
{
    if (counts >> 32 != tick_alarm >> 32) {
        REG(SYSTIMER_TARGET_HI(TICK_ALARM)) = (uint32_t)(counts >> 32);
    }
    REG(SYSTIMER_TARGET_LO(TICK_ALARM)) = (uint32_t)counts;
    REG(SYSTIMER_COMP_LOAD(TICK_ALARM)) = 1;
    tick_alarm = counts;
}

static void count_ticks(uint64_t until)
{
    if (next_tick <= until) {
        uint32_t ticks = (uint32_t)(until - next_tick) / TICK_COUNTS + 1;
        next_tick += (uint64_t)ticks * TICK_COUNTS;
        kernel_ticks(ticks);
    }
}

static void tick_interrupt(void *arg)
{
    (void)arg;
    REG(SYSTIMER_INT_CLR) = BIT(TICK_ALARM);
    count_ticks(tick_alarm);
    arm_tick(next_tick);
}

static uint64_t tick_counter(void)
{
    REG(SYSTIMER_UNIT_OP(1)) = SYSTIMER_UNIT_UPDATE;
    while (!(REG(SYSTIMER_UNIT_OP(1)) & SYSTIMER_UNIT_VALUE_VALID)) {
    }
    return (uint64_t)REG(SYSTIMER_UNIT_VALUE_HI(1)) << 32 | REG(SYSTIMER_UNIT_VALUE_LO(1));
}

void port_sleep(void)
{
    uint32_t previous = port_disable_interrupts();
    uint32_t idle_ticks = kernel_idle_ticks();
    if (idle_ticks == 0) {
        port_restore_interrupts(previous);
        return;
    }
    if (idle_ticks > LONGEST_SLEEP_TICKS) {
        idle_ticks = LONGEST_SLEEP_TICKS;
    }
    if (idle_ticks > 1) {
        arm_tick(next_tick + (uint64_t)(idle_ticks - 1) * TICK_COUNTS);
    }
    port_wait_for_interrupt();
    if (idle_ticks > 1 && !(REG(SYSTIMER_INT_ST) & BIT(TICK_ALARM))) {
        /* Another interrupt ended the sleep: count what has passed, but not the alarm's own tick,
         * which may come true meanwhile and counts itself. */
        uint64_t now = tick_counter();
        count_ticks(now < tick_alarm ? now : tick_alarm - 1);
        if (next_tick < tick_alarm) {
            arm_tick(next_tick);
        }
    }
    port_restore_interrupts(previous);
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
    ESP_ERROR_CHECK(esp_intr_alloc(SOURCE_SYSTIMER_TARGET(TICK_ALARM), ESP_INTR_FLAG_LEVEL1,
                                   tick_interrupt, NULL, NULL));
    REG(SYSTIMER_CONF) |= SYSTIMER_CLK_EN | SYSTIMER_UNIT_WORK_EN(1);
    REG(SYSTIMER_UNIT_LOAD_HI(1)) = 0;
    REG(SYSTIMER_UNIT_LOAD_LO(1)) = 0;
    REG(SYSTIMER_UNIT_LOAD(1)) = 1;
    REG(SYSTIMER_TARGET_CONF(TICK_ALARM)) = SYSTIMER_TARGET_UNIT_1; /* one shot */
    REG(SYSTIMER_TARGET_HI(TICK_ALARM)) = 0;
    next_tick = TICK_COUNTS;
    arm_tick(next_tick);
    REG(SYSTIMER_CONF) |= SYSTIMER_TARGET_WORK_EN(TICK_ALARM);
    REG(SYSTIMER_INT_ENA) |= BIT(TICK_ALARM);
    critical_nesting = 0;
}
