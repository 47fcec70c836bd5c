/*
 * tls_waiting.h - the queue of a connection that waits for keys: encrypted records, and reports of
 * TCP between them, in the order in which they came, each with its time. When the keys come, they
 * are reported as if the keys had been there before.
 */
#ifndef DISSECT_TLS_WAITING_H
#define DISSECT_TLS_WAITING_H

#include "conn/stream_buffer.h"

#include <distsniff/tcp_stats.h>

enum tls_waiting_kind {
    TLS_WAITS_RECORD, /* len bytes of the bytes kept of its direction */
    TLS_WAITS_GAP,    /* len bytes were lost */
    TLS_WAITS_STALL,  /* a struct ds_stall follows it */
    TLS_WAITS_ICMP,
    TLS_WAITS_END,
    TLS_WAITS_CLOSE,
};

/* tls_waiter is one item of the queue. */
struct tls_waiter {
    int64_t ts_ns;
    uint64_t frame;
    uint64_t len;
    int64_t run_ns;       /* tcp_analysis.h: of its direction at that time */
    uint32_t next_seq[2]; /* positions of TCP; for the direction of a record, after it */
    uint8_t kind, dir;
    uint8_t why;       /* enum tcp_gap, or enum tcp_close */
    bool tick_is_late; /* tcp_analysis.h */
    uint8_t past;      /* enum ds_snapshot_kind */
};

/* tls_waiting is the queue of a connection; all zero: empty. It counts against the session's memory
 * cap. */
struct tls_waiting {
    struct stream_buffer waiters; /* struct tls_waiter; the first one is the oldest */
    struct stream_buffer bytes[2];
    uint64_t records[2];
};

static inline bool tls_waiting_is_empty(const struct tls_waiting *waiting)
{
    return waiting->waiters.len == 0;
}

/* tls_waiting_len returns how much of the room for waiting records a direction uses. */
static inline size_t tls_waiting_len(const struct tls_waiting *waiting, int dir)
{
    return waiting->waiters.len + waiting->bytes[dir].len;
}

/* tls_waiting_add appends a waiter and its bytes: a record as sent, or the struct ds_stall of a
 * stall. False if the queue of that direction would exceed max, or memory or its cap ran out: then
 * nothing is added. */
bool tls_waiting_add(struct tls_waiting *waiting, struct dissect_ctx *env,
                     const struct tls_waiter *waiter, struct cursor bytes, uint64_t max);

/* tls_waiting_at is a position in the queue: begin, then next, as long as nothing is added. */
struct tls_waiting_at {
    struct cursor waiters, bytes[2];
};

struct tls_waiting_at tls_waiting_begin(const struct tls_waiting *waiting);

/* tls_waiting_next reads a waiter and its bytes; false at the end. */
bool tls_waiting_next(struct tls_waiting_at *at, struct tls_waiter *waiter, struct cursor *bytes);

/* tls_waiting_drop drops everything before a position, and releases memory when the queue is
 * empty. */
void tls_waiting_drop(struct tls_waiting *waiting, struct dissect_ctx *env,
                      const struct tls_waiting_at *at);

/* tls_waiting_free drops all. */
void tls_waiting_free(struct tls_waiting *waiting, struct dissect_ctx *env);

#endif
