/* Queues and semaphores: order of service, time-outs in exact ticks, use from interrupts. */
#include "check.h"
#include "freertos/queue.h"
#include "freertos/semphr.h"

static QueueHandle_t queue;

static void receiver(void *arg)
{
    char item;
    if (xQueueReceive(queue, &item, portMAX_DELAY)) {
        note((char)(uintptr_t)arg);
        note(item);
    }
    vTaskDelete(NULL);
}

static void sender(void *arg)
{
    char item = (char)(uintptr_t)arg;
    xQueueSend(queue, &item, portMAX_DELAY);
    note(item);
    vTaskDelete(NULL);
}

static void test_items_keep_their_order(void)
{
    queue = xQueueCreate(3, sizeof(char));
    char item;
    CHECK(uxQueueSpacesAvailable(queue) == 3);
    CHECK(xQueueSend(queue, "1", 0));
    CHECK(xQueueSendToBack(queue, "2", 0));
    CHECK(xQueueSendToFront(queue, "0", 0));
    CHECK(!xQueueSend(queue, "9", 0));
    CHECK(uxQueueMessagesWaiting(queue) == 3 && uxQueueSpacesAvailable(queue) == 0);
    CHECK(xQueuePeek(queue, &item, 0) && item == '0');
    CHECK(xQueueReceive(queue, &item, 0) && item == '0');
    CHECK(xQueueReceive(queue, &item, 0) && item == '1');
    CHECK(xQueueSend(queue, "3", 0));
    CHECK(xQueueReceive(queue, &item, 0) && item == '2');
    CHECK(xQueueReceive(queue, &item, 0) && item == '3');
    CHECK(!xQueueReceive(queue, &item, 0));
    xQueueSend(queue, "4", 0);
    xQueueReset(queue);
    CHECK(uxQueueMessagesWaiting(queue) == 0);
    vQueueDelete(queue);

    queue = xQueueCreate(1, sizeof(char));
    xQueueOverwrite(queue, "a");
    xQueueOverwrite(queue, "b");
    CHECK(xQueueReceive(queue, &item, 0) && item == 'b');
    vQueueDelete(queue);
}

static void test_time_outs_are_exact(void)
{
    char item;
    queue = xQueueCreate(1, sizeof(char));
    vTaskDelay(1);
    TickType_t start = xTaskGetTickCount();
    CHECK(!xQueueReceive(queue, &item, 7));
    CHECK(xTaskGetTickCount() - start == 7);
    xQueueSend(queue, "x", 0);
    start = xTaskGetTickCount();
    CHECK(!xQueueSend(queue, "y", 5));
    CHECK(xTaskGetTickCount() - start == 5);
    vQueueDelete(queue);
}

/* Main runs at 1: the receivers run as soon as they exist, and block in the order A B C D. */
static void test_highest_priority_waits_least(void)
{
    queue = xQueueCreate(4, sizeof(char));
    start_task(receiver, "A", 3, (void *)'A');
    start_task(receiver, "B", 4, (void *)'B');
    start_task(receiver, "C", 3, (void *)'C');
    start_task(receiver, "D", 4, (void *)'D');
    for (const char *item = "1234"; *item != '\0'; item++) {
        xQueueSend(queue, item, 0);
    }
    CHECK(noted("B1D2A3C4"));

    for (const char *item = "0000"; *item != '\0'; item++) {
        xQueueSend(queue, item, 0);
    }
    start_task(sender, "a", 3, (void *)'a');
    start_task(sender, "b", 5, (void *)'b');
    start_task(sender, "c", 5, (void *)'c');
    char item;
    for (int i = 0; i < 3; i++) {
        xQueueReceive(queue, &item, 0);
    }
    CHECK(noted("bca"));
    vQueueDelete(queue);
}

static BaseType_t was_sent;
static BaseType_t woken;

static void send_from_interrupt(void *arg)
{
    woken = pdFALSE;
    was_sent = xQueueSendFromISR(queue, arg, &woken);
    portYIELD_FROM_ISR(woken);
}

static void give_from_interrupt(void *arg)
{
    woken = pdFALSE;
    was_sent = xSemaphoreGiveFromISR(arg, &woken);
    portYIELD_FROM_ISR(woken);
}

static void test_interrupts_send(void)
{
    queue = xQueueCreate(1, sizeof(char));
    start_task(receiver, "R", 5, (void *)'R');
    run_in_interrupt(send_from_interrupt, "7");
    note('.');
    CHECK(noted("R7."));
    CHECK(was_sent && woken);
    run_in_interrupt(send_from_interrupt, "8");
    CHECK(was_sent && !woken);
    run_in_interrupt(send_from_interrupt, "9");
    CHECK(!was_sent && !woken);
    char item;
    CHECK(xQueueReceive(queue, &item, 0) && item == '8');
    vQueueDelete(queue);
}

static void test_semaphores_count(void)
{
    SemaphoreHandle_t binary = xSemaphoreCreateBinary();
    CHECK(!xSemaphoreTake(binary, 2));
    CHECK(xSemaphoreGive(binary));
    CHECK(!xSemaphoreGive(binary));
    CHECK(xSemaphoreTake(binary, 0));
    run_in_interrupt(give_from_interrupt, binary);
    CHECK(was_sent && xSemaphoreTake(binary, 0));
    vSemaphoreDelete(binary);

    static StaticSemaphore_t memory;
    SemaphoreHandle_t counting = xSemaphoreCreateCountingStatic(3, 2, &memory);
    CHECK(uxSemaphoreGetCount(counting) == 2);
    CHECK(xSemaphoreGive(counting));
    CHECK(!xSemaphoreGive(counting));
    CHECK(xSemaphoreTake(counting, 0) && xSemaphoreTake(counting, 0) &&
          xSemaphoreTake(counting, 0));
    CHECK(!xSemaphoreTake(counting, 0));
}

void app_main(void)
{
    test_items_keep_their_order();
    test_time_outs_are_exact();
    test_highest_priority_waits_least();
    test_interrupts_send();
    test_semaphores_count();
    check_finish();
}
