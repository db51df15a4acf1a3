/* Scheduling: preemption, round robin, delays, suspension, priorities, deletion. */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "esp_rom_sys.h"
#include "esp_system.h"
#include "esp_timer.h"

static volatile uint32_t turns[3];
static volatile bool must_stop;

static void note_arg(void *arg)
{
    note((char)(uintptr_t)arg);
    vTaskDelete(NULL);
}

static void spin(void *arg)
{
    volatile uint32_t *counter = arg;
    while (!must_stop) {
        (*counter)++;
    }
    vTaskDelete(NULL);
}

static void suspend_self(void *arg)
{
    (void)arg;
    note('1');
    vTaskSuspend(NULL);
    note('2');
    vTaskDelete(NULL);
}

static void test_preemption(void)
{
    start_task(note_arg, "high", 5, (void *)'h');
    note('m');
    start_task(note_arg, "equal", 1, (void *)'e');
    start_task(note_arg, "low", 0, (void *)'l');
    note('m');
    taskYIELD();
    note('m');
    vTaskDelay(1);
    CHECK(noted("hmmeml"));

    vTaskSuspendAll();
    start_task(note_arg, "high", 5, (void *)'h');
    note('m');
    xTaskResumeAll();
    CHECK(noted("mh"));

    static portMUX_TYPE lock = portMUX_INITIALIZER_UNLOCKED;
    taskENTER_CRITICAL(&lock);
    taskENTER_CRITICAL(&lock);
    start_task(note_arg, "high", 5, (void *)'h');
    taskEXIT_CRITICAL(&lock);
    note('m');
    taskEXIT_CRITICAL(&lock);
    CHECK(noted("mh"));
}

static void test_round_robin(void)
{
    vTaskPrioritySet(NULL, 3);
    for (int i = 0; i < 3; i++) {
        start_task(spin, "spin", 2, (void *)&turns[i]);
    }
    vTaskDelay(30);
    must_stop = true;
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    for (int i = 0; i < 3; i++) {
        least = turns[i] < least ? turns[i] : least;
        most = turns[i] > most ? turns[i] : most;
    }
    CHECK(least > 0 && most < 2 * least);
    vTaskPrioritySet(NULL, 1);
}

static void test_delays_are_exact(void)
{
    vTaskDelay(1);
    TickType_t start = xTaskGetTickCount();
    int64_t start_us = esp_timer_get_time();
    vTaskDelay(10);
    int64_t elapsed_us = esp_timer_get_time() - start_us;
    CHECK(xTaskGetTickCount() - start == 10);
    CHECK(elapsed_us > 9900 && elapsed_us < 10100);

    TickType_t wake = xTaskGetTickCount();
    start = wake;
    vTaskDelay(3);
    CHECK(xTaskDelayUntil(&wake, 10));
    CHECK(xTaskGetTickCount() - start == 10);
    vTaskDelay(15);
    CHECK(!xTaskDelayUntil(&wake, 10));
    CHECK(wake - start == 20);
}

/* No tick may be lost while interrupts are off. */
static void test_ticks_are_not_lost(void)
{
    vTaskDelay(1);
    TickType_t start = xTaskGetTickCount();
    int64_t end_us = esp_timer_get_time() + 5500;
    vPortEnterCritical();
    while (esp_timer_get_time() < end_us) {
    }
    vPortExitCritical();
    esp_rom_delay_us(5);
    CHECK(xTaskGetTickCount() - start == 5);
}

static void test_suspension(void)
{
    TaskHandle_t task = start_task(suspend_self, "self", 4, NULL);
    CHECK(noted("1"));
    CHECK(eTaskGetState(task) == eSuspended);
    vTaskResume(task);
    CHECK(noted("2"));

    task = start_task(note_arg, "below", 0, (void *)'x');
    CHECK(eTaskGetState(task) == eReady);
    vTaskSuspend(task);
    vTaskDelay(2);
    CHECK(noted(""));
    vTaskResume(task);
    vTaskDelay(2);
    CHECK(noted("x"));
}

static void test_priorities(void)
{
    TaskHandle_t task = start_task(note_arg, "raised", 0, (void *)'r');
    CHECK(uxTaskPriorityGet(task) == 0);
    note('m');
    vTaskPrioritySet(task, 6);
    note('m');
    CHECK(noted("mrm"));
    start_task(note_arg, "equal", 1, (void *)'e');
    vTaskPrioritySet(NULL, 0);
    CHECK(noted("e"));
    vTaskPrioritySet(NULL, 1);
}

static void abort_delay(void *arg)
{
    xTaskAbortDelay(arg);
    vTaskDelete(NULL);
}

static void keep_errno(void *arg)
{
    (void)arg;
    errno = 42;
    vTaskDelay(2);
    note(errno == 42 ? 'k' : '!');
    vTaskDelete(NULL);
}

static void test_odds_and_ends(void)
{
    start_task(abort_delay, "abort", 0, xTaskGetCurrentTaskHandle());
    TickType_t start = xTaskGetTickCount();
    vTaskDelay(1000);
    CHECK(xTaskGetTickCount() - start < 3);

    start_task(keep_errno, "errno", 3, NULL);
    errno = 7;
    vTaskDelay(4);
    CHECK(errno == 7 && noted("k"));

    CHECK(strcmp(pcTaskGetName(NULL), "main") == 0);
    CHECK(xTaskGetHandle("main") == xTaskGetCurrentTaskHandle());
    CHECK(xTaskGetHandle("nobody") == NULL);
    UBaseType_t left = uxTaskGetStackHighWaterMark(NULL);
    CHECK(left > 0 && left < CONFIG_ESP_MAIN_TASK_STACK_SIZE);
    CHECK(xTaskGetSchedulerState() == taskSCHEDULER_RUNNING);
}

static void test_deletion_frees_memory(void)
{
    vTaskDelay(2);
    uint32_t before = esp_get_free_heap_size();
    UBaseType_t tasks = uxTaskGetNumberOfTasks();
    TaskHandle_t waiting = start_task(suspend_self, "waiting", 3, NULL);
    start_task(note_arg, "self", 3, (void *)'x');
    CHECK(uxTaskGetNumberOfTasks() == tasks + 1);
    vTaskDelete(waiting);
    vTaskDelay(2);
    CHECK(esp_get_free_heap_size() == before);
    CHECK(uxTaskGetNumberOfTasks() == tasks);
    CHECK(noted("1x"));
}

void app_main(void)
{
    test_preemption();
    test_round_robin();
    test_delays_are_exact();
    test_ticks_are_not_lost();
    test_suspension();
    test_priorities();
    test_odds_and_ends();
    test_deletion_frees_memory();
    check_finish();
}
