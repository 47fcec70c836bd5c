/*
 * refresh_code.h - the code of --print-refresh, and messages that run it: whoever runs it is not an
 * attacker.
 *
 * A node sends the text of an atom again if another atom has occupied its slot since. So each node
 * sends lists of atoms, taken from its table by index, to a name that no process has: once through all
 * slots, and again with other atoms, because an atom that is in its slot already is not sent again.
 */
#ifndef SRC_REFRESH_CODE_H
#define SRC_REFRESH_CODE_H

#include <distsniff/event.h>

#define REFRESH_NAME "distsniff_refresh" /* that no process has */

#define REFRESH_EXPRESSION                                                                         \
    "[erlang:send({" REFRESH_NAME ", N}, binary_to_term(<<131, 108, 200:32, << <<75, (J + "        \
    "I):24>> || I <- lists:seq(0, 199) >>/binary, 106>>), [noconnect]) || B <- [2039, 0], J <- "   \
    "lists:seq(B, B + 2038, 200), N <- nodes()]."

/* Runs the code in every node, and returns how many messages each node has sent: {ok, Number}, which
 * shells do not show as a string. */
#define REFRESH_ERLANG                                                                             \
    "(fun() -> {ok, T, _} = erl_scan:string(\"" REFRESH_EXPRESSION "\"), {ok, E} = "               \
    "erl_parse:parse_exprs(T), [case R of {ok, {value, L, _}} -> {ok, length(L)}; _ -> R end || "  \
    "R <- erpc:multicall([node() | nodes()], erl_eval, exprs, [E, []])] end)()."

#define REFRESH_ELIXIR_PARSES                                                                      \
    "{:ok, t, _} = :erl_scan.string(to_charlist(\"" REFRESH_EXPRESSION "\")); {:ok, e} = "         \
    ":erl_parse.parse_exprs(t); "
#define REFRESH_ELIXIR_RUNS                                                                        \
    "for {:ok, {:value, l, _}} <- :erpc.multicall([node() | Node.list()], :erl_eval, :exprs, "     \
    "[e, []]), do: {:ok, length(l)}"

/* refresh_code_is says whether the arguments of a function that runs code are exactly that code, as
 * text or parsed; blanks may differ. */
bool refresh_code_is(const struct ds_term *args);

/* refresh_code_is_sent says whether a message is one of those that the code sends. */
bool refresh_code_is_sent(const struct ds_message *message);

#endif
