#include "json_reader.h"

#include <string.h>

#include "json_utf8.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
        at++;
    }
    return at;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at)) {
        at++;
    }
    return at;
}

/* The check_ functions return the end of the token at `at`, or NULL if it is malformed. */

static const char *check_word(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 ? at + length : NULL;
}

static const char *check_number(const char *at, const char *end)
{
    if (at < end && *at == '-') {
        at++;
    }
    const char *whole = at;
    at = skip_digits(at, end);
    if (at == whole || (*whole == '0' && at - whole > 1)) {
        return NULL;
    }
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        at = skip_digits(at, end);
        if (at == fraction) {
            return NULL;
        }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) {
            at++;
        }
        const char *exponent = at;
        at = skip_digits(at, end);
        if (at == exponent) {
            return NULL;
        }
    }
    return at;
}

static int hex_digit(char c)
{
    if (is_digit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The four hexadecimal digits at `at`, or -1. */
static int32_t hex_quad(const char *at, const char *end)
{
    if (end - at < 4) {
        return -1;
    }
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0) {
            return -1;
        }
        value = value << 4 | digit;
    }
    return value;
}

static bool is_high_surrogate(int32_t unit)
{
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low_surrogate(int32_t unit)
{
    return unit >= 0xDC00 && unit < 0xE000;
}

/* `at` is behind the "\u". */
static json_status_t check_unicode_escape(const char **at, const char *end)
{
    int32_t unit = hex_quad(*at, end);
    if (unit < 0) {
        return JSON_ERROR_SYNTAX;
    }
    *at += 4;
    if (is_low_surrogate(unit)) {
        return JSON_ERROR_UNICODE;
    }
    if (is_high_surrogate(unit)) {
        if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u' ||
            !is_low_surrogate(hex_quad(*at + 2, end))) {
            return JSON_ERROR_UNICODE;
        }
        *at += 6;
    }
    return JSON_OK;
}

/* *at is on the opening quote and ends behind the closing one. */
static json_status_t check_string(const char **at, const char *end)
{
    const char *here = *at + 1;
    while (here < end) {
        if (*here == '"') {
            *at = here + 1;
            return JSON_OK;
        }
        if ((uint8_t)*here < 0x20) {
            return JSON_ERROR_SYNTAX;
        }
        if (*here != '\\') {
            size_t length = json_utf8_length(here, end);
            if (length == 0) {
                return JSON_ERROR_UNICODE;
            }
            here += length;
            continue;
        }
        here++;
        if (here == end) {
            return JSON_ERROR_SYNTAX;
        }
        if (*here == 'u') {
            here++;
            json_status_t status = check_unicode_escape(&here, end);
            if (status != JSON_OK) {
                return status;
            }
        } else if (*here != '\0' && strchr("\"\\/bfnrt", *here) != NULL) {
            here++;
        } else {
            return JSON_ERROR_SYNTAX;
        }
    }
    return JSON_ERROR_SYNTAX;
}

static json_kind_t kind_of(char first)
{
    switch (first) {
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case '"':
        return JSON_STRING;
    case 't':
        return JSON_TRUE;
    case 'f':
        return JSON_FALSE;
    case 'n':
        return JSON_NULL;
    default:
        return JSON_NUMBER;
    }
}

static json_status_t check_scalar(const char **at, const char *end)
{
    const char *next;
    switch (kind_of(**at)) {
    case JSON_STRING:
        return check_string(at, end);
    case JSON_TRUE:
        next = check_word(*at, end, "true");
        break;
    case JSON_FALSE:
        next = check_word(*at, end, "false");
        break;
    case JSON_NULL:
        next = check_word(*at, end, "null");
        break;
    default:
        next = check_number(*at, end);
        break;
    }
    if (next == NULL) {
        return JSON_ERROR_SYNTAX;
    }
    *at = next;
    return JSON_OK;
}

/* *at is on the key's opening quote and ends behind the colon. */
static json_status_t check_key(const char **at, const char *end)
{
    if (**at != '"') {
        return JSON_ERROR_SYNTAX;
    }
    json_status_t status = check_string(at, end);
    if (status != JSON_OK) {
        return status;
    }
    *at = skip_space(*at, end);
    if (*at == end || **at != ':') {
        return JSON_ERROR_SYNTAX;
    }
    ++*at;
    return JSON_OK;
}

