/*
 * point_merge.h - packets of several capture points as one stream: each packet once, and no answer
 * before its question.
 *
 * Packets are ordered by their corrected time stamps. Of the copies of a packet, the earliest is kept:
 * as each point captured request and reply in this order, the earliest copies are in this order too,
 * however wrong the clocks are. Packets whose times differ by less than the uncertainty of the clocks
 * are in the order in which the first of the points captured them. If one point missed the request and
 * the uncertainty makes it seem later than the reply, the acknowledgement number in the reply decides:
 * packets wait a little, and packets that another one acknowledges are shown before it.
 *
 * A packet that is complete at one point and truncated at another is shown complete.
 */
#ifndef POINTS_H
#define POINTS_H

#include "capture/overlap_scan.h"

struct point_merge;

/* point_merge_new makes a stream of the points of a survey, which must outlive it. correct: clocks are
 * corrected; if false, no packet waits. NULL when memory ran out. */
struct point_merge *point_merge_new(const struct overlap_scan *survey, bool correct);
void point_merge_free(struct point_merge *points);

/* point_merge_time returns the time by which packets of that point are ordered. */
int64_t point_merge_time(const struct point_merge *points, size_t point, int64_t ts_ns);

/* point_merge_push adds the next packet in that order, with its own time stamp. Before that,
 * point_merge_pop must have returned false. */
void point_merge_push(struct point_merge *points, size_t point, const struct ds_packet *packet);

/* point_merge_pop returns the next packet that has waited long enough, with its time stamp corrected;
 * false if there is none. Its data is valid until the next call. */
bool point_merge_pop(struct point_merge *points, struct ds_packet *packet);

/* point_merge_end makes point_merge_pop return all waiting packets. */
void point_merge_end(struct point_merge *points);

/* point_merge_copies returns how many packets were left out because another point had shown them. */
uint64_t point_merge_copies(const struct point_merge *points);

#endif
