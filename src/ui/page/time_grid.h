/*
 * time_grid.h - counts over the time of a capture of any length: GRID_COLUMNS columns, each a tenth
 * of a millisecond wide at first. If a time is beyond the last column, columns double their width,
 * and pairs of them are added up. So nothing has to be known in advance, and only resolution is
 * lost.
 *
 * The width belongs to the grid, the counts to series. A series is adjusted to the grid when it is
 * used, so that a thousand idle series cost nothing.
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
    unsigned level; /* of the grid when the series was used last */
    uint64_t counts[GRID_COLUMNS];
};

/* time_grid_place returns the column of a time, and extends the grid to it. The first time is the
 * start; earlier times, as from other capture points, count in the first column. */
unsigned time_grid_place(struct time_grid *grid, int64_t ns);

static inline int64_t time_grid_width_ns(const struct time_grid *grid)
{
    return (int64_t)GRID_WIDTH_NS << grid->level;
}

/* grid_series_follow adjusts a series to the width of its grid. */
void grid_series_follow(struct grid_series *series, const struct time_grid *grid);

/* grid_series_add counts in a column that time_grid_place has just returned. */
void grid_series_add(struct grid_series *series, const struct time_grid *grid, unsigned column,
                     uint64_t amount);

#endif
