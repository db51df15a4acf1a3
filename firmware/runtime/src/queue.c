/* Queues, and the semaphores and mutexes that are queues of empty items. */
#include "freertos/queue.h"

#include <stdlib.h>
#include <string.h>

#include "freertos/semphr.h"
#include "kernel.h"
#include "port.h"

struct QueueDefinition {
    list_t senders;
    list_t receivers;
    uint8_t *storage;
    UBaseType_t length;
    UBaseType_t item_size;
    UBaseType_t count;
    UBaseType_t head; /* index of the next item to receive */
    task_t *holder;   /* of a mutex */
    UBaseType_t recursion;
    bool is_mutex;
    bool is_static;
};

static_assert(sizeof(StaticQueue_t) >= sizeof(struct QueueDefinition),
              "StaticQueue_t is too small");

static void initialise(QueueHandle_t queue, UBaseType_t length, UBaseType_t item_size,
                       uint8_t *storage, bool is_static)
{
    configASSERT(length > 0);
    memset(queue, 0, sizeof *queue);
    list_init(&queue->senders);
    list_init(&queue->receivers);
    queue->length = length;
    queue->item_size = item_size;
    queue->storage = storage;
    queue->is_static = is_static;
}

QueueHandle_t xQueueCreate(UBaseType_t length, UBaseType_t item_size)
{
    QueueHandle_t queue = malloc(sizeof *queue + length * item_size);
    if (queue != NULL) {
        initialise(queue, length, item_size, (uint8_t *)(queue + 1), false);
    }
    return queue;
}

QueueHandle_t xQueueCreateStatic(UBaseType_t length, UBaseType_t item_size, uint8_t *storage,
                                 StaticQueue_t *memory)
{
    configASSERT(memory != NULL && (item_size == 0 || storage != NULL));
    QueueHandle_t queue = (QueueHandle_t)memory;
    initialise(queue, length, item_size, storage, true);
    return queue;
}

void vQueueDelete(QueueHandle_t queue)
{
    if (!queue->is_static) {
        free(queue);
    }
}

BaseType_t xQueueReset(QueueHandle_t queue)
{
    vPortEnterCritical();
    queue->count = 0;
    queue->head = 0;
    kernel_wake_first(&queue->senders);
    vPortExitCritical();
    return pdPASS;
}

static uint8_t *slot(QueueHandle_t queue, UBaseType_t position)
{
    return queue->storage + ((queue->head + position) % queue->length) * queue->item_size;
}

/* Stores an item where there is room for it (or over the only one). */
static void put(QueueHandle_t queue, const void *item, BaseType_t position)
{
    if (position == queueOVERWRITE && queue->count > 0) {
        queue->count--;
    }
    if (position == queueSEND_TO_FRONT) {
        queue->head = (queue->head + queue->length - 1) % queue->length;
    }
    if (queue->item_size > 0) {
        memcpy(slot(queue, position == queueSEND_TO_FRONT ? 0 : queue->count), item,
               queue->item_size);
    }
    queue->count++;
    if (queue->is_mutex) {
        kernel_mutex_given(queue->holder);
        queue->holder = NULL;
    }
}

static void copy_first(QueueHandle_t queue, void *item)
{
    if (queue->item_size > 0) {
        memcpy(item, slot(queue, 0), queue->item_size);
    }
}

static void take(QueueHandle_t queue, void *item)
{
    copy_first(queue, item);
    queue->head = (queue->head + 1) % queue->length;
    queue->count--;
    if (queue->is_mutex) {
        queue->holder = current_task;
        kernel_mutex_taken();
    }
}

/* Gives up the CPU until something happens to the queue; false when the time is already up. */
static bool wait_for_change(list_t *waiters, uint64_t deadline)
{
    if (kernel_expired(deadline)) {
        return false;
    }
    kernel_block(waiters, deadline);
    vPortExitCritical();
    vPortEnterCritical();
    return !current_task->delay_aborted;
}

