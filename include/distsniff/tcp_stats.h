/*
 * distsniff/tcp_stats.h - facts of the way between two nodes, as the packets of a connection tell them:
 * how long it takes, what is lost, who does not read, who says nothing.
 *
 * They are there where ds_config.facts asks for them, behind ds_conn.link, and live as long as
 * the event that leads there. Times are nanoseconds. Everything is as seen at the point where
 * the packets were captured.
 */
#ifndef DISTSNIFF_TCP_STATS_H
#define DISTSNIFF_TCP_STATS_H

#include <distsniff/public.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

DS_BEGIN_PUBLIC

/* ds_histogram is how often which time span came: buckets of a quarter of an octave, so that what is
 * read from it is at most a tenth off. From a microsecond to an hour; what is beyond counts as
 * the last one. Zero-initialise it. */
enum { DS_HISTOGRAM_BUCKETS = 128 };
struct ds_histogram {
    uint64_t num;
    int64_t min_ns, max_ns; /* exact */
    uint32_t bucket[DS_HISTOGRAM_BUCKETS];
};

void ds_histogram_add(struct ds_histogram *histogram, int64_t ns); /* a negative one is none */

/* ds_histogram_at returns the span that so many of a thousand do not exceed: 500 is the median. 0
 * where there are none. */
int64_t ds_histogram_at(const struct ds_histogram *histogram, unsigned per_mille);

/* How a connection ended. */
enum ds_close {
    DS_CLOSE_NOT,     /* not yet */
    DS_CLOSE_FIN,     /* both ends have sent a FIN, or one and nothing came after */
    DS_CLOSE_RESET,   /* a RST */
    DS_CLOSE_SYN_TIMEOUT, /* nobody answered the SYN */
    DS_CLOSE_ICMP,    /* a host or router said that the SYN does not arrive */
    DS_CLOSE_REUSED,  /* a new connection took its ports */
    DS_CLOSE_EVICTED, /* --max-connections was reached */
    DS_CLOSE_CAPTURE, /* the capture ended */
};

/* ds_ignored is what seemed to come from an end, and the other end ignores (RFC 9293, 5961, 7323): it
 * has a bad checksum where those before were good, no ACK, an old timestamp, or numbers that do not
 * fit; or the connection went on in spite of it, be it after its end (DS_CONN_CONTINUED). */
struct ds_ignored {
    uint64_t resets, syns, others;
    uint64_t first_frame, last_frame; /* numbers of packets, 0: none */
    int64_t first_ns;                 /* when the first one came, since 1970 */
    uint8_t min_ttl, max_ttl;         /* times to live, or hop limits, as captured, which differ where
                                         somebody else sent them from another distance */
};

/* ds_socket is what the kernel of an end's host says of its socket, as ds_session_socket was told. */
enum { DS_SOCKET_PROCESS = 16, DS_SOCKET_CONTAINER = 16, DS_SOCKET_POD = 96 };
struct ds_socket {
    int64_t asked_ns;     /* when, since 1970; 0: never */
    uint64_t send_queue;  /* bytes that were written to it and are not acknowledged */
    uint64_t not_sent;    /* of them, those that were never sent */
    uint64_t recv_queue;  /* bytes that have come, and that its process has not read */
    int64_t busy_ns;      /* how long it had something to send, since the connection began */
    int64_t rwnd_limited_ns;   /* of that: while the other end took no more */
    int64_t sndbuf_limited_ns; /* of that: while its own buffer was too small */
    int64_t round_trip_ns;
    uint32_t retransmitted;    /* segments, since the connection began */
    uint32_t retries;          /* how often it has sent the oldest one again by now */
    uint32_t pid;              /* of its process; 0: not known */
    char process[DS_SOCKET_PROCESS];     /* its name; "": not known */
    char container[DS_SOCKET_CONTAINER]; /* the beginning of its id; "": it is in none */
    char pod[DS_SOCKET_POD];             /* "namespace/name", or what is known of it; "": it is in none */
    int64_t span_ns;      /* between the last two answers, 0: there was one; and what it did in it */
    int64_t span_rwnd_ns, span_sndbuf_ns;
    uint32_t span_retransmitted;
};

