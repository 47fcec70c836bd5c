/*
 * expansion_budget.h - limits how much a message may grow when decoded. Two things grow: a
 * compressed term, with zlib up to a thousand times, and a reference to the atom cache, two bytes
 * for up to 1020 of text. Messages of real nodes hardly grow to ten times their size, so sixteen
 * times are free. For growth beyond that each connection has a budget per second of the capture.
 * Without it, a few kilobytes would cost minutes and gigabytes.
 */
#ifndef DISSECT_EXPANSION_BUDGET_H
#define DISSECT_EXPANSION_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* expansion_budget is the budget of a connection; zero-initialise it. */
struct expansion_budget {
    int64_t since_ns; /* when the current second began */
    uint64_t used;    /* bytes since then */
};

/* expansion_budget_is_free says whether a message of size bytes may always grow to grown bytes. */
enum { EXPANSION_BUDGET_FREE_TIMES = 16 };
static inline bool expansion_budget_is_free(uint64_t size, uint64_t grown)
{
    return grown / EXPANSION_BUDGET_FREE_TIMES < size;
}

/* expansion_budget_left returns to how many bytes a message of size bytes may grow: the free growth
 * plus the rest of max bytes per second. */
uint64_t expansion_budget_left(const struct expansion_budget *growth, int64_t now_ns, uint64_t size,
                               uint64_t max);

/* expansion_budget_charge records that it grew to grown bytes. */
void expansion_budget_charge(struct expansion_budget *growth, int64_t now_ns, uint64_t size,
                             uint64_t grown);

#endif
