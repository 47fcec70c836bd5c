/*
 * stop_condition.h - when a run ends, and why: what the user set an end to with -a, --packets and
 * --until, and what else can happen. The reasons are those of stop_reasons.def. Nothing here reads
 * a clock.
 */
#ifndef SRC_STOP_CONDITION_H
#define SRC_STOP_CONDITION_H

#include "core/stop_reason.h"
#include "core/time_point.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ending_config is what the user set an end to. 0, or a moment of TIME_POINT_NONE: no limit. */
struct stop_config {
    uint64_t max_messages, max_packets;
    double max_seconds;
    uint64_t max_file_kb;  /* of -w */
    const char *rate_text; /* of --rate, as it was given */
    struct time_point since, until;
    const char *since_text, *until_text;
    uint64_t max_files, max_ring_files; /* of -w: in all, and in a ring */
};

struct stop_condition {
    const struct stop_config *config;
    bool is_live;
    enum stop_reason reason;
    int signal;         /* of STOP_SIGNAL */
    int64_t since_ns;   /* nothing before that is shown */
    int64_t from_ns;    /* the least of that, from stop_condition_show_from */
    int64_t until_ns;   /* no packet after that is taken */
    int64_t timeout_ns; /* -a duration: of files, the last time that counts */
    int64_t until_elapsed_ns; /* --until +5s: live, by a clock that is never set */
};

void stop_condition_init(struct stop_condition *ending, const struct stop_config *config, bool is_live);

/* stop_condition_show_from has nothing shown that is before a time, in ns since 1970. To be called before
 * stop_condition_begin. */
void stop_condition_show_from(struct stop_condition *ending, int64_t from_ns);

/* stop_condition_begin tells when the capture begins, in ns since 1970: with its first packet, or
 * now. */
void stop_condition_begin(struct stop_condition *ending, int64_t start_ns);

/* stop_condition_set ends the run; the first reason is the one that counts. */
void stop_condition_set(struct stop_condition *ending, enum stop_reason reason);

/* stop_condition_end_ns returns, for files, until when no more was captured than was taken: --until or -a
 * duration, which a packet is beyond; INT64_MIN: the last packet is all that is known. */
int64_t stop_condition_end_ns(const struct stop_condition *ending);

/* stop_condition_takes says whether the next packet is still to be taken. */
bool stop_condition_takes(struct stop_condition *ending, int64_t ts_ns);

/* stop_condition_count tells how many packets have been taken. */
void stop_condition_count(struct stop_condition *ending, uint64_t num_packets);

/* stop_condition_file tells how long the file of packets is. True: nothing more is to be written to it. */
bool stop_condition_file(struct stop_condition *ending, uint64_t num_bytes);

/* stop_condition_clock tells how late it is in a live capture: ns since its begin by a clock that is
 * never set, and ns since 1970. */
void stop_condition_clock(struct stop_condition *ending, int64_t elapsed_ns, int64_t now_ns);

/* stop_condition_print writes "stopped: 7 messages shown, as -c asked", a line. */
void stop_condition_print(const struct stop_condition *ending, FILE *out);

/* stop_range is when the first and the last packet of a capture came, in ns since 1970. */
struct stop_range {
    int64_t first_ns, last_ns;
};

/* stop_condition_missed says, in a line, that --since or --until lies outside of what files have. False: it
 * does not. */
bool stop_condition_missed(const struct stop_condition *ending, const struct stop_range *range, char *out,
                           size_t size);

#endif
