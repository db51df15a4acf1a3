/* Clock sources the drivers accept. */
#pragma once

typedef enum {
    SOC_MOD_CLK_APB = 4,
    SOC_MOD_CLK_RC_FAST = 8,
    SOC_MOD_CLK_XTAL = 10,
} soc_module_clk_t;

typedef enum {
    UART_SCLK_APB = SOC_MOD_CLK_APB,
    UART_SCLK_RTC = SOC_MOD_CLK_RC_FAST,
    UART_SCLK_XTAL = SOC_MOD_CLK_XTAL,
    UART_SCLK_DEFAULT = SOC_MOD_CLK_APB,
} soc_periph_uart_clk_src_legacy_t;

typedef enum {
    I2C_CLK_SRC_XTAL = SOC_MOD_CLK_XTAL,
    I2C_CLK_SRC_RC_FAST = SOC_MOD_CLK_RC_FAST,
    I2C_CLK_SRC_DEFAULT = SOC_MOD_CLK_XTAL,
} soc_periph_i2c_clk_src_t;
