/*
 * elixir_word.h - which atoms Elixir writes without quotes, and which as modules: one set of rules
 * for source (code_syntax.c) and for inspect (inspect_word.c).
 */
#ifndef DS_ELIXIR_WORD_H
#define DS_ELIXIR_WORD_H

#include "util/cursor.h"

/* The letters that need no quotes: in source those that every release accepts, in inspect Latin-1
 * as well. Letters outside Latin-1 always get quotes, because the rules for them differ between
 * releases. */
enum elixir_letters { ELIXIR_ASCII, ELIXIR_LATIN1 };

/* elixir_is_identifier: foo, Foo, foo@bar, foo?, foo! need no quotes as atoms. As a function after
 * a dot, Foo and foo@bar do. */
bool elixir_is_identifier(struct cursor text, enum elixir_letters letters, bool is_function);

/* elixir_is_module says whether name, the part after "Elixir.", is that of a module: Foo.Bar. */
bool elixir_is_module(struct cursor name);

/* elixir_skip_prefix skips "Elixir."; false, and text is unchanged, if text does not begin with
 * it. */
bool elixir_skip_prefix(struct cursor *text);

bool elixir_is_word(struct cursor text, const char *word);

/* elixir_is_constant: nil, true, false. */
bool elixir_is_constant(struct cursor text);

#endif
