/*
 * ending.h - when a run ends, and why: what the user set an end to with -a, --packets and
 * --until, and what else can happen. The reasons are those of endings.def. Nothing here reads
 * a clock.
 */
#ifndef SRC_ENDING_H
#define SRC_ENDING_H

#include "ending_reason.h"
#include "moment.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ending_config is what the user set an end to. 0, or a moment of MOMENT_NONE: no limit. */
struct ending_config {
    uint64_t max_messages, max_packets;
    double max_seconds;
    uint64_t max_file_kb;  /* of -w */
    const char *rate_text; /* of --rate, as it was given */
    struct moment since, until;
    const char *until_text;
    uint64_t max_files, max_ring_files; /* of -w: in all, and in a ring */
};

struct ending {
    const struct ending_config *config;
    bool is_live;
    enum ending_reason reason;
    int signal;         /* of ENDING_SIGNAL */
    int64_t since_ns;   /* nothing before that is shown */
    int64_t until_ns;   /* no packet after that is taken */
    int64_t timeout_ns; /* -a duration: of files, the last time that counts */
    int64_t until_elapsed_ns; /* --until +5s: live, by a clock that is never set */
};

void ending_init(struct ending *ending, const struct ending_config *config, bool is_live);

/* ending_begin tells when the capture begins, in ns since 1970: with its first packet, or
 * now. */
void ending_begin(struct ending *ending, int64_t start_ns);

/* ending_set ends the run; the first reason is the one that counts. */
void ending_set(struct ending *ending, enum ending_reason reason);

/* ending_takes says whether the next packet is still to be taken. */
bool ending_takes(struct ending *ending, int64_t ts_ns);

/* ending_count tells how many packets have been taken. */
void ending_count(struct ending *ending, uint64_t num_packets);

/* ending_file tells how long the file of packets is. */
void ending_file(struct ending *ending, uint64_t num_bytes);

/* ending_clock tells how late it is in a live capture: ns since its begin by a clock that is
 * never set, and ns since 1970. */
void ending_clock(struct ending *ending, int64_t elapsed_ns, int64_t now_ns);

/* ending_print writes "stopped: 7 messages shown, as -c asked", a line. */
void ending_print(const struct ending *ending, FILE *out);

#endif
