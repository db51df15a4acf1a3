/* Tasks, delays and direct-to-task notifications. */
#pragma once

#include "freertos/FreeRTOS.h"

typedef struct tskTaskControlBlock *TaskHandle_t;

typedef enum {
    eRunning,
    eReady,
    eBlocked,
    eSuspended,
    eDeleted,
    eInvalid,
} eTaskState;

typedef enum {
    eNoAction,
    eSetBits,
    eIncrement,
    eSetValueWithOverwrite,
    eSetValueWithoutOverwrite,
} eNotifyAction;

#define tskIDLE_PRIORITY ((UBaseType_t)0)
#define taskSCHEDULER_SUSPENDED ((BaseType_t)0)
#define taskSCHEDULER_NOT_STARTED ((BaseType_t)1)
#define taskSCHEDULER_RUNNING ((BaseType_t)2)

#define taskYIELD() portYIELD()
#define taskENTER_CRITICAL(mux) portENTER_CRITICAL(mux)
#define taskEXIT_CRITICAL(mux) portEXIT_CRITICAL(mux)
#define taskENTER_CRITICAL_ISR(mux) portENTER_CRITICAL_ISR(mux)
#define taskEXIT_CRITICAL_ISR(mux) portEXIT_CRITICAL_ISR(mux)

/* Stack sizes are in bytes, as in ESP-IDF. */
BaseType_t xTaskCreate(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE stack_size,
                       void *parameters, UBaseType_t priority, TaskHandle_t *created);
BaseType_t xTaskCreatePinnedToCore(TaskFunction_t code, const char *name, uint32_t stack_size,
                                   void *parameters, UBaseType_t priority, TaskHandle_t *created,
                                   BaseType_t core);
TaskHandle_t xTaskCreateStatic(TaskFunction_t code, const char *name, uint32_t stack_size,
                               void *parameters, UBaseType_t priority, StackType_t *stack,
                               StaticTask_t *task);
TaskHandle_t xTaskCreateStaticPinnedToCore(TaskFunction_t code, const char *name,
                                           uint32_t stack_size, void *parameters,
                                           UBaseType_t priority, StackType_t *stack,
                                           StaticTask_t *task, BaseType_t core);
void vTaskDelete(TaskHandle_t task);

void vTaskDelay(TickType_t ticks);
BaseType_t xTaskDelayUntil(TickType_t *previous_wake, TickType_t increment);
#define vTaskDelayUntil(previous_wake, increment) \
    ((void)xTaskDelayUntil(previous_wake, increment))
BaseType_t xTaskAbortDelay(TaskHandle_t task);

UBaseType_t uxTaskPriorityGet(TaskHandle_t task);
void vTaskPrioritySet(TaskHandle_t task, UBaseType_t priority);
void vTaskSuspend(TaskHandle_t task);
void vTaskResume(TaskHandle_t task);
BaseType_t xTaskResumeFromISR(TaskHandle_t task);
void vTaskSuspendAll(void);
BaseType_t xTaskResumeAll(void);

TickType_t xTaskGetTickCount(void);
TickType_t xTaskGetTickCountFromISR(void);
UBaseType_t uxTaskGetNumberOfTasks(void);
char *pcTaskGetName(TaskHandle_t task);
TaskHandle_t xTaskGetHandle(const char *name);
TaskHandle_t xTaskGetCurrentTaskHandle(void);
TaskHandle_t xTaskGetIdleTaskHandle(void);
/* The least stack the task ever had left, in bytes. */
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task);
eTaskState eTaskGetState(TaskHandle_t task);
BaseType_t xTaskGetSchedulerState(void);

BaseType_t xTaskGenericNotify(TaskHandle_t task, uint32_t value, eNotifyAction action,
                              uint32_t *previous_value);
BaseType_t xTaskGenericNotifyFromISR(TaskHandle_t task, uint32_t value, eNotifyAction action,
                                     uint32_t *previous_value, BaseType_t *woken);
BaseType_t xTaskNotifyWait(uint32_t clear_on_entry, uint32_t clear_on_exit, uint32_t *value,
                           TickType_t ticks_to_wait);
uint32_t ulTaskNotifyTake(BaseType_t clear_on_exit, TickType_t ticks_to_wait);
void vTaskNotifyGiveFromISR(TaskHandle_t task, BaseType_t *woken);
BaseType_t xTaskNotifyStateClear(TaskHandle_t task);
uint32_t ulTaskNotifyValueClear(TaskHandle_t task, uint32_t bits);

#define xTaskNotify(task, value, action) xTaskGenericNotify(task, value, action, NULL)
#define xTaskNotifyAndQuery(task, value, action, previous) \
    xTaskGenericNotify(task, value, action, previous)
#define xTaskNotifyGive(task) xTaskGenericNotify(task, 0, eIncrement, NULL)
#define xTaskNotifyFromISR(task, value, action, woken) \
    xTaskGenericNotifyFromISR(task, value, action, NULL, woken)
#define xTaskNotifyAndQueryFromISR(task, value, action, previous, woken) \
    xTaskGenericNotifyFromISR(task, value, action, previous, woken)
