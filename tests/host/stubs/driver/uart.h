#pragma once

#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"
#include "freertos/FreeRTOS.h"

enum {
    UART_DATA_8_BITS,
    UART_PARITY_DISABLE,
    UART_STOP_BITS_1,
    UART_HW_FLOWCTRL_DISABLE,
    UART_SCLK_DEFAULT,
    UART_PIN_NO_CHANGE = -1,
};

typedef struct {
    int baud_rate;
    int data_bits;
    int parity;
    int stop_bits;
    int flow_ctrl;
    int source_clk;
} uart_config_t;

esp_err_t uart_driver_install(int port, int rx, int tx, int depth, void *queue, int flags);
esp_err_t uart_param_config(int port, const uart_config_t *config);
esp_err_t uart_set_pin(int port, int tx, int rx, int rts, int cts);
int uart_read_bytes(int port, void *bytes, uint32_t length, TickType_t ticks);
esp_err_t uart_get_buffered_data_len(int port, size_t *length);
int uart_write_bytes(int port, const void *bytes, size_t length);
