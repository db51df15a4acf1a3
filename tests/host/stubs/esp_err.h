#pragma once

typedef int esp_err_t;

#define ESP_OK 0
#define ESP_ERR_NO_MEM 0x101
