/*
 * significance.c - see significance.h.
 */
#include "compare/significance.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
    double value;
    bool is_first;
};

static int by_value(const void *a, const void *b)
{
    const double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

/* log_choose returns the logarithm of the number of ways to choose k of n. */
static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

static double least_probability(double n, double m)
{
    return fmin(1, 2 * exp(-log_choose(n + m, n)));
}

bool rank_test_can_prove(unsigned num_a, unsigned num_b, double probability)
{
    return num_a != 0 && num_b != 0 && least_probability(num_a, num_b) <= probability;
}

double rank_test(const double *a, unsigned num_a, const double *b, unsigned num_b, int *direction)
{
    struct ranked all[RANK_MAX];
    const unsigned num = num_a + num_b;
    *direction = 0;
    if (num_a == 0 || num_b == 0 || num > RANK_MAX)
        return 1;
    for (unsigned i = 0; i < num; i++)
        all[i] = (struct ranked){i < num_a ? a[i] : b[i - num_a], i < num_a};
    qsort(all, num, sizeof all[0], by_value);
    double ranks = 0, ties = 0;
    for (unsigned i = 0, end; i < num; i = end) {
        unsigned num_first = 0;
        for (end = i; end < num && !(all[end].value > all[i].value); end++)
            num_first += all[end].is_first;
        const double t = end - i;
        ranks += num_first * (i + 1 + end) / 2.0; /* ranks from i + 1 to end: tied values get the mean
                                                     rank */
        ties += t * t * t - t;
    }
    const double n = num_a, m = num_b, total = num;
    const double u = ranks - n * (n + 1) / 2;
    *direction = (u < n * m / 2) - (u > n * m / 2);
    const double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
    if (!(variance > 0))
        return 1;
    const double z = fmax(0, fabs(u - n * m / 2) - 0.5) / sqrt(variance);
    return fmax(erfc(z / sqrt(2)), least_probability(n, m));
}

double share_test(uint64_t hits_a, uint64_t num_a, uint64_t hits_b, uint64_t num_b)
{
    const double n = (double)num_a, m = (double)num_b, hits = (double)hits_a + (double)hits_b;
    const double all = log_choose(n + m, hits);
    double sum = 0;
    for (double k = (double)hits_a; k <= n && k <= hits; k++) {
        const double term = hits - k <= m ? exp(log_choose(n, k) + log_choose(m, hits - k) - all) : 0;
        sum += term;
        if (term < sum * 1e-9)
            break;
    }
    return fmin(1, sum);
}