BaseType_t xQueueGenericSend(QueueHandle_t queue, const void *item, TickType_t ticks_to_wait,
                             BaseType_t position)
{
    configASSERT(queue != NULL && !(item == NULL && queue->item_size != 0));
    configASSERT(position != queueOVERWRITE || queue->length == 1);
    vPortEnterCritical();
    uint64_t deadline = kernel_deadline(ticks_to_wait);
    bool has_room;
    while (!(has_room = queue->count < queue->length || position == queueOVERWRITE) &&
           wait_for_change(&queue->senders, deadline)) {
    }
    if (has_room) {
        put(queue, item, position);
        kernel_wake_first(&queue->receivers);
    }
    vPortExitCritical();
    return has_room ? pdPASS : errQUEUE_FULL;
}

BaseType_t xQueueGenericSendFromISR(QueueHandle_t queue, const void *item, BaseType_t *woken,
                                    BaseType_t position)
{
    vPortEnterCritical();
    bool has_room = queue->count < queue->length || position == queueOVERWRITE;
    if (has_room) {
        put(queue, item, position);
        if (kernel_wake_first(&queue->receivers) && woken != NULL) {
            *woken = pdTRUE;
        }
    }
    vPortExitCritical();
    return has_room ? pdPASS : errQUEUE_FULL;
}

BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks_to_wait)
{
    configASSERT(queue != NULL && !(item == NULL && queue->item_size != 0));
    vPortEnterCritical();
    uint64_t deadline = kernel_deadline(ticks_to_wait);
    bool waited = false;
    while (queue->count == 0) {
        if (queue->is_mutex && !kernel_expired(deadline)) {
            kernel_mutex_inherit(queue->holder);
        }
        if (!wait_for_change(&queue->receivers, deadline)) {
            break;
        }
        waited = true;
    }
    bool has_item = queue->count > 0;
    if (has_item) {
        take(queue, item);
        kernel_wake_first(&queue->senders);
    } else if (queue->is_mutex && waited) {
        kernel_mutex_wait_abandoned(queue->holder, &queue->receivers);
    }
    vPortExitCritical();
    return has_item ? pdPASS : errQUEUE_EMPTY;
}

BaseType_t xQueueReceiveFromISR(QueueHandle_t queue, void *item, BaseType_t *woken)
{
    vPortEnterCritical();
    bool has_item = queue->count > 0;
    if (has_item) {
        take(queue, item);
        if (kernel_wake_first(&queue->senders) && woken != NULL) {
            *woken = pdTRUE;
        }
    }
    vPortExitCritical();
    return has_item ? pdPASS : pdFAIL;
}

BaseType_t xQueuePeek(QueueHandle_t queue, void *item, TickType_t ticks_to_wait)
{
    vPortEnterCritical();
    uint64_t deadline = kernel_deadline(ticks_to_wait);
    while (queue->count == 0 && wait_for_change(&queue->receivers, deadline)) {
    }
    bool has_item = queue->count > 0;
    if (has_item) {
        copy_first(queue, item);
        kernel_wake_first(&queue->receivers); /* the item is still there for another task */
    }
    vPortExitCritical();
    return has_item ? pdPASS : errQUEUE_EMPTY;
}

BaseType_t xQueuePeekFromISR(QueueHandle_t queue, void *item)
{
    vPortEnterCritical();
    bool has_item = queue->count > 0;
    if (has_item) {
        copy_first(queue, item);
    }
    vPortExitCritical();
    return has_item ? pdPASS : pdFAIL;
}

UBaseType_t uxQueueMessagesWaiting(QueueHandle_t queue)
{
    return queue->count;
}

UBaseType_t uxQueueMessagesWaitingFromISR(QueueHandle_t queue)
{
    return queue->count;
}

UBaseType_t uxQueueSpacesAvailable(QueueHandle_t queue)
{
    return queue->length - queue->count;
}

