#include "mcp_link.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "driver/uart.h"
#include "freertos/FreeRTOS.h"
#include "freertos/semphr.h"
#include "mcp_server.h"
#include "sdkconfig.h"

#define PORT CONFIG_TRUESTAGE_MCP_UART_PORT

/* Two of the longest lines; at 921600 baud the host fills one in 44 ms. */
#define RECEIVE_RING_BYTES (2 * MCP_LINE_MAX)
/* A burst of replies of about 600 bytes. */
#define TRANSMIT_RING_BYTES 8192
#define RECEIVE_CHUNK_BYTES 256

/* The longest reply is the list of tools: about 1200 bytes a tool. */
#define REPLY_MAX 8192
#define ERROR_MESSAGE_MAX 160

static char line[MCP_LINE_MAX + 1]; /* room for a '\r' behind the longest line */

static char reply[REPLY_MAX];
static json_writer_t reply_writer;
static SemaphoreHandle_t reply_lock;

esp_err_t mcp_link_open(void)
{
    reply_lock = xSemaphoreCreateMutex();
    if (reply_lock == NULL) {
        return ESP_ERR_NO_MEM;
    }
    const uart_config_t config = {
        .baud_rate = CONFIG_TRUESTAGE_MCP_UART_BAUD,
        .data_bits = UART_DATA_8_BITS,
        .parity = UART_PARITY_DISABLE,
        .stop_bits = UART_STOP_BITS_1,
        .flow_ctrl = UART_HW_FLOWCTRL_DISABLE,
        .source_clk = UART_SCLK_DEFAULT,
    };
    esp_err_t error =
        uart_driver_install(PORT, RECEIVE_RING_BYTES, TRANSMIT_RING_BYTES, 0, NULL, 0);
    if (error == ESP_OK) {
        error = uart_param_config(PORT, &config);
    }
    if (error == ESP_OK) {
        error = uart_set_pin(PORT, CONFIG_TRUESTAGE_MCP_UART_TX_GPIO,
                             CONFIG_TRUESTAGE_MCP_UART_RX_GPIO, UART_PIN_NO_CHANGE,
                             UART_PIN_NO_CHANGE);
    }
    return error;
}

/* Blocks for at least one byte, then takes what is there. */
static size_t receive(char *bytes, size_t capacity)
{
    while (uart_read_bytes(PORT, bytes, 1, portMAX_DELAY) != 1) {
    }
    size_t waiting = 0;
    uart_get_buffered_data_len(PORT, &waiting);
    if (waiting > capacity - 1) {
        waiting = capacity - 1;
    }
    int more = waiting > 0 ? uart_read_bytes(PORT, bytes + 1, waiting, 0) : 0;
    return 1 + (size_t)(more > 0 ? more : 0);
}

/* Appends to the line what fits; the result counts what did not, too. */
static size_t append(size_t length, const char *bytes, size_t count)
{
    size_t room = length < sizeof line ? sizeof line - length : 0;
    memcpy(line + length, bytes, count < room ? count : room);
    return count <= room ? length + count : sizeof line + 1;
}

static bool is_blank(size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (line[i] != ' ' && line[i] != '\t') {
            return false;
        }
    }
    return true;
}

const char *mcp_link_read_line(size_t *length)
{
    static char chunk[RECEIVE_CHUNK_BYTES];
    static size_t chunk_at;
    static size_t chunk_end;

    size_t used = 0;
    for (;;) {
        if (chunk_at == chunk_end) {
            chunk_at = 0;
            chunk_end = receive(chunk, sizeof chunk);
        }
        const char *start = chunk + chunk_at;
        size_t left = chunk_end - chunk_at;
        const char *newline = memchr(start, '\n', left);
        size_t count = newline != NULL ? (size_t)(newline - start) : left;
        used = append(used, start, count);
        chunk_at += count;
        if (newline == NULL) {
            continue;
        }
        chunk_at++;
        if (used > 0 && used <= sizeof line && line[used - 1] == '\r') {
            used--;
        }
        if (used > MCP_LINE_MAX) {
            return NULL;
        }
        if (!is_blank(used)) {
            *length = used;
            return line;
        }
        used = 0;
    }
}

/* Takes the lock and writes what all replies begin with. */
static json_writer_t *begin(mcp_id_t id)
{
    xSemaphoreTake(reply_lock, portMAX_DELAY);
    json_writer_init(&reply_writer, reply, sizeof reply - 1);
    json_open_object(&reply_writer);
    json_key(&reply_writer, "jsonrpc");
    json_string(&reply_writer, "2.0");
    json_key(&reply_writer, "id");
    json_raw(&reply_writer, id.text, id.length);
    return &reply_writer;
}

static void send_and_release(json_writer_t *writer)
{
    json_close_object(writer);
    assert(!writer->failed);
    reply[writer->length] = '\n';
    uart_write_bytes(PORT, reply, writer->length + 1);
    xSemaphoreGive(reply_lock);
}

json_writer_t *mcp_link_begin_result(mcp_id_t id)
{
    json_writer_t *writer = begin(id);
    json_key(writer, "result");
    return writer;
}

void mcp_link_end_result(json_writer_t *writer, mcp_id_t id)
{
    if (writer->failed) {
        xSemaphoreGive(reply_lock);
        mcp_link_send_error(id, MCP_INTERNAL_ERROR, "the reply is longer than %d bytes",
                            REPLY_MAX);
        return;
    }
    send_and_release(writer);
}

void mcp_link_send_error(mcp_id_t id, mcp_error_code_t code, const char *format, ...)
{
    char message[ERROR_MESSAGE_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);

    json_writer_t *writer = begin(id);
    json_key(writer, "error");
    json_open_object(writer);
    json_key(writer, "code");
    json_integer(writer, code);
    json_key(writer, "message");
    json_string(writer, message);
    json_close_object(writer);
    send_and_release(writer);
}
