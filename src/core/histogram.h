/*
 * histogram.h - how values are spread, with a fixed relative error: each power of two is parted
 * into 32 pieces of one width, so that a quantile is wrong by at most 1/64 of itself, 1.6 %.
 * Below 64 it is exact. Memory is taken for what lies between the least and the greatest piece
 * in use: 256 bytes a power of two, at most 15 kB.
 */
#ifndef SRC_HISTOGRAM_H
#define SRC_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct histogram {
    uint64_t *counts; /* of the pieces from first on */
    uint32_t first, num;
    uint64_t total;
};

/* histogram_add counts a value. False when memory ran out: then it is not counted. */
bool histogram_add(struct histogram *histogram, uint64_t value);

/* histogram_add_many counts a value so many times. False when memory ran out: then it is not counted. */
bool histogram_add_many(struct histogram *histogram, uint64_t value, uint64_t num);

/* histogram_piece gives what piece i in use, from 0 to num - 1, stands for: a value that is counted
 * in it, and how often it was. */
void histogram_piece(const struct histogram *histogram, uint32_t i, uint64_t *value, uint64_t *num);

/* histogram_quantile returns the least value that so much of a hundred of all values do not
 * exceed, 0 when there are none. percent is above 0 and at most 100. */
uint64_t histogram_quantile(const struct histogram *histogram, double percent);

/* histogram_count says how many values lie from low to below high, as far as the pieces tell: a
 * piece counts where its middle lies. */
uint64_t histogram_count(const struct histogram *histogram, uint64_t low, uint64_t high);

void histogram_free(struct histogram *histogram);

#endif
