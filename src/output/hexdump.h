/*
 * hexdump.h - bytes as tcpdump shows them, with what is ASCII in them beside.
 */
#ifndef SRC_HEXDUMP_H
#define SRC_HEXDUMP_H

#include <distsniff/term.h>

/* hexdump_print appends lines of 16 bytes, each ended by a newline. */
void hexdump_print(const uint8_t *bytes, size_t len, struct ds_buffer *out);

#endif
