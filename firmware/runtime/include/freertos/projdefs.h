#pragma once

#define pdFALSE ((BaseType_t)0)
#define pdTRUE ((BaseType_t)1)
#define pdPASS pdTRUE
#define pdFAIL pdFALSE
#define errQUEUE_EMPTY ((BaseType_t)0)
#define errQUEUE_FULL ((BaseType_t)0)
#define errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY ((BaseType_t)-1)

#define pdMS_TO_TICKS(ms) \
    ((TickType_t)(((uint64_t)(ms) * (uint64_t)configTICK_RATE_HZ) / (uint64_t)1000U))
#define pdTICKS_TO_MS(ticks) \
    ((TickType_t)(((uint64_t)(ticks) * (uint64_t)1000U) / (uint64_t)configTICK_RATE_HZ))

typedef void (*TaskFunction_t)(void *);
