#include "audio_service.h"

#include "bus_guard.h"
#include "es8388.h"
#include "esp_log.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/queue.h"
#include "freertos/task.h"
#include "sdkconfig.h"
#include "tool_result.h"
#include "variant.h"

#define PORT CONFIG_TRUESTAGE_I2C_PORT
#define RETRIES CONFIG_TRUESTAGE_AUDIO_RETRIES
#define RETRY_DELAY_MS CONFIG_TRUESTAGE_AUDIO_RETRY_DELAY_MS
#define LOCK_MS CONFIG_TRUESTAGE_BUS_LOCK_TIMEOUT_MS

/* Above everything else of ours: what it does is short and somebody waits for it. */
#define TASK_PRIORITY 10
/* Deepest: an attempt, the codec, the I2C driver, its error log line. Measured with runtime/: less
 * than 1.1 KB; ESP-IDF's printf is larger. */
#define TASK_STACK_BYTES 4096

/* A command without a target only reads. */
#define NO_TARGET TOOL_VALUE_NONE

typedef struct {
    tool_call_ref_t call;
    int64_t queued_us;
    int32_t target;
} command_t;

static const char TAG[] = "audio";

static QueueHandle_t queue;

/* Any error is a failed transaction; which one only chooses the word. ESP-IDF reports a NACK as
 * ESP_ERR_INVALID_STATE up to v5.4 and as ESP_ERR_INVALID_RESPONSE later. */
static const char *word_of(esp_err_t error)
{
    switch (error) {
    case ESP_ERR_INVALID_STATE:
    case ESP_ERR_INVALID_RESPONSE:
        return "nack";
    case ESP_ERR_TIMEOUT:
        return "bus_timeout";
    default:
        return "bus_error";
    }
}

static esp_err_t write_channels(int32_t volume)
{
    esp_err_t error = es8388_set_volume(ES8388_RIGHT, volume);
    return error == ESP_OK ? es8388_set_volume(ES8388_LEFT, volume) : error;
}

static esp_err_t read_channels(uint8_t attenuation[ES8388_CHANNELS])
{
    if (VARIANT.remembers_volume) {
        attenuation[ES8388_LEFT] = es8388_remembered_volume(ES8388_LEFT);
        attenuation[ES8388_RIGHT] = es8388_remembered_volume(ES8388_RIGHT);
        return ESP_OK;
    }
    esp_err_t error = es8388_read_volume(ES8388_RIGHT, &attenuation[ES8388_RIGHT]);
    return error == ESP_OK ? es8388_read_volume(ES8388_LEFT, &attenuation[ES8388_LEFT]) : error;
}

/* Puts what the chip holds into the record. NULL if it is what was wanted, else the error. */
static const char *judge(const uint8_t attenuation[ES8388_CHANNELS], int32_t target,
                         tool_result_t *result)
{
    bool equal = attenuation[ES8388_LEFT] == attenuation[ES8388_RIGHT];
    int volume = equal ? es8388_volume_of(attenuation[ES8388_LEFT]) : ES8388_VOLUME_NONE;
    int32_t readback = volume == ES8388_VOLUME_NONE ? TOOL_VALUE_NONE : volume;
    result->readback = readback;
    tool_result_set(result, "left", attenuation[ES8388_LEFT]);
    tool_result_set(result, "right", attenuation[ES8388_RIGHT]);
    if (target != NO_TARGET) {
        return readback == target ? NULL : "mismatch";
    }
    tool_result_set(result, "volume", readback);
    if (readback != TOOL_VALUE_NONE) {
        return NULL;
    }
    return equal ? "off_the_map" : "channels_differ";
}

