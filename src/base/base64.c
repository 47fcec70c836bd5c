/*
 * base64.c - see base64.h.
 */
#include "base64.h"

void base64_add(const uint8_t *bytes, size_t len, struct ds_buffer *out)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (len > SIZE_MAX / 2 || !ds_buffer_reserve(out, len / 3 * 4 + 4))
        return;
    char *at = out->data + out->len;
    for (size_t i = 0; i < len; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        uint32_t group = (uint32_t)bytes[i] << 16;
        if (n > 1)
            group |= (uint32_t)bytes[i + 1] << 8;
        if (n > 2)
            group |= bytes[i + 2];
        *at++ = digits[group >> 18];
        *at++ = digits[group >> 12 & 63];
        *at++ = n > 1 ? digits[group >> 6 & 63] : '=';
        *at++ = n > 2 ? digits[group & 63] : '=';
    }
    out->len = (size_t)(at - out->data);
}
