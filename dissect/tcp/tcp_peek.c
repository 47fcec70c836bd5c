/*
 * tcp_peek.c - ds_tcp_peek of <distsniff/dissect.h>: it uses TCP sequence numbers alone, in a small
 * part of the time that decoding the payload needs.
 */
#include "net/packet.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NUM_STREAMS = 1024, MAX_STREAMS = NUM_STREAMS / 2 };

/* stream is one direction of a connection. */
struct stream {
    uint64_t key; /* 0: none */
    uint32_t next; /* the sequence number after the last byte seen */
};

struct ds_tcp_peek {
    struct packet_decoder decoder; /* packets that IP fragmented are skipped */
    unsigned num;
    struct stream streams[NUM_STREAMS];
};

struct ds_tcp_peek *ds_tcp_peek_new(void)
{
    return calloc(1, sizeof(struct ds_tcp_peek));
}

void ds_tcp_peek_free(struct ds_tcp_peek *peek)
{
    free(peek);
}

static uint64_t key_of(const struct segment *segment)
{
    struct {
        struct ds_addr src, dst;
        uint16_t ports[2];
    } ends;
    memset(&ends, 0, sizeof ends); /* hashed as bytes */
    ends.src = segment->src;
    ends.dst = segment->dst;
    ends.ports[0] = segment->src_port;
    ends.ports[1] = segment->dst_port;
    return XXH64(&ends, sizeof ends, 0) | 1;
}

/* find returns the slot of a stream, which may be empty. */
static struct stream *find(struct ds_tcp_peek *peek, uint64_t key)
{
    size_t i = (key >> 16) % NUM_STREAMS;
    while (peek->streams[i].key != 0 && peek->streams[i].key != key)
        i = (i + 1) % NUM_STREAMS;
    return &peek->streams[i];
}

bool ds_tcp_peek_packet(struct ds_tcp_peek *peek, const struct ds_packet *packet)
{
    struct segment segment;
    if (packet_decode(&peek->decoder, packet, &segment) != PACKET_SEGMENT)
        return false;
    const bool is_first = (segment.flags & TCP_SYN) != 0;
    const uint32_t len = (uint32_t)cursor_left(&segment.payload) + segment.truncated_len;
    if (!is_first && len == 0)
        return false;
    const uint64_t key = key_of(&segment);
    struct stream *stream = find(peek, key);
    const bool is_new = stream->key == 0;
    if (is_new && peek->num == MAX_STREAMS)
        return true; /* unknown: the table is full */
    peek->num += is_new;
    stream->key = key;
    const uint32_t end = segment.seq + is_first + len;
    const bool is_missing =
        !is_first && (is_new || (int32_t)(segment.seq - stream->next) > 0 ||
                      segment.truncated_len != 0);
    if (is_first || is_new || (int32_t)(end - stream->next) > 0)
        stream->next = end;
    return is_missing;
}
