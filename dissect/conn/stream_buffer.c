/*
 * stream_buffer.c - keeps the bytes of one direction until the rest of a message arrives.
 */
#include "conn/stream_buffer.h"

#include <stdlib.h>

enum { HOLD_MIN_LEN = 256 };

bool stream_buffer_add(struct stream_buffer *buffer, struct dissect_ctx *env, struct cursor data)
{
    size_t len = cursor_left(&data);
    if (len == 0)
        return true;
    if (len > buffer->cap - buffer->len) {
        size_t need = buffer->len + len;
        size_t cap = need > 2 * buffer->cap ? need : 2 * buffer->cap;
        if (cap < HOLD_MIN_LEN)
            cap = HOLD_MIN_LEN;
        if (!memcap_reserve(&env->memcap, cap - buffer->cap))
            return false;
        uint8_t *bytes = realloc(buffer->bytes, cap);
        if (bytes == NULL) {
            memcap_release(&env->memcap, cap - buffer->cap);
            env->stats.no_memory++;
            return false;
        }
        buffer->bytes = bytes;
        buffer->cap = cap;
    }
    size_t old_len = buffer->len;
    buffer->len += len;
    return cursor_read_bytes(&data, &buffer->bytes[old_len], len);
}

void stream_buffer_drop(struct stream_buffer *buffer, size_t len)
{
    if (len > buffer->len)
        len = buffer->len;
    buffer->len -= len;
    if (len != 0 && buffer->len != 0)
        memmove(buffer->bytes, &buffer->bytes[len], buffer->len);
}

void stream_buffer_free(struct stream_buffer *buffer, struct dissect_ctx *env)
{
    memcap_release(&env->memcap, buffer->cap);
    free(buffer->bytes);
    *buffer = (struct stream_buffer){0};
}
