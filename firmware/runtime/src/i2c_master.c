#include "driver/i2c_master.h"

#include <stdlib.h>

#include "driver/gpio.h"
#include "esp_check.h"
#include "esp_intr_alloc.h"
#include "freertos/semphr.h"
#include "pins.h"
#include "soc.h"

/* i2c_reg.h */
#define I2C_BASE 0x60013000U
#define I2C_SCL_LOW_PERIOD (I2C_BASE + 0x00)
#define I2C_CTR (I2C_BASE + 0x04)
#define CTR_SDA_FORCE_OUT BIT(0) /* open drain */
#define CTR_SCL_FORCE_OUT BIT(1)
#define CTR_MS_MODE BIT(4)
#define CTR_TRANS_START BIT(5)
#define CTR_CLK_EN BIT(8)
#define CTR_ARBITRATION_EN BIT(9)
#define CTR_FSM_RST BIT(10)
#define CTR_CONF_UPGATE BIT(11)
#define CTR_MASTER \
    (CTR_MS_MODE | CTR_SDA_FORCE_OUT | CTR_SCL_FORCE_OUT | CTR_CLK_EN | CTR_ARBITRATION_EN)
#define I2C_SR (I2C_BASE + 0x08)
#define SR_BUS_BUSY BIT(4)
#define I2C_TO (I2C_BASE + 0x0C)
#define TO_ENABLE BIT(5)
#define I2C_FIFO_CONF (I2C_BASE + 0x18)
#define FIFO_CONF_PRT_EN BIT(14)
#define FIFO_CONF_NONFIFO_EN BIT(10)
#define FIFO_CONF_RX_RST BIT(12)
#define FIFO_CONF_TX_RST BIT(13)
#define I2C_DATA (I2C_BASE + 0x1C)
#define I2C_INT_CLR (I2C_BASE + 0x24)
#define I2C_INT_ENA (I2C_BASE + 0x28)
#define I2C_INT_STATUS (I2C_BASE + 0x2C)
#define INT_END_DETECT BIT(3)
#define INT_ARBITRATION_LOST BIT(5)
#define INT_TRANS_COMPLETE BIT(7)
#define INT_TIME_OUT BIT(8)
#define INT_NACK BIT(10)
#define INT_SCL_ST_TO BIT(13)
#define INT_SCL_MAIN_ST_TO BIT(14)
#define INT_ALL 0x3FFFFU
#define I2C_SDA_HOLD (I2C_BASE + 0x30)
#define I2C_SDA_SAMPLE (I2C_BASE + 0x34)
#define I2C_SCL_HIGH_PERIOD (I2C_BASE + 0x38)
#define SCL_WAIT_HIGH_SHIFT 9
#define I2C_SCL_START_HOLD (I2C_BASE + 0x40)
#define I2C_SCL_RSTART_SETUP (I2C_BASE + 0x44)
#define I2C_SCL_STOP_HOLD (I2C_BASE + 0x48)
#define I2C_SCL_STOP_SETUP (I2C_BASE + 0x4C)
#define I2C_FILTER_CFG (I2C_BASE + 0x50)
#define FILTER_ENABLE (BIT(8) | BIT(9))
#define I2C_CLK_CONF (I2C_BASE + 0x54)
#define CLK_CONF_SCLK_ACTIVE BIT(21)
#define I2C_COMD(n) (I2C_BASE + 0x58 + 4 * (n))
#define I2C_SCL_ST_TIME_OUT (I2C_BASE + 0x78)
#define I2C_SCL_MAIN_ST_TIME_OUT (I2C_BASE + 0x7C)
#define I2C_SCL_SP_CONF (I2C_BASE + 0x80)
#define SP_CONF_RST_SLV_EN BIT(0)
#define SP_CONF_RST_SLV_NUM_SHIFT 1

/* Command list entries: opcode, acknowledge fields, byte count. */
#define COMMAND(opcode) ((uint32_t)(opcode) << 11)
#define COMMAND_WRITE COMMAND(1)
#define COMMAND_STOP COMMAND(2)
#define COMMAND_READ COMMAND(3)
#define COMMAND_END COMMAND(4)
#define COMMAND_RSTART COMMAND(6)
#define COMMAND_ACK_CHECK BIT(8)
#define COMMAND_SEND_NACK BIT(10)

