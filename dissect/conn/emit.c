/*
 * emit.c - the common path of all events, and the names of a connection's two ends.
 */
#include "conn/conn.h"

#include "tcp/tcp_analysis.h"
#include "util/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void env_emit_raw(struct dissect_ctx *env, struct conn *conn, struct ds_event *event)
{
    event->past = env_is_past(env, conn);
    if (conn->view.number == 0)
        conn->view.number = ++env->num_connections;
    if (!event->past && !conn->counted) {
        conn->counted = true;
        env->stats.connections++;
    }
    conn->view.tcp = conn->tcp->number;
    event->conn = &conn->view;
    const bool is_open = env->past == DS_SNAPSHOT_OPEN && event->type == DS_EVENT_MESSAGE;
    if (env->config.on_event != NULL && (!event->past || is_open))
        env->config.on_event(env->config.context, event);
    arena_reset(&env->arena);
}

/* count_event counts the content of an event for the session and the direction. */
static void count_event(struct dissect_ctx *env, struct conn *conn, struct ds_event *event)
{
    struct ds_stats *stats = &env->stats;
    struct ds_counters *counters = &conn->view.counters[event->dir];

    switch (event->type) {
    case DS_EVENT_MESSAGE:
        stats->messages++;
        stats->message_bytes += event->message.size;
        if (conn->tcp->facts != NULL)
            event->message.stalled_ns = conn->tcp->facts->dir[event->dir].run_ns;
        counters->messages++;
        break;
    case DS_EVENT_TICK:
        stats->ticks++;
        counters->ticks++;
        if (conn->tcp->facts != NULL)
            tcp_analysis_tick(conn->tcp->facts, event->dir, event->ts_ns, counters->frames);
        break;
    case DS_EVENT_GAP:
        stats->gaps++;
        stats->gap_bytes += event->gap.bytes;
        counters->gaps++;
        counters->gap_bytes += event->gap.bytes;
        conn_mark_changed(conn);
        break;
    case DS_EVENT_EPMD:
        stats->epmd_messages++;
        break;
    case DS_EVENT_CONN:
        if (event->change.state == DS_CONN_UP)
            stats->handshakes++;
        break;
    case DS_EVENT_HANDSHAKE:
    case DS_EVENT_STALL:
    case DS_EVENT_STREAM:
    case DS_EVENT_LOOKUP:
    case DS_EVENT_PART:
    case DS_EVENT_DATA:
    case DS_EVENT_FRAME:
        break;
    }
    if (event->fault.kind != DS_FAULT_NONE) {
        stats->faults++;
        counters->faults++;
        conn_mark_changed(conn);
    }
    stats->unknown_atoms += event->unknown_atoms;
    counters->unknown_atoms += event->unknown_atoms;
    stats->likely_atoms += event->likely_atoms;
    counters->likely_atoms += event->likely_atoms;
    stats->address_atoms += event->address_atoms;
}

/* set_place records where in the stream an event ended: the bytes received minus those left. */
static void set_place(const struct conn *conn, struct ds_event *event)
{
    const unsigned dir = event->dir;
    switch (event->type) {
    case DS_EVENT_MESSAGE:
    case DS_EVENT_STREAM:
    case DS_EVENT_TICK:
        event->has_seq = conn->rest != NULL && conn->rest_dir == event->dir;
        if (event->has_seq)
            event->end_seq = conn->tcp->next_seq[dir] -
                             (uint32_t)(cursor_left(conn->rest) + conn->sealed_rest +
                                        (conn->behind != NULL ? cursor_left(conn->behind) : 0));
        break;
    case DS_EVENT_CONN:
        event->end_seq = conn->tcp->next_seq[dir];
        event->has_seq = event->end_seq != 0;
        break;
    case DS_EVENT_EPMD:
    case DS_EVENT_HANDSHAKE:
        event->end_seq = conn->tcp->first_seq[dir];
        event->has_seq = event->end_seq != 0;
        break;
    default:
        break;
    }
}

void env_emit(struct dissect_ctx *env, struct conn *conn, struct ds_event *event)
{
    set_place(conn, event);
    event->frame = conn->tcp->frame;
    event->ts_ns = conn->tcp->now_ns;
    if (!env_is_past(env, conn))
        count_event(env, conn, event);
    env_emit_raw(env, conn, event);
}

