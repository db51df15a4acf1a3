#include "tool_result.h"

#include <string.h>

const char TOOL_RESULT_SCHEMA[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"success\":{\"type\":\"boolean\"},"
    "\"stage\":{\"type\":\"string\",\"enum\":"
    "[\"rejected\",\"busy\",\"accepted\",\"executed\",\"confirmed\",\"failed\"]},"
    "\"accepted\":{\"type\":\"boolean\"},"
    "\"executed\":{\"type\":\"boolean\"},"
    "\"confirmed\":{\"type\":\"boolean\"},"
    "\"detail\":{\"type\":\"object\",\"properties\":{"
    "\"target\":{\"type\":[\"integer\",\"null\"]},"
    "\"readback\":{\"type\":[\"integer\",\"null\"]},"
    "\"retries\":{\"type\":\"integer\",\"minimum\":0},"
    "\"elapsed_ms\":{\"type\":\"integer\",\"minimum\":0},"
    "\"error\":{\"type\":\"string\"}},"
    "\"required\":[\"target\",\"readback\",\"retries\",\"elapsed_ms\"],"
    "\"additionalProperties\":{\"type\":[\"integer\",\"null\"]}}},"
    "\"required\":[\"success\",\"stage\",\"accepted\",\"executed\",\"confirmed\",\"detail\"],"
    "\"additionalProperties\":false}";

tool_result_t tool_result_new(int32_t target)
{
    return (tool_result_t){.stage = TOOL_STAGE_FAILED,
                           .error = "unknown",
                           .target = target,
                           .readback = TOOL_VALUE_NONE};
}

tool_result_t tool_result_refusal(tool_stage_t stage, int32_t target, const char *error)
{
    tool_result_t result = tool_result_new(target);
    result.stage = stage;
    result.error = error;
    return result;
}

void tool_result_set(tool_result_t *result, const char *name, int32_t value)
{
    uint32_t i = 0;
    while (i < result->extra_count && strcmp(result->extras[i].name, name) != 0) {
        i++;
    }
    if (i < TOOL_RESULT_EXTRAS) {
        result->extras[i] = (tool_value_t){.name = name, .value = value};
        result->extra_count = i == result->extra_count ? i + 1 : result->extra_count;
    }
}

bool tool_result_success(const tool_result_t *result)
{
    return result->stage == TOOL_STAGE_ACCEPTED || result->stage == TOOL_STAGE_EXECUTED ||
           result->stage == TOOL_STAGE_CONFIRMED;
}

const char *tool_stage_name(tool_stage_t stage)
{
    static const char *const names[] = {
        [TOOL_STAGE_REJECTED] = "rejected",   [TOOL_STAGE_BUSY] = "busy",
        [TOOL_STAGE_ACCEPTED] = "accepted",   [TOOL_STAGE_EXECUTED] = "executed",
        [TOOL_STAGE_CONFIRMED] = "confirmed", [TOOL_STAGE_FAILED] = "failed",
    };
    return names[stage];
}

static void write_flag(json_writer_t *writer, const char *name, bool value)
{
    json_key(writer, name);
    json_boolean(writer, value);
}

static void write_value(json_writer_t *writer, const char *name, int32_t value)
{
    json_key(writer, name);
    if (value == TOOL_VALUE_NONE) {
        json_null(writer);
    } else {
        json_integer(writer, value);
    }
}

void tool_result_write(const tool_result_t *result, json_writer_t *writer)
{
    bool success = tool_result_success(result);
    bool failed = result->stage == TOOL_STAGE_FAILED;
    bool confirmed = result->stage == TOOL_STAGE_CONFIRMED;
    bool executed = confirmed || result->stage == TOOL_STAGE_EXECUTED;

    json_open_object(writer);
    write_flag(writer, "success", success);
    json_key(writer, "stage");
    json_string(writer, tool_stage_name(result->stage));
    write_flag(writer, "accepted", success || failed);
    write_flag(writer, "executed", executed || (failed && result->executed));
    write_flag(writer, "confirmed", confirmed);
    json_key(writer, "detail");
    json_open_object(writer);
    write_value(writer, "target", result->target);
    write_value(writer, "readback", result->readback);
    write_value(writer, "retries", (int32_t)result->retries);
    write_value(writer, "elapsed_ms", (int32_t)result->elapsed_ms);
    for (uint32_t i = 0; i < result->extra_count; i++) {
        write_value(writer, result->extras[i].name, result->extras[i].value);
    }
    if (!success) {
        json_key(writer, "error");
        json_string(writer, result->error);
    }
    json_close_object(writer);
    json_close_object(writer);
}
