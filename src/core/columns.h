/*
 * columns.h - the columns of a table, which are as wide as their contents, within limits.
 *
 * A line consists of cells that end with a tab, and text after the last tab, which is not a column: no
 * cell contains a tab, because displayed text escapes tabs. Widths are those of column_width.h.
 *
 * The width of a line may be limited. Columns that do not fit continue on the next line. If there is little
 * room left, so does the text after the columns, on as many lines as it needs; or it is shortened.
 */
#ifndef SRC_COLUMNS_H
#define SRC_COLUMNS_H

#include <distsniff/term.h>

enum { COLUMNS_MAX = 12, COLUMNS_WIDEST = 40, COLUMNS_TEXT_LEAST = 50 };

struct columns {
    const char *align; /* one letter per column: l or r; at most COLUMNS_MAX of them */
    unsigned width[COLUMNS_MAX];
    unsigned line_width; /* 0: no limit */
    unsigned text_width; /* of the text after the columns */
    bool shortens;       /* the text is shortened, not wrapped */
};

/* columns_fit makes columns as wide as the cells of a line, but not wider than COLUMNS_WIDEST: a wider
 * cell shifts only the rest of its own line. */
void columns_fit(struct columns *columns, const char *line);

/* columns_print appends a line with its cells in their columns, separated by a blank. */
void columns_print(const struct columns *columns, const char *line, struct ds_buffer *out);

/* columns_end_line ends one of several lines of a table; columns_fit_all and columns_print_all do the
 * above for each line. */
void columns_end_line(struct ds_buffer *lines);
void columns_fit_all(struct columns *columns, const struct ds_buffer *lines);
void columns_print_all(const struct columns *columns, const struct ds_buffer *lines,
                       struct ds_buffer *out);

#endif
