#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A JSON writer into a fixed buffer. Commas are its business. The first thing that does not fit
 * makes it `failed` for good: what is in the buffer then is not JSON and must not be sent. */

typedef struct {
    char *buffer;
    size_t capacity;
    size_t length;
    bool needs_comma;
    bool failed;
} json_writer_t;

void json_writer_init(json_writer_t *writer, char *buffer, size_t capacity);

void json_open_object(json_writer_t *writer);
void json_close_object(json_writer_t *writer);
void json_open_array(json_writer_t *writer);
void json_close_array(json_writer_t *writer);

/* A member's name; its value is the next thing written. */
void json_key(json_writer_t *writer, const char *name);
void json_key_n(json_writer_t *writer, const char *name, size_t length);

/* A string value, escaped; a byte that is not UTF-8 becomes U+FFFD. */
void json_string(json_writer_t *writer, const char *text);
void json_string_n(json_writer_t *writer, const char *text, size_t length);

void json_integer(json_writer_t *writer, int64_t value);
void json_boolean(json_writer_t *writer, bool value);
void json_null(json_writer_t *writer);

/* A value that is JSON already. */
void json_raw(json_writer_t *writer, const char *text, size_t length);
