#include "console.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "driver/uart.h"
#include "esp_rom_sys.h"
#include "freertos/semphr.h"
#include "port.h"
#include "uart_private.h"

#define CONSOLE_PORT UART_NUM_0
#define CONSOLE_RX_BUFFER 256
#define CONSOLE_TX_BUFFER 2048

static StaticSemaphore_t lock_memory;
static SemaphoreHandle_t lock;
static bool is_polled = true;
static char line[128];
static size_t line_length;

void console_init(void)
{
    const uart_config_t config = {
        .baud_rate = CONFIG_ESP_CONSOLE_UART_BAUDRATE,
        .data_bits = UART_DATA_8_BITS,
        .parity = UART_PARITY_DISABLE,
        .stop_bits = UART_STOP_BITS_1,
        .source_clk = UART_SCLK_DEFAULT,
    };
    lock = xSemaphoreCreateRecursiveMutexStatic(&lock_memory);
    ESP_ERROR_CHECK(uart_param_config(CONSOLE_PORT, &config));
    ESP_ERROR_CHECK(
        uart_driver_install(CONSOLE_PORT, CONSOLE_RX_BUFFER, CONSOLE_TX_BUFFER, 0, NULL, 0));
    is_polled = false;
}

void console_lock(void)
{
    if (lock != NULL && port_can_block()) {
        xSemaphoreTakeRecursive(lock, portMAX_DELAY);
    }
}

void console_unlock(void)
{
    if (lock != NULL && port_can_block()) {
        xSemaphoreGiveRecursive(lock);
    }
}

static void flush_line(void)
{
    size_t length = line_length;
    line_length = 0;
    if (is_polled || !port_can_block()) {
        uart_write_polled(CONSOLE_PORT, line, length);
    } else {
        uart_write_bytes(CONSOLE_PORT, line, length);
    }
}

void console_take_over(void)
{
    is_polled = true;
    uart_take_over(CONSOLE_PORT);
    flush_line();
}

static int put(char c, FILE *stream)
{
    (void)stream;
    if (c == '\n') {
        line[line_length++] = '\r';
    }
    line[line_length++] = c;
    if (c == '\n' || line_length + 2 > sizeof line) {
        flush_line();
    }
    return (unsigned char)c;
}

static int flush(FILE *stream)
{
    (void)stream;
    flush_line();
    return 0;
}

static FILE console_stream = FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE);
FILE *const stdin = &console_stream;
FILE *const stdout = &console_stream;
FILE *const stderr = &console_stream;

int vprintf(const char *format, va_list args)
{
    console_lock();
    int written = vfprintf(stdout, format, args);
    console_unlock();
    return written;
}

int printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int written = vprintf(format, args);
    va_end(args);
    return written;
}

int puts(const char *text)
{
    console_lock();
    fputs(text, stdout);
    fputc('\n', stdout);
    console_unlock();
    return 1;
}

#undef putchar
int putchar(int c)
{
    console_lock();
    fputc(c, stdout);
    console_unlock();
    return c;
}

int esp_rom_printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int written = vprintf(format, args);
    va_end(args);
    return written;
}
