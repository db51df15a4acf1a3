#include "driver/uart.h"

#include <stdlib.h>
#include <string.h>

#include "esp_intr_alloc.h"
#include "freertos/semphr.h"
#include "interrupts.h"
#include "kernel.h"
#include "pins.h"
#include "port.h"
#include "soc.h"
#include "uart_private.h"

/* uart_reg.h */
#define UART_BASE(port) (0x60000000U + 0x10000U * (port))
#define UART_FIFO(port) (UART_BASE(port) + 0x00)
#define UART_INT_RAW(port) (UART_BASE(port) + 0x04)
#define UART_INT_ST(port) (UART_BASE(port) + 0x08)
#define UART_INT_ENA(port) (UART_BASE(port) + 0x0C)
#define UART_INT_CLR(port) (UART_BASE(port) + 0x10)
#define INT_RXFIFO_FULL BIT(0)
#define INT_TXFIFO_EMPTY BIT(1)
#define INT_PARITY_ERR BIT(2)
#define INT_FRM_ERR BIT(3)
#define INT_RXFIFO_OVF BIT(4)
#define INT_BRK_DET BIT(7)
#define INT_RXFIFO_TOUT BIT(8)
#define INT_TX_DONE BIT(14)
#define INT_ALL 0xFFFFFU
#define UART_CLKDIV(port) (UART_BASE(port) + 0x14)
#define CLKDIV_FRAG_SHIFT 20
#define CLKDIV_MAX 0xFFFU
#define UART_STATUS(port) (UART_BASE(port) + 0x1C)
#define STATUS_TXFIFO_CNT(status) ((status) >> 16 & 0x3FF)
#define STATUS_RXFIFO_CNT(status) ((status) & 0x3FF)
#define UART_CONF0(port) (UART_BASE(port) + 0x20)
#define CONF0_PARITY_SHIFT 0
#define CONF0_PARITY_EN BIT(1)
#define CONF0_BIT_NUM_SHIFT 2
#define CONF0_STOP_BIT_NUM_SHIFT 4
#define CONF0_TX_FLOW_EN BIT(15)
#define CONF0_RXFIFO_RST BIT(17)
#define CONF0_TXFIFO_RST BIT(18)
#define CONF0_MEM_CLK_EN BIT(28)
#define UART_CONF1(port) (UART_BASE(port) + 0x24)
#define CONF1_RXFIFO_FULL_THRHD_MASK 0x1FFU
#define CONF1_TXFIFO_EMPTY_THRHD_SHIFT 9
#define CONF1_TXFIFO_EMPTY_THRHD_MASK (0x1FFU << CONF1_TXFIFO_EMPTY_THRHD_SHIFT)
#define CONF1_RX_FLOW_EN BIT(20)
#define CONF1_RX_TOUT_EN BIT(21)
#define UART_IDLE_CONF(port) (UART_BASE(port) + 0x48)
#define IDLE_CONF_TX_IDLE_NUM_MASK (0x3FFU << 10)
#define UART_MEM_CONF(port) (UART_BASE(port) + 0x60)
#define MEM_CONF_RX_FLOW_THRHD_SHIFT 7
#define MEM_CONF_RX_FLOW_THRHD_MASK (0x1FFU << MEM_CONF_RX_FLOW_THRHD_SHIFT)
#define MEM_CONF_RX_TOUT_THRHD_SHIFT 16
#define MEM_CONF_RX_TOUT_THRHD_MASK (0x3FFU << MEM_CONF_RX_TOUT_THRHD_SHIFT)
#define UART_FSM_STATUS(port) (UART_BASE(port) + 0x6C)
#define FSM_STATUS_UTX_OUT(status) ((status) >> 4 & 0xF)
#define UART_CLK_CONF(port) (UART_BASE(port) + 0x78)
#define CLK_CONF_SCLK_DIV_NUM_SHIFT 12
#define CLK_CONF_SCLK_DIV_NUM_MASK (0xFFU << CLK_CONF_SCLK_DIV_NUM_SHIFT)
#define CLK_CONF_SCLK_SEL_SHIFT 20
#define CLK_CONF_SCLK_SEL_MASK (3U << CLK_CONF_SCLK_SEL_SHIFT)
#define CLK_CONF_SCLK_EN BIT(22)
#define CLK_CONF_RST_CORE BIT(23)
#define CLK_CONF_TX_SCLK_EN BIT(24)
#define CLK_CONF_RX_SCLK_EN BIT(25)
#define UART_ID(port) (UART_BASE(port) + 0x80)
#define ID_UPDATE BIT(31)

