/* Direct-to-task notifications. */
#include "check.h"

static TaskHandle_t waiter_task;

static void taker(void *arg)
{
    (void)arg;
    note((char)('0' + ulTaskNotifyTake(pdTRUE, portMAX_DELAY)));
    note((char)('0' + ulTaskNotifyTake(pdFALSE, portMAX_DELAY)));
    note((char)('0' + ulTaskNotifyTake(pdFALSE, 0)));
    note((char)('0' + ulTaskNotifyTake(pdFALSE, 0)));
    vTaskDelete(NULL);
}

static void bit_waiter(void *arg)
{
    (void)arg;
    uint32_t value = 0;
    note(xTaskNotifyWait(0, 1, &value, portMAX_DELAY) ? 'y' : 'n');
    note((char)('0' + value));
    note(xTaskNotifyWait(0, 0, &value, 3) ? 'y' : 'n');
    note((char)('0' + value));
    vTaskDelete(NULL);
}

static void give_from_interrupt(void *arg)
{
    BaseType_t woken = pdFALSE;
    vTaskNotifyGiveFromISR(arg, &woken);
    portYIELD_FROM_ISR(woken);
}

static void test_give_and_take(void)
{
    waiter_task = start_task(taker, "taker", 4, NULL);
    xTaskNotifyGive(waiter_task);
    CHECK(noted("1"));
    vTaskSuspendAll();
    xTaskNotifyGive(waiter_task);
    xTaskNotifyGive(waiter_task);
    xTaskResumeAll();
    CHECK(noted("210"));
}

static void test_interrupt_gives(void)
{
    TaskHandle_t task = start_task(taker, "taker", 4, NULL);
    run_in_interrupt(give_from_interrupt, task);
    note('.');
    CHECK(noted("1."));
    vTaskDelete(task);
}

static void test_bits_and_values(void)
{
    TaskHandle_t task = start_task(bit_waiter, "bits", 4, NULL);
    xTaskNotify(task, 5, eSetBits);
    CHECK(noted("y5"));
    vTaskDelay(5);
    CHECK(noted("n4"));

    TaskHandle_t self = xTaskGetCurrentTaskHandle();
    uint32_t previous;
    CHECK(xTaskNotifyAndQuery(self, 7, eSetValueWithOverwrite, &previous) && previous == 0);
    CHECK(!xTaskNotify(self, 9, eSetValueWithoutOverwrite));
    uint32_t value;
    CHECK(xTaskNotifyWait(0, UINT32_MAX, &value, 0) && value == 7);
    CHECK(xTaskNotify(self, 9, eSetValueWithoutOverwrite));
    CHECK(xTaskNotifyStateClear(NULL) && !xTaskNotifyStateClear(NULL));
    CHECK(ulTaskNotifyValueClear(NULL, 1) == 9);
    CHECK(ulTaskNotifyTake(pdTRUE, 0) == 8);
}

static void test_time_out(void)
{
    vTaskDelay(1);
    TickType_t start = xTaskGetTickCount();
    CHECK(ulTaskNotifyTake(pdTRUE, 9) == 0);
    CHECK(xTaskGetTickCount() - start == 9);
}

void app_main(void)
{
    test_give_and_take();
    test_interrupt_gives();
    test_bits_and_values();
    test_time_out();
    check_finish();
}
