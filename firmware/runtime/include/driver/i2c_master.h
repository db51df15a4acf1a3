/* I2C master on the ESP32-C3's one controller, blocking transactions, 7-bit addresses.
 *
 * Outcomes follow ESP-IDF v5.4, with time-outs told apart: a NACK or a lost arbitration is
 * ESP_ERR_INVALID_STATE, a bus that did not move in time ESP_ERR_TIMEOUT. After any failure the
 * controller is reset, and the bus cleared when SDA is stuck low, so that the next call works.
 * `xfer_timeout_ms` bounds the wait for the bus lock and, again, the transfer; -1 is for ever. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "driver/i2c_types.h"
#include "esp_err.h"
#include "hal/gpio_types.h"

typedef struct {
    i2c_port_num_t i2c_port;
    gpio_num_t sda_io_num;
    gpio_num_t scl_io_num;
    union {
        i2c_clock_source_t clk_source;
    };
    uint8_t glitch_ignore_cnt;
    int intr_priority;
    size_t trans_queue_depth;
    struct {
        uint32_t enable_internal_pullup : 1;
        uint32_t allow_pd : 1;
    } flags;
} i2c_master_bus_config_t;

typedef struct {
    i2c_addr_bit_len_t dev_addr_length;
    uint16_t device_address;
    uint32_t scl_speed_hz;
    uint32_t scl_wait_us;
    struct {
        uint32_t disable_ack_check : 1;
    } flags;
} i2c_device_config_t;

/* Errors: ESP_ERR_INVALID_ARG, ESP_ERR_NO_MEM, ESP_ERR_NOT_FOUND (port taken),
 * ESP_ERR_NOT_SUPPORTED (a transaction queue, another clock than XTAL). */
esp_err_t i2c_new_master_bus(const i2c_master_bus_config_t *bus_config,
                             i2c_master_bus_handle_t *ret_bus_handle);
/* Errors: ESP_ERR_INVALID_STATE while devices are attached. */
esp_err_t i2c_del_master_bus(i2c_master_bus_handle_t bus_handle);
esp_err_t i2c_master_get_bus_handle(i2c_port_num_t port_num, i2c_master_bus_handle_t *ret_handle);
esp_err_t i2c_master_bus_add_device(i2c_master_bus_handle_t bus_handle,
                                    const i2c_device_config_t *dev_config,
                                    i2c_master_dev_handle_t *ret_handle);
esp_err_t i2c_master_bus_rm_device(i2c_master_dev_handle_t handle);

esp_err_t i2c_master_transmit(i2c_master_dev_handle_t dev, const uint8_t *write_buffer,
                              size_t write_size, int xfer_timeout_ms);
esp_err_t i2c_master_receive(i2c_master_dev_handle_t dev, uint8_t *read_buffer, size_t read_size,
                             int xfer_timeout_ms);
/* Write, repeated start, read. */
esp_err_t i2c_master_transmit_receive(i2c_master_dev_handle_t dev, const uint8_t *write_buffer,
                                      size_t write_size, uint8_t *read_buffer, size_t read_size,
                                      int xfer_timeout_ms);
/* ESP_OK when `address` acknowledges at 100 kHz, ESP_ERR_NOT_FOUND when it does not. */
esp_err_t i2c_master_probe(i2c_master_bus_handle_t bus_handle, uint16_t address,
                           int xfer_timeout_ms);
/* Resets the controller and sends the nine-clock bus clear.
 * Errors: ESP_ERR_INVALID_STATE when the clear does not end within 50 ms. */
esp_err_t i2c_master_bus_reset(i2c_master_bus_handle_t bus_handle);
/* Transactions are blocking, so this only waits for one in flight in another task. */
esp_err_t i2c_master_bus_wait_all_done(i2c_master_bus_handle_t bus_handle, int timeout_ms);
