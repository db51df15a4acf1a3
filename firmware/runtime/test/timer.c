/* esp_timer: one-shot and periodic timers, their order and their precision. */
#include <stdlib.h>

#include "check.h"
#include "esp_rom_sys.h"
#include "esp_timer.h"

static int64_t fired_us[8];
static volatile int fired;

static void record(void *arg)
{
    if (fired < 8) {
        fired_us[fired] = esp_timer_get_time();
    }
    fired++;
    note((char)(uintptr_t)arg);
}

static esp_timer_handle_t make(char letter)
{
    const esp_timer_create_args_t args = {.callback = record, .arg = (void *)(uintptr_t)letter};
    esp_timer_handle_t timer = NULL;
    ESP_ERROR_CHECK(esp_timer_create(&args, &timer));
    return timer;
}

static void test_one_shots_fire_in_order(void)
{
    esp_timer_handle_t late = make('l');
    esp_timer_handle_t early = make('e');
    int64_t start = esp_timer_get_time();
    CHECK(esp_timer_start_once(late, 2500) == ESP_OK);
    CHECK(esp_timer_start_once(early, 1200) == ESP_OK);
    CHECK(esp_timer_start_once(late, 100) == ESP_ERR_INVALID_STATE);
    CHECK(esp_timer_is_active(late));
    vTaskDelay(5);
    CHECK(noted("el"));
    CHECK(llabs(fired_us[0] - start - 1200) < 50);
    CHECK(llabs(fired_us[1] - start - 2500) < 50);
    CHECK(!esp_timer_is_active(late));
    CHECK(esp_timer_stop(late) == ESP_ERR_INVALID_STATE);
    CHECK(esp_timer_delete(late) == ESP_OK && esp_timer_delete(early) == ESP_OK);
}

static void test_periodic_does_not_drift(void)
{
    esp_timer_handle_t timer = make('p');
    fired = 0;
    int64_t start = esp_timer_get_time();
    CHECK(esp_timer_start_periodic(timer, 0) == ESP_ERR_INVALID_ARG);
    CHECK(esp_timer_start_periodic(timer, 1500) == ESP_OK);
    CHECK(esp_timer_delete(timer) == ESP_ERR_INVALID_STATE);
    vTaskDelay(10);
    CHECK(esp_timer_stop(timer) == ESP_OK);
    int count = fired;
    CHECK(count == 6);
    CHECK(llabs(fired_us[5] - start - 6 * 1500) < 50);
    vTaskDelay(5);
    CHECK(fired == count);
    CHECK(noted("pppppp"));
    esp_timer_delete(timer);
}

static void test_past_alarm_fires_at_once(void)
{
    esp_timer_handle_t timer = make('n');
    CHECK(esp_timer_start_once(timer, 0) == ESP_OK);
    vTaskDelay(1);
    CHECK(noted("n"));
    esp_timer_delete(timer);
}

static void test_delay(void)
{
    int64_t start = esp_timer_get_time();
    esp_rom_delay_us(137);
    int64_t elapsed = esp_timer_get_time() - start;
    CHECK(elapsed >= 137 && elapsed < 145);
}

void app_main(void)
{
    test_one_shots_fire_in_order();
    test_periodic_does_not_drift();
    test_past_alarm_fires_at_once();
    test_delay();
    check_finish();
}
