/*
 * term_encode.h - the building blocks of distsniff/encode.h, for code that writes other parts of a
 * term itself.
 */
#ifndef DISSECT_TERM_ENCODE_H
#define DISSECT_TERM_ENCODE_H

#include "util/buffer.h"
#include "util/byte_order.h"

static inline void encode_u8(struct ds_buffer *out, uint8_t value)
{
    buffer_add_char(out, (char)value);
}

static inline void encode_u16(struct ds_buffer *out, uint16_t value)
{
    value = htobe16(value);
    buffer_add_bytes(out, &value, sizeof value);
}

static inline void encode_u32(struct ds_buffer *out, uint32_t value)
{
    value = htobe32(value);
    buffer_add_bytes(out, &value, sizeof value);
}

/* encode_count appends a tag and a count of 4 bytes. */
static inline void encode_count(struct ds_buffer *out, uint8_t tag, uint32_t count)
{
    encode_u8(out, tag);
    encode_u32(out, count);
}

/* encode_set_u32 fills in a number whose space was reserved. */
static inline void encode_set_u32(struct ds_buffer *out, size_t at, uint32_t value)
{
    value = htobe32(value);
    if (!out->failed)
        memcpy(out->data + at, &value, sizeof value);
}

#endif
