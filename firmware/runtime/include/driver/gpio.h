/* General-purpose pins (GPIO 0x60004000, IO_MUX 0x60009000). No pin interrupts. */
#pragma once

#include "esp_err.h"
#include "hal/gpio_types.h"

typedef struct {
    uint64_t pin_bit_mask;
    gpio_mode_t mode;
    gpio_pullup_t pull_up_en;
    gpio_pulldown_t pull_down_en;
    gpio_int_type_t intr_type;
} gpio_config_t;

/* Errors: ESP_ERR_INVALID_ARG for a pin the chip lacks, ESP_ERR_NOT_SUPPORTED for an interrupt. */
esp_err_t gpio_config(const gpio_config_t *config);
esp_err_t gpio_reset_pin(gpio_num_t pin);
esp_err_t gpio_set_level(gpio_num_t pin, uint32_t level);
/* Returns the pad's level, 0 when the pin's input is not enabled. */
int gpio_get_level(gpio_num_t pin);
esp_err_t gpio_set_direction(gpio_num_t pin, gpio_mode_t mode);
esp_err_t gpio_set_pull_mode(gpio_num_t pin, gpio_pull_mode_t pull);
esp_err_t gpio_pullup_en(gpio_num_t pin);
esp_err_t gpio_pullup_dis(gpio_num_t pin);
esp_err_t gpio_pulldown_en(gpio_num_t pin);
esp_err_t gpio_pulldown_dis(gpio_num_t pin);
