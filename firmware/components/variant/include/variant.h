#pragma once

#include <stdbool.h>

#include "sdkconfig.h"

/* What tells the good firmware from the known-bad ones, side by side. Everything else is shared.
 *
 * Each known-bad build reproduces one false success seen in the field, and answers stage
 * "confirmed" because that is how a language model's host understands its bare `true`. */
typedef struct {
    const char *name;
    unsigned queue_depth;         /* audio commands that can wait */
    unsigned queue_reserve;       /* fewer free places than this: answer `busy` */
    bool confirms_on_enqueue;     /* `true` meant "I put the command into a queue" */
    bool drops_write_errors;      /* the codec driver returns OK although the chip said NACK */
    bool remembers_volume;        /* the "read-back" is the driver's own memory, not the chip */
    bool skips_comparison;        /* reads back, and does not look at what it read */
} variant_t;

static const variant_t VARIANT = {
#if CONFIG_TRUESTAGE_VARIANT_GOOD
    .name = "good",
    .queue_depth = CONFIG_TRUESTAGE_AUDIO_QUEUE_DEPTH,
    .queue_reserve = CONFIG_TRUESTAGE_AUDIO_QUEUE_RESERVE,
#elif CONFIG_TRUESTAGE_VARIANT_QUEUED
    .name = "queued",
    .queue_depth = CONFIG_TRUESTAGE_AUDIO_QUEUE_DEPTH,
    .queue_reserve = CONFIG_TRUESTAGE_AUDIO_QUEUE_RESERVE,
    .confirms_on_enqueue = true,
#elif CONFIG_TRUESTAGE_VARIANT_CACHED_READBACK
    /* esp_codec_dev up to 1.5.2: set_out_vol discards the codec's error, get_out_vol never
     * touches the bus. */
    .name = "cached-readback",
    .queue_depth = CONFIG_TRUESTAGE_AUDIO_QUEUE_DEPTH,
    .queue_reserve = CONFIG_TRUESTAGE_AUDIO_QUEUE_RESERVE,
    .drops_write_errors = true,
    .remembers_volume = true,
#elif CONFIG_TRUESTAGE_VARIANT_SHALLOW_QUEUE
    .name = "shallow-queue",
    .queue_depth = 4,
    .queue_reserve = 0,
    .confirms_on_enqueue = true,
#elif CONFIG_TRUESTAGE_VARIANT_BLIND_CLAMP
    .name = "blind-clamp",
    .queue_depth = CONFIG_TRUESTAGE_AUDIO_QUEUE_DEPTH,
    .queue_reserve = CONFIG_TRUESTAGE_AUDIO_QUEUE_RESERVE,
    .skips_comparison = true,
#else
#error "choose one CONFIG_TRUESTAGE_VARIANT_..."
#endif
};
