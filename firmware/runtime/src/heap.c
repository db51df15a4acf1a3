/* The heap: one address-ordered list of free blocks, first fit, neighbours merged. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "esp_heap_caps.h"
#include "esp_system.h"
#include "freertos/FreeRTOS.h"

#define ALIGNMENT 16U
#define IN_USE 0x600DB10CU

typedef struct block {
    size_t size; /* with this header */
    union {
        struct block *next; /* of a free block */
        uint32_t in_use;    /* IN_USE in an allocated one */
    };
    uint32_t padding[2];
} block_t;

static_assert(sizeof(block_t) == ALIGNMENT, "headers must keep blocks aligned");

extern uint8_t _heap_start[];
extern uint8_t _heap_end[];

static block_t *first_free;
static size_t free_bytes;
static size_t least_free_bytes;
static bool initialised;

static void initialise(void)
{
    uintptr_t start = ((uintptr_t)_heap_start + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    uintptr_t end = (uintptr_t)_heap_end & ~(ALIGNMENT - 1);
    first_free = (block_t *)start;
    first_free->size = end - start;
    first_free->next = NULL;
    free_bytes = least_free_bytes = end - start;
    initialised = true;
}

static bool touches(const block_t *low, const block_t *high)
{
    return (const uint8_t *)low + low->size == (const uint8_t *)high;
}

static void insert_free(block_t *block)
{
    block_t **link = &first_free;
    block_t *previous = NULL;
    while (*link != NULL && *link < block) {
        previous = *link;
        link = &previous->next;
    }
    block->next = *link;
    *link = block;
    if (block->next != NULL && touches(block, block->next)) {
        block->size += block->next->size;
        block->next = block->next->next;
    }
    if (previous != NULL && touches(previous, block)) {
        previous->size += block->size;
        previous->next = block->next;
    }
}

static block_t *take_first_fit(size_t size)
{
    for (block_t **link = &first_free; *link != NULL; link = &(*link)->next) {
        block_t *block = *link;
        if (block->size < size) {
            continue;
        }
        if (block->size - size >= 2 * sizeof(block_t)) {
            block_t *rest = (block_t *)((uint8_t *)block + size);
            rest->size = block->size - size;
            rest->next = block->next;
            block->size = size;
            *link = rest;
        } else {
            *link = block->next;
        }
        return block;
    }
    return NULL;
}

static block_t *block_of(void *ptr)
{
    block_t *block = (block_t *)ptr - 1;
    configASSERT(block->in_use == IN_USE && "heap corrupted or pointer not from malloc");
    return block;
}

void *malloc(size_t size)
{
    if (size > (size_t)(_heap_end - _heap_start)) {
        errno = ENOMEM;
        return NULL;
    }
    size_t needed = sizeof(block_t) + ((size + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
    vPortEnterCritical();
    if (!initialised) {
        initialise();
    }
    block_t *block = take_first_fit(needed);
    if (block != NULL) {
        block->in_use = IN_USE;
        free_bytes -= block->size;
        least_free_bytes = free_bytes < least_free_bytes ? free_bytes : least_free_bytes;
    }
    vPortExitCritical();
    if (block == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    return block + 1;
}

void free(void *ptr)
{
    if (ptr == NULL) {
        return;
    }
    vPortEnterCritical();
    block_t *block = block_of(ptr);
    free_bytes += block->size;
    insert_free(block);
    vPortExitCritical();
}

void *calloc(size_t n, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(n, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    void *ptr = malloc(total);
    return ptr == NULL ? NULL : memset(ptr, 0, total);
}

void *realloc(void *ptr, size_t size)
{
    if (ptr == NULL) {
        return malloc(size);
    }
    if (size == 0) {
        free(ptr);
        return NULL;
    }
    size_t usable = block_of(ptr)->size - sizeof(block_t);
    if (size <= usable) {
        return ptr;
    }
    void *moved = malloc(size);
    if (moved != NULL) {
        memcpy(moved, ptr, usable);
        free(ptr);
    }
    return moved;
}

static bool has_caps(uint32_t caps)
{
    return (caps & MALLOC_CAP_SPIRAM) == 0;
}

void *heap_caps_malloc(size_t size, uint32_t caps)
{
    return has_caps(caps) ? malloc(size) : NULL;
}

void *heap_caps_calloc(size_t n, size_t size, uint32_t caps)
{
    return has_caps(caps) ? calloc(n, size) : NULL;
}

void *heap_caps_realloc(void *ptr, size_t size, uint32_t caps)
{
    return has_caps(caps) ? realloc(ptr, size) : NULL;
}

void heap_caps_free(void *ptr)
{
    free(ptr);
}

size_t heap_caps_get_total_size(uint32_t caps)
{
    return has_caps(caps) ? (size_t)(_heap_end - _heap_start) : 0;
}

size_t heap_caps_get_free_size(uint32_t caps)
{
    return has_caps(caps) ? free_bytes : 0;
}

size_t heap_caps_get_minimum_free_size(uint32_t caps)
{
    return has_caps(caps) ? least_free_bytes : 0;
}

size_t heap_caps_get_largest_free_block(uint32_t caps)
{
    size_t largest = 0;
    vPortEnterCritical();
    for (const block_t *block = first_free; block != NULL; block = block->next) {
        largest = block->size > largest ? block->size : largest;
    }
    vPortExitCritical();
    return has_caps(caps) && largest > 0 ? largest - sizeof(block_t) : 0;
}

uint32_t esp_get_free_heap_size(void)
{
    return free_bytes;
}

uint32_t esp_get_free_internal_heap_size(void)
{
    return free_bytes;
}

uint32_t esp_get_minimum_free_heap_size(void)
{
    return least_free_bytes;
}
