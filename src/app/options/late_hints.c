/*
 * late_hints.c - see late_hints.h. A node defines an atom anew when another one has had its slot
 * since. So each node sends, to a name that nobody has, lists of atoms taken from its table by
 * index: once through all slots, and then once more with others, since an atom that was there
 * already is not defined.
 */
#include "app/options/late_hints.h"

#include "core/complain.h"

#include <string.h>

#define REFRESH_EXPRESSION                                                                         \
    "[erlang:send({distsniff_refresh, N}, binary_to_term(<<131, 108, 200:32, << <<75, (J + "       \
    "I):24>> || I <- lists:seq(0, 199) >>/binary, 106>>), [noconnect]) || B <- [2039, 0], J <- "   \
    "lists:seq(B, B + 2038, 200), N <- nodes()]."

/* In every node, and how many messages each has sent. */
#define REFRESH_ERLANG                                                                             \
    "(fun() -> {ok, T, _} = erl_scan:string(\"" REFRESH_EXPRESSION "\"), {ok, E} = "               \
    "erl_parse:parse_exprs(T), [case R of {ok, {value, L, _}} -> length(L); _ -> R end || R <- "   \
    "erpc:multicall([node() | nodes()], erl_eval, exprs, [E, []])] end)()."

#define REFRESH_ELIXIR_CODE                                                                        \
    "{:ok, t, _} = :erl_scan.string(to_charlist(\"" REFRESH_EXPRESSION "\")); {:ok, e} = "         \
    ":erl_parse.parse_exprs(t); IO.inspect(for {:ok, {:value, l, _}} <- :erpc.multicall([node() "  \
    "| Node.list()], :erl_eval, :exprs, [e, []]), do: length(l))"

static const struct {
    enum refresh_way way;
    const char *name, *how, *code;
} ways[] = {
    {REFRESH_ERL, "erl", "in an Erlang shell of one node of the cluster (erl -remsh NODE)",
     REFRESH_ERLANG},
    {REFRESH_ELIXIR, "elixir", "from outside, with the name of one node and the cluster's cookie",
     "elixir --name refresh@127.0.0.1 --cookie COOKIE --rpc-eval NODE '" REFRESH_ELIXIR_CODE "'"},
    {REFRESH_RABBITMQCTL, "rabbitmqctl", "on the host of one node of RabbitMQ",
     "rabbitmqctl eval '" REFRESH_ERLANG "'"},
    {REFRESH_ERL_CALL, "erl_call",
     "from outside, with the name of one node (-sname for short names) and the cluster's cookie",
     "echo '" REFRESH_ERLANG "' | erl_call -name NODE -c COOKIE -e"},
};

bool late_hints_way(const char *name, enum refresh_way *way)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(ways[i].name, name) == 0) {
            *way = ways[i].way;
            return true;
        }
    }
    return false;
}

void late_hints_print_refresh(enum refresh_way way, FILE *out)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (way == REFRESH_ALL)
            fprintf(out, "%s%s, %s:\n", i != 0 ? "\n" : "", ways[i].name, ways[i].how);
        if (way == REFRESH_ALL || way == ways[i].way)
            fprintf(out, "%s\n", ways[i].code);
    }
    if (way != REFRESH_ALL)
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            if (way == ways[i].way)
                fprintf(stderr, "run it %s\n", ways[i].how);
        }
}

void late_hints_joined(bool *said)
{
    if (*said)
        return;
    *said = true;
    fputs("Some connections were open before the capture: many atom names are unknown "
          "('?atom:N') or likely (?name). To recover them, see distsniff --print-refresh\n",
          stderr);
}

void late_hints_silence(int seconds, const char *expression, const char *interface)
{
    complain("No Erlang traffic seen for %d s with '%s'. Nodes that are already connected do "
             "not ask EPMD again. Capture them with: distsniff%s%s tcp (see --print-refresh to "
             "recover atom names)",
             seconds, expression, interface != NULL ? " -i " : "",
             interface != NULL ? interface : "");
}

void late_hints_known(const struct ds_conn *conn, unsigned dir, bool may_name)
{
    struct ds_buffer text = {0};
    if (may_name) {
        ds_endpoint_print(&conn->end[dir], &text);
        ds_buffer_add_text(&text, " > ");
        ds_endpoint_print(&conn->end[1 - dir], &text);
    } else {
        ds_buffer_printf(&text, "conn %llu, end %u", (unsigned long long)conn->number, dir);
    }
    ds_buffer_add_text(&text, ": all atoms known from here on\n");
    if (!text.failed)
        fwrite(text.data, 1, text.len, stderr);
    ds_buffer_free(&text);
}
