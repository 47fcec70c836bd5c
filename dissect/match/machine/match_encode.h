/*
 * match_encode.h - encodes characters as external terms, for the constants of a pattern. Each
 * function appends a term; distsniff/encode.h has the other kinds.
 */
#ifndef DISSECT_MATCH_ENCODE_H
#define DISSECT_MATCH_ENCODE_H

#include "util/buffer.h"

/* encode_atom appends an atom of at most 255 characters. */
void encode_atom(struct ds_buffer *out, const uint32_t *chars, size_t num);

/* encode_char appends a character as a number, encode_chars a list of them. */
void encode_char(struct ds_buffer *out, uint32_t c);
void encode_chars(struct ds_buffer *out, const uint32_t *chars, size_t num);

#endif
