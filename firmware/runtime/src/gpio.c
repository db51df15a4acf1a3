#include "driver/gpio.h"

#include <stdbool.h>

#include "freertos/FreeRTOS.h"
#include "pins.h"
#include "soc.h"

static void modify(uint32_t address, uint32_t clear, uint32_t set)
{
    vPortEnterCritical();
    REG(address) = (REG(address) & ~clear) | set;
    vPortExitCritical();
}

static void select_gpio_function(gpio_num_t pin)
{
    modify(IO_MUX_PIN(pin), IO_MUX_MCU_SEL_MASK, IO_MUX_MCU_SEL_GPIO);
}

static void set_input(gpio_num_t pin, bool enable)
{
    modify(IO_MUX_PIN(pin), IO_MUX_FUN_IE, enable ? IO_MUX_FUN_IE : 0);
}

static void set_pulls(gpio_num_t pin, bool up, bool down)
{
    modify(IO_MUX_PIN(pin), IO_MUX_FUN_PU | IO_MUX_FUN_PD,
           (up ? IO_MUX_FUN_PU : 0) | (down ? IO_MUX_FUN_PD : 0));
}

static void set_open_drain(gpio_num_t pin, bool enable)
{
    modify(GPIO_PIN(pin), GPIO_PIN_OPEN_DRAIN, enable ? GPIO_PIN_OPEN_DRAIN : 0);
}

void pin_route_output(gpio_num_t pin, uint32_t signal)
{
    select_gpio_function(pin);
    REG(GPIO_FUNC_OUT_SEL(pin)) = signal;
    REG(GPIO_ENABLE_W1TS) = BIT(pin);
}

void pin_route_input(gpio_num_t pin, uint32_t signal)
{
    select_gpio_function(pin);
    set_input(pin, true);
    REG(GPIO_FUNC_IN_SEL(signal)) = GPIO_SIG_IN_SEL | (uint32_t)pin;
}

void pin_route_open_drain(gpio_num_t pin, uint32_t signal, bool pull_up)
{
    gpio_set_level(pin, 1);
    set_open_drain(pin, true);
    set_pulls(pin, pull_up, false);
    pin_route_input(pin, signal);
    pin_route_output(pin, signal);
}

esp_err_t gpio_set_level(gpio_num_t pin, uint32_t level)
{
    if (!GPIO_IS_VALID_OUTPUT_GPIO(pin)) {
        return ESP_ERR_INVALID_ARG;
    }
    REG(level ? GPIO_OUT_W1TS : GPIO_OUT_W1TC) = BIT(pin);
    return ESP_OK;
}

int gpio_get_level(gpio_num_t pin)
{
    return GPIO_IS_VALID_GPIO(pin) ? (int)(REG(GPIO_IN) >> pin & 1) : 0;
}

esp_err_t gpio_set_direction(gpio_num_t pin, gpio_mode_t mode)
{
    if (!GPIO_IS_VALID_GPIO(pin)) {
        return ESP_ERR_INVALID_ARG;
    }
    select_gpio_function(pin);
    set_input(pin, mode & GPIO_MODE_DEF_INPUT);
    set_open_drain(pin, mode & GPIO_MODE_DEF_OD);
    if (mode & GPIO_MODE_DEF_OUTPUT) {
        REG(GPIO_FUNC_OUT_SEL(pin)) = SIGNAL_GPIO_OUT | GPIO_FUNC_OEN_SEL;
        REG(GPIO_ENABLE_W1TS) = BIT(pin);
    } else {
        REG(GPIO_ENABLE_W1TC) = BIT(pin);
    }
    return ESP_OK;
}

esp_err_t gpio_set_pull_mode(gpio_num_t pin, gpio_pull_mode_t pull)
{
    if (!GPIO_IS_VALID_GPIO(pin)) {
        return ESP_ERR_INVALID_ARG;
    }
    set_pulls(pin, pull == GPIO_PULLUP_ONLY || pull == GPIO_PULLUP_PULLDOWN,
              pull == GPIO_PULLDOWN_ONLY || pull == GPIO_PULLUP_PULLDOWN);
    return ESP_OK;
}

static esp_err_t set_one_pull(gpio_num_t pin, uint32_t mask, bool enable)
{
    if (!GPIO_IS_VALID_GPIO(pin)) {
        return ESP_ERR_INVALID_ARG;
    }
    modify(IO_MUX_PIN(pin), mask, enable ? mask : 0);
    return ESP_OK;
}

esp_err_t gpio_pullup_en(gpio_num_t pin)
{
    return set_one_pull(pin, IO_MUX_FUN_PU, true);
}

esp_err_t gpio_pullup_dis(gpio_num_t pin)
{
    return set_one_pull(pin, IO_MUX_FUN_PU, false);
}

esp_err_t gpio_pulldown_en(gpio_num_t pin)
{
    return set_one_pull(pin, IO_MUX_FUN_PD, true);
}

esp_err_t gpio_pulldown_dis(gpio_num_t pin)
{
    return set_one_pull(pin, IO_MUX_FUN_PD, false);
}

esp_err_t gpio_config(const gpio_config_t *config)
{
    if (config == NULL || config->pin_bit_mask == 0 ||
        (config->pin_bit_mask & ~SOC_GPIO_VALID_GPIO_MASK) != 0) {
        return ESP_ERR_INVALID_ARG;
    }
    if (config->intr_type != GPIO_INTR_DISABLE) {
        return ESP_ERR_NOT_SUPPORTED;
    }
    for (int pin = 0; pin < GPIO_PIN_COUNT; pin++) {
        if (config->pin_bit_mask & BIT64(pin)) {
            gpio_set_direction(pin, config->mode);
            set_pulls(pin, config->pull_up_en, config->pull_down_en);
        }
    }
    return ESP_OK;
}

esp_err_t gpio_reset_pin(gpio_num_t pin)
{
    if (!GPIO_IS_VALID_GPIO(pin)) {
        return ESP_ERR_INVALID_ARG;
    }
    gpio_set_direction(pin, GPIO_MODE_DISABLE);
    set_pulls(pin, true, false);
    return ESP_OK;
}
