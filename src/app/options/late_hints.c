/*
 * late_hints.c - see late_hints.h.
 */
#include "app/options/late_hints.h"

#include "core/complain.h"
#include "record/refresh_code.h"

#include <string.h>

static const char cost[] =
    "Run this code on one node during the capture. It reaches all nodes that are connected to it.\n"
    "Each node sends 4400 of its atoms over each of its connections, in 22 messages to the name\n"
    "distsniff_refresh, which no process has: the messages are dropped there.\n"
    "Cost: about 70 kB and 20 ms in each direction of a connection.\n"
    "Result: {ok, N} for each node, with the number of messages that it sent.\n";

static const struct {
    enum refresh_way way;
    const char *name, *how, *code;
} ways[] = {
    {REFRESH_ERL, "erl", "in the Erlang shell of one node (erl -remsh NODE)", REFRESH_ERLANG},
    {REFRESH_IEX, "iex", "in the IEx shell of one node (iex --remsh NODE)",
     REFRESH_ELIXIR_PARSES REFRESH_ELIXIR_RUNS},
    {REFRESH_RABBITMQCTL, "rabbitmqctl", "on the host of one RabbitMQ node",
     "rabbitmqctl eval '" REFRESH_ERLANG "'"},
    {REFRESH_ERL_CALL, "erl_call",
     "from a terminal; insert the name of one node (-sname for a short name) and the cookie",
     "echo '" REFRESH_ERLANG "' | erl_call -name NODE -c COOKIE -e"},
    {REFRESH_ELIXIR, "elixir",
     "from a terminal; insert the cookie and the name of one node (--sname refresh for a short name)",
     "elixir --name refresh@127.0.0.1 --hidden --cookie COOKIE --rpc-eval NODE '" REFRESH_ELIXIR_PARSES
     "IO.inspect(" REFRESH_ELIXIR_RUNS ")'"},
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
    FILE *said = way == REFRESH_ALL ? out : stderr; /* standard output contains only the code */
    fputs(cost, said);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (way != REFRESH_ALL && way != ways[i].way)
            continue;
        fprintf(said, "\n%s, %s:\n", ways[i].name, ways[i].how);
        fprintf(out, "%s\n", ways[i].code);
    }
}

void late_hints_joined(void)
{
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
