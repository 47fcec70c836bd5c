/*
 * hexdump.c - see hexdump.h. A line: tab, offset, eight groups of two bytes, ASCII.
 */
#include "output/hexdump.h"

void hexdump_print(const uint8_t *bytes, size_t len, struct ds_buffer *out)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t line = 0; line < len; line += 16) {
        char text[16 * 2 + 8 + 2 + 16 + 1];
        char *at = text;
        for (size_t i = line; i < line + 16; i++) {
            if (i % 2 == 0)
                *at++ = ' ';
            *at++ = i < len ? digits[bytes[i] >> 4] : ' ';
            *at++ = i < len ? digits[bytes[i] & 15] : ' ';
        }
        *at++ = ' ';
        *at++ = ' ';
        for (size_t i = line; i < line + 16 && i < len; i++)
            *at++ = bytes[i] >= 0x20 && bytes[i] < 0x7F ? (char)bytes[i] : '.';
        *at++ = '\n';
        ds_buffer_printf(out, "\t0x%04zx: ", line);
        ds_buffer_add(out, text, (size_t)(at - text));
    }
}
