/*
 * hexdump.h - bytes as tcpdump shows them, with their ASCII characters.
 */
#ifndef SRC_HEXDUMP_H
#define SRC_HEXDUMP_H

#include <distsniff/term.h>

/* hexdump_print appends lines of 16 bytes, each terminated by a newline. */
void hexdump_print(const uint8_t *bytes, size_t len, struct ds_buffer *out);

#endif
