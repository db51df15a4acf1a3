/* Mutexes: priority inheritance and its end, recursion, ownership. */
#include "check.h"
#include "freertos/semphr.h"

#define LOW 2
#define MIDDLE 4
#define HIGH 6

static SemaphoreHandle_t mutex;
static TaskHandle_t low_task;
static TickType_t high_wait = portMAX_DELAY;

static void high(void *arg)
{
    (void)arg;
    note('h');
    note(xSemaphoreTake(mutex, high_wait) ? 'H' : '!');
    if (xSemaphoreGetMutexHolder(mutex) == xTaskGetCurrentTaskHandle()) {
        xSemaphoreGive(mutex);
    }
    vTaskDelete(NULL);
}

static void middle(void *arg)
{
    (void)arg;
    note('M');
    vTaskDelete(NULL);
}

/* Holds the mutex while a high-priority task waits and a middle one is ready to run. */
static void low(void *arg)
{
    (void)arg;
    xSemaphoreTake(mutex, portMAX_DELAY);
    note('l');
    start_task(high, "high", HIGH, NULL);
    CHECK(uxTaskPriorityGet(NULL) == HIGH);
    start_task(middle, "middle", MIDDLE, NULL);
    note('L');
    xSemaphoreGive(mutex);
    CHECK(uxTaskPriorityGet(NULL) == LOW);
    vTaskDelete(NULL);
}

static void test_holder_inherits(void)
{
    mutex = xSemaphoreCreateMutex();
    start_task(low, "low", LOW, NULL);
    CHECK(noted("lhLHM"));
    CHECK(xSemaphoreGetMutexHolder(mutex) == NULL);
    vSemaphoreDelete(mutex);
}

static void test_time_out_ends_inheritance(void)
{
    mutex = xSemaphoreCreateMutex();
    xSemaphoreTake(mutex, 0);
    high_wait = 3;
    start_task(high, "high", HIGH, NULL);
    CHECK(uxTaskPriorityGet(NULL) == HIGH);
    vTaskDelay(4);
    CHECK(uxTaskPriorityGet(NULL) == 1);
    CHECK(noted("h!"));
    xSemaphoreGive(mutex);
    CHECK(uxTaskPriorityGet(NULL) == 1);
    high_wait = portMAX_DELAY;
    vSemaphoreDelete(mutex);
}

/* As in FreeRTOS, a holder keeps the inherited priority until it holds no mutex any more. */
static void test_inheritance_lasts_while_any_mutex_is_held(void)
{
    SemaphoreHandle_t other = xSemaphoreCreateMutex();
    mutex = xSemaphoreCreateMutex();
    xSemaphoreTake(other, 0);
    xSemaphoreTake(mutex, 0);
    start_task(high, "high", HIGH, NULL);
    xSemaphoreGive(mutex);
    CHECK(uxTaskPriorityGet(NULL) == HIGH);
    xSemaphoreGive(other);
    CHECK(uxTaskPriorityGet(NULL) == 1);
    CHECK(noted("hH"));
    vSemaphoreDelete(mutex);
    vSemaphoreDelete(other);
}

static void take_and_suspend(void *arg)
{
    note(xSemaphoreTakeRecursive(arg, 0) ? 'T' : '-');
    vTaskDelete(NULL);
}

static void test_recursion(void)
{
    static StaticSemaphore_t memory;
    SemaphoreHandle_t recursive = xSemaphoreCreateRecursiveMutexStatic(&memory);
    CHECK(xSemaphoreTakeRecursive(recursive, 0) && xSemaphoreTakeRecursive(recursive, 0));
    CHECK(xSemaphoreGiveRecursive(recursive));
    start_task(take_and_suspend, "other", HIGH, recursive);
    CHECK(noted("-"));
    CHECK(xSemaphoreGiveRecursive(recursive));
    CHECK(!xSemaphoreGiveRecursive(recursive));
    start_task(take_and_suspend, "other", HIGH, recursive);
    CHECK(noted("T"));
}

static void contender(void *arg)
{
    for (int i = 0; i < 200; i++) {
        xSemaphoreTake(mutex, portMAX_DELAY);
        int *shared = arg;
        int seen = *shared;
        taskYIELD();
        *shared = seen + 1;
        xSemaphoreGive(mutex);
    }
    xTaskNotifyGive(low_task);
    vTaskDelete(NULL);
}

static void test_exclusion(void)
{
    static int shared;
    mutex = xSemaphoreCreateMutex();
    low_task = xTaskGetCurrentTaskHandle();
    for (int i = 0; i < 3; i++) {
        start_task(contender, "contender", 3, &shared);
    }
    for (int i = 0; i < 3; i++) {
        ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
    }
    CHECK(shared == 600);
    vSemaphoreDelete(mutex);
}

void app_main(void)
{
    test_holder_inherits();
    test_time_out_ends_inheritance();
    test_inheritance_lasts_while_any_mutex_is_held();
    test_recursion();
    test_exclusion();
    check_finish();
}
