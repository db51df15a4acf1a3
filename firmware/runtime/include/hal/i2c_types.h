#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "soc/clk_tree_defs.h"
#include "soc/soc_caps.h"

typedef enum {
    I2C_NUM_0,
    I2C_NUM_MAX,
} i2c_port_t;

typedef enum {
    I2C_ADDR_BIT_LEN_7,
    I2C_ADDR_BIT_LEN_10,
} i2c_addr_bit_len_t;

typedef soc_periph_i2c_clk_src_t i2c_clock_source_t;
