/*
 * elixir_word.h - which atoms Elixir writes without quotes, and which as modules: one set of rules
 * for source (code_syntax.c) and for what inspect shows (inspect_word.c).
 */
#ifndef DS_ELIXIR_WORD_H
#define DS_ELIXIR_WORD_H

#include "util/cursor.h"

/* Which letters need no quotes: in source those that every release takes, in inspect Latin-1 as
 * well. Letters beyond Latin-1 always have quotes, as which of them need none differs from release
 * to release. */
enum elixir_letters { ELIXIR_ASCII, ELIXIR_LATIN1 };

/* elixir_is_identifier: foo, Foo, foo@bar, foo?, foo! need no quotes as atoms. As a function behind
 * a dot, Foo and foo@bar do. */
bool elixir_is_identifier(struct cursor text, enum elixir_letters letters, bool is_function);

/* elixir_is_module says whether name, what stands behind "Elixir.", is that of a module: Foo.Bar. */
bool elixir_is_module(struct cursor name);

/* elixir_skip_prefix passes "Elixir."; false where text does not begin so: then it stays. */
bool elixir_skip_prefix(struct cursor *text);

bool elixir_is_word(struct cursor text, const char *word);

/* elixir_is_constant: nil, true, false. */
bool elixir_is_constant(struct cursor text);

#endif
