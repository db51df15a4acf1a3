#pragma once

#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"
#include "tool_call.h"
#include "tool_result.h"

/* A Model Context Protocol server (2025-06-18, 2025-11-25) over a UART: JSON-RPC 2.0, one message
 * a line, as in MCP's stdio transport.
 *
 * It keeps reading while calls are in flight, so replies may come in another order than requests.
 * It has no session: after a restart of the device a host may go on without `initialize`. */

/* Longest line it takes, in bytes without the newline. */
#define MCP_LINE_MAX 4096

#define MCP_TOOLS_MAX 16
#define MCP_ARGUMENTS_MAX 4

/* An argument of a tool: a required integer in a range. */
typedef struct {
    const char *name;
    const char *description;
    int32_t minimum;
    int32_t maximum;
} mcp_argument_t;

typedef enum {
    MCP_TOOL_ANSWERED, /* *result is the answer */
    MCP_TOOL_PENDING,  /* tool_call_finish() will bring the answer, or its time will run out */
} mcp_tool_outcome_t;

/* Runs in the server's task and must not block. `arguments` are in the order of the tool's table
 * and within their ranges. */
typedef mcp_tool_outcome_t (*mcp_tool_handler_t)(const int32_t *arguments, tool_call_ref_t call,
                                                 tool_result_t *result);

typedef struct {
    const char *name;
    const char *description;
    const mcp_argument_t *arguments;
    size_t argument_count;
    mcp_tool_handler_t handler;
} mcp_tool_t;

/* Offers a tool, which must outlive the server; before mcp_server_start().
 * Returns ESP_ERR_NO_MEM if there are MCP_TOOLS_MAX already. */
esp_err_t mcp_server_add_tool(const mcp_tool_t *tool);

/* Opens the UART and starts listening; tool_call_init() must have been called.
 * Returns ESP_ERR_NO_MEM or the UART driver's error. */
esp_err_t mcp_server_start(void);
