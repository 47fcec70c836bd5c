/*
 * tcp_delivered.c - see tcp_delivered.h.
 */
#include "tcp/tcp_delivered.h"

#include "tcp/tcp_conn.h"

#include <stdlib.h>

enum { GROWTH = 4, SHARE = 8 }; /* all rings use one part in SHARE of --max-memory */

/* put writes bytes to their places, of more than size bytes the last ones. */
static void put(struct tcp_delivered *ring, uint32_t seq, struct cursor bytes)
{
    size_t len = cursor_left(&bytes);
    if (len > ring->size) {
        const size_t left_out = len - ring->size;
        if (!cursor_skip(&bytes, left_out))
            return;
        seq += (uint32_t)left_out;
        len = ring->size;
    }
    const size_t at = seq & (ring->size - 1);
    const size_t first = len < ring->size - at ? len : ring->size - at;
    if (!cursor_read_bytes(&bytes, ring->bytes + at, first) ||
        !cursor_read_bytes(&bytes, ring->bytes, len - first))
        ring->from = ring->end;
}

static uint32_t kept_from(const struct tcp_delivered *ring)
{
    return ring->end - ring->from > ring->size ? ring->end - ring->size : ring->from;
}

static bool grow(struct tcp_shared *shared, struct tcp_delivered *ring, uint32_t size)
{
    const uint64_t more = size - ring->size;
    /* Not counted as a limit that was reached: without a ring no data is lost. */
    if (shared->delivered_len + more > shared->limits[DS_LIMIT_MEMORY] / SHARE ||
        !memcap_fits(shared->memcap, more))
        return false;
    struct tcp_delivered next = {.size = size, .from = kept_from(ring), .end = ring->end};
    next.bytes = malloc(size);
    if (next.bytes == NULL || !memcap_reserve(shared->memcap, more)) {
        shared->stats->no_memory += next.bytes == NULL;
        free(next.bytes);
        return false;
    }
    shared->delivered_len += more;
    for (uint32_t seq = next.from; seq != next.end;) {
        const uint32_t at = seq & (ring->size - 1), left = next.end - seq;
        const uint32_t len = left < ring->size - at ? left : ring->size - at;
        put(&next, seq, cursor_make(ring->bytes + at, len));
        seq += len;
    }
    free(ring->bytes);
    *ring = next;
    return true;
}

void tcp_delivered_add_hard(struct tcp_shared *shared, struct tcp_delivered *ring, uint32_t seq,
                            struct cursor bytes)
{
    const uint32_t len = (uint32_t)cursor_left(&bytes);
    if (seq != ring->end)
        ring->from = ring->end = seq; /* bytes are missing, or these are the first */
    const uint32_t want = seq - ring->from + len;
    uint32_t size = ring->size != 0 ? ring->size : TCP_DELIVERED_FIRST;
    while (size < want && size < TCP_DELIVERED_MAX)
        size = GROWTH * size < TCP_DELIVERED_MAX ? GROWTH * size : TCP_DELIVERED_MAX;
    if (size > ring->size && !grow(shared, ring, size) && ring->size == 0) {
        ring->from = ring->end = seq + len;
        return;
    }
    ring->end = seq + len;
    put(ring, seq, bytes);
    if (ring->end - ring->from > UINT32_MAX / 2)
        ring->from = kept_from(ring); /* numbers wrap around */
}

bool tcp_delivered_differs(const struct tcp_delivered *ring, uint32_t seq, struct cursor bytes)
{
    const int32_t missing = tcp_diff(kept_from(ring), seq);
    if (missing > 0) {
        if (!cursor_skip(&bytes, (uint32_t)missing))
            return false;
        seq += (uint32_t)missing;
    }
    const int32_t known = tcp_diff(ring->end, seq);
    if (known <= 0)
        return false;
    bytes = cursor_first(bytes, (uint32_t)known);
    struct cursor part;
    while (cursor_left(&bytes) != 0) {
        const uint32_t at = seq & (ring->size - 1), room = ring->size - at;
        const uint32_t left = (uint32_t)cursor_left(&bytes), len = left < room ? left : room;
        if (!cursor_child(&bytes, len, &part) || memcmp(part.at, ring->bytes + at, len) != 0)
            return true;
        seq += len;
    }
    return false;
}

void tcp_delivered_free(struct tcp_shared *shared, struct tcp_delivered *ring)
{
    shared->delivered_len -= ring->size;
    memcap_release(shared->memcap, ring->size);
    free(ring->bytes);
    *ring = (struct tcp_delivered){0};
}
