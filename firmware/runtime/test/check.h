/* Checks of the self-test applications: PASS and FAIL lines, then one RESULT line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"

#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)

void check(bool condition, const char *text, const char *file, int line);

/* Prints "RESULT n passed, m failed". */
void check_finish(void);

/* Calls function(arg) in an interrupt handler, before this returns. */
void run_in_interrupt(void (*function)(void *arg), void *arg);

/* Starts a task with a stack that suffices for printf. */
TaskHandle_t start_task(TaskFunction_t function, const char *name, UBaseType_t priority,
                        void *arg);

/* A short record of what happened in which order: letters are appended, then compared. */
void note(char letter);
bool noted(const char *expected);
