/*
 * term_inspect.h - terms in Elixir's syntax, for options.syntax in term_text.c.
 */
#ifndef DISSECT_TERM_INSPECT_H
#define DISSECT_TERM_INSPECT_H

#include "etf/term.h"

/* term_inspect is ds_term_print for Elixir. */
bool term_inspect(const struct ds_term *term, const struct ds_term_print_options *options,
                  struct ds_buffer *out);

#endif
