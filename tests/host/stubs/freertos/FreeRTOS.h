#pragma once

#include <stdint.h>

typedef int BaseType_t;
typedef uint32_t TickType_t;

#define pdPASS 1
#define portMAX_DELAY UINT32_MAX
