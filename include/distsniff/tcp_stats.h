/*
 * distsniff/tcp_stats.h - TCP statistics of a connection: round-trip times, losses, retransmissions, closed
 * windows, idle times (RFC 9293, 2018, 2883, 5961, 7323).
 *
 * ds_conn.link points to them if ds_config.facts is true. They live as long as the event. Times are
 * nanoseconds. Everything is as seen at the capture point.
 */
#ifndef DISTSNIFF_TCP_STATS_H
#define DISTSNIFF_TCP_STATS_H

#include <distsniff/public.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

DS_BEGIN_PUBLIC

/* ds_histogram counts time spans in buckets of a quarter of an octave, so that a quantile is at most a
 * tenth off. It ranges from a microsecond to an hour; longer spans count in the last bucket.
 * Zero-initialise it. */
enum { DS_HISTOGRAM_BUCKETS = 128 };
struct ds_histogram {
    uint64_t num;
    int64_t min_ns, max_ns; /* exact */
    uint32_t bucket[DS_HISTOGRAM_BUCKETS];
};

/* ds_histogram_add counts a time span. A negative one is not counted. */
void ds_histogram_add(struct ds_histogram *histogram, int64_t ns);

/* ds_histogram_at returns the span that per_mille of a thousand spans do not exceed: 500 is the median. It
 * returns 0 for an empty histogram. */
int64_t ds_histogram_at(const struct ds_histogram *histogram, unsigned per_mille);

/* How a connection ended. */
enum ds_close {
    DS_CLOSE_NOT,     /* not yet */
    DS_CLOSE_FIN,     /* both ends have sent a FIN, or one has and nothing followed */
    DS_CLOSE_RESET,   /* a RST */
    DS_CLOSE_SYN_TIMEOUT, /* the SYN was not answered */
    DS_CLOSE_ICMP,    /* a host or router reported that the SYN does not arrive */
    DS_CLOSE_REUSED,  /* a new connection reused its ports */
    DS_CLOSE_EVICTED, /* evicted: DS_LIMIT_CONNECTIONS was reached */
    DS_CLOSE_CAPTURE, /* the capture ended */
};

/* ds_ignored counts packets with the addresses of one end that the other end ignores (RFC 9293, 5961,
 * 7323): their checksum is bad although earlier ones were good, ACK is missing, the timestamp is old, or
 * the sequence number does not fit; or the connection went on in spite of them. */
struct ds_ignored {
    uint64_t resets, syns, others;
    uint64_t first_frame, last_frame; /* numbers of packets, 0: none */
    int64_t first_ns;                 /* when the first one came, since 1970 */
    uint8_t min_ttl, max_ttl;         /* times to live, or hop limits, as captured: they differ from
                                         ds_tcp_side.ttl if another host sent the packets */
};

/* ds_socket is the state of an end's socket in the kernel of its host, as passed to ds_session_socket. */
enum { DS_SOCKET_PROCESS = 16, DS_SOCKET_CONTAINER = 16, DS_SOCKET_POD = 96 };
struct ds_socket {
    int64_t asked_ns;     /* when, since 1970; 0: never */
    uint64_t send_queue;  /* bytes written to it and not acknowledged */
    uint64_t not_sent;    /* part of send_queue that was never sent */
    uint64_t recv_queue;  /* bytes received that its process has not read */
    int64_t busy_ns;      /* how long it had data to send since the connection began */
    int64_t rwnd_limited_ns;   /* part of busy_ns: limited by the other end's receive window */
    int64_t sndbuf_limited_ns; /* part of busy_ns: limited by its own send buffer */
    int64_t round_trip_ns;
    uint32_t retransmitted;    /* segments, since the connection began */
    uint32_t retries;          /* how often it has retransmitted its oldest segment so far */
    uint32_t pid;              /* of its process; 0: unknown */
    char process[DS_SOCKET_PROCESS];     /* name of its process; "": unknown */
    char container[DS_SOCKET_CONTAINER]; /* the beginning of the container's id; "": no container */
    char pod[DS_SOCKET_POD];             /* "namespace/name", or the part that is known; "": no pod */
    int64_t span_ns;      /* between the last two answers of the kernel; 0: there was only one. The
                             following changed in it: */
    int64_t span_rwnd_ns, span_sndbuf_ns;
    uint32_t span_retransmitted;
};

