/*
 * base64.c - bytes as text (RFC 4648, section 4).
 */
#include <distsniff/term.h>

void ds_buffer_add_base64(struct ds_buffer *buffer, const void *bytes, size_t len)
{
    const uint8_t *octets = bytes;
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (len > SIZE_MAX / 2 || !ds_buffer_reserve(buffer, len / 3 * 4 + 4))
        return;
    char *at = buffer->data + buffer->len;
    for (size_t i = 0; i < len; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        uint32_t group = (uint32_t)octets[i] << 16;
        if (n > 1)
            group |= (uint32_t)octets[i + 1] << 8;
        if (n > 2)
            group |= octets[i + 2];
        *at++ = digits[group >> 18];
        *at++ = digits[group >> 12 & 63];
        *at++ = n > 1 ? digits[group >> 6 & 63] : '=';
        *at++ = n > 2 ? digits[group & 63] : '=';
    }
    buffer->len = (size_t)(at - buffer->data);
}
