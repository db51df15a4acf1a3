#pragma once

#include <stddef.h>
#include "hal/uart_types.h"

/* Writes without interrupts or blocking calls, after what the driver's ring still holds. */
void uart_write_polled(uart_port_t port, const char *data, size_t size);

/* Waits, polling, until the last stop bit is out. */
void uart_drain_polled(uart_port_t port);

/* Leaves all interrupts off for good, the CPU asleep while the UART is busy. For panics. */
void uart_take_over(uart_port_t port);
