#include "check.h"

#include <stdio.h>
#include <string.h>

#include "esp_intr_alloc.h"
#include "soc.h"

#define SOURCE_FROM_CPU_1 51
#define SYSTEM_CPU_INTR_FROM_CPU_1 0x600C002CU
#define STACK_BYTES 3072

static int passed;
static int failed;
static char record[64];
static size_t record_length;
static void (*interrupt_function)(void *);
static void *interrupt_arg;

void check(bool condition, const char *text, const char *file, int line)
{
    if (condition) {
        passed++;
        printf("PASS %s\n", text);
    } else {
        failed++;
        printf("FAIL %s:%d: %s\n", file, line, text);
    }
}

void check_finish(void)
{
    printf("RESULT %d passed, %d failed\n", passed, failed);
}

static void interrupt(void *arg)
{
    (void)arg;
    REG(SYSTEM_CPU_INTR_FROM_CPU_1) = 0;
    interrupt_function(interrupt_arg);
}

void run_in_interrupt(void (*function)(void *arg), void *arg)
{
    static intr_handle_t handle;
    if (handle == NULL) {
        ESP_ERROR_CHECK(
            esp_intr_alloc(SOURCE_FROM_CPU_1, ESP_INTR_FLAG_LEVEL1, interrupt, NULL, &handle));
    }
    interrupt_function = function;
    interrupt_arg = arg;
    REG(SYSTEM_CPU_INTR_FROM_CPU_1) = 1;
    while (REG(SYSTEM_CPU_INTR_FROM_CPU_1) != 0) {
    }
}

TaskHandle_t start_task(TaskFunction_t function, const char *name, UBaseType_t priority, void *arg)
{
    TaskHandle_t task = NULL;
    configASSERT(xTaskCreate(function, name, STACK_BYTES, arg, priority, &task) == pdPASS);
    return task;
}

void note(char letter)
{
    configASSERT(record_length + 1 < sizeof record);
    record[record_length++] = letter;
    record[record_length] = '\0';
}

bool noted(const char *expected)
{
    bool is_equal = strcmp(record, expected) == 0;
    if (!is_equal) {
        printf("noted \"%s\", expected \"%s\"\n", record, expected);
    }
    record_length = 0;
    record[0] = '\0';
    return is_equal;
}
