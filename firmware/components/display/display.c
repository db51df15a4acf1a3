#include "display.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bus_guard.h"
#include "esp_log.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "sdkconfig.h"

#define ADDRESS 0x3C
#define COLUMNS 128
#define PAGES 8

/* Control bytes: what follows is all commands, or all display data. */
#define COMMANDS 0x00
#define DATA 0x40

/* Below everything a caller waits for. */
#define TASK_PRIORITY 2
/* Deepest: a page, the I2C driver, its error log line. Measured with runtime/: less than 0.6 KB;
 * ESP-IDF's printf is larger. */
#define TASK_STACK_BYTES 3072

static const char TAG[] = "display";

/* Solomon Systech SSD1306, command table: 128x64 panel on the internal charge pump. Horizontal
 * addressing wraps from page to page and from the last to the first, so a frame needs no further
 * commands; after a lost transaction this sequence finds the start again. */
static const uint8_t START[] = {
    COMMANDS,
    0xAE,             /* off */
    0xD5, 0x80,       /* oscillator's reset frequency */
    0xA8, PAGES * 8 - 1, /* rows */
    0xD3, 0x00,       /* no vertical offset */
    0x40,             /* first row on top */
    0x8D, 0x14,       /* charge pump on */
    0x20, 0x00,       /* horizontal addressing */
    0x21, 0, COLUMNS - 1,
    0x22, 0, PAGES - 1,
    0xA1, 0xC8,       /* connector at the bottom */
    0xDA, 0x12,       /* alternating COM pins */
    0x81, 0x7F,       /* contrast */
    0xA4, 0xA6,       /* show the memory, 1 is light */
    0xAF,             /* on */
};

static bus_device_t panel;

/* A light column that moves by one each frame: a picture that stands still is a dead device. */
static esp_err_t draw_page(uint8_t lit_column)
{
    static uint8_t bytes[1 + COLUMNS];
    memset(bytes, 0, sizeof bytes);
    bytes[0] = DATA;
    bytes[1 + lit_column] = 0xFF;
    return bus_guard_write(&panel, bytes, sizeof bytes);
}

static esp_err_t draw_until_lost(void)
{
    for (uint8_t column = 0;; column = (column + 1) % COLUMNS) {
        for (int page = 0; page < PAGES; page++) {
            esp_err_t error = draw_page(column);
            if (error != ESP_OK) {
                return error;
            }
            vTaskDelay(pdMS_TO_TICKS(CONFIG_TRUESTAGE_DISPLAY_PAGE_PERIOD_MS));
        }
    }
}

static void run(void *unused)
{
    (void)unused;
    for (;;) {
        esp_err_t error = bus_guard_write(&panel, START, sizeof START);
        if (error == ESP_OK) {
            error = draw_until_lost();
        }
        ESP_LOGW(TAG, "no display (%s)", esp_err_to_name(error));
        vTaskDelay(pdMS_TO_TICKS(CONFIG_TRUESTAGE_DISPLAY_RETRY_MS));
    }
}

esp_err_t display_start(void)
{
    esp_err_t error = bus_guard_attach(CONFIG_TRUESTAGE_I2C_PORT, ADDRESS, CONFIG_TRUESTAGE_I2C_HZ,
                                       &panel);
    if (error != ESP_OK) {
        return error;
    }
    BaseType_t created = xTaskCreate(run, "display", TASK_STACK_BYTES, NULL, TASK_PRIORITY, NULL);
    return created == pdPASS ? ESP_OK : ESP_ERR_NO_MEM;
}