#define FIFO_BYTES SOC_I2C_FIFO_LEN
#define ADDRESS_MAX 0x7F
#define TIMEOUT_EXPONENT_MAX 22 /* SCL_ST_TO and SCL_MAIN_ST_TO accept up to 2^22 clocks */

/* ESP-IDF's defaults: how long SCL may stand still, and the probe's clock and limit. */
#define SCL_WAIT_US 2000
#define PROBE_SCL_HZ 100000
#define PROBE_SCL_WAIT_US 20000
#define BUS_CLEAR_PULSES 9
#define BUS_CLEAR_TIMEOUT_MS 50
/* How long somebody else's transfer may keep us waiting before the bus counts as stuck. */
#define BUS_BUSY_TIMEOUT_MS 50

#define TRANSFER_INTERRUPTS                                                               \
    (INT_NACK | INT_TIME_OUT | INT_SCL_ST_TO | INT_SCL_MAIN_ST_TO | INT_ARBITRATION_LOST | \
     INT_TRANS_COMPLETE | INT_END_DETECT)

static const char *TAG = "i2c.master";

typedef enum {
    OUTCOME_PENDING,
    OUTCOME_CONTINUE, /* the command list ended with END: the bus is held for the next one */
    OUTCOME_DONE,
    OUTCOME_NACK,
    OUTCOME_ARBITRATION_LOST,
    OUTCOME_TIMEOUT,
} outcome_t;

/* One transaction, and how far it has got. A probe has neither a write nor a read part. */
typedef struct {
    uint8_t address;
    bool checks_ack;
    const uint8_t *write;
    size_t write_left;
    uint8_t *read;
    size_t read_left;
    size_t read_expected;   /* bytes the running command list reads */
    bool needs_write_start; /* START and address + W are still to be sent */
    bool needs_read_start;
} transfer_t;

struct i2c_master_bus_t {
    SemaphoreHandle_t lock;
    SemaphoreHandle_t finished;
    intr_handle_t interrupt;
    gpio_num_t sda;
    gpio_num_t scl;
    uint8_t filter;
    uint32_t scl_hz; /* what the timing registers are set for */
    uint32_t scl_wait_us;
    size_t device_count;
    volatile outcome_t outcome;
    transfer_t transfer;
};

struct i2c_master_dev_t {
    i2c_master_bus_handle_t bus;
    uint8_t address;
    uint32_t scl_hz;
    uint32_t scl_wait_us;
    bool checks_ack;
};

static i2c_master_bus_handle_t the_bus;

static TickType_t to_ticks(int ms)
{
    return ms < 0 ? portMAX_DELAY : pdMS_TO_TICKS(ms);
}

static void update_configuration(void)
{
    REG(I2C_CTR) = CTR_MASTER | CTR_CONF_UPGATE;
}

static void start_command_list(void)
{
    update_configuration();
    REG(I2C_CTR) = CTR_MASTER | CTR_TRANS_START;
}

static void reset_fifos(void)
{
    REG(I2C_FIFO_CONF) = FIFO_CONF_PRT_EN | FIFO_CONF_TX_RST | FIFO_CONF_RX_RST;
    REG(I2C_FIFO_CONF) = FIFO_CONF_PRT_EN;
}

/* The exponent n for which 2^n controller clocks last at least `us`. */
static uint32_t timeout_exponent(uint32_t us)
{
    uint64_t clocks = (uint64_t)us * (XTAL_HZ / 1000000U);
    uint32_t exponent = 0;
    while (exponent < TIMEOUT_EXPONENT_MAX && (1ULL << exponent) <= clocks) {
        exponent++;
    }
    return exponent;
}

/* Bus timing as ESP-IDF's i2c_ll_master_cal_bus_clk() and i2c_ll_master_set_bus_timing() have it:
 * at 100 kHz a low time of 200 crystal clocks and a high time of 102 + 98. */
