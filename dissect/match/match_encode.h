/*
 * match_encode.h - writes external terms: the constants of a pattern, what a guard computes.
 * Each appends a term without 131 before it; out->failed says when memory ran out.
 */
#ifndef DISSECT_MATCH_ENCODE_H
#define DISSECT_MATCH_ENCODE_H

#include "buffer.h"

/* magnitude is len bytes, the lowest first. */
void encode_integer(struct ds_buffer *out, const uint8_t *magnitude, size_t len, bool negative);
void encode_float(struct ds_buffer *out, double real);

/* encode_atom appends an atom of at most 255 characters. */
void encode_atom(struct ds_buffer *out, const uint32_t *chars, size_t num);

/* encode_char appends the number of a character, encode_string a list of them. */
void encode_char(struct ds_buffer *out, uint32_t c);
void encode_string(struct ds_buffer *out, const uint32_t *chars, size_t num);

/* encode_bits appends a bit string; the unused bits of its last byte are 0. */
void encode_bits(struct ds_buffer *out, const char *bytes, uint64_t num_bits);

/* encode_count appends a tag and a count of 4 bytes. */
void encode_count(struct ds_buffer *out, uint8_t tag, uint32_t count);

#endif
