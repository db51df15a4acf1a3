#pragma once

#include <stddef.h>
#include <stdint.h>

#include "driver/i2c_master.h"
#include "esp_err.h"

/* One lock per I2C port, above the driver's own.
 *
 * The driver locks single transactions; what must not be interleaved are sequences of them (write a
 * register, read it back). A sequence takes the guard around all its transactions; each helper
 * below takes it too, which costs nothing when the caller holds it already. */

typedef struct {
    i2c_port_num_t port;
    i2c_master_dev_handle_t handle;
} bus_device_t;

/* Sets up an I2C port and its guard.
 * Returns ESP_ERR_NO_MEM or the driver's error. */
esp_err_t bus_guard_open(i2c_port_num_t port, gpio_num_t sda, gpio_num_t scl);

/* Attaches a chip, without talking to it; `address` has 7 bits, `scl_hz` is the bus clock in Hz. */
esp_err_t bus_guard_attach(i2c_port_num_t port, uint8_t address, uint32_t scl_hz,
                           bus_device_t *device);

/* Takes the port's guard, as often as the same task likes, waiting for at most `timeout_ms`.
 * Returns ESP_ERR_TIMEOUT if another task kept it. */
esp_err_t bus_guard_lock(i2c_port_num_t port, uint32_t timeout_ms);

void bus_guard_unlock(i2c_port_num_t port);

/* One transaction each, under the guard. ESP_ERR_TIMEOUT: the guard or the bus was not to be had in
 * time; any other error: the chip did not acknowledge, or the transaction was lost. */
esp_err_t bus_guard_write(const bus_device_t *device, const uint8_t *bytes, size_t length);
esp_err_t bus_guard_write_register(const bus_device_t *device, uint8_t address, uint8_t value);
esp_err_t bus_guard_read_register(const bus_device_t *device, uint8_t address, uint8_t *value);
