/* The UART driver on UART1 with nobody at the other end: rates, blocking, time-outs, errors. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "driver/uart.h"
#include "esp_timer.h"

#define PORT UART_NUM_1
#define TX_RING 256
#define RX_RING 256

static uart_config_t config = {
    .baud_rate = 115200,
    .data_bits = UART_DATA_8_BITS,
    .parity = UART_PARITY_DISABLE,
    .stop_bits = UART_STOP_BITS_1,
    .flow_ctrl = UART_HW_FLOWCTRL_DISABLE,
    .source_clk = UART_SCLK_DEFAULT,
};
static char text[1000];

static void test_rates(void)
{
    uint32_t baud = 0;
    CHECK(uart_param_config(PORT, &config) == ESP_OK);
    /* 80 MHz * 16 / 115200 = 11111.1, so 11111 sixteenths: 80 MHz * 16 / 11111 = 115201 */
    CHECK(uart_get_baudrate(PORT, &baud) == ESP_OK && baud == 115201);
    CHECK(uart_set_baudrate(PORT, 921600) == ESP_OK);
    /* 1388 sixteenths: 922190 */
    CHECK(uart_get_baudrate(PORT, &baud) == ESP_OK && baud == 922190);
    /* Below 80 MHz / 4095 = 19536 the source is divided by 3 first: 80 MHz * 16 / (9600 * 3) =
     * 44444 sixteenths, which gives 9600 again. */
    CHECK(uart_set_baudrate(PORT, 9600) == ESP_OK);
    CHECK(uart_get_baudrate(PORT, &baud) == ESP_OK && baud == 9600);
    config.source_clk = UART_SCLK_XTAL;
    CHECK(uart_param_config(PORT, &config) == ESP_OK);
    /* 40 MHz * 16 / 115200 = 5555.6, so 5555 sixteenths: 115211 */
    CHECK(uart_get_baudrate(PORT, &baud) == ESP_OK && baud == 115211);
    config.source_clk = UART_SCLK_DEFAULT;
    CHECK(uart_param_config(PORT, &config) == ESP_OK);
    CHECK(uart_set_baudrate(PORT, 0) == ESP_ERR_INVALID_ARG);
}

static void test_errors(void)
{
    CHECK(uart_write_bytes(PORT, text, 1) == -1);
    CHECK(uart_driver_install(PORT, 128, TX_RING, 0, NULL, 0) == ESP_ERR_INVALID_ARG);
    CHECK(uart_driver_install(PORT, RX_RING, TX_RING, 0, NULL, 0) == ESP_OK);
    CHECK(uart_driver_install(PORT, RX_RING, TX_RING, 0, NULL, 0) == ESP_FAIL);
    CHECK(uart_driver_install(UART_NUM_MAX, RX_RING, 0, 0, NULL, 0) == ESP_ERR_INVALID_ARG);
    CHECK(uart_is_driver_installed(PORT));
    CHECK(uart_set_pin(PORT, 7, 8, UART_PIN_NO_CHANGE, UART_PIN_NO_CHANGE) == ESP_OK);
    CHECK(uart_set_pin(PORT, 99, 8, UART_PIN_NO_CHANGE, UART_PIN_NO_CHANGE) ==
          ESP_ERR_INVALID_ARG);
}

/* 1000 characters of ten bits at 115201 baud take 86.8 ms; 256 fit the ring, 128 the FIFO. */
static void test_writes_block_when_the_ring_is_full(void)
{
    memset(text, 'U', sizeof text);
    int64_t start = esp_timer_get_time();
    CHECK(uart_write_bytes(PORT, text, sizeof text) == (int)sizeof text);
    int64_t queued = esp_timer_get_time() - start;
    CHECK(queued > 52000 && queued < 87000);
    CHECK(uart_wait_tx_done(PORT, 0) == ESP_ERR_TIMEOUT);
    CHECK(uart_wait_tx_done(PORT, 100) == ESP_OK);
    CHECK(llabs(esp_timer_get_time() - start - 86805) < 300);
    CHECK(uart_wait_tx_done(PORT, 0) == ESP_OK);
    size_t room;
    CHECK(uart_get_tx_buffer_free_size(PORT, &room) == ESP_OK && room == TX_RING);
}

static void test_reads_time_out(void)
{
    char buffer[8];
    size_t buffered;
    vTaskDelay(1);
    TickType_t start = xTaskGetTickCount();
    CHECK(uart_read_bytes(PORT, buffer, sizeof buffer, 5) == 0);
    CHECK(xTaskGetTickCount() - start == 5);
    CHECK(uart_get_buffered_data_len(PORT, &buffered) == ESP_OK && buffered == 0);
    CHECK(uart_flush_input(PORT) == ESP_OK);
}

static void test_without_a_ring(void)
{
    CHECK(uart_driver_delete(PORT) == ESP_OK);
    CHECK(!uart_is_driver_installed(PORT));
    CHECK(uart_driver_install(PORT, RX_RING, 0, 0, NULL, 0) == ESP_OK);
    int64_t start = esp_timer_get_time();
    CHECK(uart_write_bytes(PORT, text, 500) == 500);
    /* All but one FIFO's worth, 128, is out: 372 characters, 32.3 ms. */
    CHECK(esp_timer_get_time() - start > 32000);
    CHECK(uart_wait_tx_done(PORT, 100) == ESP_OK);
    CHECK(llabs(esp_timer_get_time() - start - 43403) < 300);
    CHECK(uart_driver_delete(PORT) == ESP_OK);
}

void app_main(void)
{
    test_rates();
    test_errors();
    test_writes_block_when_the_ring_is_full();
    test_reads_time_out();
    test_without_a_ring();
    check_finish();
}
