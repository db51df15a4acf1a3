#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool_result.h"

/* Tool calls in flight. The server opens a call, a worker starts and finishes it, one completer
 * waits for whichever call ends next: finished, or out of time.
 *
 * A call that has ended, one way or the other, frees its slot; the generation in its reference
 * makes a worker that comes too late harmless. */

/* One event-group bit each: FreeRTOS offers 24 with 32-bit ticks. */
#define TOOL_CALL_SLOTS 24

/* Longest JSON-RPC request id, as it is written in JSON, in bytes. */
#define TOOL_CALL_ID_MAX 128

typedef struct {
    uint32_t slot;
    uint32_t generation;
} tool_call_ref_t;

/* The call nobody waits for: always startable, its result is dropped. */
#define TOOL_CALL_DETACHED ((tool_call_ref_t){.slot = TOOL_CALL_SLOTS})

/* A call that has ended. `id` is the request's id as JSON. */
typedef struct {
    char id[TOOL_CALL_ID_MAX + 1];
    size_t id_length;
    const char *tool;
    tool_result_t result;
} tool_call_end_t;

/* Once, before any other function. */
void tool_call_init(void);

/* Takes a slot; its time starts now. False if all slots are taken. `tool` is kept by reference,
 * `id_length` is at most TOOL_CALL_ID_MAX. */
bool tool_call_open(const char *id, size_t id_length, const char *tool, tool_call_ref_t *call);

/* Tells what the call is after, for the answer should its time run out. */
void tool_call_set_target(tool_call_ref_t call, int32_t target);

/* Frees the slot of a call that has been answered without waiting. */
void tool_call_close(tool_call_ref_t call);

/* To be asked right before the first write: false if nobody waits for the call any more. */
bool tool_call_is_wanted(tool_call_ref_t call);

/* Hands in the result, its elapsed_ms excepted; ignored if nobody waits any more. */
void tool_call_finish(tool_call_ref_t call, const tool_result_t *result);

/* Blocks until a call ends and frees its slot. For one task only. */
void tool_call_wait(tool_call_end_t *end);
