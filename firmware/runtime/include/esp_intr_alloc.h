/* Routing of peripheral interrupt sources to the CPU's lines through the interrupt matrix. */
#pragma once

#include <stdint.h>
#include "esp_bit_defs.h"
#include "esp_err.h"

#define ESP_INTR_FLAG_LEVEL1 BIT(1)
#define ESP_INTR_FLAG_LEVEL2 BIT(2)
#define ESP_INTR_FLAG_LEVEL3 BIT(3)
#define ESP_INTR_FLAG_LEVEL4 BIT(4)
#define ESP_INTR_FLAG_LEVEL5 BIT(5)
#define ESP_INTR_FLAG_LEVEL6 BIT(6)
#define ESP_INTR_FLAG_SHARED BIT(8)
#define ESP_INTR_FLAG_EDGE BIT(9)
#define ESP_INTR_FLAG_IRAM BIT(10)
#define ESP_INTR_FLAG_INTRDISABLED BIT(11)
#define ESP_INTR_FLAG_LOWMED (ESP_INTR_FLAG_LEVEL1 | ESP_INTR_FLAG_LEVEL2 | ESP_INTR_FLAG_LEVEL3)

typedef void (*intr_handler_t)(void *arg);
typedef struct intr_handle_data_t *intr_handle_t;

/* Gives `source` a CPU line of its own and enables it, unless ESP_INTR_FLAG_INTRDISABLED.
 * Handlers run with interrupts off and never nest.
 * Errors: ESP_ERR_INVALID_ARG, ESP_ERR_NOT_FOUND (no free line or the source is taken). */
esp_err_t esp_intr_alloc(int source, int flags, intr_handler_t handler, void *arg,
                         intr_handle_t *ret_handle);
esp_err_t esp_intr_free(intr_handle_t handle);
esp_err_t esp_intr_enable(intr_handle_t handle);
esp_err_t esp_intr_disable(intr_handle_t handle);
