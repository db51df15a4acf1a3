/* Every way to panic: the chip restarts after each, and says why it had been reset.
 *
 * The phase survives resets in RTC memory. Each boot checks the last one's end. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "esp_attr.h"
#include "esp_system.h"

RTC_NOINIT_ATTR static uint32_t phase;
RTC_NOINIT_ATTR static esp_reset_reason_t reasons[8];

static int dig(int depth)
{
    volatile char hole[64];
    memset((void *)hole, depth, sizeof hole);
    return depth == 0 ? hole[0] : dig(depth - 1) + hole[1];
}

static void greedy(void *arg)
{
    (void)arg;
    dig(16);
    vTaskDelay(1);
    vTaskDelete(NULL);
}

static void overflow_stack(void)
{
    xTaskCreate(greedy, "greedy", 1024, NULL, 5, NULL);
    vTaskDelay(2);
}

static void fail_assertion(void)
{
    assert(phase == UINT32_MAX);
}

static void load_from_nowhere(void)
{
    volatile const uint32_t *nowhere = (const uint32_t *)phase; /* a small number */
    printf("%u\n", (unsigned)*nowhere);
}

static void fail_error_check(void)
{
    ESP_ERROR_CHECK(ESP_ERR_TIMEOUT);
}

static void return_from_task(void *arg)
{
    (void)arg;
}

static void let_task_return(void)
{
    start_task(return_from_task, "short", 5, NULL);
}

static void (*const ends[])(void) = {
    overflow_stack, abort,           fail_assertion, load_from_nowhere,
    fail_error_check, let_task_return, esp_restart,
};
#define ENDS (sizeof ends / sizeof ends[0])

void app_main(void)
{
    if (esp_reset_reason() == ESP_RST_POWERON) {
        phase = 0;
    } else {
        reasons[phase - 1] = esp_reset_reason();
    }
    if (phase < ENDS) {
        printf("PHASE %u\n", (unsigned)phase);
        ends[phase++]();
        printf("FAIL phase %u went on\n", (unsigned)phase - 1);
        return;
    }
    for (size_t i = 0; i + 1 < ENDS; i++) {
        CHECK(reasons[i] == ESP_RST_PANIC);
    }
    CHECK(reasons[ENDS - 1] == ESP_RST_SW);
    check_finish();
}
