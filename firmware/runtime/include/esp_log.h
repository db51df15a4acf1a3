/* Leveled logging to the console: `I (123) tag: text`, the number in ms since boot. */
#pragma once

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include "sdkconfig.h"

typedef enum {
    ESP_LOG_NONE,
    ESP_LOG_ERROR,
    ESP_LOG_WARN,
    ESP_LOG_INFO,
    ESP_LOG_DEBUG,
    ESP_LOG_VERBOSE,
} esp_log_level_t;

#ifndef LOG_LOCAL_LEVEL
#define LOG_LOCAL_LEVEL CONFIG_LOG_MAXIMUM_LEVEL
#endif

/* Sets one tag's level; the tag "*" sets everyone's and forgets earlier settings. */
void esp_log_level_set(const char *tag, esp_log_level_t level);
esp_log_level_t esp_log_level_get(const char *tag);

/* Milliseconds since the scheduler started. */
uint32_t esp_log_timestamp(void);
uint32_t esp_log_early_timestamp(void);

void esp_log_write(esp_log_level_t level, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void esp_log_writev(esp_log_level_t level, const char *tag, const char *format, va_list args);

#define LOG_FORMAT(letter, format) #letter " (%" PRIu32 ") %s: " format "\n"

#define ESP_LOG_LEVEL(level, tag, format, ...)                                                  \
    do {                                                                                        \
        if ((level) == ESP_LOG_ERROR) {                                                         \
            esp_log_write(ESP_LOG_ERROR, tag, LOG_FORMAT(E, format), esp_log_timestamp(), tag,  \
                          ##__VA_ARGS__);                                                       \
        } else if ((level) == ESP_LOG_WARN) {                                                   \
            esp_log_write(ESP_LOG_WARN, tag, LOG_FORMAT(W, format), esp_log_timestamp(), tag,   \
                          ##__VA_ARGS__);                                                       \
        } else if ((level) == ESP_LOG_DEBUG) {                                                  \
            esp_log_write(ESP_LOG_DEBUG, tag, LOG_FORMAT(D, format), esp_log_timestamp(), tag,  \
                          ##__VA_ARGS__);                                                       \
        } else if ((level) == ESP_LOG_VERBOSE) {                                                \
            esp_log_write(ESP_LOG_VERBOSE, tag, LOG_FORMAT(V, format), esp_log_timestamp(),     \
                          tag, ##__VA_ARGS__);                                                  \
        } else {                                                                                \
            esp_log_write(ESP_LOG_INFO, tag, LOG_FORMAT(I, format), esp_log_timestamp(), tag,   \
                          ##__VA_ARGS__);                                                       \
        }                                                                                       \
    } while (0)

#define ESP_LOG_LEVEL_LOCAL(level, tag, format, ...)                \
    do {                                                            \
        if (LOG_LOCAL_LEVEL >= (level)) {                           \
            ESP_LOG_LEVEL(level, tag, format, ##__VA_ARGS__);       \
        }                                                           \
    } while (0)

#define ESP_LOGE(tag, format, ...) ESP_LOG_LEVEL_LOCAL(ESP_LOG_ERROR, tag, format, ##__VA_ARGS__)
#define ESP_LOGW(tag, format, ...) ESP_LOG_LEVEL_LOCAL(ESP_LOG_WARN, tag, format, ##__VA_ARGS__)
#define ESP_LOGI(tag, format, ...) ESP_LOG_LEVEL_LOCAL(ESP_LOG_INFO, tag, format, ##__VA_ARGS__)
#define ESP_LOGD(tag, format, ...) ESP_LOG_LEVEL_LOCAL(ESP_LOG_DEBUG, tag, format, ##__VA_ARGS__)
#define ESP_LOGV(tag, format, ...) ESP_LOG_LEVEL_LOCAL(ESP_LOG_VERBOSE, tag, format, ##__VA_ARGS__)

#define ESP_EARLY_LOGE ESP_LOGE
#define ESP_EARLY_LOGW ESP_LOGW
#define ESP_EARLY_LOGI ESP_LOGI
#define ESP_EARLY_LOGD ESP_LOGD
#define ESP_EARLY_LOGV ESP_LOGV
#define ESP_DRAM_LOGE ESP_LOGE
#define ESP_DRAM_LOGW ESP_LOGW
#define ESP_DRAM_LOGI ESP_LOGI
