/*
 * text_conn.c - how nodes find and greet each other, as text: EPMD, handshakes, and states of
 * connections.
 */
#include "output/text_line.h"

#include "core/duration.h"

#include <distsniff/counted.h>
#include <inttypes.h>

static void add_epmd_registration(struct text_state *s, const struct ds_epmd *epmd)
{
    ds_buffer_printf(s->out, " port %u, %s node, versions %u to %u", epmd->port,
                     epmd->node_type == 77   ? "normal"
                     : epmd->node_type == 72 ? "hidden"
                                             : "unknown kind of",
                     epmd->lowest_version, epmd->highest_version);
    if (epmd->protocol != 0)
        ds_buffer_printf(s->out, ", protocol %u", epmd->protocol);
    if (epmd->extra.len != 0) {
        text_add(s, ", extra ");
        text_add_quoted(s, epmd->extra);
    }
}

static void add_epmd_nodes(struct text_state *s, const struct ds_epmd *epmd)
{
    ds_buffer_printf(s->out, " %s", ds_counted(epmd->num_nodes, "nodes").text);
    for (size_t i = 0; i < epmd->num_nodes; i++) {
        const struct ds_epmd_node *node = &epmd->nodes[i];
        text_add(s, i == 0 ? ": " : ", ");
        text_add_quoted(s, node->name);
        ds_buffer_printf(s->out, " port %u", node->port);
        if (epmd->op == DS_EPMD_DUMP_RESP)
            ds_buffer_printf(s->out, " %s fd %d", node->active ? "active" : "old", node->fd);
    }
}

void text_add_epmd(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    (void)sink;
    text_paint(s, PAINT_EPMD);
    text_add(s, "epmd ");
    text_add(s, ds_epmd_op_name(epmd->op));
    text_paint(s, PAINT_OFF);
    if (epmd->name.data != NULL) {
        text_add(s, " ");
        text_add_quoted(s, epmd->name);
    }
    switch (epmd->op) {
    case DS_EPMD_ALIVE2_REQ:
        add_epmd_registration(s, epmd);
        break;
    case DS_EPMD_PORT2_RESP:
        if (epmd->result == 0)
            add_epmd_registration(s, epmd);
        else
            ds_buffer_printf(s->out, " not registered (result %u)", epmd->result);
        break;
    case DS_EPMD_ALIVE2_RESP:
    case DS_EPMD_ALIVE2_X_RESP:
        if (epmd->result == 0)
            ds_buffer_printf(s->out, " ok, creation %" PRIu32, epmd->creation);
        else
            ds_buffer_printf(s->out, " refused (result %u)", epmd->result);
        break;
    case DS_EPMD_NAMES_RESP:
    case DS_EPMD_DUMP_RESP:
        add_epmd_nodes(s, epmd);
        break;
    default:
        break;
    }
    if (epmd->raw.len != 0) {
        text_add(s, " ");
        text_add_quoted(s, epmd->raw);
    }
}

void text_add_handshake(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    const struct ds_handshake *h = &event->handshake;
    text_paint(s, PAINT_HANDSHAKE);
    text_add(s, "handshake ");
    text_add(s, ds_handshake_step_name(h->step));
    text_paint(s, PAINT_OFF);
    if (h->status.data != NULL) {
        text_add(s, " ");
        text_add_quoted(s, h->status);
    }
    if (h->name.data != NULL) {
        text_add(s, " ");
        text_add_quoted(s, h->name);
    }
    if (h->version != 0)
        ds_buffer_printf(s->out, " version %u", h->version);
    if (h->creation != 0)
        ds_buffer_printf(s->out, " creation %" PRIu32, h->creation);
    if (h->has_challenge)
        ds_buffer_printf(s->out, " challenge %" PRIu32, h->challenge);
    if (h->has_digest) {
        text_add(s, " digest ");
        for (size_t i = 0; i < sizeof h->digest; i++)
            ds_buffer_printf(s->out, "%02x", h->digest[i]);
    }
    if (h->cookie == DS_COOKIE_OK)
        text_add(s, " (made with this cookie)");
    if (h->cookie_note != NULL)
        ds_buffer_printf(s->out, " (%s)", h->cookie_note);
    else if (h->cookie == DS_COOKIE_WRONG)
        text_add_word(s, PAINT_TROUBLE, " (not made with this cookie)");
    if (!h->has_flags)
        return;
    const char *release = ds_flags_release(h->flags);
    ds_buffer_printf(s->out, " flags 0x%" PRIx64, h->flags);
    if (release != NULL)
        ds_buffer_printf(s->out, " (%s)", release);
    if (sink->config->verbose == 0)
        return;
    for (unsigned bit = 0; bit < 64; bit++) {
        const char *name = ds_flag_name(bit);
        if ((h->flags >> bit & 1) == 0)
            continue;
        if (name != NULL)
            ds_buffer_printf(s->out, " %s", name);
        else
            ds_buffer_printf(s->out, " bit_%u", bit);
    }
}

