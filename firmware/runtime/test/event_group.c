/* Event groups: any and all, clear on exit, several waiters, time-outs, interrupts. */
#include "check.h"
#include "freertos/event_groups.h"

static EventGroupHandle_t group;

typedef struct {
    char letter;
    EventBits_t bits;
    BaseType_t clear;
    BaseType_t all;
} wait_t;

static void waiter(void *arg)
{
    const wait_t *wait = arg;
    EventBits_t bits =
        xEventGroupWaitBits(group, wait->bits, wait->clear, wait->all, portMAX_DELAY);
    note(wait->letter);
    note((char)('0' + bits));
    vTaskDelete(NULL);
}

static void set_from_interrupt(void *arg)
{
    BaseType_t woken = pdFALSE;
    xEventGroupSetBitsFromISR(group, (EventBits_t)(uintptr_t)arg, &woken);
    portYIELD_FROM_ISR(woken);
}

static void test_without_waiting(void)
{
    CHECK(xEventGroupSetBits(group, 6) == 6);
    CHECK(xEventGroupWaitBits(group, 3, pdFALSE, pdFALSE, 0) == 6);
    CHECK(xEventGroupWaitBits(group, 3, pdTRUE, pdTRUE, 0) == 6);
    CHECK(xEventGroupGetBits(group) == 6);
    CHECK(xEventGroupWaitBits(group, 2, pdTRUE, pdTRUE, 0) == 6);
    CHECK(xEventGroupGetBits(group) == 4);
    CHECK(xEventGroupClearBits(group, 4) == 4);
    CHECK(xEventGroupGetBits(group) == 0);
}

static void test_time_out(void)
{
    vTaskDelay(1);
    TickType_t start = xTaskGetTickCount();
    CHECK(xEventGroupWaitBits(group, 1, pdTRUE, pdTRUE, 6) == 0);
    CHECK(xTaskGetTickCount() - start == 6);
}

/* One call wakes every task it satisfies; what they asked to clear goes after that. */
static void test_several_waiters(void)
{
    static const wait_t any = {'A', 3, pdTRUE, pdFALSE};
    static const wait_t all = {'B', 3, pdFALSE, pdTRUE};
    static const wait_t other = {'C', 4, pdTRUE, pdTRUE};
    start_task(waiter, "any", 3, (void *)&any);
    start_task(waiter, "all", 5, (void *)&all);
    start_task(waiter, "other", 4, (void *)&other);
    CHECK(xEventGroupSetBits(group, 2) == 0);
    CHECK(noted("A2"));
    start_task(waiter, "any", 3, (void *)&any);
    CHECK(xEventGroupSetBits(group, 3) == 0);
    CHECK(noted("B3A3"));
    run_in_interrupt(set_from_interrupt, (void *)(4 | 8));
    note('.');
    CHECK(noted("C<."));
    CHECK(xEventGroupGetBits(group) == 8);
}

static void test_sync(void)
{
    xEventGroupClearBits(group, 8);
    CHECK(xEventGroupSync(group, 1, 3, 2) == 1);
    CHECK(xEventGroupSync(group, 2, 3, 2) == 3);
    CHECK(xEventGroupGetBits(group) == 0);
}

void app_main(void)
{
    group = xEventGroupCreate();
    test_without_waiting();
    test_time_out();
    test_several_waiters();
    test_sync();
    vEventGroupDelete(group);
    check_finish();
}