/* ds_tcp_side is what one end sends, and what becomes of it. */
struct ds_tcp_side {
    uint64_t segments;      /* of any kind */
    uint64_t data_segments; /* with a payload; keepalives are none */
    uint64_t data_bytes;    /* payload, what was sent again as often as it was */
    uint64_t retransmitted, retransmitted_bytes; /* segments seen before: lost behind the capture point, or
                                      thought to be */
    uint64_t lost_upstream; /* sent again, but the first time they were not seen: lost before the
                               capture point */
    uint64_t retransmitted_large; /* of both, those as large as a segment gets */
    uint64_t probes;        /* sent again while the other end took no more: answered, and not lost */
    uint64_t needless;      /* sent again, and the other end says that it had come before (D-SACK) */
    uint64_t copies;        /* the same packet, captured twice: neither lost nor sent again */
    uint64_t reordered;
    uint64_t keepalives;
    uint32_t syns;
    uint32_t mss;           /* of its SYN, 0: none seen */
    uint32_t window;        /* bytes that it can take now, scaled */
    uint32_t max_in_flight; /* bytes under way, at most */
    uint32_t missing; /* bytes that its numbers say it has sent, a large segment or more, and that have come
                         neither here nor to the other end, which acknowledges what stands before them */
    int64_t missing_ns; /* since when, nanoseconds since 1970; 0: nothing is */
    uint32_t most_repeats, most_repeats_len; /* how often one segment was sent again in a row, and
                                                the bytes of it */
    struct ds_ignored ignored;
    uint8_t ttl;            /* time to live, or hop limit, of its latest segment, as captured */
    uint8_t usual_ttl[2];   /* of its first segment; another one that eight or more had, 0: none did */
    bool is_scaled;         /* both SYNs were seen: window is what was meant */
    uint64_t zero_windows;  /* times that it could take no more */
    uint64_t stalls;        /* of what it sends: the other end could take no more for a while */
    int64_t stalled_ns, longest_stall_ns;
    int64_t first_ns, last_ns, last_data_ns; /* since 1970; 0: nothing was sent */
    int64_t max_idle_ns; /* between a segment with a payload and the next that is new */
    int64_t max_quiet_ns; /* between two segments with a payload, retransmitted ones included */
    int64_t pause_from_ns, pause_to_ns; /* the latest second or more in which it sent no payload, not even
                                           again; 0: there was none */
    int64_t usual_gap_ns, pause_usual_ns; /* between two with a payload; before the pause */
    int64_t pause_heard_ns;   /* its last segment within, an acknowledgement; or pause_from_ns */
    uint64_t tick_intervals;  /* between two ticks with nothing between them */
    int64_t tick_min_ns, tick_max_ns, tick_last_ns; /* of them */
    struct ds_histogram round_trip; /* from the capture point to the other end and back */
    struct ds_socket socket; /* of the end that sends it */
};

struct ds_tcp_stats {
    struct ds_tcp_side side[2]; /* side[d]: what end[d] of the connection sends */
    int64_t handshake_ns; /* from the SYN to the acknowledgement of the answer, 0: not seen */
    int64_t silence_ns;   /* neither end sent anything for so long, with nothing left to acknowledge, and
                             of what came then nothing has been answered yet; 0: it has */
    int64_t longest_silence_ns; /* the same, of those after which an answer came */
    enum ds_close close;
    int8_t closed_by; /* the end whose FIN or RST came first, -1: none did, or the other end's could not
                      be seen */
    bool reset_is_own; /* the RST has ACK: its sender still had the connection. What answers a segment
                          of a connection that is not known has none */
    const char *icmp; /* what ICMP said last; a static string, NULL: nothing */
};

/* ds_tcp_unseen returns the end of which nothing was captured, though the other one has sent more
 * than SYNs, and so was answered; -1: there is none. As long as few segments have come that may be
 * chance. What is missing of such a connection is no gap, and who closed it first is not known. */
int ds_tcp_unseen(const struct ds_tcp_stats *link);

/* Why a sender cannot go on. */
enum ds_stall_why {
    DS_STALL_ZERO_WINDOW, /* the other end takes no more */
    DS_STALL_FULL_WINDOW, /* all that it takes at once is under way */
    DS_STALL_LOST,        /* one segment has been sent again three times and is not acknowledged */
    DS_STALL_MISSING,     /* what it has sent does not come here, as the numbers of what does come say: so
                             large a segment is lost before this point, again and again */
};

/* STALL: an end (event.dir) could not send for a while, since the other one did not read, or did not
 * get it. It comes when that is over, and once before, when it has lasted a second (of LOST, with the
 * third repetition; of MISSING, after three); also at the end of a connection that is still held up. */
struct ds_stall {
    enum ds_stall_why why;
    bool is_over;
    int64_t start_ns, duration_ns; /* so far */
    uint64_t in_flight;            /* bytes under way when it began; of LOST, of the segment; of
                                      MISSING, that are */
    uint64_t message_size;   /* of the message that it held up in the middle, 0: of none */
    uint64_t message_passed; /* bytes of it that had come by then */
    bool is_heard; /* of LOST, once, while it lasts: the other end was heard, what is lost was sent again,
                      and the other end was heard once more and has not acknowledged it */
    uint32_t tries; /* of a window: segments that the sender has sent since, such as probes of it */
    uint32_t from_seq; /* of LOST: number of the first byte that is not acknowledged */
};

DS_END_PUBLIC

#endif
