/*
 * expansion_budget.c - see expansion_budget.h.
 */
#include "util/expansion_budget.h"

enum { SECOND_NS = 1000 * 1000 * 1000 };

/* is_now says whether the second that was last charged is not over. Clocks may be set back. */
static bool is_now(const struct expansion_budget *growth, int64_t now_ns)
{
    const uint64_t age_ns = (uint64_t)now_ns - (uint64_t)growth->since_ns;
    return now_ns >= growth->since_ns && age_ns < SECOND_NS;
}

uint64_t expansion_budget_left(const struct expansion_budget *growth, int64_t now_ns, uint64_t size,
                               uint64_t max)
{
    const uint64_t used = is_now(growth, now_ns) ? growth->used : 0;
    const uint64_t left = used < max ? max - used : 0;
    return size > (UINT64_MAX - left) / EXPANSION_BUDGET_FREE_TIMES ? UINT64_MAX
           : size * EXPANSION_BUDGET_FREE_TIMES + left;
}

void expansion_budget_charge(struct expansion_budget *growth, int64_t now_ns, uint64_t size,
                             uint64_t grown)
{
    if (expansion_budget_is_free(size, grown))
        return;
    if (growth->used == 0 || !is_now(growth, now_ns))
        *growth = (struct expansion_budget){.since_ns = now_ns};
    growth->used += grown - size * EXPANSION_BUDGET_FREE_TIMES;
}
