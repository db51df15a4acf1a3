/* The one place where interrupt sources get CPU lines and lines get handlers. */
#include "interrupts.h"

#include <stdlib.h>

#include "freertos/FreeRTOS.h"
#include "soc.h"

#define FIRST_LINE 2 /* ESP-IDF keeps 1 for the radio */
#define LINES 32

struct intr_handle_data_t {
    intr_handler_t handler;
    void *arg;
    int8_t source;
};

static struct intr_handle_data_t lines[LINES] = {[0 ... LINES - 1] = {.source = -1}};

static uint32_t line_of(intr_handle_t handle)
{
    return (uint32_t)(handle - lines);
}

void interrupt_dispatch(uint32_t line)
{
    if (lines[line].handler == NULL) {
        abort();
    }
    lines[line].handler(lines[line].arg);
}

void interrupt_mask_others(intr_handle_t handle)
{
    REG(INTERRUPT_ENABLE) = BIT(line_of(handle));
}

esp_err_t esp_intr_alloc(int source, int flags, intr_handler_t handler, void *arg,
                         intr_handle_t *ret_handle)
{
    if (source < 0 || source >= INTERRUPT_SOURCES || handler == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    esp_err_t result = ESP_ERR_NOT_FOUND;
    vPortEnterCritical();
    uint32_t line = 0;
    for (uint32_t i = LINES - 1; i >= FIRST_LINE; i--) {
        if (lines[i].source == source) {
            line = 0;
            break;
        }
        if (lines[i].handler == NULL) {
            line = i;
        }
    }
    if (line != 0) {
        lines[line] = (struct intr_handle_data_t){handler, arg, (int8_t)source};
        REG(INTERRUPT_TYPE) &= ~BIT(line);
        REG(INTERRUPT_PRIORITY(line)) = 1;
        REG(INTERRUPT_MAP(source)) = line;
        REG(INTERRUPT_THRESHOLD) = 1;
        if (!(flags & ESP_INTR_FLAG_INTRDISABLED)) {
            esp_intr_enable(&lines[line]);
        }
        if (ret_handle != NULL) {
            *ret_handle = &lines[line];
        }
        result = ESP_OK;
    }
    vPortExitCritical();
    return result;
}

esp_err_t esp_intr_free(intr_handle_t handle)
{
    if (handle == NULL || handle->handler == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    vPortEnterCritical();
    esp_intr_disable(handle);
    REG(INTERRUPT_MAP(handle->source)) = 0;
    *handle = (struct intr_handle_data_t){.source = -1};
    vPortExitCritical();
    return ESP_OK;
}

esp_err_t esp_intr_enable(intr_handle_t handle)
{
    if (handle == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    vPortEnterCritical();
    REG(INTERRUPT_ENABLE) |= BIT(line_of(handle));
    vPortExitCritical();
    return ESP_OK;
}

esp_err_t esp_intr_disable(intr_handle_t handle)
{
    if (handle == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    vPortEnterCritical();
    REG(INTERRUPT_ENABLE) &= ~BIT(line_of(handle));
    vPortExitCritical();
    return ESP_OK;
}
