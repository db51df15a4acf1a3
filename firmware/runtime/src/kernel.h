/* What the kernel's files share: the task control block, blocking and waking.
 *
 * Every kernel_...() function is called inside a critical section. A task that becomes ready with
 * a higher priority than the running one preempts it when the outermost section ends. */
#pragma once

#include "freertos/FreeRTOS.h"
#include "freertos/event_groups.h"
#include "freertos/task.h"
#include "list.h"

#define NEVER UINT64_MAX
#define STACK_FILL 0xA5

typedef enum {
    NOTIFY_IDLE,
    NOTIFY_WAITING,
    NOTIFY_PENDING,
} notify_state_t;

struct tskTaskControlBlock {
    uint32_t *stack_pointer; /* trap.S stores the context's address here: keep it first */
    uint8_t *stack_low;
    uint8_t *stack_high;
    UBaseType_t priority;
    UBaseType_t base_priority;
    UBaseType_t mutexes_held;
    node_t state_node; /* in a ready list, or in the delayed, suspended or terminated list */
    node_t event_node; /* in the wait list of a queue or an event group */
    uint64_t wake_tick;
    EventBits_t event_bits; /* bits waited for, then the bits that ended the wait */
    bool event_all;
    bool event_clear;
    bool event_met;
    uint8_t notify_state;
    bool is_static;
    bool delay_aborted;
    uint32_t notify_value;
    char name[configMAX_TASK_NAME_LEN];
};

typedef struct tskTaskControlBlock task_t;

extern task_t *volatile current_task;

/* The tick (64 bits, never wraps) at which a wait of `ticks` that starts now ends. */
uint64_t kernel_deadline(TickType_t ticks);
bool kernel_expired(uint64_t deadline);

/* Blocks the running task until kernel_wake() or `deadline`; `waiters` may be NULL. The switch
 * happens when the caller leaves its critical section. */
void kernel_block(list_t *waiters, uint64_t deadline);

/* Makes a blocked task ready; true when it outranks the running one. */
bool kernel_wake(task_t *task);

/* The waiter of highest priority that waited longest, or NULL. */
task_t *kernel_first_waiter(const list_t *waiters);

/* Wakes that waiter, if any; true when it outranks the running task. */
bool kernel_wake_first(const list_t *waiters);

/* Mutex bookkeeping: inheritance lasts until the holder has given back all its mutexes. */
void kernel_mutex_taken(void);
void kernel_mutex_inherit(task_t *holder);
void kernel_mutex_given(task_t *holder);
void kernel_mutex_wait_abandoned(task_t *holder, const list_t *waiters);

/* Called with the ticks that have elapsed; nobody may be due before the last of them. */
void kernel_ticks(uint32_t elapsed);

/* Ticks until the first blocked task is due, UINT32_MAX when none waits for a tick; 0 when there
 * is work: another task is ready, or one that deleted itself is to be freed. */
uint32_t kernel_idle_ticks(void);

/* Called by the trap code: puts the next task to run into current_task. */
void kernel_switch(void);

/* Creates the idle task and starts the highest-priority task; never returns. */
void kernel_start(void) __attribute__((noreturn));
