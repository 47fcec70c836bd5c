/*
 * line_fit.h - fits text into a number of terminal columns: shortened, with a mark, or in several
 * lines. A number is never cut: its rest would be another number. Columns are those of column_width.h;
 * colour sequences have none.
 */
#ifndef SRC_LINE_FIT_H
#define SRC_LINE_FIT_H

#include <distsniff/term.h>

enum { LINE_INDENT = 4 }; /* of continuation lines */

/* line_columns returns the width of a text in columns. */
unsigned line_columns(struct ds_text text);

/* line_shorten appends a text, or the beginning of it, followed by "...". */
void line_shorten(struct ds_text text, unsigned columns, struct ds_buffer *out);

/* line_wrap appends a text that begins at column `first` of a line, and indents its continuation lines:
 * breaks are at blanks, or if there are none, elsewhere. */
void line_wrap(struct ds_text text, unsigned first, unsigned indent, unsigned columns,
               struct ds_buffer *out);

/* lines_wrap appends lines and breaks those that are too long; the continuations are LINE_INDENT deeper. */
void lines_wrap(struct ds_text lines, unsigned columns, struct ds_buffer *out);

#endif
