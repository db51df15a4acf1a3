/* Puts the firmware's call slots behind a pipe, for test_tool_call.py, with a clock that only moves
 * when somebody waits. One request a line, one answer a line:
 *   open ID                   "SLOT GENERATION" or "none"
 *   target SLOT GEN VALUE     "done"
 *   close SLOT GEN            "done"
 *   wanted SLOT GEN           "yes" or "no"
 *   finish SLOT GEN VALUE     "done": confirmed with this read-back
 *   sleep MS                  "done"
 *   wait                      "ID STAGE ERROR TARGET READBACK ELAPSED", "-" for none */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/event_groups.h"
#include "tool_call.h"

static int64_t now_us;
static EventBits_t group;

int64_t esp_timer_get_time(void)
{
    return now_us;
}

EventGroupHandle_t xEventGroupCreate(void)
{
    return &group;
}

EventBits_t xEventGroupSetBits(EventGroupHandle_t handle, EventBits_t bits)
{
    return *handle |= bits;
}

EventBits_t xEventGroupWaitBits(EventGroupHandle_t handle, EventBits_t bits, BaseType_t clear,
                                BaseType_t all, TickType_t ticks)
{
    (void)clear, (void)all;
    EventBits_t set = *handle & bits;
    if (set == 0) {
        /* n ticks end at the nth tick from now, as in FreeRTOS. */
        now_us = (now_us / 1000 + ticks) * 1000;
    }
    *handle &= ~bits;
    return set;
}

static void print_value(int32_t value)
{
    if (value == TOOL_VALUE_NONE) {
        printf(" -");
    } else {
        printf(" %d", (int)value);
    }
}

static void answer_wait(void)
{
    tool_call_end_t end;
    tool_call_wait(&end);
    printf("%s %s %s", end.id, tool_stage_name(end.result.stage),
           tool_result_success(&end.result) ? "-" : end.result.error);
    print_value(end.result.target);
    print_value(end.result.readback);
    printf(" %u\n", (unsigned)end.result.elapsed_ms);
}

static void finish(tool_call_ref_t call, int32_t readback)
{
    tool_result_t result = tool_result_new(readback);
    result.stage = TOOL_STAGE_CONFIRMED;
    result.readback = readback;
    tool_call_finish(call, &result);
}

int main(void)
{
    char request[32];
    tool_call_init();
    while (scanf("%31s", request) == 1) {
        tool_call_ref_t call;
        int value = 0;
        char id[TOOL_CALL_ID_MAX + 1];
        if (strcmp(request, "wait") == 0) {
            answer_wait();
        } else if (strcmp(request, "sleep") == 0 && scanf("%d", &value) == 1) {
            now_us += (int64_t)value * 1000;
            puts("done");
        } else if (strcmp(request, "open") == 0 && scanf("%128s", id) == 1) {
            if (tool_call_open(id, strlen(id), "tool", &call)) {
                printf("%u %u\n", (unsigned)call.slot, (unsigned)call.generation);
            } else {
                puts("none");
            }
        } else if (scanf("%u %u", &call.slot, &call.generation) != 2) {
            return 3;
        } else if (strcmp(request, "wanted") == 0) {
            puts(tool_call_is_wanted(call) ? "yes" : "no");
        } else if (strcmp(request, "close") == 0) {
            tool_call_close(call);
            puts("done");
        } else if (scanf("%d", &value) != 1) {
            return 3;
        } else if (strcmp(request, "target") == 0) {
            tool_call_set_target(call, value);
            puts("done");
        } else if (strcmp(request, "finish") == 0) {
            finish(call, value);
            puts("done");
        } else {
            return 3;
        }
        fflush(stdout);
    }
    return 0;
}
