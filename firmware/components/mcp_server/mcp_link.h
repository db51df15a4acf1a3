#pragma once

#include <stddef.h>

#include "esp_err.h"
#include "json_reader.h"
#include "json_writer.h"

/* The server's side of the wire: lines in, whole replies out. */

typedef enum {
    MCP_PARSE_ERROR = -32700,
    MCP_INVALID_REQUEST = -32600,
    MCP_METHOD_NOT_FOUND = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_INTERNAL_ERROR = -32603,
} mcp_error_code_t;

/* A request's id as it is written in JSON, "null" if there is none to answer to. */
typedef struct {
    const char *text;
    size_t length;
} mcp_id_t;

#define MCP_ID_NULL ((mcp_id_t){.text = "null", .length = 4})

esp_err_t mcp_link_open(void);

/* Blocks for the next line that is not blank; *length excludes the line's end. Returns NULL for a
 * line that is too long. The line is valid until the next call. */
const char *mcp_link_read_line(size_t *length);

/* Begins a reply: the caller writes exactly one value, the `result`, then calls
 * mcp_link_end_result() with the writer. No other task's reply can come in between. */
json_writer_t *mcp_link_begin_result(mcp_id_t id);
void mcp_link_end_result(json_writer_t *writer, mcp_id_t id);

/* Sends an error reply; the message is cut after 160 bytes. */
void mcp_link_send_error(mcp_id_t id, mcp_error_code_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
