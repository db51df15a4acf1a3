/* The console on UART0: stdout, and output that works when nothing else does. */
#pragma once

#include <stddef.h>

/* Gives UART0 to the console; before this, output is polled. */
void console_init(void);

/* Keeps other tasks' output out until console_unlock(); nests. No effect where one cannot block. */
void console_lock(void);
void console_unlock(void);

/* Stops using interrupts: sends what is queued and polls from then on. For panics and resets. */
void console_take_over(void);
