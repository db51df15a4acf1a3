#include "esp_err.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "esp_rom_sys.h"

#define NAMED(code) { code, #code }

static const struct {
    esp_err_t code;
    const char *name;
} names[] = {
    NAMED(ESP_OK),
    NAMED(ESP_FAIL),
    NAMED(ESP_ERR_NO_MEM),
    NAMED(ESP_ERR_INVALID_ARG),
    NAMED(ESP_ERR_INVALID_STATE),
    NAMED(ESP_ERR_INVALID_SIZE),
    NAMED(ESP_ERR_NOT_FOUND),
    NAMED(ESP_ERR_NOT_SUPPORTED),
    NAMED(ESP_ERR_TIMEOUT),
    NAMED(ESP_ERR_INVALID_RESPONSE),
    NAMED(ESP_ERR_INVALID_CRC),
    NAMED(ESP_ERR_INVALID_VERSION),
    NAMED(ESP_ERR_INVALID_MAC),
    NAMED(ESP_ERR_NOT_FINISHED),
    NAMED(ESP_ERR_NOT_ALLOWED),
};

const char *esp_err_to_name(esp_err_t code)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].code == code) {
            return names[i].name;
        }
    }
    return "UNKNOWN ERROR";
}

static void print_failure(const char *macro, esp_err_t rc, const char *file, int line,
                          const char *function, const char *expression, const void *caller)
{
    esp_rom_printf("%s failed: esp_err_t 0x%x (%s) at 0x%08x\n"
                   "file: \"%s\" line %d\nfunc: %s\nexpression: %s\n",
                   macro, rc, esp_err_to_name(rc), (unsigned)(uintptr_t)caller, file, line,
                   function, expression);
}

void _esp_error_check_failed_without_abort(esp_err_t rc, const char *file, int line,
                                           const char *function, const char *expression)
{
    print_failure("ESP_ERROR_CHECK_WITHOUT_ABORT", rc, file, line, function, expression,
                  __builtin_return_address(0));
}

void _esp_error_check_failed(esp_err_t rc, const char *file, int line, const char *function,
                             const char *expression)
{
    print_failure("ESP_ERROR_CHECK", rc, file, line, function, expression,
                  __builtin_return_address(0));
    abort();
}
