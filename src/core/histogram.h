/*
 * histogram.h - the distribution of values, with a fixed relative error: each power of two is divided
 * into 32 pieces of equal width, so that the error of a quantile is at most 1/64, 1.6 %. Below 64 it is
 * exact. Memory is used for the range between the lowest and the highest piece in use: 256 bytes per
 * power of two, at most 15 kB.
 */
#ifndef SRC_HISTOGRAM_H
#define SRC_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct histogram {
    uint64_t *counts; /* one for each piece from `first` on */
    uint32_t first, num;
    uint64_t total;
};

/* histogram_add counts a value. Returns false when memory ran out: then it is not counted. */
bool histogram_add(struct histogram *histogram, uint64_t value);

/* histogram_add_many counts a value num times. Returns false when memory ran out: then it is not
 * counted. */
bool histogram_add_many(struct histogram *histogram, uint64_t value, uint64_t num);

/* histogram_piece sets *value to a value of piece i in use, from 0 to num - 1, and *num to the number
 * of values counted in it. */
void histogram_piece(const struct histogram *histogram, uint32_t i, uint64_t *value, uint64_t *num);

/* histogram_quantile returns the least value that is not less than this percentage of all values, 0 if
 * there are none. percent is above 0 and at most 100. */
uint64_t histogram_quantile(const struct histogram *histogram, double percent);

/* histogram_count returns how many values are at least low and below high, to the accuracy of the
 * pieces: the middle of a piece decides. */
uint64_t histogram_count(const struct histogram *histogram, uint64_t low, uint64_t high);

void histogram_free(struct histogram *histogram);

#endif
