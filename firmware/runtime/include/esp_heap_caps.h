/* Capability-based allocation; this chip has one kind of heap, internal and byte-addressable. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "esp_bit_defs.h"

#define MALLOC_CAP_EXEC BIT(0)
#define MALLOC_CAP_32BIT BIT(1)
#define MALLOC_CAP_8BIT BIT(2)
#define MALLOC_CAP_DMA BIT(3)
#define MALLOC_CAP_SPIRAM BIT(10)
#define MALLOC_CAP_INTERNAL BIT(11)
#define MALLOC_CAP_DEFAULT BIT(12)

void *heap_caps_malloc(size_t size, uint32_t caps);
void *heap_caps_calloc(size_t n, size_t size, uint32_t caps);
void *heap_caps_realloc(void *ptr, size_t size, uint32_t caps);
void heap_caps_free(void *ptr);
size_t heap_caps_get_total_size(uint32_t caps);
size_t heap_caps_get_free_size(uint32_t caps);
size_t heap_caps_get_minimum_free_size(uint32_t caps);
size_t heap_caps_get_largest_free_block(uint32_t caps);
