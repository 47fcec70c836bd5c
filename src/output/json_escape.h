/*
 * json_escape.h - the only way for text into JSON (RFC 8259, section 7), whether from a peer, the
 * user or this program. What it appends cannot end the string that contains it, and contains no
 * invisible characters: quotes and backslashes get a backslash, control characters (including
 * U+0080 to U+009F), characters without a shape and those that change the direction of writing
 * become \uXXXX. Bytes that are not UTF-8, and NUL, at which many readers stop, become U+FFFD.
 */
#ifndef SRC_JSON_ESCAPE_H
#define SRC_JSON_ESCAPE_H

#include <distsniff/term.h>

/* json_escape appends text as the contents of a JSON string. */
void json_escape(struct ds_text text, struct ds_buffer *out);

/* json_escape_written escapes in place the text in out from start on; spare is scratch memory of
 * the caller. */
void json_escape_written(struct ds_buffer *out, size_t start, struct ds_buffer *spare);

/* json_quote appends text as a JSON string. */
void json_quote(struct ds_text text, struct ds_buffer *out);

#endif
