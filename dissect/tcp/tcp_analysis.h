/*
 * tcp_analysis.h - what the segments of a connection tell about the way they take: round trips,
 * losses, windows, ticks (distsniff/tcp_stats.h), and stalls (tcp_stall.c). It sees a segment before the
 * stream does.
 */
#ifndef DISSECT_TCP_ANALYSIS_H
#define DISSECT_TCP_ANALYSIS_H

#include "net/packet.h"

enum { ANALYSIS_RECENT = 16 }; /* segments remembered, to know a copy of one */

/* tcp_analysis_dir is where one direction stands. */
struct tcp_analysis_dir {
    uint32_t high_seq;  /* behind the last byte it has sent */
    uint32_t whole_seq; /* all before it has come, here or to the other end */
    uint32_t acked;     /* by the other end */
    uint32_t timed_seq; /* of the segment whose acknowledgement is waited for */
    int64_t timed_ns;   /* 0: of none */
    int64_t hole_ns;    /* when a segment was left out last */
    uint16_t high_id;   /* identification of IP, of the segment that ends at high_seq */
    uint8_t id_rises;   /* times in a row that it was a little greater than the one before */
    uint8_t repeated_acks; /* for what stands before the hole, since */
    int64_t repeat_ns;            /* when that was sent again first */
    uint32_t repeat_seq, repeats; /* sent again, and how often in a row */
    int64_t stall_ns;      /* since when it cannot send; 0: it can */
    uint64_t stall_flight; /* bytes under way then */
    enum ds_stall_why stall_why;
    bool stall_told;
    int64_t lost_ns;       /* since when a segment is sent again and again; 0: none is */
    int64_t heard_ns;      /* when the other end was heard first, after that was told; 0: not yet */
    int64_t again_ns;      /* when it was sent again first, after the other end was heard; 0: not yet */
    uint32_t lost_len;
    bool heard_told;
    uint32_t stall_tries;  /* segments since it cannot send */
    int64_t run_ns; /* how long stalls have lasted since it last had nothing to send */
    int64_t run_at_ns; /* when it sent something last, or was let send again */
    int64_t tick_ns;
    uint64_t tick_frames; /* frames sent by then */
    bool tick_is_late;    /* the next one may be: something was held up, or sent again, before it */
    uint8_t scale, shift; /* shift: of the windows it tells, once both ends have said theirs */
    bool has_scale, has_high, has_acked, has_whole;
    bool passes_full;  /* segments as large as they get come, behind what is missing */
    bool missing_told;
    int64_t filled_ns; /* since when something was missing that has come now, and was told; 0: nothing */
    uint32_t beyond;   /* bytes that came behind what is missing */
    uint8_t recent_next;
    uint8_t other_ttl, num_other_ttl; /* a time to live besides the usual ones, of so many segments */
    struct {
        uint32_t seq;
        uint16_t ip_id;
        uint16_t len;
    } recent[ANALYSIS_RECENT];
};

struct tcp_analysis {
    struct ds_tcp_stats link;
    struct tcp_analysis_dir dir[2];
    int64_t syn_ns;
    int8_t silence_dir; /* who ended the silence that link.silence_ns is of */
};

/* tcp_analysis_new returns the facts of a connection of which nothing has come; NULL when memory ran
 * out. free() releases them. */
struct tcp_analysis *tcp_analysis_new(void);

/* tcp_analyse_segment takes a segment of direction dir with len bytes of payload, the first of which
 * its stream waits for is next_seq (started: that is known). Returns the direction of which it has
 * ended a stall that is worth a word, else -1. */
int tcp_analyse_segment(struct tcp_analysis *facts, int dir, const struct segment *segment, uint32_t len,
                        bool started, uint32_t next_seq, struct ds_stall *stall);

/* tcp_analysis_stalls says whether a direction cannot send, and that has not been told of. */
static inline bool tcp_analysis_stalls(const struct tcp_analysis *facts)
{
    return (facts->dir[0].stall_ns != 0 && !facts->dir[0].stall_told) ||
           (facts->dir[1].stall_ns != 0 && !facts->dir[1].stall_told);
}

/* tcp_analysis_time says whether it is time to tell of a stall of dir that goes on: after a second. Where
 * kernels are asked about its sockets, their answer is waited for, for three seconds at most. */
bool tcp_analysis_time(struct tcp_analysis *facts, int dir, bool asks_kernels, int64_t now_ns,
                       struct ds_stall *stall);

/* tcp_analysis_end ends what goes on in direction dir: true when that was a stall worth a word. */
bool tcp_analysis_end(struct tcp_analysis *facts, int dir, int64_t now_ns, struct ds_stall *stall);

/* tcp_analysis_then stores the facts of data that is passed on later than it arrived. */
struct tcp_analysis_then {
    int64_t run_ns;
    bool tick_is_late;
};

/* tcp_analysis_leave takes that out, tcp_analysis_enter puts it in again: for what came then; in the
 * end that of
 * now, which was taken out before. */
static inline struct tcp_analysis_then tcp_analysis_leave(struct tcp_analysis *facts, int dir)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    const struct tcp_analysis_then then = {me->run_ns, me->tick_is_late};
    me->tick_is_late = false;
    return then;
}

static inline void tcp_analysis_enter(struct tcp_analysis *facts, int dir,
                                      struct tcp_analysis_then then)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    me->run_ns = then.run_ns;
    me->tick_is_late |= then.tick_is_late;
}

/* tcp_analysis_ignore takes a segment that direction dir seemed to send, and that is ignored. */
void tcp_analysis_ignore(struct tcp_analysis *facts, int dir, uint8_t flags, uint8_t ttl,
                         uint64_t frame, int64_t ts_ns);

/* tcp_analysis_tick takes a tick of direction dir, num_frames frames having been sent with it. */
void tcp_analysis_tick(struct tcp_analysis *facts, int dir, int64_t now_ns, uint64_t num_frames);

#endif
