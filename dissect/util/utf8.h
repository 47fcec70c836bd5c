/*
 * utf8.h - reads and writes UTF-8 (RFC 3629): one to four bytes per character, no surrogates,
 * nothing above 10FFFF, never longer than necessary.
 *
 *     0xxxxxxx
 *     110xxxxx 10xxxxxx
 *     1110xxxx 10xxxxxx 10xxxxxx
 *     11110xxx 10xxxxxx 10xxxxxx 10xxxxxx
 */
#ifndef DISSECT_UTF8_H
#define DISSECT_UTF8_H

#include "util/buffer.h"

enum { UTF8_LEN_MAX = 4 };

/* utf8_read reads the next character; false, and nothing moves, if the bytes are invalid. */
CURSOR_CHECKED bool utf8_read(struct cursor *c, uint32_t *out)
{
    struct cursor next = *c;
    uint8_t lead;
    if (!cursor_read_u8(&next, &lead))
        return false;
    uint32_t code = lead;
    if (lead >= 0x80) {
        unsigned num_more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (lead < 0xc2 || lead > 0xf4)
            return false;
        code = lead & (0x3fu >> num_more);
        for (unsigned i = 0; i < num_more; i++) {
            uint8_t more;
            if (!cursor_read_u8(&next, &more) || (more & 0xc0) != 0x80)
                return false;
            code = code << 6 | (more & 0x3fu);
        }
        if ((num_more == 2 && (code < 0x800 || (code >= 0xd800 && code <= 0xdfff))) ||
            (num_more == 3 && (code < 0x10000 || code > 0x10ffff)))
            return false;
    }
    *out = code;
    *c = next;
    return true;
}

/* utf8_put writes a character to bytes, and returns its length. */
static inline size_t utf8_put(char bytes[UTF8_LEN_MAX], uint32_t code)
{
    size_t len = 1;
    if (code < 0x80) {
        bytes[0] = (char)code;
    } else if (code < 0x800) {
        bytes[0] = (char)(0xc0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 0x3f));
        len = 2;
    } else if (code < 0x10000) {
        bytes[0] = (char)(0xe0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (code & 0x3f));
        len = 3;
    } else {
        bytes[0] = (char)(0xf0 | code >> 18);
        bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[3] = (char)(0x80 | (code & 0x3f));
        len = 4;
    }
    return len;
}

/* utf8_add appends a character. */
static inline void utf8_add(struct ds_buffer *out, uint32_t code)
{
    char bytes[UTF8_LEN_MAX];
    buffer_add_bytes(out, bytes, utf8_put(bytes, code));
}

/* utf8_from_latin1 converts a latin-1 text to UTF-8 in out, which has room for twice as many bytes,
 * and returns the new length. */
static inline size_t utf8_from_latin1(struct cursor text, char *out)
{
    size_t len = 0;
    uint8_t byte;
    while (cursor_read_u8(&text, &byte)) {
        if (byte < 0x80)
            out[len++] = (char)byte;
        else
            len += utf8_put(out + len, byte);
    }
    return len;
}

#endif