/* One attempt, with the guard held. True if it confirmed. */
static bool attempt(int32_t target, tool_result_t *result)
{
    uint8_t attenuation[ES8388_CHANNELS];
    esp_err_t error = es8388_is_ready() ? ESP_OK : es8388_start(CONFIG_TRUESTAGE_START_VOLUME);
    if (error == ESP_OK && target != NO_TARGET) {
        error = write_channels(target);
    }
    result->executed = error == ESP_OK;
    if (error == ESP_OK) {
        error = read_channels(attenuation);
    }
    if (error != ESP_OK) {
        result->error = word_of(error);
        return false;
    }
    if (VARIANT.skips_comparison && target != NO_TARGET) {
        result->readback = target;
    } else {
        result->error = judge(attenuation, target, result);
        if (result->error != NULL) {
            return false;
        }
    }
    result->stage = TOOL_STAGE_CONFIRMED;
    return true;
}

/* Milliseconds until a point in time, 0 if it is past. */
static uint32_t milliseconds_to(int64_t then_us)
{
    int64_t left_us = then_us - esp_timer_get_time();
    return left_us > 0 ? (uint32_t)(left_us / 1000) : 0;
}

/* vTaskDelay(n) may end up to one tick early. */
static void delay_before_retry(void)
{
    vTaskDelay(pdMS_TO_TICKS(RETRY_DELAY_MS) + 1);
}

static void serve(const command_t *command)
{
    /* The lock's time-out is a little shorter than the tool's, and all attempts share it: the
     * caller learns that the bus was locked before it stops waiting. */
    bool awaited = command->call.slot != TOOL_CALL_DETACHED.slot;
    int64_t start_us = awaited ? command->queued_us : esp_timer_get_time();
    int64_t give_up_us = start_us + (int64_t)LOCK_MS * 1000;
    tool_result_t result = tool_result_new(command->target);

    for (uint32_t retry = 0; retry <= RETRIES; retry++) {
        if (retry > 0) {
            if (milliseconds_to(give_up_us) <= RETRY_DELAY_MS) {
                break;
            }
            delay_before_retry();
        }
        result.retries = retry;
        if (bus_guard_lock(PORT, milliseconds_to(give_up_us)) != ESP_OK) {
            result.error = "bus_locked";
            continue;
        }
        bool wanted = tool_call_is_wanted(command->call);
        bool confirmed = wanted && attempt(command->target, &result);
        bus_guard_unlock(PORT);
        if (!wanted) {
            return;
        }
        if (confirmed) {
            break;
        }
    }
    tool_call_finish(command->call, &result);
}

static void run(void *unused)
{
    (void)unused;
    command_t command;
    for (;;) {
        xQueueReceive(queue, &command, portMAX_DELAY);
        serve(&command);
    }
}

static esp_err_t start_codec(void)
{
    esp_err_t error = bus_guard_lock(PORT, LOCK_MS);
    if (error == ESP_OK) {
        error = es8388_start(CONFIG_TRUESTAGE_START_VOLUME);
        bus_guard_unlock(PORT);
    }
    return error;
}

esp_err_t audio_service_start(void)
{
    esp_err_t error = es8388_attach(PORT, CONFIG_TRUESTAGE_I2C_HZ);
    if (error != ESP_OK) {
        return error;
    }
    error = start_codec();
    for (int retry = 0; retry < RETRIES && error != ESP_OK; retry++) {
        delay_before_retry();
        error = start_codec();
    }
    if (error != ESP_OK) {
        ESP_LOGE(TAG, "the codec does not answer (%s)", word_of(error));
    }
    queue = xQueueCreate(VARIANT.queue_depth, sizeof(command_t));
    if (queue == NULL ||
        xTaskCreate(run, "audio", TASK_STACK_BYTES, NULL, TASK_PRIORITY, NULL) != pdPASS) {
        return ESP_ERR_NO_MEM;
    }
    return ESP_OK;
}

static bool enqueue(tool_call_ref_t call, int32_t target)
{
    if (uxQueueSpacesAvailable(queue) < VARIANT.queue_reserve) {
        return false;
    }
    const command_t command = {
        .call = call,
        .queued_us = esp_timer_get_time(),
        .target = target,
    };
    return xQueueSend(queue, &command, 0) == pdTRUE;
}

bool audio_service_set_volume(tool_call_ref_t call, int32_t volume)
{
    return enqueue(call, volume);
}

bool audio_service_get_volume(tool_call_ref_t call)
{
    return enqueue(call, NO_TARGET);
}
