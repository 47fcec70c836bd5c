/*
 * match_language.h - detects the language of a pattern of -m.
 *
 *     {ok, X} when X > 1                  Erlang: a variable begins with a capital
 *     {:ok, x} when x in [1, 2]           Elixir
 *     {x, y}                              both: two atoms, as it always was
 */
#ifndef DISSECT_MATCH_LANGUAGE_H
#define DISSECT_MATCH_LANGUAGE_H

#include <stdbool.h>

/* match_is_elixir says whether a text looks like Elixir: it contains syntax that Erlang lacks. */
bool match_is_elixir(const char *text);

#endif
