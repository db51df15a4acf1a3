#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "soc/clk_tree_defs.h"
#include "soc/soc_caps.h"

typedef enum {
    UART_NUM_0,
    UART_NUM_1,
    UART_NUM_MAX,
} uart_port_t;

typedef enum {
    UART_DATA_5_BITS,
    UART_DATA_6_BITS,
    UART_DATA_7_BITS,
    UART_DATA_8_BITS,
    UART_DATA_BITS_MAX,
} uart_word_length_t;

typedef enum {
    UART_STOP_BITS_1 = 1,
    UART_STOP_BITS_1_5 = 2,
    UART_STOP_BITS_2 = 3,
    UART_STOP_BITS_MAX = 4,
} uart_stop_bits_t;

typedef enum {
    UART_PARITY_DISABLE = 0,
    UART_PARITY_EVEN = 2,
    UART_PARITY_ODD = 3,
} uart_parity_t;

typedef enum {
    UART_HW_FLOWCTRL_DISABLE = 0,
    UART_HW_FLOWCTRL_RTS = 1,
    UART_HW_FLOWCTRL_CTS = 2,
    UART_HW_FLOWCTRL_CTS_RTS = 3,
    UART_HW_FLOWCTRL_MAX = 4,
} uart_hw_flowcontrol_t;

typedef soc_periph_uart_clk_src_legacy_t uart_sclk_t;