/* ESP-IDF's defaults: bytes in the FIFO, bytes left in the FIFO, characters of silence. */
#define RX_FULL_THRESHOLD 120
#define TX_EMPTY_THRESHOLD 10
#define RX_TIMEOUT_SYMBOLS 10

#define POLL_PAUSE_LOOPS 15000

#define RX_INTERRUPTS (INT_RXFIFO_FULL | INT_RXFIFO_TOUT)

typedef struct {
    uint8_t *bytes;
    size_t size;
    size_t head; /* index of the oldest byte */
    size_t count;
} ring_t;

typedef struct {
    ring_t rx;
    ring_t tx;
    bool waits_for_fifo; /* installed without a transmit ring */
    bool rx_is_stopped;  /* the ring is full: bytes stay in the FIFO */
    SemaphoreHandle_t rx_lock;
    SemaphoreHandle_t tx_lock;
    SemaphoreHandle_t rx_ready;
    SemaphoreHandle_t tx_ready;
    SemaphoreHandle_t tx_done;
    QueueHandle_t events;
    intr_handle_t interrupt;
} driver_t;

static driver_t *drivers[UART_NUM_MAX];
static uart_sclk_t clock_sources[UART_NUM_MAX] = {UART_SCLK_APB, UART_SCLK_APB};
static uint8_t symbol_bits[UART_NUM_MAX] = {10, 10};
static uart_port_t sleeping_port = UART_NUM_MAX;

static bool ring_init(ring_t *ring, size_t size)
{
    *ring = (ring_t){.bytes = malloc(size), .size = size};
    return ring->bytes != NULL;
}

/* Copies in and out in at most two pieces; the caller has checked that it fits. */
static void ring_put(ring_t *ring, const uint8_t *data, size_t n)
{
    size_t tail = (ring->head + ring->count) % ring->size;
    size_t first = n < ring->size - tail ? n : ring->size - tail;
    memcpy(ring->bytes + tail, data, first);
    memcpy(ring->bytes, data + first, n - first);
    ring->count += n;
}

static void ring_get(ring_t *ring, uint8_t *data, size_t n)
{
    size_t first = n < ring->size - ring->head ? n : ring->size - ring->head;
    memcpy(data, ring->bytes + ring->head, first);
    memcpy(data + first, ring->bytes, n - first);
    ring->head = (ring->head + n) % ring->size;
    ring->count -= n;
}

static void modify(uint32_t address, uint32_t clear, uint32_t set)
{
    vPortEnterCritical();
    REG(address) = (REG(address) & ~clear) | set;
    vPortExitCritical();
}

/* Baud rate and frame settings live in the core's clock domain until this hands them over. */
static void update(uart_port_t port)
{
    REG(UART_ID(port)) |= ID_UPDATE;
    while (REG(UART_ID(port)) & ID_UPDATE) {
    }
}

static size_t tx_fifo_room(uart_port_t port)
{
    return SOC_UART_FIFO_LEN - STATUS_TXFIFO_CNT(REG(UART_STATUS(port)));
}

static bool tx_is_idle(uart_port_t port)
{
    return STATUS_TXFIFO_CNT(REG(UART_STATUS(port))) == 0 &&
           FSM_STATUS_UTX_OUT(REG(UART_FSM_STATUS(port))) == 0;
}

