/*
 * match_advice.h - for an error in a pattern, shows how its language writes what is valid in the
 * other one.
 *
 *     Shop.Cart.add(x) when x =:= 1      expected an operator ...: =:= is Erlang's, Elixir writes ===
 *     {X, Y} when X != Y                 ...: != is Elixir's, Erlang writes /=
 */
#ifndef DISSECT_MATCH_ADVICE_H
#define DISSECT_MATCH_ADVICE_H

#include <distsniff/match.h>

/* match_advise extends the error message of an invalid pattern: if the text at the error is the
 * other language's syntax, it adds the spelling of this one. */
void match_advise(const char *text, bool is_elixir, struct ds_match_error *error);

#endif
