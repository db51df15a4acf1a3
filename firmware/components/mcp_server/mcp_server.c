#include "mcp_server.h"

#include <stdbool.h>
#include <string.h>

#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "mcp_link.h"
#include "mcp_tools.h"

#define SERVER_NAME "truestage-voice-terminal"
#define SERVER_VERSION "0.1.0"

/* An answer goes out before the next request is read. */
#define COMPLETER_PRIORITY 6
#define SERVER_PRIORITY 5

/* Deepest: a record of 384 bytes as text and its reply, or an error message of 160 bytes and
 * printf. Measured with runtime/: less than 1.1 KB; ESP-IDF's printf is larger. */
#define COMPLETER_STACK_BYTES 4096
#define SERVER_STACK_BYTES 4096

/* The protocol versions spoken, newest first. */
static const char *const PROTOCOL_VERSIONS[] = {"2025-11-25", "2025-06-18"};

static void initialize(mcp_id_t id, const json_value_t *params)
{
    json_value_t requested;
    if (params == NULL || !json_member(*params, "protocolVersion", &requested) ||
        requested.kind != JSON_STRING) {
        mcp_link_send_error(id, MCP_INVALID_PARAMS, "initialize needs a 'protocolVersion'");
        return;
    }
    const char *version = PROTOCOL_VERSIONS[0];
    for (size_t i = 0; i < sizeof PROTOCOL_VERSIONS / sizeof *PROTOCOL_VERSIONS; i++) {
        if (json_string_equals(requested, PROTOCOL_VERSIONS[i])) {
            version = PROTOCOL_VERSIONS[i];
        }
    }
    json_writer_t *writer = mcp_link_begin_result(id);
    json_open_object(writer);
    json_key(writer, "protocolVersion");
    json_string(writer, version);
    json_key(writer, "capabilities");
    json_open_object(writer);
    json_key(writer, "tools");
    json_open_object(writer);
    json_key(writer, "listChanged");
    json_boolean(writer, false);
    json_close_object(writer);
    json_close_object(writer);
    json_key(writer, "serverInfo");
    json_open_object(writer);
    json_key(writer, "name");
    json_string(writer, SERVER_NAME);
    json_key(writer, "version");
    json_string(writer, SERVER_VERSION);
    json_close_object(writer);
    json_close_object(writer);
    mcp_link_end_result(writer, id);
}

static void ping(mcp_id_t id, const json_value_t *params)
{
    (void)params;
    json_writer_t *writer = mcp_link_begin_result(id);
    json_open_object(writer);
    json_close_object(writer);
    mcp_link_end_result(writer, id);
}

typedef struct {
    const char *name;
    void (*answer)(mcp_id_t id, const json_value_t *params);
} method_t;

static const method_t METHODS[] = {
    {"tools/call", mcp_tools_call},
    {"ping", ping},
    {"tools/list", mcp_tools_list},
    {"initialize", initialize},
};

/* MCP's ids are strings and integers; they are echoed as they were written. */
static bool read_id(json_value_t value, mcp_id_t *id)
{
    bool integer = value.kind == JSON_NUMBER && memchr(value.text, '.', value.length) == NULL &&
                   memchr(value.text, 'e', value.length) == NULL &&
                   memchr(value.text, 'E', value.length) == NULL;
    if ((!integer && value.kind != JSON_STRING) || value.length > TOOL_CALL_ID_MAX) {
        return false;
    }
    *id = (mcp_id_t){.text = value.text, .length = value.length};
    return true;
}

static void dispatch(mcp_id_t id, json_value_t method, const json_value_t *params)
{
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        if (json_string_equals(method, METHODS[i].name)) {
            METHODS[i].answer(id, params);
            return;
        }
    }
    char echo[64 + 1];
    json_string_copy(method, echo, sizeof echo);
    mcp_link_send_error(id, MCP_METHOD_NOT_FOUND, "Method not found: %s", echo);
}

/* A request is answered, a notification never; an answer to a question nobody asked is dropped. */
static void handle_message(json_value_t message)
{
    json_value_t member;
    json_value_t method;
    json_value_t params;
    mcp_id_t id = MCP_ID_NULL;

    if (message.kind != JSON_OBJECT) {
        mcp_link_send_error(id, MCP_INVALID_REQUEST,
                            message.kind == JSON_ARRAY ? "batches are not supported"
                                                       : "a message is an object");
        return;
    }
    bool has_id = json_member(message, "id", &member);
    if (has_id && !read_id(member, &id)) {
        mcp_link_send_error(id, MCP_INVALID_REQUEST,
                            "'id' must be a string or an integer of at most %d bytes",
                            TOOL_CALL_ID_MAX);
        return;
    }
    if (!json_member(message, "jsonrpc", &member) || !json_string_equals(member, "2.0")) {
        mcp_link_send_error(id, MCP_INVALID_REQUEST, "'jsonrpc' must be \"2.0\"");
        return;
    }
    if (!json_member(message, "method", &method)) {
        if (!json_member(message, "result", &member) && !json_member(message, "error", &member)) {
            mcp_link_send_error(id, MCP_INVALID_REQUEST, "'method' is missing");
        }
        return;
    }
    if (method.kind != JSON_STRING) {
        mcp_link_send_error(id, MCP_INVALID_REQUEST, "'method' must be a string");
        return;
    }
    if (!has_id) {
        return;
    }
    bool has_params = json_member(message, "params", &params);
    if (has_params && params.kind != JSON_OBJECT) {
        mcp_link_send_error(id, MCP_INVALID_REQUEST, "'params' must be an object");
        return;
    }
    dispatch(id, method, has_params ? &params : NULL);
}

static void handle_line(const char *line, size_t length)
{
    json_value_t message;
    switch (json_parse(line, length, &message)) {
    case JSON_OK:
        handle_message(message);
        break;
    case JSON_ERROR_DEPTH:
        mcp_link_send_error(MCP_ID_NULL, MCP_PARSE_ERROR, "nested deeper than %d levels",
                            JSON_DEPTH_MAX);
        break;
    case JSON_ERROR_UNICODE:
        mcp_link_send_error(MCP_ID_NULL, MCP_PARSE_ERROR, "a string is not Unicode text");
        break;
    case JSON_ERROR_SYNTAX:
        mcp_link_send_error(MCP_ID_NULL, MCP_PARSE_ERROR, "not JSON");
        break;
    }
}

static void run_server(void *unused)
{
    (void)unused;
    for (;;) {
        size_t length;
        const char *line = mcp_link_read_line(&length);
        if (line == NULL) {
            mcp_link_send_error(MCP_ID_NULL, MCP_INVALID_REQUEST,
                                "the line is longer than %d bytes", MCP_LINE_MAX);
            continue;
        }
        handle_line(line, length);
    }
}

static void run_completer(void *unused)
{
    (void)unused;
    for (;;) {
        mcp_tools_answer_next();
    }
}

esp_err_t mcp_server_start(void)
{
    esp_err_t error = mcp_link_open();
    if (error != ESP_OK) {
        return error;
    }
    if (xTaskCreate(run_completer, "mcp_completer", COMPLETER_STACK_BYTES, NULL,
                    COMPLETER_PRIORITY, NULL) != pdPASS ||
        xTaskCreate(run_server, "mcp_server", SERVER_STACK_BYTES, NULL, SERVER_PRIORITY, NULL) !=
            pdPASS) {
        return ESP_ERR_NO_MEM;
    }
    return ESP_OK;
}
