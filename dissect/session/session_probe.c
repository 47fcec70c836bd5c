/*
 * session_probe.c - finds the protocol of a connection.
 *
 * The protocols (proto.c) are asked about a new connection when it opens and with the first bytes
 * of each direction, until one accepts it or none can; then it is forgotten. A connection whose
 * beginning was not captured may show its protocol only after a while: it is probed longer, and
 * longest if a port is known to carry distribution.
 */
#include "session/session_parts.h"

#include "dist/registry.h"

/* How long to look for a protocol in one direction, and how many bytes to examine together. A full
 * window without a result is emptied: the next message after it may be small. */
static const struct patience {
    size_t window_len;
    uint64_t bytes;
    unsigned segments;
} patience_known = {256 * 1024, 4 * 1024 * 1024, 1024},
  patience_unknown = {16 * 1024, 256 * 1024, 128};

static void feed_held(struct ds_session *session, struct flow *flow, int dir)
{
    struct dissect_ctx *env = &session->env;
    struct stream_buffer *held = &flow->probes[dir].held;
    if (held->len != 0)
        flow->conn.proto->feed(env, &flow->conn, dir, stream_buffer_cursor(held));
    stream_buffer_free(held, env);
}

/* report_early reports the bytes that came before the protocol was known; for dir, the held ones,
 * or data if there are none. */
static void report_early(struct ds_session *session, struct flow *flow, int dir, struct cursor data)
{
    struct dissect_ctx *env = &session->env;
    struct raw_early *const early[2] = {&flow->probes[0].early, &flow->probes[1].early};
    struct cursor bytes[2] = {stream_buffer_cursor(&flow->probes[0].held),
                              stream_buffer_cursor(&flow->probes[1].held)};
    if (cursor_left(&bytes[dir]) == 0)
        bytes[dir] = data;
    if (env->config.raw)
        raw_early_emit(early, env, &flow->conn, bytes);
    for (int d = 0; d < 2; d++)
        raw_early_free(early[d], env);
}

static const struct ds_fault not_kept = {
    DS_FAULT_CAP, 0, "not kept while it was not known what this connection carries"};

static void give_up(struct ds_session *session, struct flow *flow, int dir)
{
    struct probe *probe = &flow->probes[dir];
    const struct probe *other = &flow->probes[1 - dir];
    stream_buffer_free(&probe->held, &session->env);
    raw_early_drop(&probe->early, &session->env, 0, not_kept);
    probe->given_up = true;
    flow->conn.late[dir] = true;
    flow->lost[dir] = true;
    if (other->given_up || other->num_segments == 0)
        session_forget_flow(session, flow);
}

bool session_knows_port(const struct ds_session *session, const struct flow *flow)
{
    return registry_has_port(session->env.registry, flow->tcp->port[0]) ||
           registry_has_port(session->env.registry, flow->tcp->port[1]);
}

/* look asks the protocols. Examining all held bytes with every segment would take quadratic time,
 * so each segment is examined alone, as messages usually begin there, and all bytes whenever their
 * number has doubled. A direction seen from its beginning holds few bytes. */
static enum proto_guess look(struct ds_session *session, struct flow *flow, int dir,
                             struct cursor data, const struct proto **proto)
{
    const struct dissect_ctx *env = &session->env;
    struct conn *conn = &flow->conn;
    struct probe *probe = &flow->probes[dir];

    if (probe->held.len == 0)
        return proto_find(env, conn, dir, data, proto);
    if (conn->late[dir] && probe->held.len < 2 * probe->looked_len)
        return proto_find(env, conn, dir, data, proto) == PROTO_YES ? PROTO_YES : PROTO_MORE;
    probe->looked_len = probe->held.len;
    return proto_find(env, conn, dir, stream_buffer_cursor(&probe->held), proto);
}

void session_probe(struct ds_session *session, struct flow *flow, int dir, struct cursor data)
{
    struct dissect_ctx *env = &session->env;
    struct conn *conn = &flow->conn;
    struct probe *probe = &flow->probes[dir];
    const struct patience *patience =
        session_knows_port(session, flow) ? &patience_known : &patience_unknown;
    const struct proto *proto = NULL;

    if (probe->given_up) {
        raw_early_drop(&probe->early, env, cursor_left(&data), not_kept);
        return;
    }
    raw_early_add(&probe->early, env, conn, cursor_left(&data));
    probe->num_segments++;
    probe->num_bytes += cursor_left(&data);
    for (int d = 0; d < 2; d++)
        conn->late[d] = !flow->tcp->syn_seen[d] || flow->lost[d];
    bool from_held = probe->held.len != 0;
    if (from_held && !stream_buffer_add(&probe->held, env, data)) {
        give_up(session, flow, dir);
        return;
    }
    switch (look(session, flow, dir, data, &proto)) {
    case PROTO_YES:
        if (!session_start_flow(session, flow, proto))
            return;
        report_early(session, flow, dir, data);
        if (from_held)
            feed_held(session, flow, dir);
        else
            proto->feed(env, conn, dir, data);
        feed_held(session, flow, 1 - dir);
        return;
    case PROTO_NO:
        if (!conn->late[dir]) {
            session_forget_flow(session, flow);
            return;
        }
        break;
    case PROTO_MORE:
        break;
    }
    if (probe->num_segments >= patience->segments || probe->num_bytes >= patience->bytes) {
        give_up(session, flow, dir);
    } else if (probe->held.len >= patience->window_len) {
        stream_buffer_free(&probe->held, env);
        raw_early_drop(&probe->early, env, 0, not_kept);
        probe->looked_len = 0;
        flow->lost[dir] = true;
    } else if (!from_held && !stream_buffer_add(&probe->held, env, data)) {
        give_up(session, flow, dir);
    }
}
