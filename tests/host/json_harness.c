/* Puts the firmware's JSON code behind a pipe, for test_json.py.
 *
 * A request is a letter, a 32-bit length in the host's byte order and that many bytes; the answer
 * is one line:
 *   p TEXT        the error's name, or the text written again: numbers that are no int64_t become
 *                 the strings "fraction:..." and "range:...". Writing is then repeated into every
 *                 smaller buffer, which must fail cleanly.
 *   m TEXT        the member "a" of an object, written again, or "absent"
 *   c N,TEXT      the string TEXT copied into N bytes: "equal" or "different" as compared with the
 *                 copy as C text, and the copy written
 *   s BYTES       the bytes written as a string
 *
 * Input and output buffers are exactly as long as they claim, so that the address sanitizer sees
 * one byte too many. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_reader.h"
#include "json_writer.h"

static void require(bool held, const char *claim)
{
    if (!held) {
        fprintf(stderr, "json_harness: %s\n", claim);
        exit(3);
    }
}

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    require(memory != NULL, "out of memory");
    return memory;
}

typedef void (*write_text_t)(json_writer_t *writer, const char *text, size_t length);

static void write_string(json_writer_t *writer, json_value_t string, write_text_t write)
{
    char *text = allocate(string.length);
    size_t length = json_string_copy(string, text, string.length);
    write(writer, text, length);
    free(text);
}

static void write_number(json_writer_t *writer, json_value_t number)
{
    int64_t value;
    json_number_t class = json_number(number, &value);
    if (class == JSON_INTEGER) {
        json_integer(writer, value);
        return;
    }
    const char *prefix = class == JSON_FRACTION ? "fraction:" : "range:";
    size_t capacity = strlen(prefix) + number.length + 1;
    char *text = allocate(capacity);
    snprintf(text, capacity, "%s%.*s", prefix, (int)number.length, number.text);
    json_string(writer, text);
    free(text);
}

static void write_value(json_writer_t *writer, json_value_t value);

static void write_members(json_writer_t *writer, json_value_t object)
{
    json_value_t key;
    json_value_t value;
    json_cursor_t cursor = json_begin(object);
    json_open_object(writer);
    while (json_next_member(&cursor, &key, &value)) {
        write_string(writer, key, json_key_n);
        write_value(writer, value);
    }
    json_close_object(writer);
}

static void write_elements(json_writer_t *writer, json_value_t array)
{
    json_value_t value;
    json_cursor_t cursor = json_begin(array);
    json_open_array(writer);
    while (json_next(&cursor, &value)) {
        write_value(writer, value);
    }
    json_close_array(writer);
}

static void write_value(json_writer_t *writer, json_value_t value)
{
    switch (value.kind) {
    case JSON_NULL:
        json_null(writer);
        break;
    case JSON_FALSE:
    case JSON_TRUE:
        json_boolean(writer, value.kind == JSON_TRUE);
        break;
    case JSON_NUMBER:
        write_number(writer, value);
        break;
    case JSON_STRING:
        write_string(writer, value, json_string_n);
        break;
    case JSON_ARRAY:
        write_elements(writer, value);
        break;
    case JSON_OBJECT:
        write_members(writer, value);
        break;
    }
}

/* Writes into exactly `capacity` bytes; returns what was written, NULL if it did not fit. */
static char *write_into(size_t capacity, json_value_t value, size_t *length)
{
    json_writer_t writer;
    char *buffer = allocate(capacity > 0 ? capacity : 1);
    json_writer_init(&writer, buffer, capacity);
    write_value(&writer, value);
    require(writer.length <= capacity, "the writer counts past its buffer");
    *length = writer.length;
    if (writer.failed) {
        free(buffer);
        return NULL;
    }
    return buffer;
}

static void answer_value(json_value_t value)
{
    size_t length;
    /* An escape is at most six bytes for one, a tagged number at most twelve more. */
    char *text = write_into(12 * value.length + 32, value, &length);
    require(text != NULL, "a writer with ample room failed");
    for (size_t capacity = length < 256 ? 0 : length - 1; capacity < length; capacity++) {
        size_t cut;
        require(write_into(capacity, value, &cut) == NULL, "a writer without room did not fail");
    }
    size_t exact;
    char *again = write_into(length, value, &exact);
    require(again != NULL && exact == length, "a writer with exactly enough room failed");
    printf("%.*s\n", (int)length, text);
    free(again);
    free(text);
}

static void answer_parse(const char *text, size_t length, bool member)
{
    static const char *const errors[] = {
        [JSON_ERROR_SYNTAX] = "syntax",
        [JSON_ERROR_UNICODE] = "unicode",
        [JSON_ERROR_DEPTH] = "depth",
    };
    json_value_t value;
    json_status_t status = json_parse(text, length, &value);
    if (status != JSON_OK) {
        puts(errors[status]);
    } else if (!member) {
        answer_value(value);
    } else if (json_member(value, "a", &value)) {
        answer_value(value);
    } else {
        puts("absent");
    }
}

static void answer_written(const char *bytes, size_t length)
{
    json_writer_t writer;
    size_t capacity = 6 * length + 2;
    char *buffer = allocate(capacity);
    json_writer_init(&writer, buffer, capacity);
    json_string_n(&writer, bytes, length);
    require(!writer.failed, "a string writer with ample room failed");
    printf("%.*s\n", (int)writer.length, buffer);
    free(buffer);
}

static void answer_copy(const char *text, size_t length)
{
    const char *comma = memchr(text, ',', length);
    require(comma != NULL, "no capacity given");
    size_t capacity = strtoul(text, NULL, 10);
    json_value_t string;
    require(json_parse(comma + 1, length - (size_t)(comma + 1 - text), &string) == JSON_OK &&
                string.kind == JSON_STRING,
            "not a string");
    char *copy = allocate(capacity);
    size_t copied = json_string_copy(string, copy, capacity);
    require(copied < capacity && copy[copied] == '\0', "the copy is not terminated");
    printf("%s ", json_string_equals(string, copy) ? "equal" : "different");
    answer_written(copy, copied);
    free(copy);
}

int main(void)
{
    int letter;
    while ((letter = getchar()) != EOF) {
        uint32_t length;
        require(fread(&length, sizeof length, 1, stdin) == 1, "short request");
        char *bytes = allocate(length > 0 ? length : 1);
        require(fread(bytes, 1, length, stdin) == length, "short request");
        switch (letter) {
        case 'p':
        case 'm':
            answer_parse(bytes, length, letter == 'm');
            break;
        case 'c':
            answer_copy(bytes, length);
            break;
        case 's':
            answer_written(bytes, length);
            break;
        default:
            require(false, "unknown request");
        }
        free(bytes);
        fflush(stdout);
    }
    return 0;
}
