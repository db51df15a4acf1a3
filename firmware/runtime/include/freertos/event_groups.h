/* Event groups: 24 bits on which several tasks can wait. */
#pragma once

#include "freertos/FreeRTOS.h"
#include "freertos/task.h"

typedef struct EventGroupDef_t *EventGroupHandle_t;
typedef TickType_t EventBits_t;

EventGroupHandle_t xEventGroupCreate(void);
EventGroupHandle_t xEventGroupCreateStatic(StaticEventGroup_t *memory);
void vEventGroupDelete(EventGroupHandle_t group);

EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, EventBits_t bits,
                                BaseType_t clear_on_exit, BaseType_t wait_for_all,
                                TickType_t ticks_to_wait);
EventBits_t xEventGroupSetBits(EventGroupHandle_t group, EventBits_t bits);
EventBits_t xEventGroupClearBits(EventGroupHandle_t group, EventBits_t bits);
EventBits_t xEventGroupSync(EventGroupHandle_t group, EventBits_t set, EventBits_t wait_for,
                            TickType_t ticks_to_wait);
BaseType_t xEventGroupSetBitsFromISR(EventGroupHandle_t group, EventBits_t bits,
                                     BaseType_t *woken);
BaseType_t xEventGroupClearBitsFromISR(EventGroupHandle_t group, EventBits_t bits);
EventBits_t xEventGroupGetBitsFromISR(EventGroupHandle_t group);
#define xEventGroupGetBits(group) xEventGroupClearBits(group, 0)
