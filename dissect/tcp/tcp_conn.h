/*
 * tcp_conn.h - a TCP connection, as shared by the table (tcp_table.h) and the reassembly of one
 * direction (tcp_reassembly.c).
 */
#ifndef DISSECT_TCP_CONN_H
#define DISSECT_TCP_CONN_H

#include "tcp/tcp.h"
#include "tcp/tcp_delivered.h"

/* tcp_diff returns how far a is after b; sequence numbers wrap around (RFC 9293, 3.4). */
static inline int32_t tcp_diff(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

/* TCP_NEAR is the largest distance between numbers of one stream, if packets are not quite in
 * order or a peer retransmits from far behind. */
enum { TCP_NEAR = 1 << 20 };

/* TCP_BEYOND is farther ahead than any window that nodes use, and farther back than any
 * retransmission. */
enum { TCP_BEYOND = 1 << 24 };

/* tcp_elapsed returns the time since then_ns, 0 if the clock went back. */
static inline uint64_t tcp_elapsed(int64_t now_ns, int64_t then_ns)
{
    return now_ns > then_ns ? (uint64_t)now_ns - (uint64_t)then_ns : 0;
}

/* tcp_piece is a part of a stream: bytes, then cut more bytes that the snap length cut off. */
struct tcp_piece {
    uint32_t seq;
    uint32_t cut;
    struct cursor bytes;
};

struct tcp_held; /* a piece that is kept until those before it come */

/* tcp_stream is one direction. The pieces of held are in order, all after next_seq, and do not
 * overlap. */
struct tcp_stream {
    uint32_t next_seq;  /* of the next byte to pass on */
    uint32_t first_seq; /* of the first byte of the stream */
    uint32_t fin_seq;
    uint32_t acked;   /* latest acknowledgement number from the peer */
    int64_t heard_ns; /* time of its latest segment */
    int64_t fin_ns;
    uint64_t fin_frame;
    uint8_t fin_ttl;
    struct tcp_held *held, *last_held;
    struct tcp_held *doubted; /* ignored pieces that may have been accepted, in order of arrival */
    uint32_t num_doubted, doubted_len; /* doubted_len: with the cost of keeping them */
    uint32_t syn_len; /* length of the data of its SYN, which is doubted; 0: none */
    int64_t arrived_ns;     /* with has_arrived: when the doubted bytes were acknowledged */
    uint64_t arrived_frame;
    struct tcp_delivered delivered;
    uint32_t num_held;
    uint64_t held_len;  /* with the cost of keeping it */
    uint32_t stray_seq; /* where the latest far-off segment ended */
    uint8_t num_strays; /* far-off segments in a row */
    bool started;       /* next_seq is known */
    bool has_data;
    bool is_long;   /* it has passed half of the number space: its numbers may wrap around to first_seq */
    bool heard;     /* a segment was seen */
    bool is_to_group; /* the latest one's frame was sent to a group address */
    bool has_acked; /* acked is known */
    bool fin_seen;
    bool ended;
    /* How its own segments differ from those of others (tcp_judge.h). */
    bool has_time;        /* time is known */
    bool time_is_of_syn;  /* it is that of its SYN */
    bool has_doubt;       /* the latest ignored bytes, up to doubt_end, are doubted */
    bool doubts_differ;   /* the doubted pieces contain two versions of the same bytes */
    bool has_arrived;     /* the ignored bytes have been acknowledged */
    bool believes_all;    /* ignored bytes were accepted: its segments are not doubted any more */
    bool has_stray_ack;
    bool has_urgent;
    bool is_signed;       /* its segments are signed (RFC 2385) */
    uint8_t num_alike;    /* segments in a row that agree with is_signed; up to TCP_ALIKE */
    uint8_t sums;         /* enum tcp_sums */
    uint8_t num_good;     /* good checksums in a row, after bad ones */
    uint32_t time;        /* TSval of the latest segment that the other end had been waiting for */
    uint64_t time_frame;  /* the packet number of that segment */
    uint32_t doubt_end;
    uint32_t stray_ack;   /* the latest far-off acknowledgement */
    uint32_t stray_ack_seq; /* sequence number of the segment that had it */
    uint32_t urgent_seq;  /* of the urgent byte, which is not part of the stream */
};

/* tcp_reset is a RST. If waits, it may yet be ignored: its number is near the expected one, but
 * not equal. Else it has ended the connection, as far as is known. */
struct tcp_reset {
    bool waits, has_ack;
    uint8_t dir;
    uint8_t ttl;
    int64_t ns;
    uint64_t frame;
};

enum { TCP_SYNS = 4 }; /* numbers of different SYNs that are remembered */

struct tcp_reuse; /* segments that may begin another connection, tcp_reuse.h */

struct tcp_conn {
    struct tcp_conn_view view; /* first: the stage above has pointers to it */
    bool forgotten; /* its data is not followed any more */
    bool closed; /* reported; kept for a while so that late segments find it */
    bool waiting;
    bool is_plain; /* established, with nothing missing or doubted: tcp_receive_expected applies */
    struct tcp_stream stream[2];
    struct tcp_table *table;
    int64_t closed_ns;
    int64_t syn_ns;        /* of the latest SYN without ACK */
    uint64_t syn_gap_ns;   /* time between it and the one before; 0: none before */
    uint64_t syn_frame;
    uint32_t syn_seq[TCP_SYNS]; /* of the first SYNs, before an answer */
    uint8_t num_syn_seqs;
    bool is_answered;           /* a SYN and a SYN-ACK were seen */
    bool before_syn;            /* it began with segments that did not fit a SYN that came then */
    bool lost_syns;             /* there were more SYNs with different numbers */
    bool can_resume;            /* closed, but the stage above still has its state */
    bool was_reset;             /* closed, by a RST */
    struct tcp_reset reset;
    struct tcp_reuse *reuse;    /* NULL: none */
    bool ignores_past;     /* what is known is newer than the snapshot */
    uint64_t first_frame;  /* of its first segment, and the time of that */
    int64_t first_ns;
    uint64_t newest_frame; /* highest packet number of its segments */
    uint8_t num_taken;     /* segments processed, up to TCP_DISORDER: then its beginning is over */
    bool gave_up;          /* closed because no answer came; one may still come */
    uint32_t bucket_hash;
    struct tcp_conn *chain;                   /* others in the same bucket */
    struct tcp_conn *older, *newer;           /* by last packet; closed ones by time of closing */
    struct tcp_conn *earlier, *later;         /* by first packet */
    struct tcp_conn *wait_before, *wait_next; /* connections that wait for something */
};
_Static_assert(offsetof(struct tcp_conn, view) == 0, "a view is a connection");

/* tcp_shared is the part of the table that the streams use. */
struct tcp_shared {
    const struct tcp_events *events;
    void *context;
    struct memcap *memcap;
    const uint64_t *limits;
    struct ds_stats *stats;
    uint64_t delivered_len; /* total size of the rings of tcp_delivered.h */
    int64_t now_ns;
    uint64_t frame;
    bool measures; /* facts about connections are kept */
    bool asks_kernels; /* kernels are asked about sockets */
    bool by_clock; /* time advances by itself: no packet waits to be processed */
};

/* tcp_waited says whether a wait that began at a time and a packet is over. In some captures
 * packets are not quite in order, whatever their times, so TCP_DISORDER more packets have to
 * come, unless no more packets are expected. */
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

/* tcp_stream_receive processes the payload of a segment: it passes on what is in order, and
 * holds the rest. fin: the stream ends after it. */
void tcp_stream_receive(struct tcp_shared *shared, struct tcp_conn *conn, int dir,
                        const struct tcp_piece *piece, bool fin);

/* tcp_stream_differs says whether a piece has other bytes than those delivered at the same place
 * (tcp_delivered.h). A keep-alive, which repeats the last byte, may contain any byte. */
bool tcp_stream_differs(const struct tcp_stream *stream, const struct tcp_piece *piece);

/* tcp_stream_pass_on passes on a piece that begins at next_seq, with nothing held. Each callback
 * may forget the connection. */
void tcp_stream_pass_on(struct tcp_shared *shared, struct tcp_conn *conn, int dir,
                        const struct tcp_piece *piece);

/* tcp_stream_waits says whether bytes are missing before others that have come. Bytes held after
 * the end of the stream do not count (tcp_ended.h). */
static inline bool tcp_stream_waits(const struct tcp_stream *stream)
{
    return !stream->ended && (stream->held != NULL || stream->fin_seen || stream->has_arrived);
}

/* tcp_stream_held_end returns the number after the last held piece. At least one must be held. */
uint32_t tcp_stream_held_end(const struct tcp_stream *stream);

/* tcp_stream_holds says whether the byte before a number is held. */
bool tcp_stream_holds(const struct tcp_stream *stream, uint32_t number);

/* tcp_stream_abandon skips bytes that have been missing for too long. */
void tcp_stream_abandon(struct tcp_shared *shared, struct tcp_conn *conn, int dir);

/* tcp_stream_flush skips all missing bytes. */
void tcp_stream_flush(struct tcp_shared *shared, struct tcp_conn *conn, int dir);

/* tcp_stream_keep holds a piece, even if it is in order, until it is known to be of the stream.
 * At most TCP_KEPT bytes are held. */
enum { TCP_KEPT = 1 << 18 };
void tcp_stream_keep(struct tcp_shared *shared, struct tcp_stream *stream, const struct tcp_piece *piece);

/* tcp_stream_resume passes on what tcp_stream_keep has held, whether the stream had ended or
 * not. */
void tcp_stream_resume(struct tcp_shared *shared, struct tcp_conn *conn, int dir);

/* tcp_stream_doubt keeps a piece that was ignored. It is passed on if it fits exactly what the
 * other end acknowledges, and nothing else has come in its place by the time that would be a
 * gap. At most TCP_MAX_DOUBTED pieces and TCP_DOUBTED bytes are kept. */
enum { TCP_MAX_DOUBTED = 128, TCP_DOUBTED = 1 << 17 };
void tcp_stream_doubt(struct tcp_shared *shared, struct tcp_stream *stream, const struct tcp_piece *piece);

/* tcp_stream_pass_on_doubted passes on the doubted bytes before a number, and frees all doubted
 * pieces. */
void tcp_stream_pass_on_doubted(struct tcp_shared *shared, struct tcp_conn *conn, int dir, uint32_t end);

/* tcp_stream_drop_doubted frees the doubted pieces. */
void tcp_stream_drop_doubted(struct tcp_shared *shared, struct tcp_stream *stream);

/* tcp_stream_drop frees held and doubted pieces. */
void tcp_stream_drop(struct tcp_shared *shared, struct tcp_stream *stream);

#endif
