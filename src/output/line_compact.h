/*
 * line_compact.h - a line of text that is too wide for a terminal, without what a reader needs least there.
 */
#ifndef DISTSNIFF_LINE_COMPACT_H
#define DISTSNIFF_LINE_COMPACT_H

#include <distsniff/term.h>

/* line_compact appends the text with "..." for what is in references, and for who asks in a '$gen_call':
 * the line names the caller before it. */
void line_compact(struct ds_text text, struct ds_buffer *out);

/* line_compact_more leaves out more of a line that line_compact has made, and is still too wide: what the
 * names of both its ends have in common, the nodes of pids that are one of these, words such as reg_send,
 * and what is left of references. The content of the message stays. */
void line_compact_more(struct ds_text text, struct ds_buffer *out);

#endif