static void fill_tx_fifo(uart_port_t port, ring_t *ring)
{
    size_t n = tx_fifo_room(port);
    n = n < ring->count ? n : ring->count;
    ring->count -= n;
    while (n-- > 0) {
        REG(UART_FIFO(port)) = ring->bytes[ring->head];
        ring->head = ring->head + 1 == ring->size ? 0 : ring->head + 1;
    }
}

static void reset_fifo(uart_port_t port, uint32_t bit)
{
    modify(UART_CONF0(port), 0, bit);
    update(port);
    modify(UART_CONF0(port), bit, 0);
    update(port);
}

static void post_event(driver_t *driver, uart_event_type_t type, size_t size, bool timed_out,
                       BaseType_t *woken)
{
    if (driver->events != NULL) {
        const uart_event_t event = {.type = type, .size = size, .timeout_flag = timed_out};
        xQueueSendFromISR(driver->events, &event, woken);
    }
}

static void stop_receiving(uart_port_t port, driver_t *driver)
{
    driver->rx_is_stopped = true;
    REG(UART_INT_ENA(port)) &= ~RX_INTERRUPTS;
}

static void receive(uart_port_t port, driver_t *driver, bool timed_out, BaseType_t *woken)
{
    size_t waiting = STATUS_RXFIFO_CNT(REG(UART_STATUS(port)));
    size_t room = driver->rx.size - driver->rx.count;
    size_t n = waiting < room ? waiting : room;
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = (uint8_t)REG(UART_FIFO(port));
        ring_put(&driver->rx, &byte, 1);
    }
    REG(UART_INT_CLR(port)) = RX_INTERRUPTS;
    if (n > 0) {
        xSemaphoreGiveFromISR(driver->rx_ready, woken);
        post_event(driver, UART_DATA, n, timed_out, woken);
    }
    if (n < waiting) {
        stop_receiving(port, driver);
        post_event(driver, UART_BUFFER_FULL, 0, false, woken);
    }
}

static void interrupt(void *arg)
{
    uart_port_t port = (uart_port_t)(uintptr_t)arg;
    driver_t *driver = drivers[port];
    BaseType_t woken = pdFALSE;
    uint32_t status = REG(UART_INT_ST(port));
    if (status & RX_INTERRUPTS) {
        receive(port, driver, status & INT_RXFIFO_TOUT, &woken);
    }
    if (status & INT_RXFIFO_OVF) {
        reset_fifo(port, CONF0_RXFIFO_RST);
        REG(UART_INT_CLR(port)) = INT_RXFIFO_OVF;
        post_event(driver, UART_FIFO_OVF, 0, false, &woken);
    }
    if (status & INT_TXFIFO_EMPTY) {
        fill_tx_fifo(port, &driver->tx);
        REG(UART_INT_CLR(port)) = INT_TXFIFO_EMPTY;
        if (driver->tx.count == 0) {
            REG(UART_INT_ENA(port)) &= ~INT_TXFIFO_EMPTY;
        }
        xSemaphoreGiveFromISR(driver->tx_ready, &woken);
    }
    if (status & INT_TX_DONE) {
        REG(UART_INT_ENA(port)) &= ~INT_TX_DONE;
        REG(UART_INT_CLR(port)) = INT_TX_DONE;
        xSemaphoreGiveFromISR(driver->tx_done, &woken);
    }
    uint32_t line_events = status & (INT_FRM_ERR | INT_PARITY_ERR | INT_BRK_DET);
    if (line_events != 0) {
        REG(UART_INT_CLR(port)) = line_events;
        post_event(driver,
                   line_events & INT_BRK_DET   ? UART_BREAK
                   : line_events & INT_FRM_ERR ? UART_FRAME_ERR
                                               : UART_PARITY_ERR,
                   0, false, &woken);
    }
    portYIELD_FROM_ISR(woken);
}

static bool is_port(uart_port_t port)
{
    return port >= UART_NUM_0 && port < UART_NUM_MAX;
}

bool uart_is_driver_installed(uart_port_t port)
{
    return is_port(port) && drivers[port] != NULL;
}

