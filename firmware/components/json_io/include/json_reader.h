#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A JSON reader without a tree: the text is checked once, then values are slices of it.
 *
 * json_parse() walks the whole text in a loop (RFC 8259, no recursion, no allocation); everything
 * else only accepts values that came out of it and stays inside them. The text outlives them. */

/* Deepest nesting of arrays and objects that is accepted. */
#define JSON_DEPTH_MAX 16

typedef enum {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
} json_kind_t;

/* One value: `text` to `text + length` is exactly its source, quotes and brackets included. */
typedef struct {
    const char *text;
    size_t length;
    json_kind_t kind;
} json_value_t;

typedef enum {
    JSON_OK,
    JSON_ERROR_SYNTAX,
    JSON_ERROR_UNICODE, /* a string with bad UTF-8 or half of a surrogate pair */
    JSON_ERROR_DEPTH,   /* nested deeper than JSON_DEPTH_MAX */
} json_status_t;

typedef enum {
    JSON_INTEGER,      /* also 60.0 and 6e1: JSON Schema calls them integers */
    JSON_FRACTION,     /* not a whole number */
    JSON_OUT_OF_RANGE, /* a whole number that does not fit into int64_t */
} json_number_t;

typedef struct {
    const char *at;
    const char *end;
} json_cursor_t;

/* Checks `length` bytes as one JSON text; *root is set only on JSON_OK. */
json_status_t json_parse(const char *text, size_t length, json_value_t *root);

/* A cursor before the first element or member of an array or object. */
json_cursor_t json_begin(json_value_t container);

/* Steps to the next array element; false at the end. */
bool json_next(json_cursor_t *cursor, json_value_t *value);

/* Steps to the next object member; false at the end. */
bool json_next_member(json_cursor_t *cursor, json_value_t *key, json_value_t *value);

/* Finds a member by name, the last one if the name is repeated; false if `object` is not an object
 * or has no such member. */
bool json_member(json_value_t object, const char *name, json_value_t *value);

/* Compares a string value, escapes resolved, with NUL-terminated text. */
bool json_string_equals(json_value_t string, const char *expected);

/* Copies a string value, escapes resolved, as NUL-terminated UTF-8, cut before the first character
 * that does not fit; returns the length without the NUL. `capacity` is at least 1. */
size_t json_string_copy(json_value_t string, char *out, size_t capacity);

/* Classifies a number; *value is set only on JSON_INTEGER. */
json_number_t json_number(json_value_t number, int64_t *value);
