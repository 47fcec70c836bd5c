/*
 * printable.h - what peers sent, made fit for a terminal and for JSON.
 */
#ifndef SRC_PRINTABLE_H
#define SRC_PRINTABLE_H

#include <distsniff/term.h>

/* printable_text appends text as it is where it is printable UTF-8; control characters,
 * characters that change the direction of text, and bytes that are no UTF-8 become \xHH or
 * \x{HHHH}. */
void printable_text(struct ds_text text, struct ds_buffer *out);

/* printable_json appends text as valid UTF-8 without NUL: what is neither becomes U+FFFD.
 * Quotes and control characters are left to the JSON printer. */
void printable_json(struct ds_text text, struct ds_buffer *out);

/* printable_read_char returns how many bytes the character at text takes, and the character; 0
 * when they are no UTF-8. len is at least 1. */
size_t printable_read_char(const char *text, size_t len, uint32_t *character);

#endif
