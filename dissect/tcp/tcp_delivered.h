/*
 * tcp_delivered.h - the latest bytes that a direction has delivered. Retransmitted bytes are
 * compared with them, however the segments are divided.
 *
 * Each direction has a ring of bytes: the byte with number n is at n modulo the size of the ring. A
 * ring begins small and grows with the data. All rings together use at most an eighth of
 * --max-memory; then no ring grows and none is added.
 */
#ifndef DISSECT_TCP_DELIVERED_H
#define DISSECT_TCP_DELIVERED_H

#include "util/cursor.h"

#include <stdint.h>

struct tcp_shared;

enum { TCP_DELIVERED_FIRST = 512, TCP_DELIVERED_MAX = 16384 };

/* tcp_delivered is a ring. All zeros: an empty one. */
struct tcp_delivered {
    uint8_t *bytes;
    uint32_t size;      /* a power of two, or 0 */
    uint32_t from, end; /* numbers of the bytes delivered without a gap, in the ring or not */
};

/* tcp_delivered_add_hard is tcp_delivered_add for a ring that wraps around, has to grow, or
 * starts again. */
void tcp_delivered_add_hard(struct tcp_shared *shared, struct tcp_delivered *ring, uint32_t seq,
                            struct cursor bytes);

/* tcp_delivered_add copies delivered bytes into the ring. seq is the number of the first one. */
static inline void tcp_delivered_add(struct tcp_shared *shared, struct tcp_delivered *ring, uint32_t seq,
                                     struct cursor bytes)
{
    const size_t len = cursor_left(&bytes);
    const size_t at = seq & (ring->size - 1);
    const bool is_easy = seq == ring->end && at + len <= ring->size &&
                         (ring->size == TCP_DELIVERED_MAX || seq - ring->from + len <= ring->size);
    if (!is_easy) {
        tcp_delivered_add_hard(shared, ring, seq, bytes);
        return;
    }
    ring->end = seq + (uint32_t)len;
    if (!cursor_read_bytes(&bytes, ring->bytes + at, len))
        ring->from = ring->end;
}

/* tcp_delivered_differs says whether bytes differ from the delivered ones. seq is the number of the first
 * one. Bytes that are not in the ring count as equal. */
bool tcp_delivered_differs(const struct tcp_delivered *ring, uint32_t seq, struct cursor bytes);

/* tcp_delivered_free frees the bytes of a ring, and empties it. */
void tcp_delivered_free(struct tcp_shared *shared, struct tcp_delivered *ring);

#endif