static void add_counters(struct text_state *s, const struct ds_conn *conn)
{
    for (unsigned end = 0; end < 2; end++) {
        const struct ds_counters *c = &conn->counters[end];
        text_add(s, "; ");
        text_add_endpoint(s, conn, end);
        ds_buffer_printf(s->out, " sent %s, %s", ds_counted(c->bytes, "bytes").text,
                         ds_counted(c->messages, "messages").text);
        if (c->ticks != 0)
            ds_buffer_printf(s->out, ", %s", ds_counted(c->ticks, "ticks").text);
        if (c->gaps != 0)
            ds_buffer_printf(s->out, ", %s of %s", ds_counted(c->gaps, "gaps").text,
                             ds_counted(c->gap_bytes, "bytes").text);
        if (c->faults != 0)
            ds_buffer_printf(s->out, ", %s", ds_counted(c->faults, "faults").text);
        if (c->unknown_atoms != 0)
            ds_buffer_printf(s->out, ", %s", ds_counted(c->unknown_atoms, "unknown atoms").text);
        if (c->likely_atoms != 0)
            ds_buffer_printf(s->out, ", %s", ds_counted(c->likely_atoms, "likely atoms").text);
        if (c->ignored != 0)
            ds_buffer_printf(s->out, ", %s ignored", ds_counted(c->ignored, "packets").text);
    }
}

/* state_text returns a state in words, if its name for programs has none. */
static const char *state_text(enum ds_conn_state state)
{
    switch (state) {
    case DS_CONN_HALF_CLOSED:
        return "half closed";
    case DS_CONN_OPEN_AT_END:
        return "open at end";
    case DS_CONN_ICMP_ERROR:
        return "does not get through";
    default:
        return ds_conn_state_name(state);
    }
}

void text_add_conn(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    const struct ds_conn_change *change = &event->change;
    (void)sink;
    const bool is_trouble =
        change->state == DS_CONN_FAILED || change->state == DS_CONN_ICMP_ERROR;
    text_paint(s, is_trouble ? PAINT_TROUBLE : PAINT_CONN);
    ds_buffer_printf(s->out, "conn %" PRIu64 " %s", event->conn->number,
                     state_text(change->state));
    text_paint(s, PAINT_OFF);
    if (change->reason != NULL)
        ds_buffer_printf(s->out, ": %s", change->reason);
    if (change->from.family != 0) {
        char addr[DS_ADDR_LEN];
        ds_addr_print(&change->from, addr);
        ds_buffer_printf(s->out, ", says %s", addr);
    }
    if (change->final)
        add_counters(s, event->conn);
}

void text_add_stall(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    const struct ds_stall *stall = &event->stall;
    (void)sink;
    text_paint(s, PAINT_TROUBLE);
    text_add(s, "stalled for ");
    duration_print(stall->duration_ns, s->out);
    text_add(s, stall->is_over ? ": " : " so far: ");
    text_add_endpoint(s, event->conn, !event->dir);
    text_add(s, stall->why == DS_STALL_ZERO_WINDOW   ? " had a closed window"
                : stall->why == DS_STALL_FULL_WINDOW ? " had not yet read what was sent"
                : stall->why == DS_STALL_LOST        ? " did not acknowledge retransmissions"
                                                     : " did not receive what was sent before");
    if (stall->message_size != 0)
        ds_buffer_printf(s->out, "; waiting: a message of %s, of which %" PRIu64 " had arrived",
                         ds_counted(stall->message_size, "bytes").text, stall->message_passed);
    if (s->note->held != NULL && s->note->held->num_messages != 0) {
        text_add(s, "; it delayed ");
        held_print(s->note->held, s->out);
    }
    text_paint(s, PAINT_OFF);
}
