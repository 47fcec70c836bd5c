/*
 * number_text.h - integers and floats as Erlang writes them.
 */
#ifndef DISSECT_NUMBER_TEXT_H
#define DISSECT_NUMBER_TEXT_H

#include "etf/term.h"
#include "util/buffer.h"

/* number_add_integer appends an integer of any size, in decimal; one of more than 2 kB as 16#HEX,
 * which is as fast to write as to read. max_len, unless 0, limits the bytes of a large magnitude
 * shown. False if memory ran out. */
bool number_add_integer(struct ds_buffer *out, const struct term_token *token, size_t max_len);

/* number_add_elixir does the same for Elixir, with 0xHEX. */
bool number_add_elixir(struct ds_buffer *out, const struct term_token *token, size_t max_len);

/* number_add_float appends the shortest text that reads back as value, which is finite. */
void number_add_float(struct ds_buffer *out, double value);

/* number_add_elixir_float does the same, choosing like Elixir the shorter of 0.00012 and 1.2e-4. */
void number_add_elixir_float(struct ds_buffer *out, double value);

#endif