static void set_timing(i2c_master_bus_handle_t bus, uint32_t scl_hz, uint32_t scl_wait_us)
{
    bus->scl_hz = scl_hz;
    bus->scl_wait_us = scl_wait_us;
    uint32_t divider = XTAL_HZ / (scl_hz * 1024U) + 1;
    uint32_t half = XTAL_HZ / divider / scl_hz / 2;
    uint32_t wait_high = scl_hz >= 80000 ? half / 2 - 2 : half / 4;
    REG(I2C_CLK_CONF) = CLK_CONF_SCLK_ACTIVE | (divider - 1);
    REG(I2C_SCL_LOW_PERIOD) = half - 1;
    REG(I2C_SCL_HIGH_PERIOD) = (half - wait_high) | wait_high << SCL_WAIT_HIGH_SHIFT;
    REG(I2C_SDA_HOLD) = half / 4 - 1;
    REG(I2C_SDA_SAMPLE) = half / 2 - 1;
    REG(I2C_SCL_RSTART_SETUP) = half - 1;
    REG(I2C_SCL_STOP_SETUP) = half - 1;
    REG(I2C_SCL_START_HOLD) = half - 1;
    REG(I2C_SCL_STOP_HOLD) = half - 1;
    uint32_t exponent = timeout_exponent(scl_wait_us);
    REG(I2C_TO) = TO_ENABLE | exponent;
    REG(I2C_SCL_ST_TIME_OUT) = exponent;
    REG(I2C_SCL_MAIN_ST_TIME_OUT) = exponent;
    update_configuration();
}

static void initialise_controller(i2c_master_bus_handle_t bus)
{
    vPortEnterCritical();
    REG(SYSTEM_PERIP_CLK_EN0) |= SYSTEM_PERIP_I2C_EXT0;
    REG(SYSTEM_PERIP_RST_EN0) |= SYSTEM_PERIP_I2C_EXT0;
    REG(SYSTEM_PERIP_RST_EN0) &= ~SYSTEM_PERIP_I2C_EXT0;
    vPortExitCritical();
    REG(I2C_CLK_CONF) = CLK_CONF_SCLK_ACTIVE;
    REG(I2C_CTR) = CTR_MASTER | CTR_FSM_RST;
    REG(I2C_INT_ENA) = 0;
    REG(I2C_INT_CLR) = INT_ALL;
    reset_fifos();
    REG(I2C_FILTER_CFG) =
        bus->filter > 0 ? FILTER_ENABLE | (uint32_t)bus->filter << 4 | bus->filter : 0;
    set_timing(bus, PROBE_SCL_HZ, SCL_WAIT_US);
}

/* Nine SCL pulses and a STOP make a target that holds SDA let go of it. */
static esp_err_t clear_bus(void)
{
    REG(I2C_SCL_SP_CONF) = BUS_CLEAR_PULSES << SP_CONF_RST_SLV_NUM_SHIFT | SP_CONF_RST_SLV_EN;
    update_configuration();
    for (int ms = 0; REG(I2C_SCL_SP_CONF) & SP_CONF_RST_SLV_EN; ms++) {
        if (ms >= BUS_CLEAR_TIMEOUT_MS) {
            REG(I2C_SCL_SP_CONF) = 0;
            update_configuration();
            ESP_LOGE(TAG, "clear bus failed.");
            return ESP_ERR_INVALID_STATE;
        }
        vTaskDelay(pdMS_TO_TICKS(1));
    }
    update_configuration();
    return ESP_OK;
}

static bool is_busy(void)
{
    return REG(I2C_SR) & SR_BUS_BUSY;
}

/* Makes the controller and, if a target holds SDA, the bus usable after a failure. */
static void recover(i2c_master_bus_handle_t bus)
{
    initialise_controller(bus);
    if (is_busy() || gpio_get_level(bus->sda) == 0) {
        clear_bus();
    }
}