static bool text_has_host(struct ds_text name)
{
    return name.data != NULL && memchr(name.data, '@', name.len) != NULL;
}

void conn_set_node(struct dissect_ctx *env, struct conn *conn, int end, struct ds_text name,
                   uint32_t creation, bool inferred)
{
    struct ds_endpoint *endpoint = &conn->view.end[end];
    if (name.data == NULL || name.len == 0)
        return;
    if (inferred && endpoint->node.data != NULL &&
        (!endpoint->node_inferred || text_has_host(endpoint->node) || !text_has_host(name)))
        return;
    char *copy = malloc(name.len);
    if (copy == NULL) {
        env->stats.no_memory++;
        return;
    }
    memcpy(copy, name.data, name.len);
    free(conn->node[end]);
    conn->node[end] = copy;
    endpoint->node = (struct ds_text){copy, name.len};
    endpoint->node_inferred = inferred;
    conn_mark_changed(conn);
    if (creation == 0 || (inferred && conn->creation_certain[end]))
        return;
    endpoint->creation = creation;
    conn->creation_certain[end] = !inferred;
}

void conn_forget_inferred(struct conn *conn, int end)
{
    struct ds_endpoint *endpoint = &conn->view.end[end];
    if (endpoint->node.data == NULL || !endpoint->node_inferred)
        return;
    conn_mark_changed(conn);
    free(conn->node[end]);
    conn->node[end] = NULL;
    endpoint->node = (struct ds_text){NULL, 0};
    endpoint->node_inferred = false;
}

void conn_correct_node(struct dissect_ctx *env, struct conn *conn, int end, struct ds_text name)
{
    const struct ds_text old = conn->view.end[end].node;
    if (old.len != name.len || (name.len != 0 && memcmp(old.data, name.data, name.len) != 0))
        conn_forget_inferred(conn, end);
    conn_set_node(env, conn, end, name, 0, true);
}

void conn_forget_nodes(struct conn *conn)
{
    conn_mark_changed(conn);
    for (int end = 0; end < 2; end++) {
        free(conn->node[end]);
        conn->node[end] = NULL;
        conn->view.end[end].node = (struct ds_text){NULL, 0};
    }
}

void conn_emit_change(struct dissect_ctx *env, struct conn *conn, int dir, struct ds_conn_change change)
{
    struct ds_event event = {.type = DS_EVENT_CONN, .dir = (uint8_t)dir, .change = change};
    env_emit(env, conn, &event);
}

const char *env_print(struct dissect_ctx *env, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = len >= 0 ? arena_alloc(&env->arena, (size_t)len + 1) : NULL;
    if (text == NULL) {
        env->stats.no_memory++;
        return NULL;
    }
    va_start(args, format);
    vsnprintf(text, (size_t)len + 1, format, args);
    va_end(args);
    return text;
}

void ds_endpoint_print(const struct ds_endpoint *endpoint, struct ds_buffer *out)
{
    if (endpoint->node.data == NULL) {
        char addr[DS_ADDR_LEN];
        ds_addr_print(&endpoint->addr, addr);
        ds_buffer_printf(out, endpoint->addr.family == 6 ? "[%s]:%u" : "%s:%u", addr,
                         (unsigned)endpoint->port);
        return;
    }
    struct cursor at = cursor_make(endpoint->node.data, endpoint->node.len);
    uint32_t code = 0;
    while (cursor_left(&at) != 0) {
        const struct cursor from = at;
        if (!utf8_read(&at, &code) && !cursor_skip(&at, 1))
            return; /* cannot happen: bytes are left */
        const struct cursor read = {from.at, at.at};
        if (cursor_left(&read) > 1 ? ds_char_is_shown(code) : *from.at >= ' ' && *from.at <= '~')
            buffer_add_cursor(out, &read);
        else
            BUFFER_ADD(out, "?");
    }
}

const char *conn_end_text(struct dissect_ctx *env, const struct conn *conn, int end)
{
    struct ds_buffer text = {0};
    ds_endpoint_print(&conn->view.end[end], &text);
    ds_buffer_add(&text, "", 1);
    char *out = text.failed ? NULL : arena_alloc(&env->arena, text.len);
    if (out != NULL)
        memcpy(out, text.data, text.len);
    else
        env->stats.no_memory++;
    ds_buffer_free(&text);
    return out != NULL ? out : "the peer";
}
