#include "freertos/event_groups.h"

#include <stdlib.h>

#include "kernel.h"
#include "port.h"

#define USABLE_BITS 0x00ffffffU

struct EventGroupDef_t {
    EventBits_t bits;
    list_t waiters;
    bool is_static;
};

static_assert(sizeof(StaticEventGroup_t) >= sizeof(struct EventGroupDef_t),
              "StaticEventGroup_t is too small");

static bool is_met(EventBits_t bits, EventBits_t wanted, bool all)
{
    return all ? (bits & wanted) == wanted : (bits & wanted) != 0;
}

static EventGroupHandle_t initialise(EventGroupHandle_t group, bool is_static)
{
    group->bits = 0;
    group->is_static = is_static;
    list_init(&group->waiters);
    return group;
}

EventGroupHandle_t xEventGroupCreate(void)
{
    EventGroupHandle_t group = malloc(sizeof *group);
    return group == NULL ? NULL : initialise(group, false);
}

EventGroupHandle_t xEventGroupCreateStatic(StaticEventGroup_t *memory)
{
    configASSERT(memory != NULL);
    return initialise((EventGroupHandle_t)memory, true);
}

void vEventGroupDelete(EventGroupHandle_t group)
{
    vPortEnterCritical();
    while (!list_is_empty(&group->waiters)) {
        task_t *task = group->waiters.end.next->owner;
        task->event_bits = group->bits;
        task->event_met = true;
        kernel_wake(task);
    }
    vPortExitCritical();
    if (!group->is_static) {
        free(group);
    }
}

/* Blocks, inside a critical section; returns the bits that ended the wait or those at the end. */
static EventBits_t wait(EventGroupHandle_t group, EventBits_t wanted, bool clear, bool all,
                        TickType_t ticks_to_wait)
{
    task_t *task = current_task;
    task->event_bits = wanted;
    task->event_clear = clear;
    task->event_all = all;
    task->event_met = false;
    kernel_block(&group->waiters, kernel_deadline(ticks_to_wait));
    vPortExitCritical();
    vPortEnterCritical();
    if (task->event_met) {
        return task->event_bits;
    }
    EventBits_t bits = group->bits;
    if (clear && is_met(bits, wanted, all)) {
        group->bits &= ~wanted;
    }
    return bits;
}

EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, EventBits_t wanted,
                                BaseType_t clear_on_exit, BaseType_t wait_for_all,
                                TickType_t ticks_to_wait)
{
    configASSERT(group != NULL && wanted != 0 && (wanted & ~USABLE_BITS) == 0);
    vPortEnterCritical();
    EventBits_t bits = group->bits;
    if (is_met(bits, wanted, wait_for_all)) {
        if (clear_on_exit) {
            group->bits &= ~wanted;
        }
    } else if (ticks_to_wait > 0) {
        bits = wait(group, wanted, clear_on_exit, wait_for_all, ticks_to_wait);
    }
    vPortExitCritical();
    return bits;
}

/* Sets bits and wakes every task whose wait they satisfy, then clears what those asked for. */
static bool set_bits(EventGroupHandle_t group, EventBits_t bits)
{
    configASSERT(group != NULL && (bits & ~USABLE_BITS) == 0);
    EventBits_t to_clear = 0;
    bool preempted = false;
    group->bits |= bits;
    node_t *node = group->waiters.end.next;
    while (node != &group->waiters.end) {
        task_t *task = node->owner;
        node = node->next;
        if (is_met(group->bits, task->event_bits, task->event_all)) {
            if (task->event_clear) {
                to_clear |= task->event_bits;
            }
            task->event_bits = group->bits;
            task->event_met = true;
            preempted |= kernel_wake(task);
        }
    }
    group->bits &= ~to_clear;
    return preempted;
}

EventBits_t xEventGroupSetBits(EventGroupHandle_t group, EventBits_t bits)
{
    vPortEnterCritical();
    set_bits(group, bits);
    vPortExitCritical();
    return group->bits;
}

BaseType_t xEventGroupSetBitsFromISR(EventGroupHandle_t group, EventBits_t bits,
                                     BaseType_t *woken)
{
    vPortEnterCritical();
    if (set_bits(group, bits) && woken != NULL) {
        *woken = pdTRUE;
    }
    vPortExitCritical();
    return pdPASS;
}

EventBits_t xEventGroupClearBits(EventGroupHandle_t group, EventBits_t bits)
{
    vPortEnterCritical();
    EventBits_t previous = group->bits;
    group->bits &= ~bits;
    vPortExitCritical();
    return previous;
}

BaseType_t xEventGroupClearBitsFromISR(EventGroupHandle_t group, EventBits_t bits)
{
    xEventGroupClearBits(group, bits);
    return pdPASS;
}

EventBits_t xEventGroupGetBitsFromISR(EventGroupHandle_t group)
{
    return group->bits;
}

EventBits_t xEventGroupSync(EventGroupHandle_t group, EventBits_t set, EventBits_t wait_for,
                            TickType_t ticks_to_wait)
{
    vPortEnterCritical();
    EventBits_t bits = group->bits | set;
    set_bits(group, set);
    if (is_met(bits, wait_for, true)) {
        group->bits &= ~wait_for;
    } else if (ticks_to_wait > 0) {
        bits = wait(group, wait_for, true, true, ticks_to_wait);
    } else {
        bits = group->bits;
    }
    vPortExitCritical();
    return bits;
}
