/*
 * columns.h - the columns of a table, which are as wide as what stands in them, within bounds.
 *
 * A line is cells between tabs, the last of which goes on to its end and is no column: in a text that
 * is shown no tab stands for itself. Widths are those of characters, each taken to be one wide.
 */
#ifndef SRC_COLUMNS_H
#define SRC_COLUMNS_H

#include <distsniff/term.h>

enum { COLUMNS_MAX = 8, COLUMNS_WIDEST = 40 };

struct columns {
    const char *align; /* a letter a column: l or r; at most COLUMNS_MAX of them */
    unsigned width[COLUMNS_MAX];
};

/* columns_fit makes columns as wide as the cells of a line, but not wider than COLUMNS_WIDEST: a cell
 * that is pushes what follows in its line alone. */
void columns_fit(struct columns *columns, const char *line);

/* columns_print appends a line with its cells in their columns, a blank between two. */
void columns_print(const struct columns *columns, const char *line, struct ds_buffer *out);

#endif