/* Fills the command list and the FIFO with as much of the transfer as fits, and starts it. */
static void start_next_part(transfer_t *transfer)
{
    int command = 0;
    size_t fifo_room = FIFO_BYTES;
    uint32_t write = COMMAND_WRITE | (transfer->checks_ack ? COMMAND_ACK_CHECK : 0);
    transfer->read_expected = 0;

    size_t bytes = 0;
    if (transfer->needs_write_start) {
        REG(I2C_COMD(command++)) = COMMAND_RSTART;
        REG(I2C_DATA) = (uint32_t)transfer->address << 1;
        bytes = 1;
        transfer->needs_write_start = false;
    }
    while (transfer->write_left > 0 && bytes < FIFO_BYTES) {
        REG(I2C_DATA) = *transfer->write++;
        transfer->write_left--;
        bytes++;
    }
    if (bytes > 0) {
        REG(I2C_COMD(command++)) = write | bytes;
        fifo_room -= bytes;
    }
    bool must_pause = transfer->write_left > 0 || (transfer->needs_read_start && fifo_room == 0);
    if (!must_pause && transfer->needs_read_start) {
        REG(I2C_COMD(command++)) = COMMAND_RSTART;
        REG(I2C_DATA) = (uint32_t)transfer->address << 1 | 1;
        REG(I2C_COMD(command++)) = write | 1;
        transfer->needs_read_start = false;
    }
    if (!must_pause && transfer->read_left > 0) {
        size_t n = transfer->read_left < FIFO_BYTES ? transfer->read_left : FIFO_BYTES;
        bool is_last = n == transfer->read_left;
        size_t acknowledged = is_last ? n - 1 : n;
        if (acknowledged > 0) {
            REG(I2C_COMD(command++)) = COMMAND_READ | acknowledged;
        }
        if (is_last) {
            REG(I2C_COMD(command++)) = COMMAND_READ | COMMAND_SEND_NACK | 1;
        }
        transfer->read_expected = n;
        must_pause = !is_last;
    }
    REG(I2C_COMD(command)) = must_pause ? COMMAND_END : COMMAND_STOP;
    start_command_list();
}

static void drain_read_fifo(transfer_t *transfer)
{
    for (size_t i = 0; i < transfer->read_expected; i++) {
        *transfer->read++ = (uint8_t)REG(I2C_DATA);
    }
    transfer->read_left -= transfer->read_expected;
    transfer->read_expected = 0;
}

/* What the interrupt status says about the transfer; the first match decides. */
static outcome_t outcome_of(uint32_t status)
{
    if (status & INT_NACK) {
        return OUTCOME_NACK;
    }
    if (status & INT_ARBITRATION_LOST) {
        return OUTCOME_ARBITRATION_LOST;
    }
    if (status & (INT_TIME_OUT | INT_SCL_ST_TO | INT_SCL_MAIN_ST_TO)) {
        return OUTCOME_TIMEOUT;
    }
    if (status & INT_TRANS_COMPLETE) {
        return OUTCOME_DONE;
    }
    return status & INT_END_DETECT ? OUTCOME_CONTINUE : OUTCOME_PENDING;
}

static void finish(i2c_master_bus_handle_t bus, outcome_t outcome, BaseType_t *woken)
{
    bus->outcome = outcome;
    REG(I2C_INT_ENA) = 0;
    xSemaphoreGiveFromISR(bus->finished, woken);
}

static void interrupt(void *arg)
{
    i2c_master_bus_handle_t bus = arg;
    BaseType_t woken = pdFALSE;
    uint32_t status = REG(I2C_INT_STATUS);
    REG(I2C_INT_CLR) = status;
    outcome_t outcome = outcome_of(status);
    if (bus->outcome == OUTCOME_NACK) {
        /* The transfer has failed already; this is the end of the STOP. */
        if (outcome != OUTCOME_PENDING && outcome != OUTCOME_NACK) {
            finish(bus, outcome == OUTCOME_TIMEOUT ? outcome : OUTCOME_NACK, &woken);
        }
        portYIELD_FROM_ISR(woken);
        return;
    }
    switch (outcome) {
    case OUTCOME_PENDING:
        break;
    case OUTCOME_CONTINUE:
        drain_read_fifo(&bus->transfer);
        start_next_part(&bus->transfer);
        break;
    case OUTCOME_NACK:
        bus->outcome = OUTCOME_NACK;
        if (status & INT_TRANS_COMPLETE) {
            finish(bus, OUTCOME_NACK, &woken);
        } else {
            reset_fifos();
            REG(I2C_COMD(0)) = COMMAND_STOP;
            start_command_list();
        }
        break;
    case OUTCOME_DONE:
        drain_read_fifo(&bus->transfer);
        finish(bus, outcome, &woken);
        break;
    case OUTCOME_ARBITRATION_LOST:
    case OUTCOME_TIMEOUT:
        finish(bus, outcome, &woken);
        break;
    }
    portYIELD_FROM_ISR(woken);
}

