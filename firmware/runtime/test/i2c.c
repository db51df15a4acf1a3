/* The I2C master, on a board with an ES8388 at 0x10 and an SSD1306 at 0x3C (SDA 5, SCL 6). */
#include <string.h>

#include "check.h"
#include "driver/i2c_master.h"
#include "esp_timer.h"

#define ES8388 0x10
#define SSD1306 0x3C
#define NOBODY 0x11
#define LDACVOL 0x1A /* DACCONTROL4; a reset leaves 0xC0 in it (ES8388 datasheet) */
#define TIMEOUT_MS 50

static i2c_master_bus_handle_t bus;

static i2c_master_dev_handle_t add(uint16_t address, uint32_t scl_hz)
{
    const i2c_device_config_t config = {.device_address = address, .scl_speed_hz = scl_hz};
    i2c_master_dev_handle_t dev = NULL;
    ESP_ERROR_CHECK(i2c_master_bus_add_device(bus, &config, &dev));
    return dev;
}

static void test_configuration(void)
{
    i2c_master_bus_config_t config = {
        .i2c_port = 0, .sda_io_num = 5, .scl_io_num = 5, .clk_source = I2C_CLK_SRC_DEFAULT};
    CHECK(i2c_new_master_bus(&config, &bus) == ESP_ERR_INVALID_ARG);
    config.scl_io_num = 6;
    config.glitch_ignore_cnt = 7;
    config.flags.enable_internal_pullup = true;
    CHECK(i2c_new_master_bus(&config, &bus) == ESP_OK);
    i2c_master_bus_handle_t again;
    CHECK(i2c_new_master_bus(&config, &again) == ESP_ERR_NOT_FOUND);
    CHECK(i2c_master_get_bus_handle(0, &again) == ESP_OK && again == bus);
}

static void test_probe(void)
{
    CHECK(i2c_master_probe(bus, ES8388, TIMEOUT_MS) == ESP_OK);
    CHECK(i2c_master_probe(bus, SSD1306, TIMEOUT_MS) == ESP_OK);
    CHECK(i2c_master_probe(bus, NOBODY, TIMEOUT_MS) == ESP_ERR_NOT_FOUND);
    CHECK(i2c_master_probe(bus, ES8388, TIMEOUT_MS) == ESP_OK);
}

static void test_registers(i2c_master_dev_handle_t codec)
{
    const uint8_t reg = LDACVOL;
    uint8_t value = 0;
    CHECK(i2c_master_transmit_receive(codec, &reg, 1, &value, 1, TIMEOUT_MS) == ESP_OK);
    CHECK(value == 0xC0);
    const uint8_t write[] = {LDACVOL, 0x28};
    CHECK(i2c_master_transmit(codec, write, sizeof write, TIMEOUT_MS) == ESP_OK);
    CHECK(i2c_master_transmit(codec, &reg, 1, TIMEOUT_MS) == ESP_OK);
    CHECK(i2c_master_receive(codec, &value, 1, TIMEOUT_MS) == ESP_OK);
    CHECK(value == 0x28);
}

/* A byte is nine clocks: 131 bytes with the address, 1179 clocks, 11.79 ms at 100 kHz, plus
 * START, STOP and the pauses in which the FIFO is filled again. */
static void test_long_write(void)
{
    i2c_master_dev_handle_t display = add(SSD1306, 100000);
    uint8_t page[130];
    memset(page, 0x5A, sizeof page);
    page[0] = 0x40;
    int64_t start = esp_timer_get_time();
    CHECK(i2c_master_transmit(display, page, sizeof page, TIMEOUT_MS) == ESP_OK);
    int64_t elapsed = esp_timer_get_time() - start;
    CHECK(elapsed > 11790 && elapsed < 12300);
    CHECK(i2c_master_bus_rm_device(display) == ESP_OK);
}

static void test_long_read(i2c_master_dev_handle_t codec)
{
    const uint8_t reg = LDACVOL;
    uint8_t values[70];
    CHECK(i2c_master_transmit_receive(codec, &reg, 1, values, sizeof values, TIMEOUT_MS) ==
          ESP_OK);
    CHECK(values[0] == 0x28);
}

static void test_nack_and_after(i2c_master_dev_handle_t codec)
{
    i2c_master_dev_handle_t nobody = add(NOBODY, 100000);
    uint8_t bytes[40] = {LDACVOL};
    uint8_t value;
    for (int i = 0; i < 3; i++) {
        CHECK(i2c_master_transmit(nobody, bytes, 2, TIMEOUT_MS) == ESP_ERR_INVALID_STATE);
        CHECK(i2c_master_transmit_receive(codec, bytes, 1, &value, 1, TIMEOUT_MS) == ESP_OK);
        CHECK(i2c_master_transmit(nobody, bytes, 40, TIMEOUT_MS) == ESP_ERR_INVALID_STATE);
        CHECK(i2c_master_receive(nobody, &value, 1, TIMEOUT_MS) == ESP_ERR_INVALID_STATE);
    }
    i2c_master_bus_rm_device(nobody);
}

/* 1 ms is less than the 130 bytes take: a time-out, and the next transfer works. */
static void test_software_time_out(i2c_master_dev_handle_t codec)
{
    i2c_master_dev_handle_t display = add(SSD1306, 100000);
    uint8_t page[130] = {0x40};
    const uint8_t reg = LDACVOL;
    uint8_t value = 0;
    CHECK(i2c_master_transmit(display, page, sizeof page, 2) == ESP_ERR_TIMEOUT);
    CHECK(i2c_master_transmit_receive(codec, &reg, 1, &value, 1, TIMEOUT_MS) == ESP_OK);
    CHECK(value == 0x28);
    i2c_master_bus_rm_device(display);
}

static void test_reset_and_removal(i2c_master_dev_handle_t codec)
{
    CHECK(i2c_master_bus_reset(bus) == ESP_OK);
    const uint8_t reg = LDACVOL;
    uint8_t value = 0;
    CHECK(i2c_master_transmit_receive(codec, &reg, 1, &value, 1, TIMEOUT_MS) == ESP_OK);
    CHECK(value == 0x28);
    CHECK(i2c_del_master_bus(bus) == ESP_ERR_INVALID_STATE);
    CHECK(i2c_master_bus_rm_device(codec) == ESP_OK);
    CHECK(i2c_del_master_bus(bus) == ESP_OK);
}

void app_main(void)
{
    test_configuration();
    test_probe();
    i2c_master_dev_handle_t codec = add(ES8388, 100000);
    test_registers(codec);
    test_long_write();
    test_long_read(codec);
    test_nack_and_after(codec);
    test_software_time_out(codec);
    test_reset_and_removal(codec);
    check_finish();
}
