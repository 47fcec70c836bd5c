/*
 * snapshot_writer.h - writes the segments of a snapshot, which represent the past of a connection
 * (ds_session_snapshot), for a packet recorder. The decoder's state and TLS make their payload.
 */
#ifndef DISSECT_SNAPSHOT_WRITER_H
#define DISSECT_SNAPSHOT_WRITER_H

#include "tcp/tcp.h"

/* snapshot_writer is what all segments of a connection's past have in common. Set all but
 * has_begun. */
struct snapshot_writer {
    const struct tcp_conn_view *tcp;
    const struct tcp_point *point; /* of each direction: where the captured data goes on */
    ds_snapshot_fn give;
    void *context;
    int64_t ts_ns;   /* of the next segment */
    uint32_t seq[2]; /* of the next byte of each direction, which the other one acknowledges */
    bool has_begun;
};

/* snapshot_write_segment writes one segment. */
void snapshot_write_segment(struct snapshot_writer *giver, int dir, enum ds_snapshot_kind kind,
                            uint32_t seq, uint8_t flags, struct cursor payload, uint32_t truncated_len);

/* snapshot_write_bytes writes bytes from seq on, and truncated_len more that are unknown, in as
 * many segments as they need. */
void snapshot_write_bytes(struct snapshot_writer *giver, int dir, enum ds_snapshot_kind kind,
                          uint32_t seq, struct cursor bytes, uint64_t truncated_len);

#endif
