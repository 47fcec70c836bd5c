/*
 * stream_buffer.h - keeps the bytes of one direction until the rest of a message arrives. They
 * count against the memory cap of the session.
 */
#ifndef DISSECT_STREAM_BUFFER_H
#define DISSECT_STREAM_BUFFER_H

#include "conn/conn.h"

struct stream_buffer {
    uint8_t *bytes;
    size_t len; /* bytes in use */
    size_t cap; /* bytes allocated and charged */
};

/* stream_buffer_add appends data; false, counted, if memory or its cap ran out: then nothing is
 * added. */
__attribute__((warn_unused_result)) bool stream_buffer_add(struct stream_buffer *buffer,
                                                           struct dissect_ctx *env, struct cursor data);

/* stream_buffer_drop removes the first len bytes. */
void stream_buffer_drop(struct stream_buffer *buffer, size_t len);

/* stream_buffer_free releases all bytes. */
void stream_buffer_free(struct stream_buffer *buffer, struct dissect_ctx *env);

static inline struct cursor stream_buffer_cursor(const struct stream_buffer *buffer)
{
    return cursor_make(buffer->bytes, buffer->len);
}

#endif
