/*
 * redact_title.h - redacts the names that a process has in global and pg.
 */
#ifndef SRC_REDACT_TITLE_H
#define SRC_REDACT_TITLE_H

#include "redact/redact_values.h"

/* redact_title appends the redacted form of a title (process_names.h). Names that are an atom, a string
 * or a binary are replaced as in a term; others are replaced completely, whatever the words are. */
void redact_title(struct redact_values *values, struct ds_text text, struct ds_buffer *out);

/* redact_title_elixir appends it in Elixir's syntax; text is the title in Erlang's syntax, too. */
void redact_title_elixir(struct redact_values *values, struct ds_text text, struct ds_buffer *out);

#endif
