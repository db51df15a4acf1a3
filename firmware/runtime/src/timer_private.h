#pragma once

/* Starts SYSTIMER's alarm interrupt and the task that runs the callbacks. */
void timer_init(void);