/* Lets another master's transfer end; a bus that stays busy is taken for stuck and cleared. */
static bool wait_for_free_bus(i2c_master_bus_handle_t bus, TickType_t ticks_to_wait)
{
    TickType_t limit = pdMS_TO_TICKS(BUS_BUSY_TIMEOUT_MS);
    limit = ticks_to_wait < limit ? ticks_to_wait : limit;
    TickType_t start = xTaskGetTickCount();
    while (is_busy()) {
        if (xTaskGetTickCount() - start >= limit) {
            recover(bus);
            return !is_busy();
        }
        vTaskDelay(1);
    }
    return true;
}

static outcome_t run_transfer(i2c_master_bus_handle_t bus, const transfer_t *transfer,
                              uint32_t scl_hz, uint32_t scl_wait_us, TickType_t ticks_to_wait)
{
    if (!wait_for_free_bus(bus, ticks_to_wait)) {
        return OUTCOME_TIMEOUT;
    }
    if (scl_hz != bus->scl_hz || scl_wait_us != bus->scl_wait_us) {
        set_timing(bus, scl_hz, scl_wait_us);
    }
    reset_fifos();
    xSemaphoreTake(bus->finished, 0);
    bus->transfer = *transfer;
    bus->outcome = OUTCOME_PENDING;
    REG(I2C_INT_CLR) = INT_ALL;
    REG(I2C_INT_ENA) = TRANSFER_INTERRUPTS;
    start_next_part(&bus->transfer);
    if (!xSemaphoreTake(bus->finished, ticks_to_wait)) {
        REG(I2C_INT_ENA) = 0;
        ESP_LOGE(TAG, "I2C software timeout");
        return OUTCOME_TIMEOUT;
    }
    return bus->outcome;
}

static esp_err_t transact(i2c_master_bus_handle_t bus, const transfer_t *transfer,
                          uint32_t scl_hz, uint32_t scl_wait_us, int timeout_ms,
                          esp_err_t nack_error)
{
    TickType_t ticks_to_wait = to_ticks(timeout_ms);
    if (!xSemaphoreTake(bus->lock, ticks_to_wait)) {
        return ESP_ERR_TIMEOUT;
    }
    outcome_t outcome = run_transfer(bus, transfer, scl_hz, scl_wait_us, ticks_to_wait);
    if (outcome == OUTCOME_ARBITRATION_LOST) {
        initialise_controller(bus); /* the bus is the winner's: do not clear it */
    } else if (outcome == OUTCOME_TIMEOUT || (outcome == OUTCOME_NACK && is_busy())) {
        recover(bus);
    }
    xSemaphoreGive(bus->lock);
    switch (outcome) {
    case OUTCOME_DONE:
        return ESP_OK;
    case OUTCOME_NACK:
        return nack_error;
    case OUTCOME_ARBITRATION_LOST:
        return ESP_ERR_INVALID_STATE;
    default:
        return ESP_ERR_TIMEOUT;
    }
}

static esp_err_t transact_with(i2c_master_dev_handle_t dev, const uint8_t *write,
                               size_t write_size, uint8_t *read, size_t read_size,
                               int timeout_ms)
{
    const transfer_t transfer = {
        .address = dev->address,
        .checks_ack = dev->checks_ack,
        .write = write,
        .write_left = write_size,
        .read = read,
        .read_left = read_size,
        .needs_write_start = write_size > 0,
        .needs_read_start = read_size > 0,
    };
    return transact(dev->bus, &transfer, dev->scl_hz, dev->scl_wait_us, timeout_ms,
                    ESP_ERR_INVALID_STATE);
}

static void release(i2c_master_bus_handle_t bus)
{
    if (bus->lock != NULL) {
        vSemaphoreDelete(bus->lock);
    }
    if (bus->finished != NULL) {
        vSemaphoreDelete(bus->finished);
    }
    free(bus);
}

