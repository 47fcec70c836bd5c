/*
 * tls_waiting.c - see tls_waiting.h.
 */
#include "tls/tls_waiting.h"

bool tls_waiting_add(struct tls_waiting *waiting, struct dissect_ctx *env,
                     const struct tls_waiter *waiter, struct cursor bytes, uint64_t max)
{
    const bool is_record = waiter->kind == TLS_WAITS_RECORD;
    struct stream_buffer *waiters = &waiting->waiters;
    const size_t old_len = waiters->len;
    struct stream_buffer *of_bytes = is_record ? &waiting->bytes[waiter->dir] : waiters;
    if (tls_waiting_len(waiting, waiter->dir) + sizeof *waiter + cursor_left(&bytes) > max ||
        !stream_buffer_add(waiters, env, cursor_make((const uint8_t *)waiter, sizeof *waiter)))
        return false;
    if (!stream_buffer_add(of_bytes, env, bytes)) {
        waiters->len = old_len;
        if (old_len == 0)
            stream_buffer_free(waiters, env);
        return false;
    }
    waiting->records[waiter->dir] += is_record;
    return true;
}

struct tls_waiting_at tls_waiting_begin(const struct tls_waiting *waiting)
{
    return (struct tls_waiting_at){
        .waiters = stream_buffer_cursor(&waiting->waiters),
        .bytes = {stream_buffer_cursor(&waiting->bytes[0]),
                  stream_buffer_cursor(&waiting->bytes[1])},
    };
}

bool tls_waiting_next(struct tls_waiting_at *at, struct tls_waiter *waiter, struct cursor *bytes)
{
    *bytes = cursor_make(NULL, 0);
    if (!cursor_read_bytes(&at->waiters, (uint8_t *)waiter, sizeof *waiter))
        return false;
    switch ((enum tls_waiting_kind)waiter->kind) {
    case TLS_WAITS_RECORD:
        return cursor_child(&at->bytes[waiter->dir], (size_t)waiter->len, bytes);
    case TLS_WAITS_STALL:
        return cursor_child(&at->waiters, sizeof(struct ds_stall), bytes);
    case TLS_WAITS_GAP:
    case TLS_WAITS_ICMP:
    case TLS_WAITS_END:
    case TLS_WAITS_CLOSE:
        break;
    }
    return true;
}

void tls_waiting_drop(struct tls_waiting *waiting, struct dissect_ctx *env,
                      const struct tls_waiting_at *at)
{
    struct tls_waiting_at done = tls_waiting_begin(waiting);
    struct tls_waiter waiter;
    struct cursor bytes;
    while (cursor_left(&done.waiters) > cursor_left(&at->waiters) &&
           tls_waiting_next(&done, &waiter, &bytes))
        waiting->records[waiter.dir] -= waiter.kind == TLS_WAITS_RECORD;
    if (cursor_left(&at->waiters) == 0) {
        tls_waiting_free(waiting, env);
        return;
    }
    stream_buffer_drop(&waiting->waiters, waiting->waiters.len - cursor_left(&at->waiters));
    for (int dir = 0; dir < 2; dir++)
        stream_buffer_drop(&waiting->bytes[dir],
                           waiting->bytes[dir].len - cursor_left(&at->bytes[dir]));
}

void tls_waiting_free(struct tls_waiting *waiting, struct dissect_ctx *env)
{
    stream_buffer_free(&waiting->waiters, env);
    for (int dir = 0; dir < 2; dir++)
        stream_buffer_free(&waiting->bytes[dir], env);
    *waiting = (struct tls_waiting){0};
}
