#pragma once

#include "json_reader.h"
#include "mcp_link.h"

/* Answers `tools/list`; `params` is an object or absent (NULL). */
void mcp_tools_list(mcp_id_t id, const json_value_t *params);

/* Answers `tools/call`, now or when the call ends. */
void mcp_tools_call(mcp_id_t id, const json_value_t *params);

/* Sends the answers of calls that end later. Blocks for the next one. */
void mcp_tools_answer_next(void);