esp_err_t i2c_new_master_bus(const i2c_master_bus_config_t *config,
                             i2c_master_bus_handle_t *ret_bus_handle)
{
    ESP_RETURN_ON_FALSE(config != NULL && ret_bus_handle != NULL, ESP_ERR_INVALID_ARG, TAG,
                        "invalid argument");
    ESP_RETURN_ON_FALSE(config->i2c_port < SOC_I2C_NUM, ESP_ERR_INVALID_ARG, TAG,
                        "invalid i2c port number");
    ESP_RETURN_ON_FALSE(GPIO_IS_VALID_GPIO(config->sda_io_num) &&
                            GPIO_IS_VALID_GPIO(config->scl_io_num) &&
                            config->sda_io_num != config->scl_io_num,
                        ESP_ERR_INVALID_ARG, TAG, "invalid SDA/SCL pin number");
    ESP_RETURN_ON_FALSE(config->trans_queue_depth == 0, ESP_ERR_NOT_SUPPORTED, TAG,
                        "transactions are blocking: trans_queue_depth must be 0");
    ESP_RETURN_ON_FALSE(config->clk_source == 0 || config->clk_source == I2C_CLK_SRC_XTAL,
                        ESP_ERR_NOT_SUPPORTED, TAG, "the only clock source is XTAL");
    ESP_RETURN_ON_FALSE(config->glitch_ignore_cnt < 16, ESP_ERR_INVALID_ARG, TAG,
                        "glitch filter: at most 15 clocks");
    ESP_RETURN_ON_FALSE(the_bus == NULL, ESP_ERR_NOT_FOUND, TAG, "I2C port is in use");

    i2c_master_bus_handle_t bus = calloc(1, sizeof *bus);
    ESP_RETURN_ON_FALSE(bus != NULL, ESP_ERR_NO_MEM, TAG, "no memory for i2c master bus");
    bus->sda = config->sda_io_num;
    bus->scl = config->scl_io_num;
    bus->filter = config->glitch_ignore_cnt;
    bus->lock = xSemaphoreCreateMutex();
    bus->finished = xSemaphoreCreateBinary();
    if (bus->lock == NULL || bus->finished == NULL) {
        release(bus);
        return ESP_ERR_NO_MEM;
    }
    pin_route_open_drain(bus->sda, SIGNAL_I2CEXT0_SDA, config->flags.enable_internal_pullup);
    pin_route_open_drain(bus->scl, SIGNAL_I2CEXT0_SCL, config->flags.enable_internal_pullup);
    initialise_controller(bus);
    esp_err_t result = esp_intr_alloc(SOURCE_I2C_EXT0, ESP_INTR_FLAG_LEVEL1, interrupt, bus,
                                      &bus->interrupt);
    if (result != ESP_OK) {
        release(bus);
        return result;
    }
    the_bus = bus;
    *ret_bus_handle = bus;
    return ESP_OK;
}

esp_err_t i2c_del_master_bus(i2c_master_bus_handle_t bus)
{
    ESP_RETURN_ON_FALSE(bus != NULL, ESP_ERR_INVALID_ARG, TAG, "invalid argument");
    ESP_RETURN_ON_FALSE(bus->device_count == 0, ESP_ERR_INVALID_STATE, TAG,
                        "cannot delete the bus: devices are still attached");
    esp_intr_free(bus->interrupt);
    gpio_set_direction(bus->sda, GPIO_MODE_INPUT);
    gpio_set_direction(bus->scl, GPIO_MODE_INPUT);
    REG(I2C_CLK_CONF) = 0;
    the_bus = NULL;
    release(bus);
    return ESP_OK;
}

