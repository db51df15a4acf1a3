#include "esp_system.h"

#include <string.h>

#include "console.h"
#include "driver/uart.h"
#include "esp_random.h"
#include "freertos/FreeRTOS.h"
#include "port.h"
#include "reset.h"
#include "soc.h"
#include "uart_private.h"

#define MAX_SHUTDOWN_HANDLERS 5

/* A reset hint as ESP-IDF leaves it: the reason twice, and bit 31 to mark it valid. */
#define HINT_VALID BIT(31)
#define HINT_MASK 0x7FFFU
#define HINT(reason) (HINT_VALID | ((uint32_t)(reason) << 16) | (uint32_t)(reason))

static shutdown_handler_t shutdown_handlers[MAX_SHUTDOWN_HANDLERS];

const char *esp_get_idf_version(void)
{
    return "v5.4-truestage-runtime";
}

void reset_after(esp_reset_reason_t reason)
{
    port_disable_interrupts();
    console_take_over();
    uart_drain_polled(UART_NUM_0);
    REG(RTC_CNTL_STORE6) = HINT(reason);
    REG(RTC_CNTL_OPTIONS0) |= RTC_CNTL_SW_SYS_RST;
    while (true) {
    }
}

void esp_restart(void)
{
    for (int i = MAX_SHUTDOWN_HANDLERS - 1; i >= 0; i--) {
        if (shutdown_handlers[i] != NULL) {
            shutdown_handlers[i]();
        }
    }
    reset_after(ESP_RST_SW);
}

static esp_err_t replace_handler(shutdown_handler_t old, shutdown_handler_t new)
{
    for (int i = 0; i < MAX_SHUTDOWN_HANDLERS; i++) {
        if (shutdown_handlers[i] == old) {
            shutdown_handlers[i] = new;
            return ESP_OK;
        }
    }
    return old == NULL ? ESP_ERR_NO_MEM : ESP_ERR_INVALID_STATE;
}

esp_err_t esp_register_shutdown_handler(shutdown_handler_t handler)
{
    return replace_handler(NULL, handler);
}

esp_err_t esp_unregister_shutdown_handler(shutdown_handler_t handler)
{
    return replace_handler(handler, NULL);
}

static esp_reset_reason_t reason_of_cause(uint32_t cause, uint32_t hint)
{
    bool has_hint = (hint & HINT_VALID) && (hint & HINT_MASK) == (hint >> 16 & HINT_MASK);
    switch (cause) { /* RESET_REASON in esp32c3/rom/rtc.h */
    case 1:
        return ESP_RST_POWERON;
    case 3:  /* software, digital core */
    case 12: /* software, CPU */
        return has_hint ? (esp_reset_reason_t)(hint & HINT_MASK) : ESP_RST_SW;
    case 5:
        return ESP_RST_DEEPSLEEP;
    case 7:  /* timer group 0 watchdog, digital core */
    case 11: /* timer group 0 watchdog, CPU */
        return ESP_RST_TASK_WDT;
    case 8:  /* timer group 1 watchdog, digital core */
    case 17: /* timer group 1 watchdog, CPU */
        return ESP_RST_INT_WDT;
    case 9:  /* RTC watchdog, digital core */
    case 13: /* RTC watchdog, CPU */
    case 16: /* RTC watchdog, everything */
    case 18: /* super watchdog */
        return ESP_RST_WDT;
    case 15:
        return ESP_RST_BROWNOUT;
    case 20:
        return ESP_RST_EFUSE;
    case 21:
        return ESP_RST_USB;
    case 22:
        return ESP_RST_JTAG;
    case 23:
        return ESP_RST_PWR_GLITCH;
    default:
        return ESP_RST_UNKNOWN;
    }
}

esp_reset_reason_t esp_reset_reason(void)
{
    static esp_reset_reason_t reason;
    static bool is_known;
    if (!is_known) {
        reason = reason_of_cause(REG(RTC_CNTL_RESET_STATE) & 0x3F, REG(RTC_CNTL_STORE6));
        REG(RTC_CNTL_STORE6) = 0;
        is_known = true;
    }
    return reason;
}

uint32_t esp_random(void)
{
    return REG(SYSCON_RND_DATA);
}

void esp_fill_random(void *buf, size_t len)
{
    uint8_t *byte = buf;
    while (len > 0) {
        uint32_t word = esp_random();
        size_t n = len < sizeof word ? len : sizeof word;
        memcpy(byte, &word, n);
        byte += n;
        len -= n;
    }
}
