/* The heap: reuse, merging, limits, and tasks that allocate at once. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "esp_heap_caps.h"
#include "esp_system.h"

#define TASKS 3
#define BLOCKS 8

static TaskHandle_t main_task;
static int corrupted;

/* Hides a value from the compiler, which would warn of what these tests do on purpose. */
static uintptr_t hidden(uintptr_t value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

static void test_blocks_are_reused_and_merged(void)
{
    uint32_t before = esp_get_free_heap_size();
    size_t largest = heap_caps_get_largest_free_block(MALLOC_CAP_DEFAULT);
    void *a = malloc(100);
    void *b = malloc(200);
    void *c = malloc(300);
    CHECK(a != NULL && b != NULL && c != NULL);
    CHECK((uintptr_t)a % 8 == 0 && (uintptr_t)b % 8 == 0);
    CHECK(esp_get_free_heap_size() <= before - 600);
    uintptr_t b_address = hidden((uintptr_t)b);
    free(b);
    void *b_again = malloc(200);
    CHECK((uintptr_t)b_again == b_address);
    free(a);
    free(c);
    free(b_again);
    free(NULL);
    CHECK(esp_get_free_heap_size() == before);
    CHECK(heap_caps_get_largest_free_block(MALLOC_CAP_DEFAULT) == largest);
    CHECK(esp_get_minimum_free_heap_size() <= before - 600);
}

static void test_limits(void)
{
    size_t largest = heap_caps_get_largest_free_block(MALLOC_CAP_DEFAULT);
    CHECK(malloc(largest + 1) == NULL);
    CHECK(malloc(hidden(SIZE_MAX)) == NULL);
    void *everything = malloc(largest);
    CHECK(everything != NULL);
    CHECK(malloc(largest) == NULL);
    free(everything);
    CHECK(calloc(hidden(SIZE_MAX / 2), 4) == NULL);
    CHECK(heap_caps_malloc(16, MALLOC_CAP_SPIRAM) == NULL);
}

static void test_contents(void)
{
    uint8_t *dirty = malloc(64);
    memset(dirty, 0xEE, 64);
    free(dirty);
    uint8_t *clean = calloc(16, 4);
    bool is_zero = true;
    for (int i = 0; i < 64; i++) {
        is_zero = is_zero && clean[i] == 0;
    }
    CHECK(is_zero);
    memcpy(clean, "kept", 5);
    uint8_t *barrier = malloc(16);
    uint8_t *grown = realloc(clean, 1000);
    CHECK(grown != NULL && grown != clean && strcmp((char *)grown, "kept") == 0);
    uintptr_t grown_address = hidden((uintptr_t)grown);
    uint8_t *shrunk = realloc(grown, 10);
    CHECK((uintptr_t)shrunk == grown_address && strcmp((char *)shrunk, "kept") == 0);
    free(shrunk);
    free(barrier);
}

static void hammer(void *arg)
{
    uint32_t seed = (uint32_t)(uintptr_t)arg;
    uint8_t *blocks[BLOCKS] = {NULL};
    size_t sizes[BLOCKS] = {0};
    for (int i = 0; i < 2000; i++) {
        seed = seed * 1664525 + 1013904223;
        size_t slot = seed >> 8 & (BLOCKS - 1);
        for (size_t j = 0; j < sizes[slot]; j++) {
            corrupted += blocks[slot][j] != (uint8_t)(slot + (uintptr_t)arg);
        }
        free(blocks[slot]);
        sizes[slot] = seed >> 16 & 0xFF;
        blocks[slot] = malloc(sizes[slot]);
        memset(blocks[slot], (int)(slot + (uintptr_t)arg), sizes[slot]);
        if ((seed >> 12 & 15) == 0) {
            taskYIELD();
        }
    }
    for (int i = 0; i < BLOCKS; i++) {
        free(blocks[i]);
    }
    xTaskNotifyGive(main_task);
    vTaskDelete(NULL);
}

static void test_tasks_at_once(void)
{
    vTaskDelay(2);
    uint32_t before = esp_get_free_heap_size();
    main_task = xTaskGetCurrentTaskHandle();
    for (uintptr_t i = 0; i < TASKS; i++) {
        start_task(hammer, "hammer", 1, (void *)(i + 1));
    }
    for (int i = 0; i < TASKS; i++) {
        ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
    }
    vTaskDelay(2);
    CHECK(corrupted == 0);
    CHECK(esp_get_free_heap_size() == before);
}

void app_main(void)
{
    test_blocks_are_reused_and_merged();
    test_limits();
    test_contents();
    test_tasks_at_once();
    check_finish();
}