static void release(driver_t *driver)
{
    SemaphoreHandle_t handles[] = {driver->rx_lock, driver->tx_lock, driver->rx_ready,
                                   driver->tx_ready, driver->tx_done, driver->events};
    for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++) {
        if (handles[i] != NULL) {
            vSemaphoreDelete(handles[i]);
        }
    }
    free(driver->rx.bytes);
    free(driver->tx.bytes);
    free(driver);
}

static void enable_clock(uart_port_t port)
{
    uint32_t bit = SYSTEM_PERIP_UART(port);
    modify(SYSTEM_PERIP_CLK_EN0, 0, bit);
    /* The core is held in reset around the module's, or the line carries a garbage byte. */
    if (REG(SYSTEM_PERIP_RST_EN0) & bit) {
        modify(UART_CLK_CONF(port), 0, CLK_CONF_RST_CORE);
        modify(SYSTEM_PERIP_RST_EN0, bit, 0);
        modify(UART_CLK_CONF(port), CLK_CONF_RST_CORE, 0);
    }
    modify(UART_CONF0(port), 0, CONF0_MEM_CLK_EN);
}

esp_err_t uart_driver_install(uart_port_t port, int rx_buffer_size, int tx_buffer_size,
                              int queue_size, QueueHandle_t *event_queue, int intr_alloc_flags)
{
    if (!is_port(port) || rx_buffer_size <= SOC_UART_FIFO_LEN ||
        (tx_buffer_size != 0 && tx_buffer_size <= SOC_UART_FIFO_LEN)) {
        return ESP_ERR_INVALID_ARG;
    }
    if (drivers[port] != NULL) {
        return ESP_FAIL;
    }
    driver_t *driver = calloc(1, sizeof *driver);
    if (driver == NULL) {
        return ESP_ERR_NO_MEM;
    }
    driver->waits_for_fifo = tx_buffer_size == 0;
    bool has_rings =
        ring_init(&driver->rx, (size_t)rx_buffer_size) &&
        ring_init(&driver->tx, tx_buffer_size > 0 ? (size_t)tx_buffer_size : SOC_UART_FIFO_LEN);
    driver->rx_lock = xSemaphoreCreateMutex();
    driver->tx_lock = xSemaphoreCreateMutex();
    driver->rx_ready = xSemaphoreCreateBinary();
    driver->tx_ready = xSemaphoreCreateBinary();
    driver->tx_done = xSemaphoreCreateBinary();
    bool wants_events = queue_size > 0 && event_queue != NULL;
    driver->events = wants_events ? xQueueCreate((UBaseType_t)queue_size, sizeof(uart_event_t))
                                  : NULL;
    if (!has_rings || driver->rx_lock == NULL || driver->tx_lock == NULL ||
        driver->rx_ready == NULL || driver->tx_ready == NULL || driver->tx_done == NULL ||
        (wants_events && driver->events == NULL)) {
        release(driver);
        return ESP_ERR_NO_MEM;
    }
    drivers[port] = driver;
    if (wants_events) {
        *event_queue = driver->events;
    }
    enable_clock(port);
    REG(UART_INT_ENA(port)) = 0;
    REG(UART_INT_CLR(port)) = INT_ALL;
    uart_set_rx_full_threshold(port, RX_FULL_THRESHOLD);
    uart_set_tx_empty_threshold(port, TX_EMPTY_THRESHOLD);
    uart_set_rx_timeout(port, RX_TIMEOUT_SYMBOLS);
    esp_err_t result =
        esp_intr_alloc(SOURCE_UART(port), intr_alloc_flags | ESP_INTR_FLAG_LEVEL1, interrupt,
                       (void *)(uintptr_t)port, &driver->interrupt);
    if (result != ESP_OK) {
        drivers[port] = NULL;
        release(driver);
        return result;
    }
    REG(UART_INT_ENA(port)) = RX_INTERRUPTS | INT_RXFIFO_OVF | INT_BRK_DET | INT_PARITY_ERR |
                              INT_FRM_ERR;
    return ESP_OK;
}

