/*
 * overlap_scan.h - a first look at several files: which of them show the same packets, and how
 * their clocks run against each other.
 *
 * Packets are sampled by a hash of their headers, so that every file keeps the same ones;
 * the more there are, the fewer are kept. Memory is bounded whatever the files' size.
 *
 * All clocks of a group are compared with that of its reference. This is the first file that the user
 * named. Where the points are only listed (the hosts of a stream), it is the point whose clock is in the
 * middle: as many others are ahead of it as are behind it, and one more may be where the number is even.
 * So fewer than half of the hosts cannot move the time of the others, whatever their names are.
 */
#ifndef SURVEY_H
#define SURVEY_H

#include "capture/clocks.h"

#include <distsniff/dissect.h>

/* overlap_scan_point is one file, and what was found out about it. */
struct overlap_scan_point {
    bool looked_at; /* packets were given; a pipe can't be read twice */
    uint64_t num_packets;
    int64_t first_ns, last_ns; /* earliest and latest time stamp */
    bool cuts;                 /* the snap length cut into TCP payloads */
    bool is_listed;    /* to be set before overlap_scan_end: the user gave no order, so it says nothing */
    size_t group;      /* the reference of the points with which it shares packets, directly or
                          through others; itself when there are none */
    size_t group_size; /* points in the group */
    size_t parent;     /* the point that clock is relative to; itself for the reference */
    struct clock_model clock;
    double uncertainty_ns; /* against the reference of its group; may be infinite */
    struct overlap_scan_sample *samples;
    size_t num_samples;
    uint64_t mask; /* of the samples' hashes */
    int64_t fraction_ns; /* bits of all time stamps, below a microsecond */
};

struct overlap_scan {
    struct overlap_scan_point *points;
    size_t num_points;
    size_t max_samples; /* of one point */
    bool no_memory;
};

/* overlap_scan_init prepares a survey of that many files. False when memory ran out. */
bool overlap_scan_init(struct overlap_scan *survey, size_t num_points);

/* overlap_scan_packet looks at one packet of a file. */
void overlap_scan_packet(struct overlap_scan *survey, size_t point, const struct ds_packet *packet);

/* overlap_scan_end compares the files. False when memory ran out. */
bool overlap_scan_end(struct overlap_scan *survey);

void overlap_scan_free(struct overlap_scan *survey);

/* overlap_scan_has_points says whether any two files share packets. */
bool overlap_scan_has_points(const struct overlap_scan *survey);

/* overlap_scan_correct returns a time stamp of a point by the clock of the reference of its group. */
int64_t overlap_scan_correct(const struct overlap_scan *survey, size_t point, int64_t ts_ns);

/* overlap_scan_get_ahead returns by how much, in nanoseconds, a point's clock is ahead of that of the
 * reference of its group, in the middle of its samples; overlap_scan_get_drift by how much that grows a
 * nanosecond. */
double overlap_scan_get_ahead(const struct overlap_scan *survey, size_t point);
double overlap_scan_get_drift(const struct overlap_scan *survey, size_t point);

/* overlap_scan_piece is a time during which a point's clock ran steadily. */
struct overlap_scan_piece {
    int64_t from_ns, to_ns; /* by its own clock */
    double ahead_ns;        /* of the reference, in the middle */
    double drift;           /* by how much that grows a nanosecond */
    double uncertainty_ns;
};

/* overlap_scan_get_piece returns a piece of the point's clock: number is less than clock.num_pieces. */
struct overlap_scan_piece overlap_scan_get_piece(const struct overlap_scan *survey, size_t point,
                                                 size_t number);

/* overlap_scan_stranger returns a point of another group whose packets were captured at the same
 * time as those of point, by their own clocks, but before it in the list; point itself when
 * there is none. */
size_t overlap_scan_stranger(const struct overlap_scan *survey, size_t point);

/* overlap_scan_report writes the table of clocks. names has one for each point. */
void overlap_scan_report(const struct overlap_scan *survey, const char *const *names,
                         struct ds_buffer *out);

#endif
