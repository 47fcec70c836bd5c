/*
 * tcp_analysis.h - what the segments of a connection show about its path: round trips, losses,
 * windows, ticks (distsniff/tcp_stats.h), and stalls (tcp_stall.c). It sees each segment before the
 * stream does.
 */
#ifndef DISSECT_TCP_ANALYSIS_H
#define DISSECT_TCP_ANALYSIS_H

#include "net/packet.h"

enum { ANALYSIS_RECENT = 16 }; /* segments remembered, to recognize copies */

/* tcp_analysis_dir is the state of one direction. */
struct tcp_analysis_dir {
    uint32_t high_seq;  /* after the last byte sent */
    uint32_t whole_seq; /* all bytes before it have been seen here, or acknowledged */
    uint32_t acked;     /* by the other end */
    uint32_t timed_seq; /* end of the segment whose acknowledgement is awaited */
    int64_t timed_ns;   /* when it was sent; 0: none */
    int64_t hole_ns;    /* when a segment was skipped last */
    uint16_t high_id;   /* IP identification of the segment that ends at high_seq */
    uint8_t id_rises;   /* times in a row that it was a little greater than the one before */
    uint8_t repeated_acks; /* acknowledgements of the byte before the hole, since hole_ns */
    int64_t repeat_ns;            /* when it was first retransmitted */
    uint32_t repeat_seq, repeats; /* what is retransmitted, and how often in a row */
    int64_t stall_ns;      /* since when it cannot send; 0: it can */
    uint64_t stall_flight; /* bytes in flight at that time */
    enum ds_stall_why stall_why;
    bool stall_told;
    int64_t lost_ns;       /* since when a segment is retransmitted repeatedly; 0: none is */
    int64_t heard_ns;      /* when the other end was first heard after the loss was reported; 0: not yet */
    int64_t again_ns;      /* when it was first retransmitted after heard_ns; 0: not yet */
    uint32_t lost_len;
    bool heard_told;
    uint32_t stall_tries;  /* segments since stall_ns */
    int64_t run_ns; /* duration of the stalls since it last had nothing to send */
    int64_t run_at_ns; /* when it last sent something, or could send again */
    int64_t tick_ns;
    uint64_t tick_frames; /* number of frames sent at tick_ns */
    bool tick_is_late;    /* the next tick may be late: something was delayed or retransmitted before it */
    uint8_t scale, shift; /* shift: of the windows it announces, once both ends have sent their scale */
    bool has_scale, has_high, has_acked, has_whole;
    bool passes_full;  /* full-size segments arrive after the missing bytes */
    bool missing_told;
    int64_t filled_ns; /* since when bytes were missing that have now come, if that was reported; 0: none */
    uint32_t beyond;   /* bytes that came after the missing ones */
    uint8_t recent_next;
    uint8_t other_ttl, num_other_ttl; /* an unusual time to live, and a counter of its segments */
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
    int8_t silence_dir; /* the end that broke the silence that lasted link.silence_ns */
};

/* tcp_analysis_new returns the facts of a new connection; NULL if memory ran out. free()
 * releases them. */
struct tcp_analysis *tcp_analysis_new(void);

/* tcp_analyse_segment processes a segment of direction dir with len bytes of payload. The stream
 * waits for next_seq (started: that is known). Returns the direction that has a stall to report,
 * which began or ended with this segment, else -1. */
int tcp_analyse_segment(struct tcp_analysis *facts, int dir, const struct segment *segment, uint32_t len,
                        bool started, uint32_t next_seq, struct ds_stall *stall);

/* tcp_analysis_stalls says whether a direction cannot send and that has not been reported. */
static inline bool tcp_analysis_stalls(const struct tcp_analysis *facts)
{
    return (facts->dir[0].stall_ns != 0 && !facts->dir[0].stall_told) ||
           (facts->dir[1].stall_ns != 0 && !facts->dir[1].stall_told);
}

/* tcp_analysis_time says whether to report a stall of dir that goes on: after a second. If
 * kernels are asked about its sockets, it waits for their answer, at most three seconds. */
bool tcp_analysis_time(struct tcp_analysis *facts, int dir, bool asks_kernels, int64_t now_ns,
                       struct ds_stall *stall);

/* tcp_analysis_end ends a stall of direction dir. True if it is long enough to report. */
bool tcp_analysis_end(struct tcp_analysis *facts, int dir, int64_t now_ns, struct ds_stall *stall);

/* tcp_analysis_then contains the facts about data that is passed on later than it arrived. */
struct tcp_analysis_then {
    int64_t run_ns;
    bool tick_is_late;
};

/* tcp_analysis_leave saves and resets these facts, tcp_analysis_enter restores them. To pass on
 * old data: leave the present facts, enter those of the data, and then enter the present ones
 * again. */
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

/* tcp_analysis_ignore counts a segment that seemed to come from direction dir and is ignored. */
void tcp_analysis_ignore(struct tcp_analysis *facts, int dir, uint8_t flags, uint8_t ttl,
                         uint64_t frame, int64_t ts_ns);

/* tcp_analysis_tick processes a tick of direction dir, which has sent num_frames frames with it. */
void tcp_analysis_tick(struct tcp_analysis *facts, int dir, int64_t now_ns, uint64_t num_frames);

#endif
