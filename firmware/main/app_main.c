#include "audio_service.h"
#include "bus_guard.h"
#include "display.h"
#include "esp_err.h"
#include "esp_log.h"
#include "mcp_server.h"
#include "sdkconfig.h"
#include "tool_call.h"
#include "variant.h"
#include "volume_tools.h"

void app_main(void)
{
    static const char TAG[] = "truestage";
    ESP_LOGI(TAG, "variant %s", VARIANT.name);

    ESP_ERROR_CHECK(bus_guard_open(CONFIG_TRUESTAGE_I2C_PORT, CONFIG_TRUESTAGE_I2C_SDA_GPIO,
                                   CONFIG_TRUESTAGE_I2C_SCL_GPIO));
    tool_call_init();
    ESP_ERROR_CHECK(audio_service_start());
    ESP_ERROR_CHECK(display_start());
    ESP_ERROR_CHECK(volume_tools_add());
    ESP_ERROR_CHECK(mcp_server_start());
    ESP_LOGI(TAG, "ready");
}
