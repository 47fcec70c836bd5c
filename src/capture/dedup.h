/*
 * dedup.h - recognises packets that another capture point has already shown.
 *
 * The n-th time that one point sees a packet is the same as the n-th time at another point: all points
 * together saw it as often as the point that saw it most often. So a retransmission, which every point
 * sees twice, is shown twice, and a packet that one point missed is not missing.
 *
 * Memory has a fixed size; the packets seen least recently are evicted.
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

/* dedup_is_copy says whether a packet (a hash of it) that a point has seen was shown before, when
 * another point saw it. For a new packet, *number is remembered; for a copy, *number becomes the number
 * of the last new one. */
bool dedup_is_copy(struct dedup *dedup, uint64_t packet, size_t point, uint32_t *number);

/* dedup_was_shown does the same for a packet that is not shown, whether it is a copy or not: it does
 * not make later ones copies. */
bool dedup_was_shown(struct dedup *dedup, uint64_t packet, size_t point);

#endif
