#pragma once

#include "esp_system.h"

/* Waits for the console to drain, leaves `reason` for the next boot and resets the chip. */
void reset_after(esp_reset_reason_t reason) __attribute__((noreturn));
