#pragma once

#include <stdint.h>

/* Busy-waits for `us` microseconds of SYSTIMER time. */
void esp_rom_delay_us(uint32_t us);

/* printf for any context: interrupt handlers and critical sections included. */
int esp_rom_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
