/*
 * stop_condition.h - when a run stops, and why: the limits of -a, --packets and --until, and other
 * events. stop_reasons.def has the reasons. Nothing here reads a clock.
 */
#ifndef SRC_STOP_CONDITION_H
#define SRC_STOP_CONDITION_H

#include "core/stop_reason.h"
#include "core/time_point.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* stop_config is the limits that the user set. 0, or a time of TIME_POINT_NONE: no limit. */
struct stop_config {
    uint64_t max_messages, max_packets;
    double max_seconds;
    uint64_t max_file_kb;  /* of -w */
    const char *rate_text; /* of --rate, as the user wrote it */
    struct time_point since, until;
    const char *since_text, *until_text;
    uint64_t max_files, max_ring_files; /* of -w: in total, and in a ring */
};

struct stop_condition {
    const struct stop_config *config;
    bool is_live;
    enum stop_reason reason;
    int signal;         /* of STOP_SIGNAL */
    int64_t since_ns;   /* earlier packets and records are not shown */
    int64_t from_ns;    /* lower limit of since_ns, from stop_condition_show_from */
    int64_t until_ns;   /* later packets are not read */
    int64_t timeout_ns; /* -a duration: in files, the last time that counts */
    int64_t until_elapsed_ns; /* --until +5s: live, by a clock that cannot be set */
};

void stop_condition_init(struct stop_condition *ending, const struct stop_config *config, bool is_live);

/* stop_condition_show_from hides everything before a time, in ns since 1970. Call it before
 * stop_condition_begin. */
void stop_condition_show_from(struct stop_condition *ending, int64_t from_ns);

/* stop_condition_begin sets the start of the capture, in ns since 1970: the time of its first packet,
 * or now. */
void stop_condition_begin(struct stop_condition *ending, int64_t start_ns);

/* stop_condition_set stops the run; the first reason counts. */
void stop_condition_set(struct stop_condition *ending, enum stop_reason reason);

/* stop_condition_end_ns returns, for files, the time until which nothing more was captured than the
 * packets that were read: --until or -a duration, if a packet was later; INT64_MIN: only the last
 * packet is known. */
int64_t stop_condition_end_ns(const struct stop_condition *ending);

/* stop_condition_accepts says whether the next packet is within the limits; if not, it stops the run. */
bool stop_condition_accepts(struct stop_condition *ending, int64_t ts_ns);

/* stop_condition_count reports how many packets have been read. */
void stop_condition_count(struct stop_condition *ending, uint64_t num_packets);

/* stop_condition_file reports the size of the packet file. Returns true if nothing more may be written
 * to it. */
bool stop_condition_file(struct stop_condition *ending, uint64_t num_bytes);

/* stop_condition_clock reports the time in a live capture: ns since its start by a clock that cannot be
 * set, and ns since 1970. */
void stop_condition_clock(struct stop_condition *ending, int64_t elapsed_ns, int64_t now_ns);

/* stop_condition_print writes a line such as "stopped: 7 messages shown, as -c asked". */
void stop_condition_print(const struct stop_condition *ending, FILE *out);

/* stop_range is the times of the first and last packets of a capture, in ns since 1970. */
struct stop_range {
    int64_t first_ns, last_ns;
};

/* stop_condition_missed writes a line to out if --since or --until is outside of the time range of the
 * files. Returns false if it is not. */
bool stop_condition_missed(const struct stop_condition *ending, const struct stop_range *range, char *out,
                           size_t size);

#endif
