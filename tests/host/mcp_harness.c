/* Runs the firmware's MCP server on the host, for test_mcp_server.py: standard input and output are
 * its UART, and a few tools stand in for the hardware. The argument, if any, is the largest number
 * of bytes the UART has at a time. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/uart.h"
#include "freertos/semphr.h"
#include "freertos/task.h"
#include "mcp_server.h"

static size_t uart_grain = 256;
static bool locked;

static void require(bool held, const char *claim)
{
    if (!held) {
        fprintf(stderr, "mcp_harness: %s\n", claim);
        exit(3);
    }
}

esp_err_t uart_driver_install(int port, int rx, int tx, int depth, void *queue, int flags)
{
    (void)port, (void)rx, (void)tx, (void)depth, (void)queue, (void)flags;
    return ESP_OK;
}

esp_err_t uart_param_config(int port, const uart_config_t *config)
{
    (void)port, (void)config;
    return ESP_OK;
}

esp_err_t uart_set_pin(int port, int tx, int rx, int rts, int cts)
{
    (void)port, (void)tx, (void)rx, (void)rts, (void)cts;
    return ESP_OK;
}

int uart_read_bytes(int port, void *bytes, uint32_t length, TickType_t ticks)
{
    (void)port;
    size_t got = fread(bytes, 1, length, stdin);
    if (got == 0 && ticks == portMAX_DELAY) {
        exit(0);
    }
    return (int)got;
}

esp_err_t uart_get_buffered_data_len(int port, size_t *length)
{
    (void)port;
    *length = uart_grain - 1;
    return ESP_OK;
}

int uart_write_bytes(int port, const void *bytes, size_t length)
{
    (void)port;
    require(locked, "a reply is sent without the lock");
    fwrite(bytes, 1, length, stdout);
    return (int)length;
}

SemaphoreHandle_t xSemaphoreCreateMutex(void)
{
    return &locked;
}

BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks)
{
    (void)semaphore, (void)ticks;
    require(!locked, "the reply lock is taken twice");
    locked = true;
    return pdPASS;
}

BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore)
{
    (void)semaphore;
    require(locked, "the reply lock is given back twice");
    locked = false;
    return pdPASS;
}

static void (*server)(void *);

BaseType_t xTaskCreate(void (*run)(void *), const char *name, uint32_t stack, void *argument,
                       unsigned priority, void *handle)
{
    (void)stack, (void)argument, (void)priority, (void)handle;
    if (strcmp(name, "mcp_server") == 0) {
        server = run;
    }
    return pdPASS;
}

bool tool_call_open(const char *id, size_t id_length, const char *tool, tool_call_ref_t *call)
{
    (void)id, (void)id_length;
    *call = (tool_call_ref_t){0};
    return strcmp(tool, "Crowded") != 0;
}

void tool_call_close(tool_call_ref_t call)
{
    (void)call;
}

void tool_call_wait(tool_call_end_t *end)
{
    (void)end;
    require(false, "nothing is ever pending here");
}

static mcp_tool_outcome_t confirm(const int32_t *arguments, tool_call_ref_t call,
                                  tool_result_t *result)
{
    (void)call;
    result->stage = TOOL_STAGE_CONFIRMED;
    result->target = arguments[0];
    result->readback = arguments[0];
    tool_result_set(result, "left", 100 - arguments[0]);
    return MCP_TOOL_ANSWERED;
}

static mcp_tool_outcome_t fail(const int32_t *arguments, tool_call_ref_t call,
                               tool_result_t *result)
{
    (void)arguments, (void)call;
    result->error = "nack";
    result->retries = 3;
    return MCP_TOOL_ANSWERED;
}

int main(int count, char **arguments)
{
    static const mcp_argument_t volume = {
        .name = "volume", .description = "per cent", .minimum = 0, .maximum = 100};
    static const mcp_tool_t tools[] = {
        {"SetOutputVolume", "sets", &volume, 1, confirm},
        {"Broken", "fails", NULL, 0, fail},
        {"Crowded", "finds no room", NULL, 0, fail},
    };
    if (count > 1) {
        uart_grain = strtoul(arguments[1], NULL, 10);
    }
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        require(mcp_server_add_tool(&tools[i]) == ESP_OK, "no room for a tool");
    }
    require(mcp_server_start() == ESP_OK && server != NULL, "the server does not start");
    server(NULL);
    return 0;
}
