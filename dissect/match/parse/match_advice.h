/*
 * match_advice.h - how the other language writes what is wrong in a pattern of one.
 *
 *     Shop.Cart.add(x) when x =:= 1      expected an operator ...: =:= is Erlang's, Elixir writes ===
 *     {X, Y} when X != Y                 ...: != is Elixir's, Erlang writes /=
 */
#ifndef DISSECT_MATCH_ADVICE_H
#define DISSECT_MATCH_ADVICE_H

#include <distsniff/match.h>

/* match_advise adds to what is said of a text that is no pattern how its language writes what stands at
 * that place, where the other one writes it so. */
void match_advise(const char *text, bool is_elixir, struct ds_match_error *error);

#endif