json_status_t json_parse(const char *text, size_t length, json_value_t *root)
{
    enum { KEY, VALUE, AFTER_VALUE } want = VALUE;
    const char *end = text + length;
    const char *at = skip_space(text, end);
    const char *start = at;
    uint32_t in_object = 0; /* one bit per open container, the innermost lowest */
    unsigned depth = 0;
    bool may_close = false; /* directly behind an opening bracket */

    do {
        json_status_t status = JSON_OK;
        at = skip_space(at, end);
        if (at == end) {
            return JSON_ERROR_SYNTAX;
        }
        bool closes = depth > 0 && *at == (in_object & 1 ? '}' : ']');
        if (closes && (want == AFTER_VALUE || may_close)) {
            at++;
            depth--;
            in_object >>= 1;
            want = AFTER_VALUE;
        } else if (want == AFTER_VALUE) {
            if (*at++ != ',') {
                return JSON_ERROR_SYNTAX;
            }
            want = in_object & 1 ? KEY : VALUE;
        } else if (want == KEY) {
            status = check_key(&at, end);
            want = VALUE;
        } else if (*at == '{' || *at == '[') {
            if (++depth > JSON_DEPTH_MAX) {
                return JSON_ERROR_DEPTH;
            }
            in_object = in_object << 1 | (*at == '{');
            want = *at++ == '{' ? KEY : VALUE;
            may_close = true;
            continue;
        } else {
            status = check_scalar(&at, end);
            want = AFTER_VALUE;
        }
        may_close = false;
        if (status != JSON_OK) {
            return status;
        }
    } while (depth > 0 || want != AFTER_VALUE);

    if (skip_space(at, end) != end) {
        return JSON_ERROR_SYNTAX;
    }
    *root = (json_value_t){.text = start, .length = (size_t)(at - start), .kind = kind_of(*start)};
    return JSON_OK;
}

/* From here on the text has been checked. */

static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++) {
        if (*at == '\\') {
            at++;
        }
    }
    return at < end ? at + 1 : end;
}

static const char *skip_value(const char *at, const char *end)
{
    unsigned depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at, end);
            continue;
        }
        if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']') {
            depth--;
        } else if (depth == 0) {
            while (at < end && strchr(" \t\r\n,]}", *at) == NULL) {
                at++;
            }
            return at;
        }
        at++;
    } while (depth > 0 && at < end);
    return at;
}

static json_value_t take_value(json_cursor_t *cursor)
{
    const char *start = skip_space(cursor->at, cursor->end);
    cursor->at = skip_value(start, cursor->end);
    return (json_value_t){
        .text = start, .length = (size_t)(cursor->at - start), .kind = kind_of(*start)};
}

/* Steps over the separator `mark` and the space around it. */
static void skip_mark(json_cursor_t *cursor, char mark)
{
    cursor->at = skip_space(cursor->at, cursor->end);
    if (cursor->at < cursor->end && *cursor->at == mark) {
        cursor->at = skip_space(cursor->at + 1, cursor->end);
    }
}

json_cursor_t json_begin(json_value_t container)
{
    const char *end = container.text + container.length - 1;
    return (json_cursor_t){.at = skip_space(container.text + 1, end), .end = end};
}

bool json_next(json_cursor_t *cursor, json_value_t *value)
{
    if (cursor->at >= cursor->end) {
        return false;
    }
    *value = take_value(cursor);
    skip_mark(cursor, ',');
    return true;
}

bool json_next_member(json_cursor_t *cursor, json_value_t *key, json_value_t *value)
{
    if (cursor->at >= cursor->end) {
        return false;
    }
    *key = take_value(cursor);
    skip_mark(cursor, ':');
    *value = take_value(cursor);
    skip_mark(cursor, ',');
    return true;
}

bool json_member(json_value_t object, const char *name, json_value_t *value)
{
    if (object.kind != JSON_OBJECT) {
        return false;
    }
    bool found = false;
    json_value_t key;
    json_value_t candidate;
    json_cursor_t cursor = json_begin(object);
    while (json_next_member(&cursor, &key, &candidate)) {
        if (json_string_equals(key, name)) {
            *value = candidate;
            found = true;
        }
    }
    return found;
}

