#pragma once

#include <stdint.h>
#include "esp_intr_alloc.h"

/* Runs the handler of CPU line `line`. */
void interrupt_dispatch(uint32_t line);

/* Disables every line but the handle's. */
void interrupt_mask_others(intr_handle_t handle);
