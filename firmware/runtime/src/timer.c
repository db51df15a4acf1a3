/* esp_timer: a list sorted by alarm, the first of which is SYSTIMER target 2's alarm. */
#include "esp_timer.h"

#include <stdlib.h>

#include "esp_intr_alloc.h"
#include "esp_rom_sys.h"
#include "freertos/task.h"
#include "soc.h"
#include "timer_private.h"

#define COUNTS_A_US (SYSTIMER_HZ / 1000000U)
#define ALARM_TARGET 2
#define TIMER_TASK_PRIORITY 22
#define TIMER_TASK_STACK 3584

struct esp_timer {
    esp_timer_cb_t callback;
    void *arg;
    const char *name;
    uint64_t alarm_us;
    uint64_t period_us; /* 0 for one shot */
    struct esp_timer *next;
    bool is_active;
};

static struct esp_timer *first_timer;
static TaskHandle_t timer_task;

int64_t esp_timer_get_time(void)
{
    REG(SYSTIMER_UNIT_OP(0)) = SYSTIMER_UNIT_UPDATE;
    while (!(REG(SYSTIMER_UNIT_OP(0)) & SYSTIMER_UNIT_VALUE_VALID)) {
    }
    /* An interrupt may take a new snapshot between the two halves: read until they agree. */
    uint32_t low = REG(SYSTIMER_UNIT_VALUE_LO(0));
    uint32_t previous;
    uint32_t high;
    do {
        previous = low;
        high = REG(SYSTIMER_UNIT_VALUE_HI(0));
        low = REG(SYSTIMER_UNIT_VALUE_LO(0));
    } while (low != previous);
    return (int64_t)(((uint64_t)high << 32 | low) / COUNTS_A_US);
}

void esp_rom_delay_us(uint32_t us)
{
    int64_t end = esp_timer_get_time() + us;
    while (esp_timer_get_time() < end) {
    }
}

/* Programs the alarm for the first timer, or none; a time in the past fires at once. */
static void set_alarm(void)
{
    REG(SYSTIMER_CONF) &= ~SYSTIMER_TARGET_WORK_EN(ALARM_TARGET);
    if (first_timer == NULL) {
        return;
    }
    uint64_t counts = first_timer->alarm_us * COUNTS_A_US;
    REG(SYSTIMER_TARGET_HI(ALARM_TARGET)) = (uint32_t)(counts >> 32);
    REG(SYSTIMER_TARGET_LO(ALARM_TARGET)) = (uint32_t)counts;
    REG(SYSTIMER_COMP_LOAD(ALARM_TARGET)) = 1;
    REG(SYSTIMER_CONF) |= SYSTIMER_TARGET_WORK_EN(ALARM_TARGET);
}

static void insert(esp_timer_handle_t timer)
{
    struct esp_timer **link = &first_timer;
    while (*link != NULL && (*link)->alarm_us <= timer->alarm_us) {
        link = &(*link)->next;
    }
    timer->next = *link;
    *link = timer;
    timer->is_active = true;
    if (first_timer == timer) {
        set_alarm();
    }
}

static void unlink_timer(esp_timer_handle_t timer)
{
    struct esp_timer **link = &first_timer;
    bool was_first = first_timer == timer;
    while (*link != timer) {
        link = &(*link)->next;
    }
    *link = timer->next;
    timer->is_active = false;
    if (was_first) {
        set_alarm();
    }
}

esp_err_t esp_timer_create(const esp_timer_create_args_t *args, esp_timer_handle_t *out_handle)
{
    if (args == NULL || args->callback == NULL || out_handle == NULL ||
        args->dispatch_method != ESP_TIMER_TASK) {
        return ESP_ERR_INVALID_ARG;
    }
    esp_timer_handle_t timer = calloc(1, sizeof *timer);
    if (timer == NULL) {
        return ESP_ERR_NO_MEM;
    }
    timer->callback = args->callback;
    timer->arg = args->arg;
    timer->name = args->name;
    *out_handle = timer;
    return ESP_OK;
}

