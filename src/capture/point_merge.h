/*
 * point_merge.h - packets of several capture points as one stream: each packet once, in an order in
 * which nothing is answered before it was asked.
 *
 * Packets come in order of their corrected time stamps. Of the copies of a packet the earliest is
 * kept: as each point saw request and reply in this order, so do the earliest copies stand, however
 * wrong the clocks are. Packets closer to each other than the clocks are certain stand in the order
 * in which the first of the points saw them. Where one point missed the request and the clocks'
 * uncertainty makes it seem later than the reply, the acknowledgement number in the reply tells:
 * packets wait a little, and what a packet acknowledges is shown before it.
 *
 * A packet that reaches us whole from one point and cut by the snap length from another is shown
 * whole.
 */
#ifndef POINTS_H
#define POINTS_H

#include "capture/overlap_scan.h"

struct point_merge;

/* point_merge_new makes a stream of the points of a survey, which must outlive it. correct says
 * whether clocks are corrected; without that nothing waits. NULL when memory ran out. */
struct point_merge *point_merge_new(const struct overlap_scan *survey, bool correct);
void point_merge_free(struct point_merge *points);

/* point_merge_time returns the time by which packets of that point are to be ordered. */
int64_t point_merge_time(const struct point_merge *points, size_t point, int64_t ts_ns);

/* point_merge_push takes the next packet in that order, with its own time stamp. point_merge_pop must
 * have said that there is none. */
void point_merge_push(struct point_merge *points, size_t point, const struct ds_packet *packet);

/* point_merge_pop gives out the next packet that has waited long enough, with its time stamp
 * corrected; false when there is none. Its data stays valid until the next call. */
bool point_merge_pop(struct point_merge *points, struct ds_packet *packet);

/* point_merge_end lets point_merge_pop give out all that wait. */
void point_merge_end(struct point_merge *points);

/* point_merge_copies returns how many packets were left out since another point showed them. */
uint64_t point_merge_copies(const struct point_merge *points);

#endif
