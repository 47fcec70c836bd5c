/*
 * match_encode.h - external terms made of characters: the constants of a pattern. Each appends a
 * term as distsniff/encode.h does, which has the other kinds.
 */
#ifndef DISSECT_MATCH_ENCODE_H
#define DISSECT_MATCH_ENCODE_H

#include "util/buffer.h"

/* encode_atom appends an atom of at most 255 characters. */
void encode_atom(struct ds_buffer *out, const uint32_t *chars, size_t num);

/* encode_char appends the number of a character, encode_chars a list of them. */
void encode_char(struct ds_buffer *out, uint32_t c);
void encode_chars(struct ds_buffer *out, const uint32_t *chars, size_t num);

#endif
