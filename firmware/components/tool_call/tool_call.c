#include "tool_call.h"

#include <assert.h>
#include <string.h>

#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/event_groups.h"
#include "sdkconfig.h"

#define TIMEOUT_US ((int64_t)CONFIG_TRUESTAGE_TOOL_TIMEOUT_MS * 1000)
#define ALL_SLOTS (((EventBits_t)1 << TOOL_CALL_SLOTS) - 1)

_Static_assert(CONFIG_TRUESTAGE_TOOL_TIMEOUT_MS * 2 <= CONFIG_TRUESTAGE_HEARTBEAT_MS,
               "a tool that takes longer than half the host's heartbeat must be asynchronous");

typedef enum { FREE, OPEN, FINISHED } slot_state_t;

typedef struct {
    slot_state_t state;
    uint32_t generation;
    int64_t opened_us;
    tool_call_end_t end;
} slot_t;

static slot_t slots[TOOL_CALL_SLOTS];
static portMUX_TYPE slots_lock = portMUX_INITIALIZER_UNLOCKED;

/* A set bit asks the completer to look at the slot; what is so stands in the slot. */
static EventGroupHandle_t ended;

static uint32_t elapsed_ms(const slot_t *slot)
{
    return (uint32_t)((esp_timer_get_time() - slot->opened_us) / 1000);
}

/* With the lock held: the slot of a call somebody waits for, else NULL. */
static slot_t *open_slot(tool_call_ref_t call)
{
    if (call.slot >= TOOL_CALL_SLOTS) {
        return NULL;
    }
    slot_t *slot = &slots[call.slot];
    return slot->state == OPEN && slot->generation == call.generation ? slot : NULL;
}

/* With the lock held. */
static void free_slot(slot_t *slot)
{
    slot->state = FREE;
    slot->generation++;
}

void tool_call_init(void)
{
    ended = xEventGroupCreate();
    assert(ended != NULL);
}

bool tool_call_open(const char *id, size_t id_length, const char *tool, tool_call_ref_t *call)
{
    assert(id_length <= TOOL_CALL_ID_MAX);
    bool opened = false;
    portENTER_CRITICAL(&slots_lock);
    for (uint32_t i = 0; i < TOOL_CALL_SLOTS && !opened; i++) {
        slot_t *slot = &slots[i];
        if (slot->state == FREE) {
            slot->state = OPEN;
            slot->opened_us = esp_timer_get_time();
            memcpy(slot->end.id, id, id_length);
            slot->end.id[id_length] = '\0';
            slot->end.id_length = id_length;
            slot->end.tool = tool;
            slot->end.result = tool_result_new(TOOL_VALUE_NONE);
            *call = (tool_call_ref_t){.slot = i, .generation = slot->generation};
            opened = true;
        }
    }
    portEXIT_CRITICAL(&slots_lock);
    return opened;
}

void tool_call_set_target(tool_call_ref_t call, int32_t target)
{
    portENTER_CRITICAL(&slots_lock);
    slot_t *slot = open_slot(call);
    if (slot != NULL) {
        slot->end.result.target = target;
    }
    portEXIT_CRITICAL(&slots_lock);
}

void tool_call_close(tool_call_ref_t call)
{
    portENTER_CRITICAL(&slots_lock);
    slot_t *slot = open_slot(call);
    if (slot != NULL) {
        free_slot(slot);
    }
    portEXIT_CRITICAL(&slots_lock);
}

bool tool_call_is_wanted(tool_call_ref_t call)
{
    if (call.slot == TOOL_CALL_DETACHED.slot) {
        return true;
    }
    portENTER_CRITICAL(&slots_lock);
    bool wanted = open_slot(call) != NULL;
    portEXIT_CRITICAL(&slots_lock);
    return wanted;
}

void tool_call_finish(tool_call_ref_t call, const tool_result_t *result)
{
    portENTER_CRITICAL(&slots_lock);
    slot_t *slot = open_slot(call);
    if (slot != NULL) {
        slot->end.result = *result;
        slot->end.result.elapsed_ms = elapsed_ms(slot);
        slot->state = FINISHED;
    }
    portEXIT_CRITICAL(&slots_lock);
    if (slot != NULL) {
        xEventGroupSetBits(ended, (EventBits_t)1 << call.slot);
    }
}

/* Takes over a slot's call if it has ended; else *remaining_us shrinks to what is left of it. */
static bool take_end(slot_t *slot, tool_call_end_t *end, int64_t *remaining_us)
{
    portENTER_CRITICAL(&slots_lock);
    bool over = slot->state == FINISHED;
    if (slot->state == OPEN) {
        int64_t left = slot->opened_us + TIMEOUT_US - esp_timer_get_time();
        if (left <= 0) {
            slot->end.result.error = "timeout";
            slot->end.result.elapsed_ms = elapsed_ms(slot);
            over = true;
        } else if (left < *remaining_us) {
            *remaining_us = left;
        }
    }
    if (over) {
        *end = slot->end;
        free_slot(slot);
    }
    portEXIT_CRITICAL(&slots_lock);
    return over;
}

void tool_call_wait(tool_call_end_t *end)
{
    for (;;) {
        /* A call opened after this look has all its time before it, so no wait that starts now
         * and is at most that long can miss its deadline. */
        int64_t remaining_us = TIMEOUT_US;
        for (uint32_t i = 0; i < TOOL_CALL_SLOTS; i++) {
            if (take_end(&slots[i], end, &remaining_us)) {
                return;
            }
        }
        TickType_t ticks = pdMS_TO_TICKS((uint32_t)(remaining_us / 1000)) + 1;
        xEventGroupWaitBits(ended, ALL_SLOTS, pdTRUE, pdFALSE, ticks);
    }
}
