/* Many tasks of changing priorities on queues, a mutex and an event group at once, with time-outs
 * and interrupts in between: nothing may be lost, doubled or left locked. */
#include "check.h"
#include "esp_bit_defs.h"
#include "esp_timer.h"
#include "freertos/event_groups.h"
#include "freertos/queue.h"
#include "freertos/semphr.h"

#define PRODUCERS 4
#define CONSUMERS 3
#define ITEMS 400
#define INTERRUPT_PERIOD_US 170

static QueueHandle_t queue;
static SemaphoreHandle_t mutex;
static EventGroupHandle_t finished;
static uint32_t sent_sum;
static uint32_t received_sum;
static uint32_t received_count;
static uint32_t interrupts_sent;
static volatile bool must_stop;

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

/* Mutex-guarded, with a gap in which another task could spoil it. */
static void add(uint32_t *sum, uint32_t value)
{
    xSemaphoreTake(mutex, portMAX_DELAY);
    uint32_t seen = *sum;
    taskYIELD();
    *sum = seen + value;
    xSemaphoreGive(mutex);
}

static void produce(void *arg)
{
    uint32_t index = (uint32_t)(uintptr_t)arg;
    uint32_t seed = index + 1;
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t item = next_random(&seed);
        vTaskPrioritySet(NULL, 2 + next_random(&seed) % 4);
        while (!xQueueGenericSend(queue, &item, next_random(&seed) % 3,
                                  next_random(&seed) & 1)) {
        }
        add(&sent_sum, item);
        if (next_random(&seed) % 16 == 0) {
            vTaskDelay(1);
        }
    }
    xEventGroupSetBits(finished, BIT(index));
    vTaskDelete(NULL);
}

static void consume(void *arg)
{
    uint32_t index = (uint32_t)(uintptr_t)arg;
    uint32_t seed = 100 + index;
    while (!must_stop || uxQueueMessagesWaiting(queue) > 0) {
        uint32_t item;
        vTaskPrioritySet(NULL, 2 + next_random(&seed) % 4);
        if (xQueueReceive(queue, &item, next_random(&seed) % 4)) {
            add(&received_sum, item);
            add(&received_count, 1);
        }
    }
    xEventGroupSetBits(finished, BIT(PRODUCERS + index));
    vTaskDelete(NULL);
}

static void send_one(void *arg)
{
    (void)arg;
    BaseType_t woken = pdFALSE;
    const uint32_t one = 1;
    if (xQueueSendFromISR(queue, &one, &woken)) {
        interrupts_sent++;
    }
    portYIELD_FROM_ISR(woken);
}

static void on_timer(void *arg)
{
    (void)arg;
    run_in_interrupt(send_one, NULL);
}

void app_main(void)
{
    queue = xQueueCreate(5, sizeof(uint32_t));
    mutex = xSemaphoreCreateMutex();
    finished = xEventGroupCreate();
    vTaskPrioritySet(NULL, 10);
    const esp_timer_create_args_t args = {.callback = on_timer};
    esp_timer_handle_t timer;
    ESP_ERROR_CHECK(esp_timer_create(&args, &timer));
    ESP_ERROR_CHECK(esp_timer_start_periodic(timer, INTERRUPT_PERIOD_US));
    for (uintptr_t i = 0; i < PRODUCERS; i++) {
        start_task(produce, "producer", 3, (void *)i);
    }
    for (uintptr_t i = 0; i < CONSUMERS; i++) {
        start_task(consume, "consumer", 3, (void *)i);
    }
    const EventBits_t producers = BIT(PRODUCERS) - 1;
    const EventBits_t all = BIT(PRODUCERS + CONSUMERS) - 1;
    CHECK(xEventGroupWaitBits(finished, producers, pdFALSE, pdTRUE, 5000) == producers);
    esp_timer_stop(timer);
    vTaskDelay(1);
    must_stop = true;
    CHECK(xEventGroupWaitBits(finished, all, pdFALSE, pdTRUE, 5000) == all);
    CHECK(interrupts_sent > 100);
    CHECK(received_count == PRODUCERS * ITEMS + interrupts_sent);
    CHECK(received_sum == sent_sum + interrupts_sent);
    CHECK(xSemaphoreGetMutexHolder(mutex) == NULL);
    CHECK(uxQueueMessagesWaiting(queue) == 0);
    check_finish();
}
