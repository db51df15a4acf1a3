/* Binary and counting semaphores, mutexes with priority inheritance, recursive mutexes. */
#pragma once

#include "freertos/queue.h"

typedef QueueHandle_t SemaphoreHandle_t;

SemaphoreHandle_t xSemaphoreCreateBinary(void);
SemaphoreHandle_t xSemaphoreCreateBinaryStatic(StaticSemaphore_t *memory);
SemaphoreHandle_t xSemaphoreCreateCounting(UBaseType_t max_count, UBaseType_t initial_count);
SemaphoreHandle_t xSemaphoreCreateCountingStatic(UBaseType_t max_count, UBaseType_t initial_count,
                                                 StaticSemaphore_t *memory);
SemaphoreHandle_t xSemaphoreCreateMutex(void);
SemaphoreHandle_t xSemaphoreCreateMutexStatic(StaticSemaphore_t *memory);
SemaphoreHandle_t xSemaphoreCreateRecursiveMutex(void);
SemaphoreHandle_t xSemaphoreCreateRecursiveMutexStatic(StaticSemaphore_t *memory);
void vSemaphoreDelete(SemaphoreHandle_t semaphore);

BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks_to_wait);
BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore);
BaseType_t xSemaphoreTakeRecursive(SemaphoreHandle_t mutex, TickType_t ticks_to_wait);
BaseType_t xSemaphoreGiveRecursive(SemaphoreHandle_t mutex);
BaseType_t xSemaphoreTakeFromISR(SemaphoreHandle_t semaphore, BaseType_t *woken);
BaseType_t xSemaphoreGiveFromISR(SemaphoreHandle_t semaphore, BaseType_t *woken);
UBaseType_t uxSemaphoreGetCount(SemaphoreHandle_t semaphore);
TaskHandle_t xSemaphoreGetMutexHolder(SemaphoreHandle_t mutex);
