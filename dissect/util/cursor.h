/*
 * cursor.h - the only way to read captured bytes.
 *
 * A cursor is two pointers: the rest of a piece of memory. Each read checks that enough is left,
 * then advances; on failure nothing moves and nothing is written. Read length-prefixed data through
 * a child cursor. All integers on the wire are big-endian, except where _le says otherwise.
 */
#ifndef DISSECT_CURSOR_H
#define DISSECT_CURSOR_H

#include "util/byte_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CURSOR_CHECKED __attribute__((warn_unused_result)) static inline

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
};

/* cursor_past returns the position len bytes after at; at may be NULL if len is 0. */
static inline const uint8_t *cursor_past(const uint8_t *at, size_t len)
{
    return len != 0 ? at + len : at;
}

static inline struct cursor cursor_make(const void *bytes, size_t len)
{
    return (struct cursor){bytes, cursor_past(bytes, len)};
}

/* cursor_left returns how many bytes are left. */
static inline size_t cursor_left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

/* cursor_offset returns how far c has come since start, a copy made earlier. */
static inline size_t cursor_offset(const struct cursor *c, const struct cursor *start)
{
    return (size_t)(c->at - start->at);
}

CURSOR_CHECKED bool cursor_skip(struct cursor *c, size_t len)
{
    if (cursor_left(c) < len)
        return false;
    c->at = cursor_past(c->at, len);
    return true;
}

/* cursor_child splits the next len bytes off into child, which must not be c. */
CURSOR_CHECKED bool cursor_child(struct cursor *c, size_t len, struct cursor *child)
{
    if (cursor_left(c) < len)
        return false;
    child->at = c->at;
    c->at = cursor_past(c->at, len);
    child->end = c->at;
    return true;
}

/* cursor_first returns the first len bytes of c, or all if there are fewer. */
static inline struct cursor cursor_first(struct cursor c, size_t len)
{
    if (cursor_left(&c) > len)
        c.end = c.at + len;
    return c;
}

/* cursor_find advances to the next byte of that value. */
CURSOR_CHECKED bool cursor_find(struct cursor *c, uint8_t value)
{
    const uint8_t *found = c->at == c->end ? NULL : memchr(c->at, value, cursor_left(c));
    if (found == NULL)
        return false;
    c->at = found;
    return true;
}

CURSOR_CHECKED bool cursor_peek_u8(const struct cursor *c, uint8_t *out)
{
    if (c->at == c->end)
        return false;
    *out = *c->at;
    return true;
}

/* cursor_peek_u64_le reads eight bytes as a number whose lowest byte comes first, to examine all of
 * them at once. */
CURSOR_CHECKED bool cursor_peek_u64_le(const struct cursor *c, uint64_t *out)
{
    uint64_t v;
    if (cursor_left(c) < sizeof v)
        return false;
    memcpy(&v, c->at, sizeof v);
    *out = le64toh(v);
    return true;
}

/* cursor_peek_last_u64_le does the same with the last eight bytes. */
CURSOR_CHECKED bool cursor_peek_last_u64_le(const struct cursor *c, uint64_t *out)
{
    uint64_t v;
    if (cursor_left(c) < sizeof v)
        return false;
    memcpy(&v, c->end - sizeof v, sizeof v);
    *out = le64toh(v);
    return true;
}

CURSOR_CHECKED bool cursor_read_u64_le(struct cursor *c, uint64_t *out)
{
    if (!cursor_peek_u64_le(c, out))
        return false;
    c->at += sizeof *out;
    return true;
}

CURSOR_CHECKED bool cursor_read_u8(struct cursor *c, uint8_t *out)
{
    if (c->at == c->end)
        return false;
    *out = *c->at++;
    return true;
}

CURSOR_CHECKED bool cursor_read_u16(struct cursor *c, uint16_t *out)
{
    uint16_t v;
    if (cursor_left(c) < sizeof v)
        return false;
    memcpy(&v, c->at, sizeof v);
    *out = be16toh(v);
    c->at += sizeof v;
    return true;
}

CURSOR_CHECKED bool cursor_read_u32(struct cursor *c, uint32_t *out)
{
    uint32_t v;
    if (cursor_left(c) < sizeof v)
        return false;
    memcpy(&v, c->at, sizeof v);
    *out = be32toh(v);
    c->at += sizeof v;
    return true;
}

CURSOR_CHECKED bool cursor_read_u64(struct cursor *c, uint64_t *out)
{
    uint64_t v;
    if (cursor_left(c) < sizeof v)
        return false;
    memcpy(&v, c->at, sizeof v);
    *out = be64toh(v);
    c->at += sizeof v;
    return true;
}

/* Always inline: len is usually a constant, and then this is a single load. */
__attribute__((always_inline))
CURSOR_CHECKED bool cursor_read_bytes(struct cursor *c, void *out, size_t len)
{
    if (cursor_left(c) < len)
        return false;
    if (len != 0)
        memcpy(out, c->at, len);
    c->at = cursor_past(c->at, len);
    return true;
}

#endif
