/*
 * span.h - the bytes of one layer of a packet: those captured, and the number of further bytes on
 * the wire that the snap length cut off.
 */
#ifndef DISSECT_SPAN_H
#define DISSECT_SPAN_H

#include "net/packet.h"

struct span {
    struct cursor bytes;
    uint32_t cut; /* bytes on the wire after bytes.end */
    bool is_to_group; /* its frame was sent to several hosts (link.c) */
};

/* span_short returns the status if bytes ran out inside a header. */
static inline enum packet_status span_short(const struct span *span)
{
    return span->cut != 0 ? PACKET_TRUNCATED : PACKET_MALFORMED;
}

/* span_limit shortens a span to the length that a header announced. Bytes that were announced but
 * not captured count as cut, whatever the capture says: some tools shorten packets silently. */
static inline void span_limit(struct span *span, uint32_t len)
{
    struct cursor limited;
    if (cursor_child(&span->bytes, len, &limited)) {
        span->bytes = limited;
        span->cut = 0;
    } else {
        span->cut = len - (uint32_t)cursor_left(&span->bytes);
    }
}

#endif
