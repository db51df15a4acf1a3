/* ESP32-C3 registers this environment uses: addresses and fields as in ESP-IDF's
 * components/soc/esp32c3/register/soc/ headers and the technical reference manual. */
#pragma once

#include <stdint.h>
#include "esp_bit_defs.h"

#define REG(address) (*(volatile uint32_t *)(address))

/* Clocks: the crystal, the APB bus with the CPU on the PLL, SYSTIMER (crystal / 2.5). */
#define XTAL_HZ 40000000U
#define APB_HZ 80000000U
#define SYSTIMER_HZ 16000000U

/* interrupt_core0_reg.h and soc/interrupts.h */
#define INTERRUPT_MAP(source) (0x600C2000U + 4U * (source))
#define INTERRUPT_ENABLE 0x600C2104U
#define INTERRUPT_TYPE 0x600C2108U
#define INTERRUPT_CLEAR 0x600C210CU
#define INTERRUPT_PRIORITY(line) (0x600C2114U + 4U * (line))
#define INTERRUPT_THRESHOLD 0x600C2194U
#define INTERRUPT_SOURCES 62
#define SOURCE_UART(port) (21 + (port))
#define SOURCE_I2C_EXT0 29
#define SOURCE_SYSTIMER_TARGET(n) (37 + (n))
#define SOURCE_FROM_CPU_0 50

/* system_reg.h */
#define SYSTEM_CPU_PER_CONF 0x600C0008U
#define SYSTEM_CPU_WAIT_MODE_FORCE_ON BIT(3)
#define SYSTEM_PLL_FREQ_480M BIT(2)
#define SYSTEM_CPUPERIOD_160M 1U
#define SYSTEM_PERIP_CLK_EN0 0x600C0010U
#define SYSTEM_PERIP_RST_EN0 0x600C0018U
#define SYSTEM_PERIP_UART(port) ((port) == 0 ? BIT(2) : BIT(5))
#define SYSTEM_PERIP_I2C_EXT0 BIT(7)
#define SYSTEM_PERIP_UART_MEM BIT(24)
#define SYSTEM_PERIP_SYSTIMER BIT(29)
#define SYSTEM_CPU_INTR_FROM_CPU_0 0x600C0028U
#define SYSTEM_SYSCLK_CONF 0x600C0058U
#define SYSTEM_SOC_CLK_SEL_MASK (3U << 10)
#define SYSTEM_SOC_CLK_SEL_PLL (1U << 10)

/* systimer_reg.h; n is the unit (0, 1) or the target (0, 1, 2) */
#define SYSTIMER_CONF 0x60023000U
#define SYSTIMER_CLK_EN BIT(31)
#define SYSTIMER_UNIT_WORK_EN(n) BIT(30 - (n))
#define SYSTIMER_TARGET_WORK_EN(n) BIT(24 - (n))
#define SYSTIMER_UNIT_OP(n) (0x60023004U + 4U * (n))
#define SYSTIMER_UNIT_UPDATE BIT(30)
#define SYSTIMER_UNIT_VALUE_VALID BIT(29)
#define SYSTIMER_UNIT_LOAD_HI(n) (0x6002300CU + 8U * (n))
#define SYSTIMER_UNIT_LOAD_LO(n) (0x60023010U + 8U * (n))
#define SYSTIMER_TARGET_HI(n) (0x6002301CU + 8U * (n))
#define SYSTIMER_TARGET_LO(n) (0x60023020U + 8U * (n))
#define SYSTIMER_TARGET_CONF(n) (0x60023034U + 4U * (n))
#define SYSTIMER_TARGET_UNIT_1 BIT(31)
#define SYSTIMER_TARGET_PERIOD_MODE BIT(30)
#define SYSTIMER_UNIT_VALUE_HI(n) (0x60023040U + 8U * (n))
#define SYSTIMER_UNIT_VALUE_LO(n) (0x60023044U + 8U * (n))
#define SYSTIMER_COMP_LOAD(n) (0x60023050U + 4U * (n))
#define SYSTIMER_UNIT_LOAD(n) (0x6002305CU + 4U * (n))
#define SYSTIMER_INT_ENA 0x60023064U
#define SYSTIMER_INT_CLR 0x6002306CU
#define SYSTIMER_INT_ST 0x60023070U

/* rtc_cntl_reg.h */
#define RTC_CNTL_OPTIONS0 0x60008000U
#define RTC_CNTL_SW_SYS_RST BIT(31)
#define RTC_CNTL_RESET_STATE 0x60008038U
#define RTC_CNTL_WDTCONFIG0 0x60008090U
#define RTC_CNTL_WDTWPROTECT 0x600080A8U
#define RTC_CNTL_SWD_CONF 0x600080ACU
#define RTC_CNTL_SWD_AUTO_FEED_EN BIT(31)
#define RTC_CNTL_SWD_WPROTECT 0x600080B0U
#define RTC_CNTL_STORE6 0x600080C0U
#define WDT_WKEY 0x50D83AA1U
#define SWD_WKEY 0x8F1D312AU

/* timer_group_reg.h */
#define TIMG_WDTCONFIG0(group) (0x6001F048U + 0x1000U * (group))
#define TIMG_WDTWPROTECT(group) (0x6001F064U + 0x1000U * (group))

/* gpio_reg.h, gpio_sig_map.h, io_mux_reg.h */
#define GPIO_OUT_W1TS 0x60004008U
#define GPIO_OUT_W1TC 0x6000400CU
#define GPIO_ENABLE_W1TS 0x60004024U
#define GPIO_ENABLE_W1TC 0x60004028U
#define GPIO_IN 0x6000403CU
#define GPIO_PIN(pin) (0x60004074U + 4U * (pin))
#define GPIO_PIN_OPEN_DRAIN BIT(2)
#define GPIO_FUNC_IN_SEL(signal) (0x60004154U + 4U * (signal))
#define GPIO_SIG_IN_SEL BIT(6)
#define GPIO_FUNC_OUT_SEL(pin) (0x60004554U + 4U * (pin))
#define GPIO_FUNC_OEN_SEL BIT(9)
#define SIGNAL_UART_RXD(port) ((port) == 0 ? 6U : 9U)
#define SIGNAL_UART_TXD(port) ((port) == 0 ? 6U : 9U)
#define SIGNAL_I2CEXT0_SCL 53U
#define SIGNAL_I2CEXT0_SDA 54U
#define SIGNAL_GPIO_OUT 128U
#define IO_MUX_PIN(pin) (0x60009004U + 4U * (pin))
#define IO_MUX_FUN_PD BIT(7)
#define IO_MUX_FUN_PU BIT(8)
#define IO_MUX_FUN_IE BIT(9)
#define IO_MUX_FUN_DRV_DEFAULT (2U << 10)
#define IO_MUX_MCU_SEL_GPIO (1U << 12)
#define IO_MUX_MCU_SEL_MASK (7U << 12)

/* syscon_reg.h */
#define SYSCON_RND_DATA 0x600260B0U
