#include "json_utf8.h"

static size_t sequence_length(uint8_t lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xC2) {
        return 0;
    }
    if (lead < 0xE0) {
        return 2;
    }
    if (lead < 0xF0) {
        return 3;
    }
    return lead < 0xF5 ? 4 : 0;
}

size_t json_utf8_length(const char *at, const char *end)
{
    if (at == end) {
        return 0;
    }
    const uint8_t *byte = (const uint8_t *)at;
    size_t length = sequence_length(byte[0]);
    if (length == 0 || (size_t)(end - at) < length) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    /* The second byte alone tells overlong forms, surrogates and values past U+10FFFF. */
    if ((byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xED && byte[1] >= 0xA0) ||
        (byte[0] == 0xF0 && byte[1] < 0x90) || (byte[0] == 0xF4 && byte[1] >= 0x90)) {
        return 0;
    }
    return length;
}

size_t json_utf8_encode(uint32_t character, char out[4])
{
    if (character < 0x80) {
        out[0] = (char)character;
        return 1;
    }
    size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (character & 0x3F));
        character >>= 6;
    }
    out[0] = (char)(lead[length] | character);
    return length;
}
