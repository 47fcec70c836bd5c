/*
 * significance.h - whether two samples differ, or may do so by chance.
 */
#ifndef SRC_SIGNIFICANCE_H
#define SRC_SIGNIFICANCE_H

#include <stdbool.h>
#include <stdint.h>

/* rank_test returns how probable it is that two samples of one distribution differ as much as
 * these: the rank-sum test of Mann and Whitney ("On a Test of Whether one of Two Random Variables
 * is Stochastically Larger than the Other", Annals of Mathematical Statistics 18, 1947), two-sided,
 * by the normal approximation with the correction for ties and for continuity. It is never below
 * the least that so few values can prove, 2 / C(n + m, n). 1 where a sample is empty or all values
 * are equal.
 *
 *   U = R - n(n + 1)/2, R the sum of the ranks of the first sample among all
 *   z = (|U - nm/2| - 1/2) / sqrt(nm/12 * ((N + 1) - sum(t^3 - t) / (N(N - 1)))), N = n + m
 *
 * *direction is 1 where values of b are mostly the greater ones, -1 where those of a are, else 0.
 * Together they have at most RANK_MAX values. */
enum { RANK_MAX = 128 };
double rank_test(const double *a, unsigned num_a, const double *b, unsigned num_b, int *direction);

/* rank_test_can_prove says whether samples of so many values can be that improbable at all. */
bool rank_test_can_prove(unsigned num_a, unsigned num_b, double probability);

/* share_test returns how probable it is that so many successes of so many come about by chance
 * where both samples have one share: Fisher's exact test (The Design of Experiments, 1935),
 * one-sided: that the first sample has at least its hits of the hits of both. */
double share_test(uint64_t hits_a, uint64_t num_a, uint64_t hits_b, uint64_t num_b);

#endif
