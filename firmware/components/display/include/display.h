#pragma once

#include "esp_err.h"

/* The SSD1306 display's task, the big talker on the bus: it redraws a frame of 1024 bytes page by
 * page, for ever, each page one transaction under the bus guard. A missing display is looked for
 * again now and then and disturbs nobody.
 *
 * Returns ESP_ERR_NO_MEM or the bus driver's error. */
esp_err_t display_start(void);
