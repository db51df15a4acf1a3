#include "json_writer.h"

#include <string.h>

#include "json_utf8.h"

static void put(json_writer_t *writer, const char *text, size_t length)
{
    if (writer->failed || length > writer->capacity - writer->length) {
        writer->failed = true;
        return;
    }
    memcpy(writer->buffer + writer->length, text, length);
    writer->length += length;
}

static void put_value(json_writer_t *writer, const char *text, size_t length)
{
    if (writer->needs_comma) {
        put(writer, ",", 1);
    }
    put(writer, text, length);
    writer->needs_comma = true;
}

static void open(json_writer_t *writer, const char *bracket)
{
    put_value(writer, bracket, 1);
    writer->needs_comma = false;
}

static void close(json_writer_t *writer, const char *bracket)
{
    put(writer, bracket, 1);
    writer->needs_comma = true;
}

void json_writer_init(json_writer_t *writer, char *buffer, size_t capacity)
{
    *writer = (json_writer_t){.buffer = buffer, .capacity = capacity};
}

void json_open_object(json_writer_t *writer)
{
    open(writer, "{");
}

void json_close_object(json_writer_t *writer)
{
    close(writer, "}");
}

void json_open_array(json_writer_t *writer)
{
    open(writer, "[");
}

void json_close_array(json_writer_t *writer)
{
    close(writer, "]");
}

void json_key(json_writer_t *writer, const char *name)
{
    json_key_n(writer, name, strlen(name));
}

void json_key_n(json_writer_t *writer, const char *name, size_t length)
{
    json_string_n(writer, name, length);
    put(writer, ":", 1);
    writer->needs_comma = false;
}

void json_string(json_writer_t *writer, const char *text)
{
    json_string_n(writer, text, strlen(text));
}

static void put_escape(json_writer_t *writer, char c)
{
    static const char named[] = "\"\\\b\f\n\r\t";
    static const char letter[] = "\"\\bfnrt";
    const char *place = c != '\0' ? strchr(named, c) : NULL;
    if (place != NULL) {
        put(writer, (char[]){'\\', letter[place - named]}, 2);
        return;
    }
    static const char hex[] = "0123456789abcdef";
    put(writer, (char[]){'\\', 'u', '0', '0', hex[(uint8_t)c >> 4], hex[c & 0xF]}, 6);
}

void json_string_n(json_writer_t *writer, const char *text, size_t length)
{
    const char *end = text + length;
    put_value(writer, "\"", 1);
    while (text < end) {
        const char *plain = text;
        size_t step = 1;
        while (text < end && (uint8_t)*text >= 0x20 && *text != '"' && *text != '\\' &&
               (step = (uint8_t)*text < 0x80 ? 1 : json_utf8_length(text, end)) != 0) {
            text += step;
        }
        put(writer, plain, (size_t)(text - plain));
        if (text == end) {
            break;
        }
        if (step == 0) {
            put(writer, "\xEF\xBF\xBD", 3);
        } else {
            put_escape(writer, *text);
        }
        text++;
    }
    put(writer, "\"", 1);
}

void json_integer(json_writer_t *writer, int64_t value)
{
    char digits[20]; /* -9223372036854775808 */
    size_t at = sizeof digits;
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude != 0);
    if (value < 0) {
        digits[--at] = '-';
    }
    put_value(writer, digits + at, sizeof digits - at);
}

void json_boolean(json_writer_t *writer, bool value)
{
    if (value) {
        put_value(writer, "true", 4);
    } else {
        put_value(writer, "false", 5);
    }
}

void json_null(json_writer_t *writer)
{
    put_value(writer, "null", 4);
}

void json_raw(json_writer_t *writer, const char *text, size_t length)
{
    put_value(writer, text, length);
}
