#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "esp_bit_defs.h"
#include "soc/soc_caps.h"

typedef enum {
    GPIO_NUM_NC = -1,
    GPIO_NUM_0 = 0,
    GPIO_NUM_1,
    GPIO_NUM_2,
    GPIO_NUM_3,
    GPIO_NUM_4,
    GPIO_NUM_5,
    GPIO_NUM_6,
    GPIO_NUM_7,
    GPIO_NUM_8,
    GPIO_NUM_9,
    GPIO_NUM_10,
    GPIO_NUM_11,
    GPIO_NUM_12,
    GPIO_NUM_13,
    GPIO_NUM_14,
    GPIO_NUM_15,
    GPIO_NUM_16,
    GPIO_NUM_17,
    GPIO_NUM_18,
    GPIO_NUM_19,
    GPIO_NUM_20,
    GPIO_NUM_21,
    GPIO_NUM_MAX,
} gpio_num_t;

#define GPIO_PIN_COUNT SOC_GPIO_PIN_COUNT
#define GPIO_IS_VALID_GPIO(pin) ((pin) >= 0 && (pin) < SOC_GPIO_PIN_COUNT)
#define GPIO_IS_VALID_OUTPUT_GPIO(pin) GPIO_IS_VALID_GPIO(pin)

typedef enum {
    GPIO_INTR_DISABLE,
    GPIO_INTR_POSEDGE,
    GPIO_INTR_NEGEDGE,
    GPIO_INTR_ANYEDGE,
    GPIO_INTR_LOW_LEVEL,
    GPIO_INTR_HIGH_LEVEL,
    GPIO_INTR_MAX,
} gpio_int_type_t;

#define GPIO_MODE_DEF_DISABLE 0
#define GPIO_MODE_DEF_INPUT BIT0
#define GPIO_MODE_DEF_OUTPUT BIT1
#define GPIO_MODE_DEF_OD BIT2

typedef enum {
    GPIO_MODE_DISABLE = GPIO_MODE_DEF_DISABLE,
    GPIO_MODE_INPUT = GPIO_MODE_DEF_INPUT,
    GPIO_MODE_OUTPUT = GPIO_MODE_DEF_OUTPUT,
    GPIO_MODE_OUTPUT_OD = GPIO_MODE_DEF_OUTPUT | GPIO_MODE_DEF_OD,
    GPIO_MODE_INPUT_OUTPUT_OD = GPIO_MODE_DEF_INPUT | GPIO_MODE_DEF_OUTPUT | GPIO_MODE_DEF_OD,
    GPIO_MODE_INPUT_OUTPUT = GPIO_MODE_DEF_INPUT | GPIO_MODE_DEF_OUTPUT,
} gpio_mode_t;

typedef enum {
    GPIO_PULLUP_DISABLE,
    GPIO_PULLUP_ENABLE,
} gpio_pullup_t;

typedef enum {
    GPIO_PULLDOWN_DISABLE,
    GPIO_PULLDOWN_ENABLE,
} gpio_pulldown_t;

typedef enum {
    GPIO_PULLUP_ONLY,
    GPIO_PULLDOWN_ONLY,
    GPIO_PULLUP_PULLDOWN,
    GPIO_FLOATING,
} gpio_pull_mode_t;
