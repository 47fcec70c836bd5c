/*
 * redact_event.c - see redact_event.h.
 */
#include "redact/redact_event.h"

#include "redact/redact_control.h"

#include <distsniff/dissect.h>
#include <string.h>

/* replace_answer replaces a text unless it is one of the protocol's own. */
static void replace_answer(struct redact_parts *p, struct ds_text *text)
{
    static const char *const known[] = {
        "OK",          "NOEXIST", "STOPPED", "ok",    "ok_simultaneous", "nok",
        "not_allowed", "alive",   "true",    "false", "named:",
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (text->len == strlen(known[i]) && memcmp(text->data, known[i], text->len) == 0)
            return;
    }
    redact_part_text(p, redact_other, text);
}

/* replace_tls redacts TLS data: hosts and certificates contain names of nodes. */
static const struct ds_tls *replace_tls(struct redact_parts *p, const struct ds_tls *old)
{
    struct ds_tls *tls = redact_allocate(p, sizeof *tls);
    if (tls == NULL)
        return NULL;
    *tls = *old;
    redact_part_text(p, redact_node, &tls->sni);
    redact_part_text(p, redact_node, &tls->certificate[0]);
    redact_part_text(p, redact_node, &tls->certificate[1]);
    return tls;
}

/* replace_conn returns the redacted form of a connection; NULL when memory ran out. */
static const struct ds_conn *replace_conn(struct redact_parts *p, const struct ds_conn *old)
{
    struct ds_conn *conn = redact_allocate(p, sizeof *conn);
    if (conn == NULL)
        return NULL;
    *conn = *old;
    conn->changes = 0; /* the copy's memory had other contents before */
    for (int end = 0; end < 2; end++) {
        struct ds_addr *addr = &conn->end[end].addr;
        redact_address(p->values, addr->bytes, addr->family == 6 ? 16 : 4);
        redact_part_text(p, redact_node, &conn->end[end].node);
    }
    if (old->tls != NULL)
        conn->tls = replace_tls(p, old->tls);
    return conn;
}

/* replace_words replaces the names of the two ends in a text of the dissector. */
static void replace_words(struct redact_parts *p, const char **words, const struct ds_conn *old,
                          const struct ds_conn *conn)
{
    struct ds_buffer names[2] = {{0}, {0}};
    struct ds_buffer new_names[2] = {{0}, {0}};
    if (*words == NULL)
        return;
    for (int end = 0; end < 2; end++) {
        ds_endpoint_print(&old->end[end], &names[end]);
        ds_endpoint_print(&conn->end[end], &new_names[end]);
        p->failed |= names[end].failed || new_names[end].failed;
    }
    const int longer = names[1].len > names[0].len;
    p->scratch.len = 0;
    for (const char *at = *words; *at != '\0' && !p->failed;) {
        int end = longer;
        if (names[end].len == 0 || strncmp(at, names[end].data, names[end].len) != 0)
            end = !longer;
        if (names[end].len != 0 && strncmp(at, names[end].data, names[end].len) == 0) {
            redact_put(p, new_names[end].data, new_names[end].len);
            at += names[end].len;
        } else {
            redact_put(p, at++, 1);
        }
    }
    redact_put(p, "", 1);
    size_t len;
    *words = redact_get_scratch(p, &len);
    for (int end = 0; end < 2; end++) {
        ds_buffer_free(&names[end]);
        ds_buffer_free(&new_names[end]);
    }
}

static void replace_epmd(struct redact_parts *p, struct ds_epmd *epmd)
{
    redact_part_text(p, redact_node, &epmd->name);
    replace_answer(p, &epmd->extra);
    replace_answer(p, &epmd->raw);
    struct ds_epmd_node *nodes = redact_allocate(p, epmd->num_nodes * sizeof *nodes);
    for (size_t i = 0; nodes != NULL && i < epmd->num_nodes; i++) {
        nodes[i] = epmd->nodes[i];
        redact_part_text(p, redact_node, &nodes[i].name);
    }
    epmd->nodes = nodes;
    if (nodes == NULL)
        epmd->num_nodes = 0;
}

static void replace_handshake(struct redact_parts *p, struct ds_handshake *h,
                              const struct ds_conn *old, const struct ds_conn *conn)
{
    redact_part_text(p, redact_node, &h->name);
    replace_answer(p, &h->status);
    h->has_challenge = false;
    h->challenge = 0;
    h->has_digest = false;
    memset(h->digest, 0, sizeof h->digest);
    replace_words(p, &h->cookie_note, old, conn);
}

bool redact_event(struct redact_parts *p, struct ds_event *event)
{
    const struct ds_conn *old = event->conn, *conn = replace_conn(p, old);
    event->bytes = NULL;
    event->bytes_len = 0;
    if (conn == NULL)
        return false;
    event->conn = conn;
    switch (event->type) {
    case DS_EVENT_EPMD:
        replace_epmd(p, &event->epmd);
        return true;
    case DS_EVENT_HANDSHAKE:
        replace_handshake(p, &event->handshake, old, conn);
        return true;
    case DS_EVENT_CONN:
        replace_words(p, &event->change.reason, old, conn);
        if (event->change.from.family != 0)
            redact_address(p->values, event->change.from.bytes,
                           event->change.from.family == 6 ? 16 : 4);
        return true;
    case DS_EVENT_MESSAGE:
        event->message.guesses = NULL; /* earlier atoms of a slot may be secret as well */
        event->message.num_guesses = 0;
        event->unknown_atoms += event->address_atoms; /* the address is removed */
        event->address_atoms = 0;
        redact_message(p, &event->message);
        return true;
    case DS_EVENT_TICK:
    case DS_EVENT_GAP:
    case DS_EVENT_STALL:
    case DS_EVENT_STREAM:
    case DS_EVENT_PART:
        return true;
    case DS_EVENT_LOOKUP: /* no output shows these */
        break;
    case DS_EVENT_DATA:
    case DS_EVENT_FRAME:
        break; /* they are bytes as sent */
    }
    return false;
}
