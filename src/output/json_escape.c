/*
 * json_escape.c - see json_escape.h. A character above U+FFFF is escaped as its two UTF-16
 * surrogates.
 */
#include "output/json_escape.h"

#include "core/copy_short.h"

#include <endian.h>
#include <string.h>

enum { ESCAPED_MAX = 12 }; /* two surrogates */

static const char hex_digits[] = "0123456789abcdef";

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* find_escaped sets the top bit of each of eight bytes that is not plain ASCII; above the lowest
 * such byte it may set others, too. */
static inline uint64_t find_escaped(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t tops = ones << 7;
    const uint64_t quote = word ^ ones * '"';
    const uint64_t backslash = word ^ ones * '\\';
    /* A byte below n borrows into its top bit; 0x7F carries into it. A borrow or carry into the
     * next byte only comes from a byte that is marked. */
    return ((quote - ones) | (backslash - ones) | (word - ones * 0x20) | (word + ones) | word) & tops;
}

/* count_plain_of_8 returns how many of eight bytes are plain before the first that is not. */
static inline unsigned count_plain_of_8(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    const uint64_t hits = find_escaped(le64toh(word));
    return hits == 0 ? sizeof word : (unsigned)__builtin_ctzll(hits) / 8;
}

/* is_plain_4_to_7 checks the first four and the last four bytes, which overlap. */
static inline bool is_plain_4_to_7(const char *text, size_t len)
{
    uint32_t half[2];
    memcpy(&half[0], text, sizeof half[0]);
    memcpy(&half[1], text + len - sizeof half[1], sizeof half[1]);
    return find_escaped((uint64_t)half[0] << 32 | half[1]) == 0;
}

/* count_plain does so for a text, eight bytes at a time, as terms make up most of the output. The
 * last eight bytes may overlap those before. */
static size_t count_plain(const char *text, size_t len)
{
    enum { STEP = 8 };
    size_t i = 0;
    for (; i + STEP <= len; i += STEP) {
        const unsigned num = count_plain_of_8(text + i);
        if (num < STEP)
            return i + num;
    }
    if (len >= STEP)
        return len - STEP + count_plain_of_8(text + len - STEP);
    if (len >= STEP / 2 && is_plain_4_to_7(text, len))
        return len;
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

/* escape_one writes the escape of the character at text, which is not plain, and returns the length
 * of the character. */
static size_t escape_one(const char *text, size_t len, char **at)
{
    uint32_t code;
    if (*text == '"' || *text == '\\') {
        *(*at)++ = '\\';
        *(*at)++ = *text;
        return 1;
    }
    const size_t used = ds_text_read_char((struct ds_text){text, len}, &code);
    if (used == 0 || code == 0) {
        memcpy(*at, "\xEF\xBF\xBD", 3);
        *at += 3;
        return 1;
    }
    if (ds_char_is_shown(code)) {
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
        return; /* the usual case */
    spare->len = 0;
    ds_buffer_add(spare, out->data + start + plain, len - plain);
    out->len = start + plain;
    if (spare->failed)
        out->failed = true;
    else
        json_escape((struct ds_text){spare->data, spare->len}, out);
}

static inline void add_char(struct ds_buffer *out, char c)
{
    if (out->len < out->cap || ds_buffer_reserve(out, 1))
        out->data[out->len++] = c;
}

void json_quote(struct ds_text text, struct ds_buffer *out)
{
    enum { QUOTES = 2 };
    if (count_plain(text.data, text.len) == text.len) { /* the usual case */
        if (out->cap - out->len < text.len + QUOTES &&
            !ds_buffer_reserve(out, text.len + QUOTES))
            return;
        char *at = out->data + out->len;
        *at++ = '"';
        if (text.len != 0)
            copy_short((uint8_t *)at, (const uint8_t *)text.data, text.len);
        at[text.len] = '"';
        out->len += text.len + QUOTES;
        return;
    }
    add_char(out, '"');
    json_escape(text, out);
    add_char(out, '"');
}
