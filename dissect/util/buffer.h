/*
 * buffer.h - fast ways to add to a ds_buffer: reserve room once, then write bytes without a call.
 */
#ifndef DISSECT_BUFFER_H
#define DISSECT_BUFFER_H

#include "util/cursor.h"

#include <distsniff/term.h>

/* buffer_room returns where at least len bytes (not 0) may be written. NULL if memory ran out
 * (failed is set then). The caller adds the number of bytes written to out->len. */
static inline __attribute__((always_inline)) char *buffer_room(struct ds_buffer *out, size_t len)
{
    if (out->cap - out->len < len && !ds_buffer_reserve(out, len))
        return NULL;
    return out->data + out->len;
}

static inline void buffer_add_bytes(struct ds_buffer *out, const void *bytes, size_t len)
{
    char *room = len != 0 ? buffer_room(out, len) : NULL;
    if (room != NULL) {
        memcpy(room, bytes, len);
        out->len += len;
    }
}

static inline void buffer_add_char(struct ds_buffer *out, char c)
{
    char *room = buffer_room(out, 1);
    if (room != NULL) {
        *room = c;
        out->len++;
    }
}

/* buffer_put_short writes bytes to pen, usually 2 to 16, and returns the position after them. It
 * writes those without a call, as two overlapping ends. */
static inline __attribute__((always_inline)) char *buffer_put_short(char *pen, const void *bytes,
                                                                    size_t len)
{
    const char *from = bytes;
    uint64_t first, last;
    uint32_t first4, last4;
    uint16_t first2, last2;
    if (len >= sizeof first && len <= 2 * sizeof first) {
        memcpy(&first, from, sizeof first);
        memcpy(&last, from + len - sizeof last, sizeof last);
        memcpy(pen, &first, sizeof first);
        memcpy(pen + len - sizeof last, &last, sizeof last);
    } else if (len >= sizeof first4 && len < sizeof first) {
        memcpy(&first4, from, sizeof first4);
        memcpy(&last4, from + len - sizeof last4, sizeof last4);
        memcpy(pen, &first4, sizeof first4);
        memcpy(pen + len - sizeof last4, &last4, sizeof last4);
    } else if (len == 2 || len == 3) {
        memcpy(&first2, from, sizeof first2);
        memcpy(&last2, from + len - sizeof last2, sizeof last2);
        memcpy(pen, &first2, sizeof first2);
        memcpy(pen + len - sizeof last2, &last2, sizeof last2);
    } else {
        memcpy(pen, from, len);
    }
    return pen + len;
}

/* buffer_add_cursor appends the rest of bytes. */
static inline void buffer_add_cursor(struct ds_buffer *out, const struct cursor *bytes)
{
    buffer_add_bytes(out, bytes->at, cursor_left(bytes));
}

/* buffer_add_u64 appends a number in decimal. */
void buffer_add_u64(struct ds_buffer *out, uint64_t value);

/* buffer_add_numbers appends the rest of bytes as numbers separated by commas. */
void buffer_add_numbers(struct ds_buffer *out, struct cursor *bytes);

/* buffer_add_hex appends a number in hexadecimal, in upper case, without leading zeros. */
void buffer_add_hex(struct ds_buffer *out, uint64_t value);

/* A walk checks is_stopped once per this many terms. */
enum { BUFFER_ASK_EVERY = 1024 };

/* buffer_is_stopped says whether a walk that has read num_terms must stop; failed is set then, or
 * was set before. */
static inline bool buffer_is_stopped(struct ds_buffer *out, uint64_t num_terms)
{
    if (__builtin_expect(num_terms % BUFFER_ASK_EVERY == 0, 0) && out->is_stopped != NULL &&
        out->is_stopped())
        out->failed = true;
    return out->failed;
}

/* BUFFER_ADD appends a string literal. */
#define BUFFER_ADD(out, literal) buffer_add_bytes(out, "" literal, sizeof(literal) - 1)

#endif
