/*
 * columns.h - the columns of a table, which are as wide as what stands in them, within bounds.
 *
 * A line is cells between tabs, the last of which goes on to its end and is no column: in a text that
 * is shown no tab stands for itself. Widths are those of column_width.h.
 *
 * A line may have a bounded width. Columns that do not fit continue on the next line. So does the text
 * behind the columns where little room is left, on as many lines as it needs; or it is shortened.
 */
#ifndef SRC_COLUMNS_H
#define SRC_COLUMNS_H

#include <distsniff/term.h>

enum { COLUMNS_MAX = 12, COLUMNS_WIDEST = 40, COLUMNS_TEXT_LEAST = 50 };

struct columns {
    const char *align; /* a letter a column: l or r; at most COLUMNS_MAX of them */
    unsigned width[COLUMNS_MAX];
    unsigned line_width; /* 0: any */
    unsigned text_width; /* of the text behind them */
    bool shortens;       /* that text */
};

/* columns_fit makes columns as wide as the cells of a line, but not wider than COLUMNS_WIDEST: a cell
 * that is pushes what follows in its line alone. */
void columns_fit(struct columns *columns, const char *line);

/* columns_print appends a line with its cells in their columns, a blank between two. */
void columns_print(const struct columns *columns, const char *line, struct ds_buffer *out);

/* columns_end_line ends one of several lines of a table; columns_fit_all and columns_print_all do with each
 * what is said above. */
void columns_end_line(struct ds_buffer *lines);
void columns_fit_all(struct columns *columns, const struct ds_buffer *lines);
void columns_print_all(const struct columns *columns, const struct ds_buffer *lines,
                       struct ds_buffer *out);

#endif
