/*
 * tcp_conn.h - a TCP connection, as the table (tcp_table.h) and the reassembly of one direction
 * (tcp_reassembly.c) share it.
 */
#ifndef DISSECT_TCP_CONN_H
#define DISSECT_TCP_CONN_H

#include "tcp/tcp.h"
#include "tcp/tcp_delivered.h"

/* tcp_diff returns how far a lies after b; sequence numbers wrap around (RFC 9293, 3.4). */
static inline int32_t tcp_diff(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

/* TCP_NEAR is how far apart numbers of one stream are at most, where packets are not quite in
 * order or a peer sends from far behind. */
enum { TCP_NEAR = 1 << 20 };

/* TCP_BEYOND is farther ahead than any window that nodes use, and farther behind than anything is sent
 * again from. */
enum { TCP_BEYOND = 1 << 24 };

/* tcp_elapsed returns the time since then, 0 if the clock went back. */
static inline uint64_t tcp_elapsed(int64_t now_ns, int64_t then_ns)
{
    return now_ns > then_ns ? (uint64_t)now_ns - (uint64_t)then_ns : 0;
}

/* tcp_piece is a stretch of a stream: bytes, then cut more that the snap length left out. */
struct tcp_piece {
    uint32_t seq;
    uint32_t cut;
    struct cursor bytes;
};

struct tcp_held; /* a piece kept until those before it come */

/* tcp_stream is one direction. held is in order of sequence numbers, all beyond next_seq,
 * without overlap. */
struct tcp_stream {
    uint32_t next_seq;  /* of the next byte to pass on */
    uint32_t first_seq; /* of the very first byte */
    uint32_t fin_seq;
    uint32_t acked;   /* last acknowledgement number of the peer */
    int64_t heard_ns; /* time of its last segment */
    int64_t fin_ns;
    uint64_t fin_frame;
    uint8_t fin_ttl;
    struct tcp_held *held, *last_held;
    struct tcp_held *doubted; /* ignored, and may have been taken all the same: as they came */
    uint32_t num_doubted, doubted_len; /* len: with what keeping them costs */
    uint32_t syn_len; /* of the data of its SYN, which is doubted; 0: there is none */
    int64_t arrived_ns;     /* when they were acknowledged, with has_arrived */
    uint64_t arrived_frame;
    struct tcp_delivered delivered;
    uint32_t num_held;
    uint64_t held_len;  /* with what keeping it costs */
    uint32_t stray_seq; /* where the last far-off segment ended */
    uint8_t num_strays; /* far-off segments in a row */
    bool started;       /* next_seq is known */
    bool has_data;
    bool is_long;   /* its numbers lie half of all behind first_seq: they may wrap around to it */
    bool heard;     /* a segment of it was seen */
    bool has_acked; /* acked is known */
    bool fin_seen;
    bool ended;
    /* What tells its own segments from those of others (tcp_judge.h). */
    bool has_time;        /* time is known */
    bool has_doubt;       /* of what was ignored last, up to doubt_end */
    bool doubts_differ;   /* two versions of the same bytes are among them */
    bool has_arrived;     /* what was ignored has been acknowledged */
    bool believes_all;    /* what was ignored had been taken: its segments are doubted no more */
    bool has_stray_ack;
    bool has_urgent;
    bool is_signed;       /* its segments are (RFC 2385) */
    uint8_t num_alike;    /* of them in a row that are, or are not; up to TCP_ALIKE */
    uint8_t sums;         /* enum tcp_sums */
    uint8_t num_good;     /* checksums in a row, where some were not */
    uint32_t time;        /* TSval of the latest segment that the other end had waited for */
    uint64_t time_frame;  /* the number of its packet */
    uint32_t doubt_end;
    uint32_t stray_ack;   /* the last one that was far off */
    uint32_t stray_ack_seq; /* of the segment that had it */
    uint32_t urgent_seq;  /* of the byte that is not of the stream */
};

/* tcp_reset is a RST that may be ignored: it is near what is expected, and not it; or that has ended the
 * connection, as far as is known. */
struct tcp_reset {
    bool waits, has_ack;
    uint8_t dir;
    uint8_t ttl;
    int64_t ns;
    uint64_t frame;
};

enum { TCP_SYNS = 4 }; /* remembered, with different numbers, of one end */

struct tcp_reuse; /* segments that may begin another connection, tcp_reuse.h */

struct tcp_conn {
    struct tcp_conn_view view; /* first: the stage above holds pointers to it */
    bool forgotten; /* its data is not followed any more */
    bool closed; /* reported; kept for a while so that late segments find it */
    bool waiting;
    bool is_plain; /* established, with nothing missing or in doubt: most segments are plainly the next */
    struct tcp_stream stream[2];
    struct tcp_table *table;
    int64_t closed_ns;
    int64_t syn_ns;        /* of the last SYN without ACK */
    uint64_t syn_gap_ns;   /* between it and the one before; 0: there was none */
    uint64_t syn_frame;
    uint32_t syn_seq[TCP_SYNS]; /* of its first SYNs, before an answer */
    uint8_t num_syn_seqs;
    bool can_resume;            /* of one that is closed: the stage above keeps what it knows */
    bool was_reset;             /* it is closed, by a RST */
    struct tcp_reset reset;
    struct tcp_reuse *reuse;    /* NULL: none */
    bool ignores_past;     /* it is known better than what stands for its past could tell */
    uint64_t newest_frame; /* of its segments */
    uint8_t num_taken;     /* segments, up to TCP_DISORDER: then its beginning is over */
    bool gave_up;          /* closed because nobody answered: that may still happen */
    uint32_t bucket_hash;
    struct tcp_conn *chain;                   /* others in the same bucket */
    struct tcp_conn *older, *newer;           /* by last packet; the closed ones by closing */
    struct tcp_conn *earlier, *later;         /* by first packet */
    struct tcp_conn *wait_before, *wait_next; /* those with a hole */
};
_Static_assert(offsetof(struct tcp_conn, view) == 0, "a view is a connection");

/* What the streams need of the table. */
struct tcp_shared {
    const struct tcp_events *events;
    void *context;
    struct memcap *memcap;
    const uint64_t *limits;
    struct ds_stats *stats;
    uint64_t delivered_len; /* of all rings of tcp_delivered.h */
    int64_t now_ns;
    uint64_t frame;
    bool measures; /* the facts of connections */
    bool asks_kernels; /* about their sockets */
    bool by_clock; /* told the time: no packet waits to be taken */
};

/* tcp_waited says whether it is in vain to wait any longer for what has been waited for since a
 * time and a packet. Captures exist in which packets are not quite in order, whatever their
 * times: a little later than its neighbours a packet may come, unless there is none to come. */
enum { TCP_DISORDER = 32 };
static inline bool tcp_is_in_order(uint64_t frame, uint64_t since_frame)
{
    return frame > since_frame && frame - since_frame >= TCP_DISORDER;
}

static inline bool tcp_waited(const struct tcp_shared *shared, int64_t since_ns, uint64_t wait_ns,
                              uint64_t since_frame)
{
    return tcp_elapsed(shared->now_ns, since_ns) >= wait_ns &&
           (shared->by_clock || tcp_is_in_order(shared->frame, since_frame));
}

/* tcp_stream_receive takes what a segment carries: passes on what is in order, keeps the
 * rest. fin: the stream ends after it. */
void tcp_stream_receive(struct tcp_shared *shared, struct tcp_conn *conn, int dir,
                        const struct tcp_piece *piece, bool fin);

/* tcp_stream_differs says whether a piece has other bytes than those that were delivered in its place
 * (tcp_delivered.h). A keep-alive, which repeats the last byte, may have any. */
bool tcp_stream_differs(const struct tcp_stream *stream, const struct tcp_piece *piece);

/* tcp_stream_pass_on passes on a piece that begins at next_seq, with nothing held. Any call upwards may
 * forget the connection. */
void tcp_stream_pass_on(struct tcp_shared *shared, struct tcp_conn *conn, int dir,
                        const struct tcp_piece *piece);

/* tcp_stream_waits says whether bytes are missing before others that have come. Bytes held behind the end
 * of the stream do not count (tcp_ended.h). */
static inline bool tcp_stream_waits(const struct tcp_stream *stream)
{
    return !stream->ended && (stream->held != NULL || stream->fin_seen || stream->has_arrived);
}

/* tcp_stream_held_end returns the number behind the last piece that is held; there is one. */
uint32_t tcp_stream_held_end(const struct tcp_stream *stream);

/* tcp_stream_holds says whether the byte before a number is held. */
bool tcp_stream_holds(const struct tcp_stream *stream, uint32_t number);

/* tcp_stream_abandon passes over what has been missing for too long. */
void tcp_stream_abandon(struct tcp_shared *shared, struct tcp_conn *conn, int dir);

/* tcp_stream_flush passes over all that is missing. */
void tcp_stream_flush(struct tcp_shared *shared, struct tcp_conn *conn, int dir);

/* tcp_stream_keep holds a piece, be it in order, for when it turns out to be of the stream. At most
 * TCP_KEPT bytes are. */
enum { TCP_KEPT = 1 << 18 };
void tcp_stream_keep(struct tcp_shared *shared, struct tcp_stream *stream, const struct tcp_piece *piece);

/* tcp_stream_resume passes on what was kept, of a stream that had ended or not. */
void tcp_stream_resume(struct tcp_shared *shared, struct tcp_conn *conn, int dir);

/* tcp_stream_doubt keeps a piece that was ignored: where it fits exactly what the other end acknowledges,
 * and nothing else has come in its place by the time at which that would be a gap, it is passed on.
 * At most TCP_MAX_DOUBTED pieces are kept, and TCP_DOUBTED bytes. */
enum { TCP_MAX_DOUBTED = 128, TCP_DOUBTED = 1 << 17 };
void tcp_stream_doubt(struct tcp_shared *shared, struct tcp_stream *stream, const struct tcp_piece *piece);

/* tcp_stream_take_doubted passes on what of it lies before a number, and frees all of it. */
void tcp_stream_take_doubted(struct tcp_shared *shared, struct tcp_conn *conn, int dir, uint32_t end);

/* tcp_stream_drop_doubted frees what is doubted: something else has come in its place. */
void tcp_stream_drop_doubted(struct tcp_shared *shared, struct tcp_stream *stream);

/* tcp_stream_drop frees what is held and what is doubted. */
void tcp_stream_drop(struct tcp_shared *shared, struct tcp_stream *stream);

#endif
