#pragma once

#include "freertos/FreeRTOS.h"

BaseType_t xTaskCreate(void (*run)(void *), const char *name, uint32_t stack, void *argument,
                       unsigned priority, void *handle);
