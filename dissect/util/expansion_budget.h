/*
 * expansion_budget.h - how much larger than sent a message may become. Two things grow: a term that is
 * compressed, by zlib up to a thousand times, and a reference to the atom cache, two bytes for up
 * to 1020 of text. What nodes say to each other hardly grows to ten times its size, so sixteen
 * times are free. For growth beyond that each connection has a budget a second, in the time of the
 * capture. Without it some kilobytes would cost minutes and gigabytes.
 */
#ifndef DISSECT_EXPANSION_BUDGET_H
#define DISSECT_EXPANSION_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* growth is the budget of a connection; all zero at first. */
struct expansion_budget {
    int64_t since_ns; /* the second began then */
    uint64_t used;    /* bytes since */
};

/* expansion_budget_is_free says whether a message of size bytes may become grown bytes in any case. */
enum { EXPANSION_BUDGET_FREE_TIMES = 16 };
static inline bool expansion_budget_is_free(uint64_t size, uint64_t grown)
{
    return grown / EXPANSION_BUDGET_FREE_TIMES < size;
}

/* expansion_budget_left returns how many bytes a message of size bytes may become, at most max a second
 * beyond what is free. */
uint64_t expansion_budget_left(const struct expansion_budget *growth, int64_t now_ns, uint64_t size,
                               uint64_t max);

/* expansion_budget_charge notes that it became grown bytes. */
void expansion_budget_charge(struct expansion_budget *growth, int64_t now_ns, uint64_t size,
                             uint64_t grown);

#endif
