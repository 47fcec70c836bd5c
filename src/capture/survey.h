/*
 * survey.h - a first look at several files: which of them show the same packets, and how
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

#include "clocks.h"

#include <distsniff/dissect.h>

/* survey_point is one file, and what was found out about it. */
struct survey_point {
    bool looked_at; /* packets were given; a pipe can't be read twice */
    uint64_t num_packets;
    int64_t first_ns, last_ns; /* earliest and latest time stamp */
    bool cuts;                 /* the snap length cut into TCP payloads */
    bool is_listed;    /* to be set before survey_end: the user gave no order, so it says nothing */
    size_t group;      /* the reference of the points with which it shares packets, directly or
                          through others; itself when there are none */
    size_t group_size; /* points in the group */
    size_t parent;     /* the point that clock is relative to; itself for the reference */
    struct clock_model clock;
    double uncertainty_ns; /* against the reference of its group; may be infinite */
    struct survey_sample *samples;
    size_t num_samples;
    uint64_t mask; /* of the samples' hashes */
    int64_t fraction_ns; /* bits of all time stamps, below a microsecond */
};

struct survey {
    struct survey_point *points;
    size_t num_points;
    size_t max_samples; /* of one point */
    bool no_memory;
};

/* survey_init prepares a survey of that many files. False when memory ran out. */
bool survey_init(struct survey *survey, size_t num_points);

/* survey_packet looks at one packet of a file. */
void survey_packet(struct survey *survey, size_t point, const struct ds_packet *packet);

/* survey_end compares the files. False when memory ran out. */
bool survey_end(struct survey *survey);

void survey_free(struct survey *survey);

/* survey_has_points says whether any two files share packets. */
bool survey_has_points(const struct survey *survey);

/* survey_correct returns a time stamp of a point by the clock of the reference of its group. */
int64_t survey_correct(const struct survey *survey, size_t point, int64_t ts_ns);

/* survey_get_ahead returns by how much, in nanoseconds, a point's clock is ahead of that of the
 * reference of its group, in the middle of its samples; survey_get_drift by how much that grows a
 * nanosecond. */
double survey_get_ahead(const struct survey *survey, size_t point);
double survey_get_drift(const struct survey *survey, size_t point);

/* survey_piece is a time during which a point's clock ran steadily. */
struct survey_piece {
    int64_t from_ns, to_ns; /* by its own clock */
    double ahead_ns;        /* of the reference, in the middle */
    double drift;           /* by how much that grows a nanosecond */
    double uncertainty_ns;
};

/* survey_get_piece returns a piece of the point's clock: number is less than clock.num_pieces. */
struct survey_piece survey_get_piece(const struct survey *survey, size_t point, size_t number);

/* survey_stranger returns a point of another group whose packets were captured at the same
 * time as those of point, by their own clocks, but before it in the list; point itself when
 * there is none. */
size_t survey_stranger(const struct survey *survey, size_t point);

/* survey_report writes the table of clocks. names has one for each point. */
void survey_report(const struct survey *survey, const char *const *names, struct ds_buffer *out);

#endif
