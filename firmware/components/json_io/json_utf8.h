#pragma once

#include <stddef.h>
#include <stdint.h>

/* Length (1 to 4) of the well-formed UTF-8 sequence at `at`, or 0 if there is none before `end`.
 * Well-formed as in RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF. */
size_t json_utf8_length(const char *at, const char *end);

/* Encodes a Unicode scalar value; returns the number of bytes written (1 to 4). */
size_t json_utf8_encode(uint32_t character, char out[4]);
