/*
 * buffer.c - growing output memory: it doubles, so that adding costs the same on average
 * however long the output becomes.
 */
#include "buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFER_LEN_MIN = 256 };

/* buffer_fail gives up: with no room left, every later addition comes back to
 * ds_buffer_reserve and is refused there. */
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
    *buffer = (struct ds_buffer){0};
}

void buffer_add_u64(struct ds_buffer *out, uint64_t value)
{
    enum { DIGITS = 20 }; /* of 2^64 - 1 */
    static const char pairs[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    char text[DIGITS];
    size_t first = DIGITS;
    while (value >= 10) {
        first -= 2;
        memcpy(&text[first], &pairs[value % 100 * 2], 2);
        value /= 100;
    }
    if (value != 0 || first == DIGITS)
        text[--first] = (char)('0' + value);
    buffer_add_bytes(out, &text[first], DIGITS - first);
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