/* Decodes the character at *at, inside a checked string, as UTF-8 and steps over it. */
static size_t next_character(const char **at, const char *end, char out[4])
{
    const char *here = *at;
    if (*here != '\\' && (uint8_t)*here < 0x80) {
        out[0] = *here;
        ++*at;
        return 1;
    }
    if (*here != '\\') {
        size_t length = json_utf8_length(here, end);
        memcpy(out, here, length);
        *at += length;
        return length;
    }
    if (here[1] != 'u') {
        static const char escaped[] = "bfnrt";
        static const char meaning[] = "\b\f\n\r\t";
        const char *place = strchr(escaped, here[1]);
        out[0] = place != NULL ? meaning[place - escaped] : here[1];
        *at += 2;
        return 1;
    }
    int32_t character = hex_quad(here + 2, end);
    *at += 6;
    if (is_high_surrogate(character)) {
        character = 0x10000 + ((character - 0xD800) << 10) + (hex_quad(here + 8, end) - 0xDC00);
        *at += 6;
    }
    return json_utf8_encode((uint32_t)character, out);
}

bool json_string_equals(json_value_t string, const char *expected)
{
    if (string.kind != JSON_STRING) {
        return false;
    }
    const char *at = string.text + 1;
    const char *end = string.text + string.length - 1;
    size_t left = strlen(expected);
    while (at < end) {
        char character[4];
        size_t length = next_character(&at, end, character);
        if (length > left || memcmp(character, expected, length) != 0) {
            return false;
        }
        expected += length;
        left -= length;
    }
    return left == 0;
}

size_t json_string_copy(json_value_t string, char *out, size_t capacity)
{
    const char *at = string.text + 1;
    const char *end = string.text + string.length - 1;
    size_t used = 0;
    while (at < end) {
        char character[4];
        size_t length = next_character(&at, end, character);
        if (length >= capacity - used) {
            break;
        }
        memcpy(out + used, character, length);
        used += length;
    }
    out[used] = '\0';
    return used;
}

/* The exponent behind the 'e' at `at`, held within +-10000: a line is shorter than that. */
static int32_t exponent_of(const char *at, const char *end)
{
    if (at == end) {
        return 0;
    }
    at++;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+') {
        at++;
    }
    int32_t value = 0;
    for (; at < end && value < 10000; at++) {
        value = value * 10 + (*at - '0');
    }
    value = value < 10000 ? value : 10000;
    return negative ? -value : value;
}

/* magnitude = magnitude * 10 + digit, up to 2^63 (the magnitude of INT64_MIN). */
static bool append_digit(uint64_t *magnitude, unsigned digit)
{
    const uint64_t limit = (uint64_t)INT64_MAX + 1;
    if (*magnitude > (limit - digit) / 10) {
        return false;
    }
    *magnitude = *magnitude * 10 + digit;
    return true;
}

json_number_t json_number(json_value_t number, int64_t *value)
{
    const char *end = number.text + number.length;
    const char *at = number.text;
    bool negative = *at == '-';
    uint64_t magnitude = 0;
    int32_t zeros = 0; /* zeros read but not yet multiplied in: trailing ones may be dropped */
    int32_t scale = 0; /* the value is magnitude * 10^(zeros + scale) */
    bool behind_point = false;
    bool fits = true;

    at += negative ? 1 : 0;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            behind_point = true;
            continue;
        }
        scale -= behind_point ? 1 : 0;
        zeros++;
        if (*at == '0') {
            continue;
        }
        for (; zeros > 1 && fits && magnitude != 0; zeros--) {
            fits = append_digit(&magnitude, 0);
        }
        zeros = 0;
        fits = fits && append_digit(&magnitude, (unsigned)(*at - '0'));
    }
    if (magnitude == 0 && fits) {
        *value = 0;
        return JSON_INTEGER;
    }
    int32_t power = zeros + scale + exponent_of(at, end);
    if (power < 0) {
        return JSON_FRACTION;
    }
    for (; power > 0 && fits; power--) {
        fits = append_digit(&magnitude, 0);
    }
    if (!fits || (magnitude > INT64_MAX && !negative)) {
        return JSON_OUT_OF_RANGE;
    }
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return JSON_INTEGER;
}
