/* From the entry point to app_main(). */
#include <stdbool.h>
#include <stdint.h>

#include "console.h"
#include "esp_log.h"
#include "esp_system.h"
#include "freertos/task.h"
#include "kernel.h"
#include "soc.h"
#include "timer_private.h"

#include <picotls.h> /* needs picolibc's settings, which the headers above bring */

#define MAIN_TASK_PRIORITY 1

static const char *TAG = "main_task";

/* Thread-local storage (errno and the like) until the first task runs; zero is its first state. */
uint8_t startup_tls[64] __attribute__((aligned(16)));

extern void app_main(void);
void startup(void) __attribute__((noreturn));

/* The boot loader leaves watchdogs running for the application to stop. */
static void stop_boot_watchdogs(void)
{
    for (int group = 0; group < 2; group++) {
        REG(TIMG_WDTWPROTECT(group)) = WDT_WKEY;
        REG(TIMG_WDTCONFIG0(group)) = 0;
        REG(TIMG_WDTWPROTECT(group)) = 0;
    }
    REG(RTC_CNTL_WDTWPROTECT) = WDT_WKEY;
    REG(RTC_CNTL_WDTCONFIG0) = 0;
    REG(RTC_CNTL_WDTWPROTECT) = 0;
    REG(RTC_CNTL_SWD_WPROTECT) = SWD_WKEY;
    REG(RTC_CNTL_SWD_CONF) |= RTC_CNTL_SWD_AUTO_FEED_EN;
    REG(RTC_CNTL_SWD_WPROTECT) = 0;
}

/* The CPU at 160 MHz from the 480 MHz PLL, which the boot loader has locked. */
static void set_clocks(void)
{
    REG(SYSTEM_CPU_PER_CONF) =
        SYSTEM_CPU_WAIT_MODE_FORCE_ON | SYSTEM_PLL_FREQ_480M | SYSTEM_CPUPERIOD_160M;
    REG(SYSTEM_SYSCLK_CONF) =
        (REG(SYSTEM_SYSCLK_CONF) & ~SYSTEM_SOC_CLK_SEL_MASK) | SYSTEM_SOC_CLK_SEL_PLL;
    REG(SYSTEM_PERIP_CLK_EN0) |= SYSTEM_PERIP_SYSTIMER | SYSTEM_PERIP_UART_MEM;
    REG(SYSTEM_PERIP_RST_EN0) &= ~(SYSTEM_PERIP_SYSTIMER | SYSTEM_PERIP_UART_MEM);
}

static void main_task(void *arg)
{
    (void)arg;
    timer_init();
    ESP_LOGI(TAG, "Calling app_main()");
    app_main();
    ESP_LOGI(TAG, "Returned from app_main()");
    vTaskDelete(NULL);
}

void startup(void)
{
    _init_tls(startup_tls);
    configASSERT(_tls_size() <= sizeof startup_tls);
    stop_boot_watchdogs();
    set_clocks();
    esp_reset_reason();
    console_init();
    xTaskCreate(main_task, "main", CONFIG_ESP_MAIN_TASK_STACK_SIZE, NULL, MAIN_TASK_PRIORITY,
                NULL);
    kernel_start();
}
