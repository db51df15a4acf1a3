#include "mcp_tools.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "esp_log.h"
#include "mcp_server.h"

/* Longest part of a name from the host that is repeated in an error message. */
#define ECHO_MAX 64

static const char TAG[] = "mcp";

static const mcp_tool_t *tools[MCP_TOOLS_MAX];
static size_t tool_count;

esp_err_t mcp_server_add_tool(const mcp_tool_t *tool)
{
    if (tool_count == MCP_TOOLS_MAX || tool->argument_count > MCP_ARGUMENTS_MAX) {
        return ESP_ERR_NO_MEM;
    }
    tools[tool_count++] = tool;
    return ESP_OK;
}

static void write_pair(json_writer_t *writer, const char *name, const char *text)
{
    json_key(writer, name);
    json_string(writer, text);
}

static void write_argument(json_writer_t *writer, const mcp_argument_t *argument)
{
    json_key(writer, argument->name);
    json_open_object(writer);
    write_pair(writer, "type", "integer");
    json_key(writer, "minimum");
    json_integer(writer, argument->minimum);
    json_key(writer, "maximum");
    json_integer(writer, argument->maximum);
    write_pair(writer, "description", argument->description);
    json_close_object(writer);
}

static void write_input_schema(json_writer_t *writer, const mcp_tool_t *tool)
{
    json_open_object(writer);
    write_pair(writer, "type", "object");
    json_key(writer, "properties");
    json_open_object(writer);
    for (size_t i = 0; i < tool->argument_count; i++) {
        write_argument(writer, &tool->arguments[i]);
    }
    json_close_object(writer);
    json_key(writer, "required");
    json_open_array(writer);
    for (size_t i = 0; i < tool->argument_count; i++) {
        json_string(writer, tool->arguments[i].name);
    }
    json_close_array(writer);
    json_key(writer, "additionalProperties");
    json_boolean(writer, false);
    json_close_object(writer);
}

void mcp_tools_list(mcp_id_t id, const json_value_t *params)
{
    json_value_t cursor;
    if (params != NULL && json_member(*params, "cursor", &cursor)) {
        mcp_link_send_error(id, MCP_INVALID_PARAMS, "unknown cursor: the list has one page");
        return;
    }
    json_writer_t *writer = mcp_link_begin_result(id);
    json_open_object(writer);
    json_key(writer, "tools");
    json_open_array(writer);
    for (size_t i = 0; i < tool_count; i++) {
        json_open_object(writer);
        write_pair(writer, "name", tools[i]->name);
        write_pair(writer, "description", tools[i]->description);
        json_key(writer, "inputSchema");
        write_input_schema(writer, tools[i]);
        json_key(writer, "outputSchema");
        json_raw(writer, TOOL_RESULT_SCHEMA, strlen(TOOL_RESULT_SCHEMA));
        json_close_object(writer);
    }
    json_close_array(writer);
    json_close_object(writer);
    mcp_link_end_result(writer, id);
}

/* `result` as structured content, and the same as text for hosts that only know that. */
static void send_result(mcp_id_t id, const tool_result_t *result)
{
    char text[TOOL_RESULT_JSON_MAX];
    json_writer_t record;
    json_writer_init(&record, text, sizeof text);
    tool_result_write(result, &record);
    if (record.failed) {
        mcp_link_send_error(id, MCP_INTERNAL_ERROR, "the record is longer than %d bytes",
                            TOOL_RESULT_JSON_MAX);
        return;
    }

    json_writer_t *writer = mcp_link_begin_result(id);
    json_open_object(writer);
    json_key(writer, "content");
    json_open_array(writer);
    json_open_object(writer);
    write_pair(writer, "type", "text");
    json_key(writer, "text");
    json_string_n(writer, text, record.length);
    json_close_object(writer);
    json_close_array(writer);
    json_key(writer, "structuredContent");
    json_raw(writer, text, record.length);
    json_key(writer, "isError");
    json_boolean(writer, !tool_result_success(result));
    json_close_object(writer);
    mcp_link_end_result(writer, id);
}