static esp_err_t start(esp_timer_handle_t timer, uint64_t delay_us, uint64_t period_us)
{
    if (timer == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    esp_err_t result = ESP_ERR_INVALID_STATE;
    vPortEnterCritical();
    if (!timer->is_active) {
        timer->alarm_us = (uint64_t)esp_timer_get_time() + delay_us;
        timer->period_us = period_us;
        insert(timer);
        result = ESP_OK;
    }
    vPortExitCritical();
    return result;
}

esp_err_t esp_timer_start_once(esp_timer_handle_t timer, uint64_t timeout_us)
{
    return start(timer, timeout_us, 0);
}

esp_err_t esp_timer_start_periodic(esp_timer_handle_t timer, uint64_t period_us)
{
    return period_us == 0 ? ESP_ERR_INVALID_ARG : start(timer, period_us, period_us);
}

esp_err_t esp_timer_stop(esp_timer_handle_t timer)
{
    if (timer == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    esp_err_t result = ESP_ERR_INVALID_STATE;
    vPortEnterCritical();
    if (timer->is_active) {
        unlink_timer(timer);
        result = ESP_OK;
    }
    vPortExitCritical();
    return result;
}

esp_err_t esp_timer_restart(esp_timer_handle_t timer, uint64_t timeout_us)
{
    esp_err_t result = esp_timer_stop(timer);
    if (result != ESP_OK) {
        return result;
    }
    return start(timer, timeout_us, timer->period_us == 0 ? 0 : timeout_us);
}

esp_err_t esp_timer_delete(esp_timer_handle_t timer)
{
    if (timer == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    if (timer->is_active) {
        return ESP_ERR_INVALID_STATE;
    }
    free(timer);
    return ESP_OK;
}

bool esp_timer_is_active(esp_timer_handle_t timer)
{
    return timer != NULL && timer->is_active;
}

int64_t esp_timer_get_next_alarm(void)
{
    vPortEnterCritical();
    int64_t alarm = first_timer != NULL ? (int64_t)first_timer->alarm_us : INT64_MAX;
    vPortExitCritical();
    return alarm;
}

static void alarm_interrupt(void *arg)
{
    (void)arg;
    BaseType_t woken = pdFALSE;
    REG(SYSTIMER_INT_CLR) = BIT(ALARM_TARGET);
    vTaskNotifyGiveFromISR(timer_task, &woken);
    portYIELD_FROM_ISR(woken);
}

/* Takes the first timer off the list if its time has come, and re-arms a periodic one. */
static esp_timer_handle_t next_due(esp_timer_cb_t *callback, void **arg)
{
    vPortEnterCritical();
    esp_timer_handle_t timer = first_timer;
    if (timer != NULL && timer->alarm_us <= (uint64_t)esp_timer_get_time()) {
        *callback = timer->callback;
        *arg = timer->arg;
        unlink_timer(timer);
        if (timer->period_us > 0) {
            timer->alarm_us += timer->period_us;
            insert(timer);
        }
    } else {
        timer = NULL;
    }
    vPortExitCritical();
    return timer;
}

static void run_callbacks(void *arg)
{
    (void)arg;
    while (true) {
        ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        esp_timer_cb_t callback;
        void *callback_arg;
        while (next_due(&callback, &callback_arg) != NULL) {
            callback(callback_arg);
        }
    }
}

void timer_init(void)
{
    configASSERT(xTaskCreate(run_callbacks, "esp_timer", TIMER_TASK_STACK, NULL,
                             TIMER_TASK_PRIORITY, &timer_task) == pdPASS);
    REG(SYSTIMER_TARGET_CONF(ALARM_TARGET)) = 0; /* unit 0, one shot */
    REG(SYSTIMER_INT_ENA) |= BIT(ALARM_TARGET);
    ESP_ERROR_CHECK(esp_intr_alloc(SOURCE_SYSTIMER_TARGET(ALARM_TARGET), ESP_INTR_FLAG_LEVEL1,
                                   alarm_interrupt, NULL, NULL));
}
