/* FreeRTOS types and the port's macros, for one RISC-V core. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
#include <limits.h>
#include "sdkconfig.h"
#include "esp_attr.h"
/* ESP-IDF's port brings these along, and sources have come to rely on it. */
#include "esp_heap_caps.h"
#include "esp_rom_sys.h"
#include "esp_system.h"
#include "freertos/projdefs.h"

#define tskKERNEL_VERSION_NUMBER "V10.5.1"

#define configTICK_RATE_HZ CONFIG_FREERTOS_HZ
#define configMAX_PRIORITIES 25
#define configMAX_TASK_NAME_LEN 16
#define configMINIMAL_STACK_SIZE 1536
#define configNUM_CORES 1
#define configUSE_PREEMPTION 1
#define configUSE_MUTEXES 1
#define configUSE_RECURSIVE_MUTEXES 1
#define configUSE_COUNTING_SEMAPHORES 1
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configSTACK_DEPTH_TYPE uint32_t
#define configASSERT(x) assert(x)

typedef int BaseType_t;
typedef unsigned int UBaseType_t;
typedef uint32_t TickType_t;
typedef uint8_t StackType_t;

#define portMAX_DELAY ((TickType_t)0xffffffffUL)
#define portTICK_PERIOD_MS ((TickType_t)1000 / configTICK_RATE_HZ)
#define portNUM_PROCESSORS 1
#define tskNO_AFFINITY ((BaseType_t)0x7FFFFFFF)
#define CONFIG_FREERTOS_NO_AFFINITY tskNO_AFFINITY

typedef struct {
    uint32_t owner;
    uint32_t count;
} portMUX_TYPE;

#define portMUX_FREE_VAL 0xB33FFFFFUL
#define portMUX_INITIALIZER_UNLOCKED { .owner = portMUX_FREE_VAL, .count = 0 }
#define portMUX_INITIALIZE(mux) ((mux)->owner = portMUX_FREE_VAL, (mux)->count = 0)
#define spinlock_initialize(mux) portMUX_INITIALIZE(mux)

/* Critical sections: interrupts off, nesting counted. One core needs no spinlock. */
void vPortEnterCritical(void);
void vPortExitCritical(void);
#define portENTER_CRITICAL(mux) ((void)(mux), vPortEnterCritical())
#define portEXIT_CRITICAL(mux) ((void)(mux), vPortExitCritical())
#define portENTER_CRITICAL_ISR(mux) portENTER_CRITICAL(mux)
#define portEXIT_CRITICAL_ISR(mux) portEXIT_CRITICAL(mux)
#define portENTER_CRITICAL_SAFE(mux) portENTER_CRITICAL(mux)
#define portEXIT_CRITICAL_SAFE(mux) portEXIT_CRITICAL(mux)

UBaseType_t xPortSetInterruptMaskFromISR(void);
void vPortClearInterruptMaskFromISR(UBaseType_t previous);
#define portSET_INTERRUPT_MASK_FROM_ISR() xPortSetInterruptMaskFromISR()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(previous) vPortClearInterruptMaskFromISR(previous)

void vPortYield(void);
void vPortYieldFromISR(void);
#define portYIELD() vPortYield()
#define portYIELD_FROM_ISR_NO_ARG() vPortYieldFromISR()
#define portYIELD_FROM_ISR_ARG(woken) ((woken) ? vPortYieldFromISR() : (void)0)
#define portYIELD_FROM_ISR_SELECT(ignored, chosen, ...) chosen
#define portYIELD_FROM_ISR(...)                                                         \
    portYIELD_FROM_ISR_SELECT(dummy __VA_OPT__(, ) __VA_OPT__(portYIELD_FROM_ISR_ARG),  \
                              portYIELD_FROM_ISR_NO_ARG)(__VA_ARGS__)

BaseType_t xPortInIsrContext(void);
static inline BaseType_t xPortGetCoreID(void)
{
    return 0;
}

/* Memory for the ...Static() creators; the fields are the kernel's own. */
typedef struct {
    uint32_t opaque[32];
} StaticTask_t;
typedef struct {
    uint32_t opaque[26];
} StaticQueue_t;
typedef StaticQueue_t StaticSemaphore_t;
typedef struct {
    uint32_t opaque[10];
} StaticEventGroup_t;
