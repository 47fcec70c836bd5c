/*
 * tls_waiting.h - what waits for the keys of a connection: sealed records, and what TCP said between
 * them, in the order in which they came, each with the moment at which it did. When the keys come it
 * is told as if they had been there before it.
 */
#ifndef DISSECT_TLS_WAITING_H
#define DISSECT_TLS_WAITING_H

#include "conn/stream_buffer.h"

#include <distsniff/tcp_stats.h>

enum tls_waiting_kind {
    TLS_WAITS_RECORD, /* len bytes of what is kept of its direction */
    TLS_WAITS_GAP,    /* so many bytes were lost */
    TLS_WAITS_STALL,  /* which stands behind it */
    TLS_WAITS_ICMP,
    TLS_WAITS_END,
    TLS_WAITS_CLOSE,
};

/* tls_waiter is one thing that waits. */
struct tls_waiter {
    int64_t ts_ns;
    uint64_t frame;
    uint64_t len;
    int64_t run_ns;       /* tcp_analysis.h: of its direction, then */
    uint32_t next_seq[2]; /* where TCP stood; of a record's direction, behind it */
    uint8_t kind, dir;
    uint8_t why;       /* enum tcp_gap, or enum tcp_close */
    bool tick_is_late; /* tcp_analysis.h */
    uint8_t past;      /* enum ds_snapshot_kind */
};

/* tls_waiting is the queue of a connection; all zero: empty. It counts at the session's meter. */
struct tls_waiting {
    struct stream_buffer waiters; /* struct tls_waiter, the first one's moment being the oldest */
    struct stream_buffer bytes[2];
    uint64_t records[2];
};

static inline bool tls_waiting_is_empty(const struct tls_waiting *waiting)
{
    return waiting->waiters.len == 0;
}

/* tls_waiting_len is what a direction takes of the room that there is for what waits. */
static inline size_t tls_waiting_len(const struct tls_waiting *waiting, int dir)
{
    return waiting->waiters.len + waiting->bytes[dir].len;
}

/* tls_waiting_add appends a waiter and its bytes: of a record what was sent, of a stall the struct
 * ds_stall. False when they are more than max with what waits of that direction, or memory or its cap ran
 * out: then nothing was added. */
bool tls_waiting_add(struct tls_waiting *waiting, struct dissect_ctx *env,
                     const struct tls_waiter *waiter, struct cursor bytes, uint64_t max);

/* tls_waiting_at is a place in the queue: begin, then next, for as long as nothing is added. */
struct tls_waiting_at {
    struct cursor waiters, bytes[2];
};

struct tls_waiting_at tls_waiting_begin(const struct tls_waiting *waiting);

/* tls_waiting_next reads a waiter and its bytes; false at the end. */
bool tls_waiting_next(struct tls_waiting_at *at, struct tls_waiter *waiter, struct cursor *bytes);

/* tls_waiting_drop drops what stands before a place, and gives memory back when all of it has gone. */
void tls_waiting_drop(struct tls_waiting *waiting, struct dissect_ctx *env,
                      const struct tls_waiting_at *at);

/* tls_waiting_free drops all. */
void tls_waiting_free(struct tls_waiting *waiting, struct dissect_ctx *env);

#endif
