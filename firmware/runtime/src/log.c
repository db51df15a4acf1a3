#include "esp_log.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "freertos/task.h"

#define MAX_TAGS 16

static struct {
    const char *tag;
    esp_log_level_t level;
} tags[MAX_TAGS];
static size_t tag_count;
static esp_log_level_t default_level = CONFIG_LOG_DEFAULT_LEVEL;

void esp_log_level_set(const char *tag, esp_log_level_t level)
{
    if (strcmp(tag, "*") == 0) {
        tag_count = 0;
        default_level = level;
        return;
    }
    size_t i = 0;
    while (i < tag_count && strcmp(tags[i].tag, tag) != 0) {
        i++;
    }
    if (i == MAX_TAGS) {
        return;
    }
    tags[i].tag = tag;
    tags[i].level = level;
    tag_count = i == tag_count ? tag_count + 1 : tag_count;
}

esp_log_level_t esp_log_level_get(const char *tag)
{
    for (size_t i = 0; i < tag_count; i++) {
        if (strcmp(tags[i].tag, tag) == 0) {
            return tags[i].level;
        }
    }
    return default_level;
}

uint32_t esp_log_timestamp(void)
{
    return xTaskGetTickCount() * portTICK_PERIOD_MS;
}

uint32_t esp_log_early_timestamp(void)
{
    return esp_log_timestamp();
}

void esp_log_writev(esp_log_level_t level, const char *tag, const char *format, va_list args)
{
    if (level <= esp_log_level_get(tag)) {
        vprintf(format, args);
    }
}

void esp_log_write(esp_log_level_t level, const char *tag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    esp_log_writev(level, tag, format, args);
    va_end(args);
}