esp_err_t uart_driver_delete(uart_port_t port)
{
    if (!uart_is_driver_installed(port)) {
        return is_port(port) ? ESP_OK : ESP_ERR_INVALID_ARG;
    }
    driver_t *driver = drivers[port];
    REG(UART_INT_ENA(port)) = 0;
    esp_intr_free(driver->interrupt);
    drivers[port] = NULL;
    release(driver);
    return ESP_OK;
}

esp_err_t uart_get_sclk_freq(uart_sclk_t sclk, uint32_t *out_freq_hz)
{
    switch (sclk) {
    case UART_SCLK_APB:
        *out_freq_hz = APB_HZ;
        return ESP_OK;
    case UART_SCLK_XTAL:
        *out_freq_hz = XTAL_HZ;
        return ESP_OK;
    default:
        return ESP_ERR_INVALID_ARG;
    }
}

/* UART_CLK_CONF's source numbers: 1 APB, 3 crystal. */
static uint32_t sclk_select(uart_sclk_t sclk)
{
    return sclk == UART_SCLK_XTAL ? 3 : 1;
}

esp_err_t uart_set_baudrate(uart_port_t port, uint32_t baudrate)
{
    if (!is_port(port) || baudrate == 0 || baudrate > UART_BITRATE_MAX) {
        return ESP_ERR_INVALID_ARG;
    }
    uint32_t source_hz;
    esp_err_t result = uart_get_sclk_freq(clock_sources[port], &source_hz);
    if (result != ESP_OK) {
        return result;
    }
    /* The divider has 12 integer and 4 fractional bits; slower rates first divide the source. */
    uint64_t slowest = (uint64_t)CLKDIV_MAX * baudrate;
    uint32_t predivider = (uint32_t)((source_hz + slowest - 1) / slowest);
    uint32_t sixteenths = (source_hz << 4) / (baudrate * predivider);
    REG(UART_CLKDIV(port)) = (sixteenths >> 4) | (sixteenths & 0xF) << CLKDIV_FRAG_SHIFT;
    modify(UART_CLK_CONF(port), CLK_CONF_SCLK_DIV_NUM_MASK,
           (predivider - 1) << CLK_CONF_SCLK_DIV_NUM_SHIFT);
    update(port);
    return ESP_OK;
}

