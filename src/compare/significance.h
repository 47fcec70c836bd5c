/*
 * significance.h - decides whether two samples differ, or may differ by chance.
 */
#ifndef SRC_SIGNIFICANCE_H
#define SRC_SIGNIFICANCE_H

#include <stdbool.h>
#include <stdint.h>

/* rank_test returns the probability that two samples of one distribution differ as much as these: the
 * rank-sum test of Mann and Whitney ("On a Test of Whether one of Two Random Variables is
 * Stochastically Larger than the Other", Annals of Mathematical Statistics 18, 1947), two-sided, by the
 * normal approximation with the correction for ties and for continuity. It is never below the minimum
 * for samples of these sizes, 2 / C(n + m, n). It is 1 if a sample is empty or all values are equal.
 *
 *   U = R - n(n + 1)/2, R the sum of the ranks of the first sample among all
 *   z = (|U - nm/2| - 1/2) / sqrt(nm/12 * ((N + 1) - sum(t^3 - t) / (N(N - 1)))), N = n + m
 *
 * *direction is 1 if values of b are mostly greater, -1 if those of a are, otherwise 0. Together they
 * have at most RANK_MAX values. */
enum { RANK_MAX = 128 };
double rank_test(const double *a, unsigned num_a, const double *b, unsigned num_b, int *direction);

/* rank_test_can_prove says whether samples of these sizes can have such a small probability at all. */
bool rank_test_can_prove(unsigned num_a, unsigned num_b, double probability);

/* share_test returns the probability that by chance the first sample has at least its number of hits,
 * if the hits of both samples are distributed by chance: Fisher's exact test (The Design of
 * Experiments, 1935), one-sided. */
double share_test(uint64_t hits_a, uint64_t num_a, uint64_t hits_b, uint64_t num_b);

#endif
