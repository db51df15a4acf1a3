#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "esp_err.h"
#include "tool_call.h"

/* The audio task: the only one that talks to the codec.
 *
 * Commands wait in a queue and are served one after the other: take the bus guard, write both
 * channels, read both back from the chip, compare; retry a few times; report to the call. */

/* Attaches and starts the codec, then starts the task. A codec that does not answer is no error: it
 * is started again with the next command. Returns ESP_ERR_NO_MEM or the bus driver's error. */
esp_err_t audio_service_start(void);

/* Queues a command that ends `call`; false if there is no room, and then nothing is written.
 * `volume` is 0 to 100. Both are for one task only: the room is looked at, then taken. */
bool audio_service_set_volume(tool_call_ref_t call, int32_t volume);
bool audio_service_get_volume(tool_call_ref_t call);