esp_err_t uart_get_baudrate(uart_port_t port, uint32_t *baudrate)
{
    if (!is_port(port) || baudrate == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    uint32_t source_hz;
    esp_err_t result = uart_get_sclk_freq(clock_sources[port], &source_hz);
    if (result != ESP_OK) {
        return result;
    }
    uint32_t divider = REG(UART_CLKDIV(port));
    uint32_t sixteenths = (divider & CLKDIV_MAX) << 4 | divider >> CLKDIV_FRAG_SHIFT;
    uint32_t predivider = ((REG(UART_CLK_CONF(port)) & CLK_CONF_SCLK_DIV_NUM_MASK) >>
                           CLK_CONF_SCLK_DIV_NUM_SHIFT) +
                          1;
    *baudrate = (source_hz << 4) / (sixteenths * predivider);
    return ESP_OK;
}

static uint8_t bits_in_a_symbol(const uart_config_t *config)
{
    uint8_t stop_bits = config->stop_bits == UART_STOP_BITS_1 ? 1 : 2;
    uint8_t parity_bits = config->parity == UART_PARITY_DISABLE ? 0 : 1;
    return (uint8_t)(1 + 5 + config->data_bits + parity_bits + stop_bits);
}

esp_err_t uart_param_config(uart_port_t port, const uart_config_t *config)
{
    if (!is_port(port) || config == NULL || config->data_bits >= UART_DATA_BITS_MAX ||
        config->flow_ctrl >= UART_HW_FLOWCTRL_MAX) {
        return ESP_ERR_INVALID_ARG;
    }
    uart_sclk_t source = config->source_clk != 0 ? config->source_clk : UART_SCLK_DEFAULT;
    uint32_t source_hz;
    if (uart_get_sclk_freq(source, &source_hz) != ESP_OK) {
        return ESP_ERR_INVALID_ARG;
    }
    enable_clock(port);
    clock_sources[port] = source;
    symbol_bits[port] = bits_in_a_symbol(config);
    modify(UART_CLK_CONF(port), CLK_CONF_SCLK_SEL_MASK,
           sclk_select(source) << CLK_CONF_SCLK_SEL_SHIFT | CLK_CONF_SCLK_EN |
               CLK_CONF_TX_SCLK_EN | CLK_CONF_RX_SCLK_EN);
    bool has_parity = config->parity != UART_PARITY_DISABLE;
    REG(UART_CONF0(port)) =
        CONF0_MEM_CLK_EN | (uint32_t)config->stop_bits << CONF0_STOP_BIT_NUM_SHIFT |
        (uint32_t)config->data_bits << CONF0_BIT_NUM_SHIFT |
        (has_parity ? CONF0_PARITY_EN | ((uint32_t)config->parity & 1) << CONF0_PARITY_SHIFT
                    : 0) |
        (config->flow_ctrl & UART_HW_FLOWCTRL_CTS ? CONF0_TX_FLOW_EN : 0);
    modify(UART_MEM_CONF(port), MEM_CONF_RX_FLOW_THRHD_MASK,
           (uint32_t)config->rx_flow_ctrl_thresh << MEM_CONF_RX_FLOW_THRHD_SHIFT);
    modify(UART_CONF1(port), CONF1_RX_FLOW_EN,
           config->flow_ctrl & UART_HW_FLOWCTRL_RTS ? CONF1_RX_FLOW_EN : 0);
    modify(UART_IDLE_CONF(port), IDLE_CONF_TX_IDLE_NUM_MASK, 0);
    esp_err_t result = uart_set_baudrate(port, (uint32_t)config->baud_rate);
    if (result == ESP_OK) {
        reset_fifo(port, CONF0_RXFIFO_RST);
        reset_fifo(port, CONF0_TXFIFO_RST);
    }
    return result;
}

esp_err_t uart_set_pin(uart_port_t port, int tx_pin, int rx_pin, int rts_pin, int cts_pin)
{
    bool is_valid = is_port(port) && (tx_pin < 0 || GPIO_IS_VALID_GPIO(tx_pin)) &&
                    (rx_pin < 0 || GPIO_IS_VALID_GPIO(rx_pin));
    if (!is_valid) {
        return ESP_ERR_INVALID_ARG;
    }
    if (rts_pin >= 0 || cts_pin >= 0) {
        return ESP_ERR_NOT_SUPPORTED;
    }
    if (tx_pin >= 0) {
        pin_route_output(tx_pin, SIGNAL_UART_TXD(port));
    }
    if (rx_pin >= 0) {
        pin_route_input(rx_pin, SIGNAL_UART_RXD(port));
    }
    return ESP_OK;
}

esp_err_t uart_set_rx_full_threshold(uart_port_t port, int threshold)
{
    if (!is_port(port) || threshold <= 0 || threshold >= SOC_UART_FIFO_LEN) {
        return ESP_ERR_INVALID_ARG;
    }
    modify(UART_CONF1(port), CONF1_RXFIFO_FULL_THRHD_MASK, (uint32_t)threshold);
    return ESP_OK;
}

esp_err_t uart_set_tx_empty_threshold(uart_port_t port, int threshold)
{
    if (!is_port(port) || threshold <= 0 || threshold >= SOC_UART_FIFO_LEN) {
        return ESP_ERR_INVALID_ARG;
    }
    modify(UART_CONF1(port), CONF1_TXFIFO_EMPTY_THRHD_MASK,
           (uint32_t)threshold << CONF1_TXFIFO_EMPTY_THRHD_SHIFT);
    return ESP_OK;
}

esp_err_t uart_set_rx_timeout(uart_port_t port, uint8_t symbols)
{
    uint32_t bits = is_port(port) ? (uint32_t)symbols * symbol_bits[port] : 0;
    if (!is_port(port) || bits > 0x3FF) {
        return ESP_ERR_INVALID_ARG;
    }
    modify(UART_MEM_CONF(port), MEM_CONF_RX_TOUT_THRHD_MASK,
           bits << MEM_CONF_RX_TOUT_THRHD_SHIFT);
    modify(UART_CONF1(port), CONF1_RX_TOUT_EN, bits > 0 ? CONF1_RX_TOUT_EN : 0);
    return ESP_OK;
}

static TickType_t ticks_left(uint64_t deadline)
{
    if (deadline == NEVER) {
        return portMAX_DELAY;
    }
    return kernel_expired(deadline) ? 0 : (TickType_t)deadline - xTaskGetTickCount();
}

/* Moves bytes from the ring, and lets reception go on when the ring had been full. */
static size_t take_received(uart_port_t port, driver_t *driver, uint8_t *data, size_t size)
{
    vPortEnterCritical();
    size_t n = size < driver->rx.count ? size : driver->rx.count;
    ring_get(&driver->rx, data, n);
    if (n > 0 && driver->rx_is_stopped) {
        driver->rx_is_stopped = false;
        REG(UART_INT_ENA(port)) |= RX_INTERRUPTS;
    }
    vPortExitCritical();
    return n;
}

int uart_read_bytes(uart_port_t port, void *buf, uint32_t length, TickType_t ticks_to_wait)
{
    if (!uart_is_driver_installed(port) || buf == NULL) {
        return -1;
    }
    driver_t *driver = drivers[port];
    uint64_t deadline = kernel_deadline(ticks_to_wait);
    if (!xSemaphoreTake(driver->rx_lock, ticks_to_wait)) {
        return 0;
    }
    size_t received = take_received(port, driver, buf, length);
    while (received < length && xSemaphoreTake(driver->rx_ready, ticks_left(deadline))) {
        received += take_received(port, driver, (uint8_t *)buf + received, length - received);
    }
    xSemaphoreGive(driver->rx_lock);
    return (int)received;
}

static size_t queue_for_sending(uart_port_t port, driver_t *driver, const uint8_t *data,
                                size_t size)
{
    vPortEnterCritical();
    size_t room = driver->tx.size - driver->tx.count;
    size_t n = size < room ? size : room;
    ring_put(&driver->tx, data, n);
    REG(UART_INT_ENA(port)) |= INT_TXFIFO_EMPTY;
    vPortExitCritical();
    return n;
}

int uart_write_bytes(uart_port_t port, const void *src, size_t size)
{
    if (!uart_is_driver_installed(port) || src == NULL) {
        return -1;
    }
    driver_t *driver = drivers[port];
    xSemaphoreTake(driver->tx_lock, portMAX_DELAY);
    size_t queued = queue_for_sending(port, driver, src, size);
    while (queued < size || (driver->waits_for_fifo && driver->tx.count > 0)) {
        xSemaphoreTake(driver->tx_ready, portMAX_DELAY);
        if (queued < size) {
            queued +=
                queue_for_sending(port, driver, (const uint8_t *)src + queued, size - queued);
        }
    }
    xSemaphoreGive(driver->tx_lock);
    return (int)size;
}

int uart_tx_chars(uart_port_t port, const char *buffer, uint32_t len)
{
    if (!uart_is_driver_installed(port) || buffer == NULL) {
        return -1;
    }
    xSemaphoreTake(drivers[port]->tx_lock, portMAX_DELAY);
    size_t room = tx_fifo_room(port);
    size_t n = len < room ? len : room;
    for (size_t i = 0; i < n; i++) {
        REG(UART_FIFO(port)) = (uint8_t)buffer[i];
    }
    xSemaphoreGive(drivers[port]->tx_lock);
    return (int)n;
}

esp_err_t uart_get_buffered_data_len(uart_port_t port, size_t *size)
{
    if (!uart_is_driver_installed(port) || size == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    *size = drivers[port]->rx.count;
    return ESP_OK;
}

esp_err_t uart_get_tx_buffer_free_size(uart_port_t port, size_t *size)
{
    if (!uart_is_driver_installed(port) || size == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    *size = drivers[port]->tx.size - drivers[port]->tx.count;
    return ESP_OK;
}

esp_err_t uart_flush_input(uart_port_t port)
{
    if (!uart_is_driver_installed(port)) {
        return ESP_ERR_INVALID_ARG;
    }
    driver_t *driver = drivers[port];
    xSemaphoreTake(driver->rx_lock, portMAX_DELAY);
    vPortEnterCritical();
    driver->rx.head = driver->rx.count = 0;
    reset_fifo(port, CONF0_RXFIFO_RST);
    driver->rx_is_stopped = false;
    REG(UART_INT_CLR(port)) = RX_INTERRUPTS;
    REG(UART_INT_ENA(port)) |= RX_INTERRUPTS;
    vPortExitCritical();
    xSemaphoreTake(driver->rx_ready, 0);
    xSemaphoreGive(driver->rx_lock);
    return ESP_OK;
}

esp_err_t uart_flush(uart_port_t port)
{
    return uart_flush_input(port);
}

esp_err_t uart_wait_tx_done(uart_port_t port, TickType_t ticks_to_wait)
{
    if (!uart_is_driver_installed(port)) {
        return ESP_ERR_INVALID_ARG;
    }
    driver_t *driver = drivers[port];
    uint64_t deadline = kernel_deadline(ticks_to_wait);
    if (!xSemaphoreTake(driver->tx_lock, ticks_to_wait)) {
        return ESP_ERR_TIMEOUT;
    }
    esp_err_t result = ESP_OK;
    while (driver->tx.count > 0 || !tx_is_idle(port)) {
        xSemaphoreTake(driver->tx_done, 0);
        modify(UART_INT_ENA(port), 0, INT_TX_DONE);
        if (!xSemaphoreTake(driver->tx_done, ticks_left(deadline))) {
            result = ESP_ERR_TIMEOUT;
            break;
        }
    }
    xSemaphoreGive(driver->tx_lock);
    return result;
}

/* Lets time pass until `event`, an interrupt bit, or for a few characters; may return early.
 * After uart_take_over() the CPU sleeps: wfi ends when an interrupt is pending, masked or not. */
static void wait_polling(uart_port_t port, uint32_t event)
{
    if (port == sleeping_port) {
        REG(UART_INT_CLR(port)) = event;
        REG(UART_INT_ENA(port)) = event;
        if (!tx_is_idle(port)) {
            port_wait_for_interrupt();
        }
        REG(UART_INT_ENA(port)) = 0;
        return;
    }
    for (int i = 0; i < POLL_PAUSE_LOOPS; i++) {
        __asm__ volatile("nop");
    }
}

void uart_take_over(uart_port_t port)
{
    port_disable_interrupts();
    if (drivers[port] != NULL) {
        REG(UART_INT_ENA(port)) = 0;
        interrupt_mask_others(drivers[port]->interrupt);
        sleeping_port = port;
    }
}

void uart_write_polled(uart_port_t port, const char *data, size_t size)
{
    uint32_t previous = port_disable_interrupts();
    while (drivers[port] != NULL && drivers[port]->tx.count > 0) {
        fill_tx_fifo(port, &drivers[port]->tx);
        wait_polling(port, INT_TXFIFO_EMPTY);
    }
    while (size > 0) {
        size_t room = tx_fifo_room(port);
        for (; room > 0 && size > 0; room--, size--) {
            REG(UART_FIFO(port)) = (uint8_t)*data++;
        }
        if (size > 0) {
            wait_polling(port, INT_TXFIFO_EMPTY);
        }
    }
    port_restore_interrupts(previous);
}

void uart_drain_polled(uart_port_t port)
{
    uart_write_polled(port, NULL, 0);
    while (!tx_is_idle(port)) {
        wait_polling(port, INT_TX_DONE);
    }
}
