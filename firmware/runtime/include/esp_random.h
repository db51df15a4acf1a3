#pragma once

#include <stddef.h>
#include <stdint.h>

/* Reads the hardware random-number register (SYSCON 0x600260B0). */
uint32_t esp_random(void);
void esp_fill_random(void *buf, size_t len);