/* ds_tcp_side describes the segments that one end sends. */
struct ds_tcp_side {
    uint64_t segments;      /* of any kind */
    uint64_t data_segments; /* with a payload; keepalives do not count */
    uint64_t data_bytes;    /* of payload, retransmissions included */
    /* Retransmitted segments whose first transmission was captured: lost after the capture point, or
     * the sender assumes so. */
    uint64_t retransmitted, retransmitted_bytes;
    uint64_t lost_upstream; /* retransmitted, and the first transmission was not captured: lost before the
                               capture point */
    uint64_t retransmitted_large; /* of both, segments of the largest size */
    uint64_t probes;        /* retransmitted while the other end's window was closed: these are
                               answered, so not lost */
    uint64_t needless;      /* retransmitted although they had arrived, as the other end says (D-SACK) */
    uint64_t copies;        /* one packet captured twice: neither lost nor retransmitted */
    uint64_t reordered;
    uint64_t keepalives;
    uint32_t syns;
    uint32_t mss;           /* from its SYN; 0: not seen */
    uint32_t window;        /* its receive window now, bytes, scaled */
    uint32_t max_in_flight; /* most bytes in flight */
    uint32_t missing; /* bytes, a large segment or more, that it has sent according to its sequence numbers
                         and that arrived neither here nor at the other end, which acknowledges only what
                         precedes them */
    int64_t missing_ns; /* since when, nanoseconds since 1970; 0: none are missing */
    uint32_t most_repeats, most_repeats_len; /* the most retransmissions of one segment in a row, and its
                                                bytes */
    int64_t repeated_ns;    /* when it last retransmitted bytes that are not acknowledged; 0: never */
    struct ds_ignored ignored;
    uint8_t ttl;            /* time to live, or hop limit, of its latest segment, as captured */
    uint8_t usual_ttl[2];   /* ttl of its first segment; another ttl that eight or more segments had, 0:
                               none */
    bool is_scaled;         /* both SYNs were seen: the scale of window is known */
    uint64_t zero_windows;  /* times that it closed its receive window */
    uint64_t stalls;        /* times that it could not send for a while: struct ds_stall */
    int64_t stalled_ns, longest_stall_ns;
    int64_t first_ns, last_ns, last_data_ns; /* since 1970; 0: nothing was sent */
    int64_t max_idle_ns;  /* longest time between a segment with a payload and the next new one */
    int64_t max_quiet_ns; /* longest time between two segments with a payload, including retransmissions */
    int64_t pause_from_ns, pause_to_ns; /* the latest pause of a second or more without payload, not
                                           even retransmitted; 0: none */
    int64_t usual_gap_ns, pause_usual_ns; /* usual time between two segments with a payload: now, and
                                             before the pause */
    int64_t pause_heard_ns;   /* its last segment within the pause, without payload; or pause_from_ns */
    uint64_t tick_intervals;  /* intervals between two consecutive ticks */
    int64_t tick_min_ns, tick_max_ns, tick_last_ns; /* of these intervals */
    struct ds_histogram round_trip; /* from the capture point to the other end and back */
    struct ds_socket socket; /* of this end */
};

struct ds_tcp_stats {
    struct ds_tcp_side side[2]; /* side[d]: what end[d] of the connection sends */
    int64_t handshake_ns; /* from the SYN to the acknowledgement of the answer, 0: not seen */
    int64_t silence_ns;   /* how long neither end has sent anything, with everything acknowledged, if
                             the segments after that are not answered yet; otherwise 0 */
    int64_t longest_silence_ns; /* the longest such time after which an answer came */
    enum ds_close close;
    int8_t closed_by; /* the end whose FIN or RST came first; -1: none, or the other end's packets are
                         not captured */
    bool reset_is_own; /* the RST has ACK: its sender still had the connection. A RST that answers a
                          segment of an unknown connection has no ACK */
    const char *icmp; /* the latest ICMP error, a static string; NULL: none */
};

/* ds_tcp_unseen returns the end whose packets were not captured, although the other end has sent more
 * than SYNs and so must have been answered; -1: there is none. With few segments this may be chance.
 * Missing data of such a connection is not a gap, and it is unknown which end closed it first. */
int ds_tcp_unseen(const struct ds_tcp_stats *link);

/* Why a sender is stalled. */
enum ds_stall_why {
    DS_STALL_ZERO_WINDOW, /* the other end's receive window is closed */
    DS_STALL_FULL_WINDOW, /* bytes in flight fill the other end's receive window */
    DS_STALL_LOST,        /* a segment was retransmitted three times and is not acknowledged */
    DS_STALL_MISSING,     /* sequence numbers show that a large segment is lost before the capture point,
                             again and again */
};

/* STALL: an end (ds_event.dir) could not send for a while, because the other one did not read or did not
 * receive. The event comes when the stall is over, and once before: when it has lasted a second (LOST: with
 * the third retransmission; MISSING: after three seconds). It also comes at the end of a connection that is
 * still stalled. */
struct ds_stall {
    enum ds_stall_why why;
    bool is_over;
    int64_t start_ns, duration_ns; /* so far */
    uint64_t in_flight;      /* bytes in flight when it began; LOST: bytes of the segment; MISSING: missing
                                bytes */
    uint64_t message_size;   /* size of the message that was partly sent then; 0: none */
    uint64_t message_passed; /* bytes of that message that had been sent when the stall began */
    bool is_heard; /* LOST, once, while it lasts: the other end sent something, the segment was
                      retransmitted, and the other end sent something again without acknowledging it */
    uint32_t tries; /* ZERO_WINDOW, FULL_WINDOW: segments that the sender has sent since, such as probes */
    uint32_t from_seq; /* LOST: sequence number of the first byte that is not acknowledged */
};

DS_END_PUBLIC

#endif
