/* Routing of peripheral signals to pins through the GPIO matrix. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "hal/gpio_types.h"

void pin_route_output(gpio_num_t pin, uint32_t signal);
void pin_route_input(gpio_num_t pin, uint32_t signal);
/* An open-drain line that is driven and read, as I2C needs. */
void pin_route_open_drain(gpio_num_t pin, uint32_t signal, bool pull_up);
