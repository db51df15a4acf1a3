#pragma once

#include "hal/i2c_types.h"

typedef int i2c_port_num_t;
typedef struct i2c_master_bus_t *i2c_master_bus_handle_t;
typedef struct i2c_master_dev_t *i2c_master_dev_handle_t;
