#include "volume_tools.h"

#include "audio_service.h"
#include "mcp_server.h"
#include "tool_call.h"
#include "tool_result.h"
#include "variant.h"

static mcp_tool_outcome_t refuse(int32_t target, tool_result_t *result)
{
    *result = tool_result_refusal(TOOL_STAGE_BUSY, target, "queue_full");
    return MCP_TOOL_ANSWERED;
}

static mcp_tool_outcome_t confirm_unseen(int32_t target, tool_result_t *result)
{
    *result = tool_result_new(target);
    result->stage = TOOL_STAGE_CONFIRMED;
    result->readback = target;
    return MCP_TOOL_ANSWERED;
}

static mcp_tool_outcome_t set_output_volume(const int32_t *arguments, tool_call_ref_t call,
                                            tool_result_t *result)
{
    int32_t volume = arguments[0];
    if (VARIANT.confirms_on_enqueue) {
        return audio_service_set_volume(TOOL_CALL_DETACHED, volume)
                   ? confirm_unseen(volume, result)
                   : refuse(volume, result);
    }
    tool_call_set_target(call, volume);
    return audio_service_set_volume(call, volume) ? MCP_TOOL_PENDING : refuse(volume, result);
}

static mcp_tool_outcome_t get_output_volume(const int32_t *arguments, tool_call_ref_t call,
                                            tool_result_t *result)
{
    (void)arguments;
    return audio_service_get_volume(call) ? MCP_TOOL_PENDING : refuse(TOOL_VALUE_NONE, result);
}

static const mcp_argument_t VOLUME = {
    .name = "volume",
    .description = "0 is silent (-96 dB); 1 to 100 go from -49.5 dB to 0 dB in steps of 0.5 dB.",
    .minimum = 0,
    .maximum = 100,
};

static const mcp_tool_t SET_OUTPUT_VOLUME = {
    .name = "SetOutputVolume",
    .description = "Sets the loudness of the speaker. Confirmed only when the codec's registers of "
                   "both channels have been read back and agree.",
    .arguments = &VOLUME,
    .argument_count = 1,
    .handler = set_output_volume,
};

static const mcp_tool_t GET_OUTPUT_VOLUME = {
    .name = "GetOutputVolume",
    .description = "Reads the loudness of the speaker from the codec's registers: detail.volume, "
                   "and the registers detail.left and detail.right.",
    .handler = get_output_volume,
};

esp_err_t volume_tools_add(void)
{
    esp_err_t error = mcp_server_add_tool(&SET_OUTPUT_VOLUME);
    return error == ESP_OK ? mcp_server_add_tool(&GET_OUTPUT_VOLUME) : error;
}