BaseType_t xQueueIsQueueFullFromISR(QueueHandle_t queue)
{
    return queue->count == queue->length;
}

BaseType_t xQueueIsQueueEmptyFromISR(QueueHandle_t queue)
{
    return queue->count == 0;
}

static SemaphoreHandle_t with_count(SemaphoreHandle_t semaphore, UBaseType_t count, bool is_mutex)
{
    if (semaphore != NULL) {
        semaphore->count = count;
        semaphore->is_mutex = is_mutex;
    }
    return semaphore;
}

SemaphoreHandle_t xSemaphoreCreateCounting(UBaseType_t max_count, UBaseType_t initial_count)
{
    return with_count(xQueueCreate(max_count, 0), initial_count, false);
}

SemaphoreHandle_t xSemaphoreCreateCountingStatic(UBaseType_t max_count, UBaseType_t initial_count,
                                                 StaticSemaphore_t *memory)
{
    return with_count(xQueueCreateStatic(max_count, 0, NULL, memory), initial_count, false);
}

SemaphoreHandle_t xSemaphoreCreateBinary(void)
{
    return xSemaphoreCreateCounting(1, 0);
}

SemaphoreHandle_t xSemaphoreCreateBinaryStatic(StaticSemaphore_t *memory)
{
    return xSemaphoreCreateCountingStatic(1, 0, memory);
}

SemaphoreHandle_t xSemaphoreCreateMutex(void)
{
    return with_count(xQueueCreate(1, 0), 1, true);
}

SemaphoreHandle_t xSemaphoreCreateMutexStatic(StaticSemaphore_t *memory)
{
    return with_count(xQueueCreateStatic(1, 0, NULL, memory), 1, true);
}

SemaphoreHandle_t xSemaphoreCreateRecursiveMutex(void)
{
    return xSemaphoreCreateMutex();
}

SemaphoreHandle_t xSemaphoreCreateRecursiveMutexStatic(StaticSemaphore_t *memory)
{
    return xSemaphoreCreateMutexStatic(memory);
}

void vSemaphoreDelete(SemaphoreHandle_t semaphore)
{
    vQueueDelete(semaphore);
}

BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks_to_wait)
{
    return xQueueReceive(semaphore, NULL, ticks_to_wait);
}

BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore)
{
    configASSERT(!semaphore->is_mutex || semaphore->holder == current_task ||
                 semaphore->count > 0);
    return xQueueGenericSend(semaphore, NULL, 0, queueSEND_TO_BACK);
}

BaseType_t xSemaphoreTakeRecursive(SemaphoreHandle_t mutex, TickType_t ticks_to_wait)
{
    if (mutex->holder == current_task || xSemaphoreTake(mutex, ticks_to_wait)) {
        mutex->recursion++;
        return pdPASS;
    }
    return pdFAIL;
}

BaseType_t xSemaphoreGiveRecursive(SemaphoreHandle_t mutex)
{
    if (mutex->holder != current_task) {
        return pdFAIL;
    }
    return --mutex->recursion > 0 ? pdPASS : xSemaphoreGive(mutex);
}

BaseType_t xSemaphoreTakeFromISR(SemaphoreHandle_t semaphore, BaseType_t *woken)
{
    configASSERT(!semaphore->is_mutex);
    return xQueueReceiveFromISR(semaphore, NULL, woken);
}

BaseType_t xSemaphoreGiveFromISR(SemaphoreHandle_t semaphore, BaseType_t *woken)
{
    configASSERT(!semaphore->is_mutex);
    return xQueueGenericSendFromISR(semaphore, NULL, woken, queueSEND_TO_BACK);
}

UBaseType_t uxSemaphoreGetCount(SemaphoreHandle_t semaphore)
{
    return semaphore->count;
}

TaskHandle_t xSemaphoreGetMutexHolder(SemaphoreHandle_t mutex)
{
    return mutex->holder;
}
