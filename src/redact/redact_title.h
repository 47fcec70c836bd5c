/*
 * redact_title.h - what a process is called by global and pg, redacted.
 */
#ifndef SRC_REDACT_TITLE_H
#define SRC_REDACT_TITLE_H

#include "redact/redact_values.h"

/* redact_title appends what becomes of a title (process_names.h). Names that are an atom, a string or a
 * binary become what these become in a term; of others all is replaced, whatever the words are. */
void redact_title(struct redact_values *values, struct ds_text text, struct ds_buffer *out);

/* redact_title_elixir appends that in Elixir's syntax; text is the title in Erlang's all the same. */
void redact_title_elixir(struct redact_values *values, struct ds_text text, struct ds_buffer *out);

#endif
