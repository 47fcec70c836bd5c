/*
 * buffer.c - growing output memory. It doubles, so the average cost of an addition does not depend
 * on the length.
 */
#include "util/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFER_LEN_MIN = 256 };

/* buffer_fail gives up: with no room left, every later addition calls ds_buffer_reserve, which
 * fails. */
static bool buffer_fail(struct ds_buffer *buffer)
{
    buffer->failed = true;
    buffer->cap = buffer->len;
    return false;
}

bool ds_buffer_reserve(struct ds_buffer *buffer, size_t more_len)
{
    if (buffer->cap - buffer->len >= more_len)
        return true;
    if (buffer->failed || more_len > SIZE_MAX / 2 - buffer->len)
        return buffer_fail(buffer);
    size_t cap = buffer->cap < BUFFER_LEN_MIN ? BUFFER_LEN_MIN : buffer->cap * 2;
    if (cap < buffer->len + more_len)
        cap = buffer->len + more_len;
    char *data = realloc(buffer->data, cap);
    if (data == NULL)
        return buffer_fail(buffer);
    buffer->data = data;
    buffer->cap = cap;
    return true;
}

void ds_buffer_add(struct ds_buffer *buffer, const void *bytes, size_t len)
{
    buffer_add_bytes(buffer, bytes, len);
}

void ds_buffer_add_text(struct ds_buffer *buffer, const char *text)
{
    ds_buffer_add(buffer, text, strlen(text));
}

void ds_buffer_printf(struct ds_buffer *buffer, const char *format, ...)
{
    /* One byte more than the text, for the NUL that vsnprintf writes. */
    if (!ds_buffer_reserve(buffer, 1))
        return;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t room = buffer->cap - buffer->len;
    int len = vsnprintf(buffer->data + buffer->len, room, format, args);
    if (len < 0) {
        buffer_fail(buffer);
    } else if ((size_t)len < room) {
        buffer->len += (size_t)len;
    } else if (ds_buffer_reserve(buffer, (size_t)len + 1)) {
        vsnprintf(buffer->data + buffer->len, (size_t)len + 1, format, again);
        buffer->len += (size_t)len;
    }
    va_end(again);
    va_end(args);
}

void ds_buffer_free(struct ds_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct ds_buffer){.is_stopped = buffer->is_stopped};
}

enum { EIGHT = 100000000 };

/* eight_digits splits a number below EIGHT into its digits, a byte each, the first one lowest:
 * halves, then halves of these, all at once; the multiplications divide by 100 and by 10. */
static inline uint64_t eight_digits(uint32_t value)
{
    uint64_t parts = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t tens = (parts * 5243 >> 19) & UINT64_C(0x0000007f0000007f);
    parts = tens | (parts - tens * 100) << 16;
    tens = (parts * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (parts - tens * 10) << 8;
}

static const uint64_t zeros = UINT64_C(0x3030303030303030); /* "00000000" */

/* put_eight writes all eight digits, put_few those after the leading zeros; put_few also writes
 * bytes after the end. */
static inline char *put_eight(char *at, uint32_t value)
{
    const uint64_t text = htole64(eight_digits(value) + zeros);
    memcpy(at, &text, sizeof text);
    return at + sizeof text;
}

static inline char *put_few(char *at, uint32_t value)
{
    const uint64_t digits = eight_digits(value);
    const unsigned left_out = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    const uint64_t text = htole64((digits + zeros) >> left_out * 8);
    memcpy(at, &text, sizeof text);
    return at + sizeof text - left_out;
}

/* put_first writes the first digits, which others may follow: usually one or two. */
static inline char *put_first(char *at, uint32_t value)
{
    if (value >= 100)
        return put_few(at, value);
    if (value >= 10)
        *at++ = (char)('0' + value / 10);
    *at++ = (char)('0' + value % 10);
    return at;
}

char *ds_digits_put(char *at, uint64_t value)
{
    if (value < EIGHT)
        return put_first(at, (uint32_t)value);
    const uint64_t upper = value / EIGHT;
    if (upper < EIGHT)
        at = put_first(at, (uint32_t)upper);
    else
        at = put_eight(put_first(at, (uint32_t)(upper / EIGHT)), (uint32_t)(upper % EIGHT));
    return put_eight(at, (uint32_t)(value % EIGHT));
}

void buffer_add_u64(struct ds_buffer *out, uint64_t value)
{
    char *room = buffer_room(out, DS_DIGITS_MAX);
    if (room != NULL)
        out->len += (size_t)(ds_digits_put(room, value) - room);
}

void buffer_add_numbers(struct ds_buffer *out, struct cursor *bytes)
{
    enum { TEXT = 4, AT_ONCE = 1024 };
#define TEN(t) t "0", t "1", t "2", t "3", t "4", t "5", t "6", t "7", t "8", t "9"
    static const char texts[UINT8_MAX + 1][TEXT] = {
        TEN(","),   TEN(",1"),  TEN(",2"),  TEN(",3"),  TEN(",4"),  TEN(",5"),  TEN(",6"),
        TEN(",7"),  TEN(",8"),  TEN(",9"),  TEN(",10"), TEN(",11"), TEN(",12"), TEN(",13"),
        TEN(",14"), TEN(",15"), TEN(",16"), TEN(",17"), TEN(",18"), TEN(",19"), TEN(",20"),
        TEN(",21"), TEN(",22"), TEN(",23"), TEN(",24"), ",250",     ",251",     ",252",
        ",253",     ",254",     ",255"};
#undef TEN
    uint8_t byte;
    if (!cursor_read_u8(bytes, &byte))
        return;
    buffer_add_u64(out, byte); /* the first number, without a comma */
    for (size_t left; (left = cursor_left(bytes)) != 0;) {
        const size_t num = left < AT_ONCE ? left : AT_ONCE;
        char *const room = buffer_room(out, num * TEXT);
        if (room == NULL)
            return;
        char *at = room;
        for (size_t i = 0; i < num && cursor_read_u8(bytes, &byte); i++) {
            memcpy(at, texts[byte], TEXT);
            at += 2 + (byte >= 10) + (byte >= 100);
        }
        out->len += (size_t)(at - room);
    }
}

void buffer_add_hex(struct ds_buffer *out, uint64_t value)
{
    enum { DIGITS = 16 };
    char text[DIGITS];
    size_t first = DIGITS;
    do {
        text[--first] = "0123456789ABCDEF"[value % 16];
        value /= 16;
    } while (value != 0);
    buffer_add_bytes(out, &text[first], DIGITS - first);
}
