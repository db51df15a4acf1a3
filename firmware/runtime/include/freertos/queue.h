/* Queues; semaphores and mutexes are built on them (semphr.h). */
#pragma once

#include "freertos/FreeRTOS.h"
#include "freertos/task.h"

typedef struct QueueDefinition *QueueHandle_t;

#define queueSEND_TO_BACK ((BaseType_t)0)
#define queueSEND_TO_FRONT ((BaseType_t)1)
#define queueOVERWRITE ((BaseType_t)2)

QueueHandle_t xQueueCreate(UBaseType_t length, UBaseType_t item_size);
QueueHandle_t xQueueCreateStatic(UBaseType_t length, UBaseType_t item_size, uint8_t *storage,
                                 StaticQueue_t *queue);
void vQueueDelete(QueueHandle_t queue);
BaseType_t xQueueReset(QueueHandle_t queue);

BaseType_t xQueueGenericSend(QueueHandle_t queue, const void *item, TickType_t ticks_to_wait,
                             BaseType_t position);
BaseType_t xQueueGenericSendFromISR(QueueHandle_t queue, const void *item, BaseType_t *woken,
                                    BaseType_t position);
BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks_to_wait);
BaseType_t xQueueReceiveFromISR(QueueHandle_t queue, void *item, BaseType_t *woken);
BaseType_t xQueuePeek(QueueHandle_t queue, void *item, TickType_t ticks_to_wait);
BaseType_t xQueuePeekFromISR(QueueHandle_t queue, void *item);
UBaseType_t uxQueueMessagesWaiting(QueueHandle_t queue);
UBaseType_t uxQueueMessagesWaitingFromISR(QueueHandle_t queue);
UBaseType_t uxQueueSpacesAvailable(QueueHandle_t queue);
BaseType_t xQueueIsQueueFullFromISR(QueueHandle_t queue);
BaseType_t xQueueIsQueueEmptyFromISR(QueueHandle_t queue);

#define xQueueSend(queue, item, ticks) xQueueGenericSend(queue, item, ticks, queueSEND_TO_BACK)
#define xQueueSendToBack(queue, item, ticks) \
    xQueueGenericSend(queue, item, ticks, queueSEND_TO_BACK)
#define xQueueSendToFront(queue, item, ticks) \
    xQueueGenericSend(queue, item, ticks, queueSEND_TO_FRONT)
#define xQueueOverwrite(queue, item) xQueueGenericSend(queue, item, 0, queueOVERWRITE)
#define xQueueSendFromISR(queue, item, woken) \
    xQueueGenericSendFromISR(queue, item, woken, queueSEND_TO_BACK)
#define xQueueSendToBackFromISR(queue, item, woken) \
    xQueueGenericSendFromISR(queue, item, woken, queueSEND_TO_BACK)
#define xQueueSendToFrontFromISR(queue, item, woken) \
    xQueueGenericSendFromISR(queue, item, woken, queueSEND_TO_FRONT)
#define xQueueOverwriteFromISR(queue, item, woken) \
    xQueueGenericSendFromISR(queue, item, woken, queueOVERWRITE)
