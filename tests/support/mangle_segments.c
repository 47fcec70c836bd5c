/* mangle_segments.c - modes of mangle that reorder, repeat, split or renumber TCP segments. */
#include "mangle.h"

/* swap_next swaps a segment with the next one of its stream, as a network does, unless the peer
 * sent data in between. */
static void swap_next(size_t i)
{
    for (size_t j = i + 1; j < num_packets && j < i + 20; j++) {
        struct packet *p = &packets[i], *q = &packets[j];
        if (!q->tcp || payload_len(q) == 0)
            continue;
        if (q->stream == streams[p->stream].peer)
            return;
        if (q->stream != p->stream)
            continue;
        if ((q->ts.tv_sec - p->ts.tv_sec) * 1000000000L + q->ts.tv_usec - p->ts.tv_usec > 50000000)
            return;
        struct packet kept = *p;
        struct timeval first = p->ts, second = q->ts;
        *p = *q;
        *q = kept;
        p->ts = first;
        q->ts = second;
        return;
    }
}

void mangle_reorder(size_t i)
{
    if (payload_len(&packets[i]) > 0 && counter++ % 2 == 0)
        swap_next(i);
    write_plain(&packets[i]);
}

/* mangle_shuffle shuffles the packets of each window of N; the times keep their order. */
void mangle_shuffle(size_t i)
{
    static uint64_t state = 1;
    const size_t first = i - i % number;
    const size_t end = first + number < num_packets ? first + number : num_packets;
    for (size_t j = end - 1; i == first && j > first; j--) {
        state = state * 6364136223846793005 + 1442695040888963407;
        struct packet *p = &packets[j], *q = &packets[first + (state >> 33) % (j - first + 1)];
        const struct packet kept = *p;
        const struct timeval times[] = {p->ts, q->ts};
        *p = *q;
        *q = kept;
        p->ts = times[0];
        q->ts = times[1];
    }
    write_plain(&packets[i]);
}

void mangle_duplicate(size_t i)
{
    write_plain(&packets[i]);
    if (packets[i].tcp)
        write_plain(&packets[i]);
    if (i >= 3 && i % 5 == 0 && payload_len(&packets[i - 3]) > 0)
        write_plain(&packets[i - 3]);
}

void mangle_overlap(size_t i)
{
    const struct packet *p = &packets[i];
    uint32_t len = payload_len(p);
    if (len == 0) {
        write_plain(p);
        return;
    }
    struct stream *stream = &streams[p->stream];
    uint32_t back = stream->tail_end == seq_of(p) ? stream->tail_len : 0;
    static uint8_t bytes[MAX_PACKET];
    memcpy(bytes, stream->tail, back);
    memcpy(bytes + back, p->bytes + p->payload_at, len);
    write_segment(p, seq_of(p) - back, flags_of(p), bytes, back + len);
    stream->tail_len = back + len < TAIL_LEN ? back + len : TAIL_LEN;
    memcpy(stream->tail, bytes + back + len - stream->tail_len, stream->tail_len);
    stream->tail_end = seq_of(p) + len;
}

void mangle_resegment(size_t i)
{
    static const uint32_t lens[] = {1, 2, 3, 5, 8, 13, 4, 100, 1, 1, 37, 1000};
    const struct packet *p = &packets[i];
    uint32_t len = payload_len(p);
    if (len == 0)
        write_plain(p);
    for (uint32_t at = 0, part; at < len; at += part) {
        part = lens[counter++ % (sizeof lens / sizeof lens[0])];
        if (len > 20000)
            part *= 50;
        if (part > len - at)
            part = len - at;
        uint8_t flags = flags_of(p);
        if (at + part < len)
            flags &= (uint8_t)~FIN;
        write_segment(p, seq_of(p) + at, flags, p->bytes + p->payload_at + at, part);
    }
}

/* mangle_wrap makes the sequence numbers of every stream wrap in its middle. */
void mangle_wrap(size_t i)
{
    if (i == 0) {
        for (size_t j = 0; j < num_packets; j++) {
            const struct packet *p = &packets[j];
            if (!p->tcp || (flags_of(p) & 4) != 0)
                continue;
            struct stream *stream = &streams[p->stream];
            uint32_t end = seq_of(p) + payload_len(p);
            if (!stream->started)
                stream->first_seq = stream->max_seq = seq_of(p);
            stream->started = true;
            if ((int32_t)(end - stream->max_seq) > 0)
                stream->max_seq = end;
            stream->shift = 0 - (stream->first_seq + (stream->max_seq - stream->first_seq) / 2);
        }
    }
    struct packet *p = &packets[i];
    if (p->tcp) {
        uint8_t *tcp = p->bytes + p->tcp_at;
        const struct stream *stream = &streams[p->stream];
        put32(tcp + 4, get32(tcp + 4) + stream->shift);
        if ((flags_of(p) & ACK) != 0 && stream->peer >= 0)
            put32(tcp + 8, get32(tcp + 8) + streams[stream->peer].shift);
    }
    write_plain(p);
}
