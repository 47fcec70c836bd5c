/*
 * time_grid.c - see time_grid.h.
 */
#include "ui/page/time_grid.h"

unsigned time_grid_place(struct time_grid *grid, int64_t ns)
{
    if (!grid->has_start) {
        grid->has_start = true;
        grid->start_ns = ns;
    }
    const uint64_t since_ns = ns > grid->start_ns ? (uint64_t)ns - (uint64_t)grid->start_ns : 0;
    /* The time is at most 64 bits of nanoseconds, so the level stays below 64. */
    while ((since_ns / GRID_WIDTH_NS) >> grid->level >= GRID_COLUMNS)
        grid->level++;
    return (unsigned)((since_ns / GRID_WIDTH_NS) >> grid->level);
}

static void halve(uint64_t *counts)
{
    for (unsigned i = 0; i < GRID_COLUMNS / 2; i++)
        counts[i] = counts[2 * i] + counts[2 * i + 1];
    for (unsigned i = GRID_COLUMNS / 2; i < GRID_COLUMNS; i++)
        counts[i] = 0;
}

void grid_series_follow(struct grid_series *series, const struct time_grid *grid)
{
    for (; series->level < grid->level; series->level++)
        halve(series->counts);
}

void grid_series_add(struct grid_series *series, const struct time_grid *grid, unsigned column,
                     uint64_t amount)
{
    grid_series_follow(series, grid);
    series->counts[column] += amount;
}