static const mcp_tool_t *find_tool(json_value_t name)
{
    for (size_t i = 0; i < tool_count; i++) {
        if (json_string_equals(name, tools[i]->name)) {
            return tools[i];
        }
    }
    return NULL;
}

static bool knows_argument(const mcp_tool_t *tool, json_value_t name)
{
    for (size_t i = 0; i < tool->argument_count; i++) {
        if (json_string_equals(name, tool->arguments[i].name)) {
            return true;
        }
    }
    return false;
}

/* Reads all arguments; if one is wrong, answers with what was expected and returns false. */
static bool read_arguments(mcp_id_t id, const mcp_tool_t *tool, const json_value_t *given,
                           int32_t *values)
{
    json_value_t name;
    json_value_t value;
    if (given != NULL) {
        json_cursor_t cursor = json_begin(*given);
        while (json_next_member(&cursor, &name, &value)) {
            if (!knows_argument(tool, name)) {
                char echo[ECHO_MAX + 1];
                json_string_copy(name, echo, sizeof echo);
                mcp_link_send_error(id, MCP_INVALID_PARAMS, "%s has no argument '%s'", tool->name,
                                    echo);
                return false;
            }
        }
    }
    for (size_t i = 0; i < tool->argument_count; i++) {
        const mcp_argument_t *argument = &tool->arguments[i];
        int64_t number = 0;
        bool present = given != NULL && json_member(*given, argument->name, &value);
        bool integer = present && value.kind == JSON_NUMBER &&
                       json_number(value, &number) == JSON_INTEGER;
        if (!integer || number < argument->minimum || number > argument->maximum) {
            mcp_link_send_error(id, MCP_INVALID_PARAMS,
                                "%s: argument '%s' %s an integer from %" PRId32 " to %" PRId32,
                                tool->name, argument->name,
                                present ? "must be" : "is missing:", argument->minimum,
                                argument->maximum);
            return false;
        }
        values[i] = (int32_t)number;
    }
    return true;
}

static void call_tool(mcp_id_t id, const mcp_tool_t *tool, const int32_t *values)
{
    tool_call_ref_t call;
    if (!tool_call_open(id.text, id.length, tool->name, &call)) {
        tool_result_t refusal =
            tool_result_refusal(TOOL_STAGE_BUSY, TOOL_VALUE_NONE, "too_many_calls");
        send_result(id, &refusal);
        return;
    }
    /* A pending call may have ended by the time the handler returns. */
    tool_result_t result = tool_result_new(TOOL_VALUE_NONE);
    if (tool->handler(values, call, &result) == MCP_TOOL_ANSWERED) {
        tool_call_close(call);
        send_result(id, &result);
    }
}

void mcp_tools_call(mcp_id_t id, const json_value_t *params)
{
    json_value_t name;
    if (params == NULL || !json_member(*params, "name", &name) || name.kind != JSON_STRING) {
        mcp_link_send_error(id, MCP_INVALID_PARAMS, "tools/call needs a tool's 'name'");
        return;
    }
    const mcp_tool_t *tool = find_tool(name);
    if (tool == NULL) {
        char echo[ECHO_MAX + 1];
        json_string_copy(name, echo, sizeof echo);
        mcp_link_send_error(id, MCP_INVALID_PARAMS, "Unknown tool: %s", echo);
        return;
    }
    json_value_t given;
    bool present = json_member(*params, "arguments", &given);
    if (present && given.kind != JSON_OBJECT) {
        mcp_link_send_error(id, MCP_INVALID_PARAMS, "'arguments' must be an object");
        return;
    }
    int32_t values[MCP_ARGUMENTS_MAX];
    if (read_arguments(id, tool, present ? &given : NULL, values)) {
        call_tool(id, tool, values);
    }
}

void mcp_tools_answer_next(void)
{
    static tool_call_end_t end;
    tool_call_wait(&end);
    send_result((mcp_id_t){.text = end.id, .length = end.id_length}, &end.result);
    if (!tool_result_success(&end.result)) {
        ESP_LOGW(TAG, "%s: %s (%s)", end.tool, tool_stage_name(end.result.stage),
                 end.result.error);
    }
}
