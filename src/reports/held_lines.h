/*
 * held_lines.h - the lines of a table that come one by one. They are held until the table is written,
 * since the sentence before them counts them. Live they are written as they come, and it stands last; so
 * it does where there are more than can be held.
 */
#ifndef SRC_HELD_LINES_H
#define SRC_HELD_LINES_H

#include "reports/report.h"

enum { HELD_LINES_MOST = 1 << 20 }; /* bytes */

struct held_lines {
    struct report_text *text;
    struct ds_buffer held;
    bool is_live; /* lines are written as they come */
    bool flows;   /* lines have been written as they came: the sentence stands last */
    bool failed;
};

/* held_lines_out is where a line is to be appended; held_lines_end follows it. */
struct ds_buffer *held_lines_out(struct held_lines *lines);
void held_lines_end(struct held_lines *lines);

/* held_lines_show writes what is held, and goes on to hold it. */
void held_lines_show(const struct held_lines *lines);

/* held_lines_begin begins a table, at first or after another one. */
void held_lines_begin(struct held_lines *lines);

/* held_lines_clear gives up what is held. */
void held_lines_clear(struct held_lines *lines);

#endif
