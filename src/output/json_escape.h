/*
 * json_escape.h - the one way of text into JSON (RFC 8259, section 7), whoever wrote it: a
 * peer, the user or this program. What it appends cannot end the string that it stands in, and
 * shows nothing that does not show: quotes and backslashes get a backslash, control characters
 * (U+0080 to U+009F are some), characters without a shape and those that turn the writing round
 * become \uXXXX. Bytes that are no UTF-8, and NUL, which many readers take for the end, become
 * U+FFFD.
 */
#ifndef SRC_JSON_ESCAPE_H
#define SRC_JSON_ESCAPE_H

#include <distsniff/term.h>

/* json_escape appends text as the inside of a JSON string. */
void json_escape(struct ds_text text, struct ds_buffer *out);

/* json_escape_written does so with what stands in out from start on, in its place; spare is
 * memory of the caller's that it may use. */
void json_escape_written(struct ds_buffer *out, size_t start, struct ds_buffer *spare);

/* json_quote appends text as a JSON string. */
void json_quote(struct ds_text text, struct ds_buffer *out);

#endif
