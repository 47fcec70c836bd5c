/*
 * time_grid.h - counts over the time of a capture, of whatever length: GRID_COLUMNS columns, each a
 * tenth of a millisecond wide at first. When time goes beyond the last one, all become twice as wide,
 * and each two of them one. So nothing needs to be known before, and nothing is lost but sharpness.
 *
 * The width belongs to the grid, the counts to series of it. A series follows the grid when it is
 * looked at, so that a thousand of them cost nothing while nobody counts.
 */
#ifndef SRC_TIME_GRID_H
#define SRC_TIME_GRID_H

#include <stdbool.h>
#include <stdint.h>

enum { GRID_COLUMNS = 240, GRID_WIDTH_NS = 100000 };

struct time_grid {
    bool has_start;
    int64_t start_ns;
    unsigned level; /* a column is GRID_WIDTH_NS << level wide */
};

struct grid_series {
    unsigned level; /* of the grid when it was looked at last */
    uint64_t counts[GRID_COLUMNS];
};

/* time_grid_place says in which column a time lies, and makes the grid reach it. The first time is
 * the start; what is before it, as packets of several points may be, lies in the first column. */
unsigned time_grid_place(struct time_grid *grid, int64_t ns);

static inline int64_t time_grid_width_ns(const struct time_grid *grid)
{
    return (int64_t)GRID_WIDTH_NS << grid->level;
}

/* grid_series_follow brings a series to the width of its grid. */
void grid_series_follow(struct grid_series *series, const struct time_grid *grid);

/* grid_series_add counts in a column that time_grid_place has just named. */
void grid_series_add(struct grid_series *series, const struct time_grid *grid, unsigned column,
                     uint64_t amount);

#endif
