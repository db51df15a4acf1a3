#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "json_writer.h"

/* The stage record: how far a tool's operation got, and how the device knows. */

typedef enum {
    TOOL_STAGE_REJECTED,  /* refused for what was asked; nothing was written */
    TOOL_STAGE_BUSY,      /* refused for lack of room; nothing was written */
    TOOL_STAGE_ACCEPTED,  /* taken; its outcome can be asked for */
    TOOL_STAGE_EXECUTED,  /* every write was acknowledged by the chip */
    TOOL_STAGE_CONFIRMED, /* read back from the chip and equal */
    TOOL_STAGE_FAILED,    /* taken, and claims nothing about the chip */
} tool_stage_t;

/* A value that is not known: null in JSON. */
#define TOOL_VALUE_NONE INT32_MIN

/* Room for a record as JSON, its extra values included. */
#define TOOL_RESULT_JSON_MAX 384

#define TOOL_RESULT_EXTRAS 4

typedef struct {
    const char *name;
    int32_t value;
} tool_value_t;

typedef struct {
    tool_stage_t stage;
    bool executed;     /* of a failed operation: all its writes were acknowledged */
    const char *error; /* why it is not a success, one lower-case word; NULL for a success */
    int32_t target;
    int32_t readback;
    uint32_t retries;
    uint32_t elapsed_ms;
    tool_value_t extras[TOOL_RESULT_EXTRAS];
    uint32_t extra_count;
} tool_result_t;

/* JSON schema of the record, the output schema of every tool. */
extern const char TOOL_RESULT_SCHEMA[];

/* A record that is `failed` for an unknown reason until somebody says better. */
tool_result_t tool_result_new(int32_t target);

/* A refusal: `stage` is TOOL_STAGE_REJECTED or TOOL_STAGE_BUSY. */
tool_result_t tool_result_refusal(tool_stage_t stage, int32_t target, const char *error);

/* Sets a value of its own in `detail`; the name is kept by reference. */
void tool_result_set(tool_result_t *result, const char *name, int32_t value);

bool tool_result_success(const tool_result_t *result);

const char *tool_stage_name(tool_stage_t stage);

void tool_result_write(const tool_result_t *result, json_writer_t *writer);
