/*
 * json_escape.c - see json_escape.h. A character above U+FFFF is escaped as the two surrogates
 * that UTF-16 has for it.
 */
#include "json_escape.h"

#include <string.h>

enum { ESCAPED_MAX = 12 }; /* two surrogates */

static const char hex_digits[] = "0123456789abcdef";

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* count_plain returns how many of the bytes at text are ASCII that stands for itself; looked at
 * eight by eight, for terms make up most of the output. */
static size_t count_plain(const char *text, size_t len)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t tops = ones << 7;
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, 8);
        uint64_t quote = word ^ ones * '"';
        uint64_t backslash = word ^ ones * '\\';
        /* A byte below n borrows into its top bit; one of 0x7F carries into it. */
        uint64_t hits =
            (quote - ones) | (backslash - ones) | (word - ones * 0x20) | (word + ones) | word;
        if ((hits & tops) != 0)
            break;
    }
    while (i < len && is_plain((unsigned char)text[i]))
        i++;
    return i;
}

static char *put_code(char *at, uint32_t code)
{
    *at++ = '\\';
    *at++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4)
        *at++ = hex_digits[code >> shift & 15];
    return at;
}

/* escape_one writes what stands for the character at text, which is not plain, and returns how
 * many bytes it takes. */
static size_t escape_one(const char *text, size_t len, char **at)
{
    uint32_t code;
    const size_t used = ds_text_read_char((struct ds_text){text, len}, &code);
    if (used == 0 || code == 0) {
        memcpy(*at, "\xEF\xBF\xBD", 3);
        *at += 3;
        return 1;
    }
    if (code == '"' || code == '\\') {
        *(*at)++ = '\\';
        *(*at)++ = (char)code;
    } else if (ds_char_is_shown(code)) {
        memcpy(*at, text, used);
        *at += used;
    } else if (code <= 0xffff) {
        *at = put_code(*at, code);
    } else {
        *at = put_code(*at, 0xd800 + ((code - 0x10000) >> 10));
        *at = put_code(*at, 0xdc00 + ((code - 0x10000) & 0x3ff));
    }
    return used;
}

void json_escape(struct ds_text text, struct ds_buffer *out)
{
    for (size_t i = 0; i < text.len;) {
        const size_t plain = count_plain(text.data + i, text.len - i);
        if (!ds_buffer_reserve(out, plain + ESCAPED_MAX))
            return;
        char *at = out->data + out->len;
        if (plain != 0)
            memcpy(at, text.data + i, plain);
        at += plain;
        i += plain;
        if (i < text.len)
            i += escape_one(text.data + i, text.len - i, &at);
        out->len = (size_t)(at - out->data);
    }
}

void json_escape_written(struct ds_buffer *out, size_t start, struct ds_buffer *spare)
{
    if (out->failed || out->len == start)
        return;
    const size_t len = out->len - start;
    const size_t plain = count_plain(out->data + start, len);
    if (plain == len)
        return; /* as mostly */
    spare->len = 0;
    ds_buffer_add(spare, out->data + start + plain, len - plain);
    out->len = start + plain;
    if (spare->failed)
        out->failed = true;
    else
        json_escape((struct ds_text){spare->data, spare->len}, out);
}

void json_quote(struct ds_text text, struct ds_buffer *out)
{
    ds_buffer_add(out, "\"", 1);
    json_escape(text, out);
    ds_buffer_add(out, "\"", 1);
}
