/*
 * snapshot_writer.c - see snapshot_writer.h.
 */
#include "tcp/snapshot_writer.h"

enum { MAX_PAYLOAD = 32 * 1024, WINDOW = 65535 };

void snapshot_write_segment(struct snapshot_writer *giver, int dir, enum ds_snapshot_kind kind,
                            uint32_t seq, uint8_t flags, struct cursor payload, uint32_t truncated_len)
{
    const struct tcp_conn_view *tcp = giver->tcp;
    const struct tcp_point *point = giver->point;
    const struct ds_segment segment = {
        .src = tcp->addr[dir],
        .dst = tcp->addr[1 - dir],
        .src_port = tcp->port[dir],
        .dst_port = tcp->port[1 - dir],
        .seq = seq,
        .ack = (flags & TCP_ACK) != 0 ? giver->seq[1 - dir] : 0,
        .window = WINDOW,
        .flags = flags,
        .payload = payload.at,
        .payload_len = (uint32_t)cursor_left(&payload),
        .truncated_len = truncated_len,
        .past = {.sent_ns = giver->ts_ns,
                 .point = {point[dir].next_seq, point[1 - dir].next_seq},
                 .knows = {point[dir].started, point[1 - dir].started},
                 .kind = (uint8_t)kind,
                 .begins = !giver->has_begun},
    };
    giver->has_begun = true;
    giver->give(giver->context, giver->ts_ns, &segment);
}

void snapshot_write_bytes(struct snapshot_writer *giver, int dir, enum ds_snapshot_kind kind,
                          uint32_t seq, struct cursor bytes, uint64_t truncated_len)
{
    struct cursor part;
    while (cursor_left(&bytes) != 0 || truncated_len != 0) {
        size_t len = cursor_left(&bytes);
        if (len > MAX_PAYLOAD)
            len = MAX_PAYLOAD;
        if (!cursor_child(&bytes, len, &part))
            return;
        uint32_t cut = 0;
        if (cursor_left(&bytes) == 0) {
            cut = MAX_PAYLOAD - (uint32_t)len;
            if (cut > truncated_len)
                cut = (uint32_t)truncated_len;
        }
        snapshot_write_segment(giver, dir, kind, seq, TCP_ACK | TCP_PSH, part, cut);
        seq += (uint32_t)len + cut;
        truncated_len -= cut;
    }
}
