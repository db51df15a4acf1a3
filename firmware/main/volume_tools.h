#pragma once

#include "esp_err.h"

/* Offers `SetOutputVolume` and `GetOutputVolume`. */
esp_err_t volume_tools_add(void);
