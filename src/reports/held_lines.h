/*
 * held_lines.h - the lines of a table that arrive one by one. They are kept until the table is
 * written, because the sentence before them has their number. In a live capture they are written as
 * they come, and the sentence comes last, as it does if there are too many lines to keep.
 */
#ifndef SRC_HELD_LINES_H
#define SRC_HELD_LINES_H

#include "reports/report.h"

enum { HELD_LINES_MOST = 1 << 20 }; /* bytes */

struct held_lines {
    struct report_text *text;
    struct ds_buffer held;
    bool is_live; /* lines are written as they come */
    bool flows;   /* lines have been written already: the sentence comes last */
    bool failed;
};

/* held_lines_out returns the buffer to which to append a line; held_lines_end must follow. */
struct ds_buffer *held_lines_out(struct held_lines *lines);
void held_lines_end(struct held_lines *lines);

/* held_lines_show writes the kept lines, and continues to keep them. */
void held_lines_show(const struct held_lines *lines);

/* held_lines_begin begins the first or another table. */
void held_lines_begin(struct held_lines *lines);

/* held_lines_clear drops the kept lines. */
void held_lines_clear(struct held_lines *lines);

#endif
