/* Interrupt-driven UART driver with receive and transmit rings. */
#pragma once

#include "esp_check.h"
#include "esp_err.h"
#include "freertos/FreeRTOS.h"
#include "freertos/queue.h"
#include "hal/uart_types.h"

#define UART_PIN_NO_CHANGE (-1)
#define UART_HW_FIFO_LEN(port) SOC_UART_FIFO_LEN
#define UART_BITRATE_MAX SOC_UART_BITRATE_MAX

typedef struct {
    int baud_rate;
    uart_word_length_t data_bits;
    uart_parity_t parity;
    uart_stop_bits_t stop_bits;
    uart_hw_flowcontrol_t flow_ctrl;
    uint8_t rx_flow_ctrl_thresh;
    union {
        uart_sclk_t source_clk;
    };
    struct {
        uint32_t allow_pd : 1;
        uint32_t backup_before_sleep : 1;
    } flags;
} uart_config_t;

typedef enum {
    UART_DATA,
    UART_BREAK,
    UART_BUFFER_FULL,
    UART_FIFO_OVF,
    UART_FRAME_ERR,
    UART_PARITY_ERR,
    UART_DATA_BREAK,
    UART_PATTERN_DET,
    UART_EVENT_MAX,
} uart_event_type_t;

typedef struct {
    uart_event_type_t type;
    size_t size;
    bool timeout_flag;
} uart_event_t;

/* Sizes are in bytes: the receive ring must exceed the 128-byte FIFO; without a transmit ring
 * uart_write_bytes() returns once all bytes are in the FIFO.
 * Errors: ESP_ERR_INVALID_ARG, ESP_ERR_NO_MEM, ESP_FAIL when already installed. */
esp_err_t uart_driver_install(uart_port_t port, int rx_buffer_size, int tx_buffer_size,
                              int queue_size, QueueHandle_t *event_queue, int intr_alloc_flags);
esp_err_t uart_driver_delete(uart_port_t port);
bool uart_is_driver_installed(uart_port_t port);

esp_err_t uart_param_config(uart_port_t port, const uart_config_t *config);
esp_err_t uart_set_pin(uart_port_t port, int tx_pin, int rx_pin, int rts_pin, int cts_pin);
esp_err_t uart_set_baudrate(uart_port_t port, uint32_t baudrate);
esp_err_t uart_get_baudrate(uart_port_t port, uint32_t *baudrate);
esp_err_t uart_get_sclk_freq(uart_sclk_t sclk, uint32_t *out_freq_hz);
esp_err_t uart_set_rx_full_threshold(uart_port_t port, int threshold);
esp_err_t uart_set_tx_empty_threshold(uart_port_t port, int threshold);
/* `symbols`: characters of silence after which received bytes are handed over. */
esp_err_t uart_set_rx_timeout(uart_port_t port, uint8_t symbols);

/* Waits until `length` bytes came or `ticks_to_wait` passed; returns the count, -1 on error. */
int uart_read_bytes(uart_port_t port, void *buf, uint32_t length, TickType_t ticks_to_wait);
/* Queues all bytes, in one piece among callers, and blocks while the ring is full. */
int uart_write_bytes(uart_port_t port, const void *src, size_t size);
/* Puts what fits into the transmit FIFO, without waiting; returns the count, -1 on error. */
int uart_tx_chars(uart_port_t port, const char *buffer, uint32_t len);
esp_err_t uart_get_buffered_data_len(uart_port_t port, size_t *size);
esp_err_t uart_get_tx_buffer_free_size(uart_port_t port, size_t *size);
esp_err_t uart_flush(uart_port_t port);
esp_err_t uart_flush_input(uart_port_t port);
/* Errors: ESP_ERR_TIMEOUT when the last stop bit was not out within `ticks_to_wait`. */
esp_err_t uart_wait_tx_done(uart_port_t port, TickType_t ticks_to_wait);
