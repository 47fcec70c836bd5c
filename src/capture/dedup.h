/*
 * dedup.h - packets that another capture point has shown already.
 *
 * The n-th time that one point sees some packet is the same as the n-th time at another: the
 * points together saw it as often as the one that saw it most. So a retransmission, which
 * every point sees twice, is shown twice, and a packet that one point missed is not missing.
 *
 * Memory is of fixed size; the packets not seen for longest are forgotten.
 */
#ifndef DEDUP_H
#define DEDUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dedup;

/* dedup_new returns NULL when memory ran out. */
struct dedup *dedup_new(void);
void dedup_free(struct dedup *dedup);

/* dedup_is_copy says whether a packet (a hash of it) that a point has seen was shown before,
 * when another point saw it. For one that is new, *number is remembered; for a copy it becomes
 * what was remembered for the last that was new. */
bool dedup_is_copy(struct dedup *dedup, uint64_t packet, size_t point, uint32_t *number);

/* dedup_was_shown is the same of a packet that is not shown, copy or not: it makes no other one a copy. */
bool dedup_was_shown(struct dedup *dedup, uint64_t packet, size_t point);

#endif
