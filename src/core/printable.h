/*
 * printable.h - text from peers, escaped for a terminal.
 */
#ifndef SRC_PRINTABLE_H
#define SRC_PRINTABLE_H

#include <distsniff/term.h>

/* printable_text appends text, unchanged if it is printable UTF-8; control characters, characters that
 * change the direction of text, and invalid UTF-8 become \xHH or \x{HHHH}. */
void printable_text(struct ds_text text, struct ds_buffer *out);

#endif