esp_err_t i2c_master_get_bus_handle(i2c_port_num_t port_num, i2c_master_bus_handle_t *ret_handle)
{
    if (port_num < 0 || port_num >= SOC_I2C_NUM || ret_handle == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    if (the_bus == NULL) {
        return ESP_ERR_INVALID_STATE;
    }
    *ret_handle = the_bus;
    return ESP_OK;
}

esp_err_t i2c_master_bus_add_device(i2c_master_bus_handle_t bus,
                                    const i2c_device_config_t *config,
                                    i2c_master_dev_handle_t *ret_handle)
{
    ESP_RETURN_ON_FALSE(bus != NULL && config != NULL && ret_handle != NULL,
                        ESP_ERR_INVALID_ARG, TAG, "invalid argument");
    ESP_RETURN_ON_FALSE(config->dev_addr_length == I2C_ADDR_BIT_LEN_7, ESP_ERR_NOT_SUPPORTED,
                        TAG, "10-bit addresses are not supported");
    ESP_RETURN_ON_FALSE(config->device_address <= ADDRESS_MAX, ESP_ERR_INVALID_ARG, TAG,
                        "not a 7-bit address");
    ESP_RETURN_ON_FALSE(config->scl_speed_hz > 0, ESP_ERR_INVALID_ARG, TAG,
                        "invalid scl frequency");
    i2c_master_dev_handle_t dev = calloc(1, sizeof *dev);
    ESP_RETURN_ON_FALSE(dev != NULL, ESP_ERR_NO_MEM, TAG, "no memory for i2c master device");
    dev->bus = bus;
    dev->address = (uint8_t)config->device_address;
    dev->scl_hz = config->scl_speed_hz;
    dev->scl_wait_us = config->scl_wait_us > 0 ? config->scl_wait_us : SCL_WAIT_US;
    dev->checks_ack = !config->flags.disable_ack_check;
    bus->device_count++;
    *ret_handle = dev;
    return ESP_OK;
}

esp_err_t i2c_master_bus_rm_device(i2c_master_dev_handle_t dev)
{
    ESP_RETURN_ON_FALSE(dev != NULL, ESP_ERR_INVALID_ARG, TAG, "invalid argument");
    dev->bus->device_count--;
    free(dev);
    return ESP_OK;
}

esp_err_t i2c_master_transmit(i2c_master_dev_handle_t dev, const uint8_t *write_buffer,
                              size_t write_size, int xfer_timeout_ms)
{
    ESP_RETURN_ON_FALSE(dev != NULL && write_buffer != NULL && write_size > 0,
                        ESP_ERR_INVALID_ARG, TAG, "invalid argument");
    return transact_with(dev, write_buffer, write_size, NULL, 0, xfer_timeout_ms);
}

esp_err_t i2c_master_receive(i2c_master_dev_handle_t dev, uint8_t *read_buffer, size_t read_size,
                             int xfer_timeout_ms)
{
    ESP_RETURN_ON_FALSE(dev != NULL && read_buffer != NULL && read_size > 0,
                        ESP_ERR_INVALID_ARG, TAG, "invalid argument");
    return transact_with(dev, NULL, 0, read_buffer, read_size, xfer_timeout_ms);
}

esp_err_t i2c_master_transmit_receive(i2c_master_dev_handle_t dev, const uint8_t *write_buffer,
                                      size_t write_size, uint8_t *read_buffer, size_t read_size,
                                      int xfer_timeout_ms)
{
    ESP_RETURN_ON_FALSE(dev != NULL && write_buffer != NULL && write_size > 0 &&
                            read_buffer != NULL && read_size > 0,
                        ESP_ERR_INVALID_ARG, TAG, "invalid argument");
    return transact_with(dev, write_buffer, write_size, read_buffer, read_size, xfer_timeout_ms);
}

esp_err_t i2c_master_probe(i2c_master_bus_handle_t bus, uint16_t address, int xfer_timeout_ms)
{
    ESP_RETURN_ON_FALSE(bus != NULL && address <= ADDRESS_MAX, ESP_ERR_INVALID_ARG, TAG,
                        "invalid argument");
    const transfer_t transfer = {
        .address = (uint8_t)address,
        .checks_ack = true,
        .needs_write_start = true,
    };
    return transact(bus, &transfer, PROBE_SCL_HZ, PROBE_SCL_WAIT_US, xfer_timeout_ms,
                    ESP_ERR_NOT_FOUND);
}

esp_err_t i2c_master_bus_reset(i2c_master_bus_handle_t bus)
{
    ESP_RETURN_ON_FALSE(bus != NULL, ESP_ERR_INVALID_ARG, TAG, "invalid argument");
    xSemaphoreTake(bus->lock, portMAX_DELAY);
    initialise_controller(bus);
    esp_err_t result = clear_bus();
    xSemaphoreGive(bus->lock);
    return result;
}

esp_err_t i2c_master_bus_wait_all_done(i2c_master_bus_handle_t bus, int timeout_ms)
{
    ESP_RETURN_ON_FALSE(bus != NULL, ESP_ERR_INVALID_ARG, TAG, "invalid argument");
    if (!xSemaphoreTake(bus->lock, to_ticks(timeout_ms))) {
        return ESP_ERR_TIMEOUT;
    }
    xSemaphoreGive(bus->lock);
    return ESP_OK;
}
