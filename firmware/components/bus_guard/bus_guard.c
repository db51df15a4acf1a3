#include "bus_guard.h"

#include <assert.h>

#include "freertos/FreeRTOS.h"
#include "freertos/semphr.h"
#include "sdkconfig.h"

#define LOCK_MS CONFIG_TRUESTAGE_BUS_LOCK_TIMEOUT_MS
#define TRANSFER_MS CONFIG_TRUESTAGE_I2C_TRANSFER_TIMEOUT_MS

/* Longest glitch the pad filter swallows, in clocks of the I2C source: the driver's usual value. */
#define GLITCH_CLOCKS 7

typedef struct {
    i2c_master_bus_handle_t bus;
    SemaphoreHandle_t guard;
} port_t;

static port_t ports[I2C_NUM_MAX];

esp_err_t bus_guard_open(i2c_port_num_t port, gpio_num_t sda, gpio_num_t scl)
{
    ports[port].guard = xSemaphoreCreateRecursiveMutex();
    if (ports[port].guard == NULL) {
        return ESP_ERR_NO_MEM;
    }
    const i2c_master_bus_config_t config = {
        .i2c_port = port,
        .sda_io_num = sda,
        .scl_io_num = scl,
        .clk_source = I2C_CLK_SRC_DEFAULT,
        .glitch_ignore_cnt = GLITCH_CLOCKS,
        .flags.enable_internal_pullup = true,
    };
    return i2c_new_master_bus(&config, &ports[port].bus);
}

esp_err_t bus_guard_attach(i2c_port_num_t port, uint8_t address, uint32_t scl_hz,
                           bus_device_t *device)
{
    const i2c_device_config_t config = {
        .dev_addr_length = I2C_ADDR_BIT_LEN_7,
        .device_address = address,
        .scl_speed_hz = scl_hz,
    };
    device->port = port;
    return i2c_master_bus_add_device(ports[port].bus, &config, &device->handle);
}

esp_err_t bus_guard_lock(i2c_port_num_t port, uint32_t timeout_ms)
{
    BaseType_t taken = xSemaphoreTakeRecursive(ports[port].guard, pdMS_TO_TICKS(timeout_ms));
    return taken == pdTRUE ? ESP_OK : ESP_ERR_TIMEOUT;
}

void bus_guard_unlock(i2c_port_num_t port)
{
    BaseType_t given = xSemaphoreGiveRecursive(ports[port].guard);
    assert(given == pdTRUE);
    (void)given;
}

esp_err_t bus_guard_write(const bus_device_t *device, const uint8_t *bytes, size_t length)
{
    esp_err_t error = bus_guard_lock(device->port, LOCK_MS);
    if (error != ESP_OK) {
        return error;
    }
    error = i2c_master_transmit(device->handle, bytes, length, TRANSFER_MS);
    bus_guard_unlock(device->port);
    return error;
}

esp_err_t bus_guard_write_register(const bus_device_t *device, uint8_t address, uint8_t value)
{
    return bus_guard_write(device, (const uint8_t[]){address, value}, 2);
}

esp_err_t bus_guard_read_register(const bus_device_t *device, uint8_t address, uint8_t *value)
{
    esp_err_t error = bus_guard_lock(device->port, LOCK_MS);
    if (error != ESP_OK) {
        return error;
    }
    error = i2c_master_transmit_receive(device->handle, &address, 1, value, 1, TRANSFER_MS);
    bus_guard_unlock(device->port);
    return error;
}
