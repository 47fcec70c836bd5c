/*
 * best_rows.h - the lines of a table with limited room: those with the highest ranks.
 */
#ifndef SRC_BEST_ROWS_H
#define SRC_BEST_ROWS_H

#include "core/columns.h"

struct best_row {
    int64_t rank;
    uint64_t number; /* of equal ranks, the lower number is better */
    char *line;
};

struct best_rows {
    struct best_row *rows; /* a heap with the lowest on top: the children of i are 2i+1 and 2i+2 */
    size_t num, cap;
    uint64_t max;
};

/* best_rows_wants says whether a line of that rank would be kept: if not, it need not be made. */
bool best_rows_wants(const struct best_rows *rows, int64_t rank, uint64_t number);

/* best_rows_add keeps a copy of the line, and drops the lowest if there is no room. False if memory
 * ran out. */
bool best_rows_add(struct best_rows *rows, int64_t rank, uint64_t number, const struct ds_buffer *line);

/* best_rows_sort sorts the lines, the best last. */
void best_rows_sort(struct best_rows *rows);

/* best_rows_print appends a heading and the lines, the best first, in columns wide enough for all. */
void best_rows_print(struct best_rows *rows, struct columns *columns, const char *heading,
                     struct ds_buffer *out);

void best_rows_clear(struct best_rows *rows); /* keeps max */

#endif
