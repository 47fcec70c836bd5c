/*
 * overlap_scan.h - a first pass over several files: which of them contain the same packets, and how
 * their clocks differ.
 *
 * Packets are sampled by a hash of their headers, so that every file keeps the same ones;
 * the more there are, the fewer are kept. Memory is bounded whatever the files' size.
 *
 * All clocks of a group are compared with that of its reference. This is the first file that the user
 * named. Where the points are only listed (the hosts of a stream), it is the point whose clock is in the
 * middle: as many others are ahead of it as behind it, or one more if their number is even. So fewer
 * than half of the hosts cannot move the time of the others, whatever their names are.
 */
#ifndef SURVEY_H
#define SURVEY_H

#include "capture/clocks.h"

#include <distsniff/dissect.h>

/* overlap_scan_point is one file, and what is known about it. */
struct overlap_scan_point {
    bool looked_at; /* it was read; a pipe can't be read twice */
    uint64_t num_packets;
    int64_t first_ns, last_ns; /* earliest and latest time stamp */
    bool cuts;                 /* the snap length cut into TCP payloads */
    bool is_listed;    /* set before overlap_scan_end: the user gave no order, so the order is
                          meaningless */
    size_t group;      /* the reference of the points with which it shares packets, directly or through
                          others; itself if there are none */
    size_t group_size; /* points in the group */
    size_t parent;     /* the point to which clock is relative; itself for the reference */
    struct clock_model clock;
    double uncertainty_ns; /* relative to the reference of its group; may be infinite */
    struct overlap_scan_sample *samples;
    size_t num_samples;
    uint64_t mask; /* applied to the samples' hashes */
    int64_t fraction_ns; /* bits of all time stamps, below a microsecond */
};

struct overlap_scan {
    struct overlap_scan_point *points;
    size_t num_points;
    size_t max_samples; /* per point */
    bool no_memory;
};

/* overlap_scan_init prepares a survey of that many files. Returns false when memory ran out. */
bool overlap_scan_init(struct overlap_scan *survey, size_t num_points);

/* overlap_scan_packet adds one packet of a file. */
void overlap_scan_packet(struct overlap_scan *survey, size_t point, const struct ds_packet *packet);

/* overlap_scan_end compares the files. Returns false when memory ran out. */
bool overlap_scan_end(struct overlap_scan *survey);

void overlap_scan_free(struct overlap_scan *survey);

/* overlap_scan_has_points says whether any two files share packets. */
bool overlap_scan_has_points(const struct overlap_scan *survey);

/* overlap_scan_correct converts a time stamp of a point to the clock of its group's reference. */
int64_t overlap_scan_correct(const struct overlap_scan *survey, size_t point, int64_t ts_ns);

/* overlap_scan_get_ahead returns how far, in nanoseconds, a point's clock is ahead of its group's reference
 * in the middle of its samples; overlap_scan_get_drift returns how much that grows per nanosecond. */
double overlap_scan_get_ahead(const struct overlap_scan *survey, size_t point);
double overlap_scan_get_drift(const struct overlap_scan *survey, size_t point);

/* overlap_scan_piece is a period in which a point's clock was steady. */
struct overlap_scan_piece {
    int64_t from_ns, to_ns; /* by its own clock */
    double ahead_ns;        /* of the reference's clock, in the middle of the piece */
    double drift;           /* how much that grows per nanosecond */
    double uncertainty_ns;
};

/* overlap_scan_get_piece returns a piece of the point's clock; number < clock.num_pieces. */
struct overlap_scan_piece overlap_scan_get_piece(const struct overlap_scan *survey, size_t point,
                                                 size_t number);

/* overlap_scan_stranger returns a point of another group that was captured at the same time as point,
 * by their own clocks, and precedes it in the list; point itself if there is none. */
size_t overlap_scan_stranger(const struct overlap_scan *survey, size_t point);

/* overlap_scan_report writes the table of clocks. names has one for each point. */
void overlap_scan_report(const struct overlap_scan *survey, const char *const *names,
                         struct ds_buffer *out);

#endif
