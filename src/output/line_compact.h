/*
 * line_compact.h - shortens a line of text that is too wide for a terminal by what a reader needs
 * least.
 */
#ifndef DISTSNIFF_LINE_COMPACT_H
#define DISTSNIFF_LINE_COMPACT_H

#include <distsniff/term.h>

/* line_compact appends the text with "..." for the contents of references, and for the caller in a
 * '$gen_call': the line names the caller before it. */
void line_compact(struct ds_text text, struct ds_buffer *out);

/* line_compact_more shortens a line from line_compact that is still too wide. It leaves out the
 * common part of the names of both ends, nodes of pids if they are one of these, words such as
 * reg_send, and the rest of references. In a term, only pids of the sender lose their node. The
 * content of the message stays. */
void line_compact_more(struct ds_text text, struct ds_buffer *out);

#endif
