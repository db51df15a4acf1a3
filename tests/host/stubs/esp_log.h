#pragma once

#define ESP_LOGW(tag, ...) ((void)(tag))
