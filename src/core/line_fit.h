/*
 * line_fit.h - text for a terminal of so many columns: shortened, which then is seen, or in several
 * lines. A number is never cut: what is left of it would be another one. Columns are those of
 * column_width.h; what sets a colour has none.
 */
#ifndef SRC_LINE_FIT_H
#define SRC_LINE_FIT_H

#include <distsniff/term.h>

enum { LINE_INDENT = 4 }; /* of what goes on in the next line */

/* line_columns counts the columns of a text. */
unsigned line_columns(struct ds_text text);

/* line_shorten appends a text, or as much of it as leaves room for "..." behind it. */
void line_shorten(struct ds_text text, unsigned columns, struct ds_buffer *out);

/* line_wrap appends a text, the rest of its first line in so many columns, with the lines that follow
 * indented: broken at blanks, or where there is none between others. */
void line_wrap(struct ds_text text, unsigned first, unsigned indent, unsigned columns,
               struct ds_buffer *out);

/* lines_wrap appends lines, those that are too long broken, and LINE_INDENT deeper where they go on. */
void lines_wrap(struct ds_text lines, unsigned columns, struct ds_buffer *out);

#endif
