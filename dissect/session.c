/*
 * session.c - the way of a packet: link, IP and TCP, where there is TLS what is inside of it,
 * then the protocol of its connection.
 *
 * A new connection is asked of the protocols (proto.c), at its opening and with the first
 * bytes of each direction, until one takes it or none can. What none takes is forgotten. A
 * connection whose beginning was not captured may show its protocol only after a while: it
 * is probed longer, and longest where a port is known to carry distribution.
 */
#include "conn.h"

#include "reassembly.h"
#include "ip_fragments.h"
#include "keylog.h"
#include "packet.h"
#include "atom_memory.h"
#include "decoder_state.h"
#include "decoder_state_give.h"
#include "dist.h"
#include "proto.h"
#include "raw.h"
#include "registry.h"
#include "tcp.h"
#include "tcp_facts.h"
#include "tls.h"

#include <stdlib.h>

/* How long to look for a protocol in one direction, and how many bytes of it to look at
 * together. A window that is full without an answer is emptied: the next message after it
 * may be a small one. */
static const struct patience {
    size_t window_len;
    uint64_t bytes;
    unsigned segments;
} patience_known = {256 * 1024, 4 * 1024 * 1024, 1024},
  patience_unknown = {16 * 1024, 256 * 1024, 128};

struct probe {
    struct reassembly held;
    struct raw_early early;
    size_t looked_len; /* bytes of held at the last look at all of them */
    uint64_t num_bytes;
    unsigned num_segments;
    bool given_up;
};

/* link ties a TCP connection to what stands above it. */
struct link {
    struct conn conn;
    struct tcp_conn_view *tcp;
    struct probe probes[2];
    bool lost[2]; /* bytes went missing while probing */
    struct ds_session *session;
    struct tls *tls;   /* NULL: none */
    bool is_opened;    /* some of what is in TLS could be read */
    bool is_fed;       /* its protocol was given something */
    bool is_in_tls;    /* tls is at work */
    bool is_forgotten; /* once it is done */
};

struct ds_session {
    struct env env;
    struct packet_decoder decoder;
    struct tcp_table *tcp;
    char *cookie;
    struct atom_books *own_memory; /* NULL: that of ds_config, or none */
    struct tls_stage *tls;         /* NULL: no connection needed it yet */
    bool ended;
};

static void link_free(struct ds_session *session, struct link *link)
{
    for (int dir = 0; dir < 2; dir++) {
        reassembly_free(&link->probes[dir].held, &session->env);
        raw_early_free(&link->probes[dir].early, &session->env);
    }
    conn_forget_nodes(&link->conn);
    tls_free(link->tls);
    decoder_state_free(link->conn.decoder, &session->env);
    link->tcp->user = NULL;
    free(link);
}

static void forget(struct ds_session *session, struct link *link)
{
    struct tcp_conn_view *tcp = link->tcp;
    link->is_forgotten = true;
    if (link->is_in_tls)
        return;
    link_free(session, link);
    tcp_table_forget(tcp);
}

/* take hands a connection to its protocol, with what was held of it. False when memory ran
 * out and the connection is forgotten. */
static bool take(struct ds_session *session, struct link *link, const struct proto *proto)
{
    struct env *env = &session->env;
    struct conn *conn = &link->conn;

    conn->proto = proto;
    /* What stands for the past is in clear, as TLS is not. */
    if (env->config.remember && proto->give_past != NULL && link->tls == NULL)
        conn->decoder = decoder_state_new(env);
    if (!proto->start(env, conn)) {
        env->stats.no_memory++;
        forget(session, link);
        return false;
    }
    return true;
}

static void feed_held(struct ds_session *session, struct link *link, int dir)
{
    struct env *env = &session->env;
    struct reassembly *held = &link->probes[dir].held;
    if (held->len != 0)
        link->conn.proto->feed(env, &link->conn, dir, reassembly_cursor(held));
    reassembly_free(held, env);
}

/* report_early reports what came before the protocol was known; of dir, data or else what
 * is held. */
static void report_early(struct ds_session *session, struct link *link, int dir,
                         struct cursor data)
{
    struct env *env = &session->env;
    struct raw_early *const early[2] = {&link->probes[0].early, &link->probes[1].early};
    struct cursor bytes[2] = {reassembly_cursor(&link->probes[0].held),
                              reassembly_cursor(&link->probes[1].held)};
    if (cursor_left(&bytes[dir]) == 0)
        bytes[dir] = data;
    if (env->config.raw)
        raw_early_emit(early, env, &link->conn, bytes);
    for (int d = 0; d < 2; d++)
        raw_early_free(early[d], env);
}

static const struct ds_fault not_kept = {
    DS_FAULT_CAP, 0, "not kept while it was not known what this connection carries"};

static void give_up(struct ds_session *session, struct link *link, int dir)
{
    struct probe *probe = &link->probes[dir];
    const struct probe *other = &link->probes[1 - dir];
    reassembly_free(&probe->held, &session->env);
    raw_early_drop(&probe->early, &session->env, 0, not_kept);
    probe->given_up = true;
    link->conn.late[dir] = true;
    link->lost[dir] = true;
    if (other->given_up || other->num_segments == 0)
        forget(session, link);
}

static bool known_port(const struct ds_session *session, const struct link *link)
{
    return registry_has_port(session->env.registry, link->tcp->port[0]) ||
           registry_has_port(session->env.registry, link->tcp->port[1]);
}

/* look asks the protocols. Looking at all that is held at every segment would cost the
 * square of its length; so at each segment alone, where messages mostly begin, and at all
 * whenever it has doubled. A direction seen from its beginning has little of it. */
static enum proto_guess look(struct ds_session *session, struct link *link, int dir,
                             struct cursor data, const struct proto **proto)
{
    const struct env *env = &session->env;
    struct conn *conn = &link->conn;
    struct probe *probe = &link->probes[dir];

    if (probe->held.len == 0)
        return proto_find(env, conn, dir, data, proto);
    if (conn->late[dir] && probe->held.len < 2 * probe->looked_len)
        return proto_find(env, conn, dir, data, proto) == PROTO_YES ? PROTO_YES : PROTO_MORE;
    probe->looked_len = probe->held.len;
    return proto_find(env, conn, dir, reassembly_cursor(&probe->held), proto);
}

static void probe_data(struct ds_session *session, struct link *link, int dir,
                       struct cursor data)
{
    struct env *env = &session->env;
    struct conn *conn = &link->conn;
    struct probe *probe = &link->probes[dir];
    const struct patience *patience =
        known_port(session, link) ? &patience_known : &patience_unknown;
    const struct proto *proto = NULL;

    if (probe->given_up) {
        raw_early_drop(&probe->early, env, cursor_left(&data), not_kept);
        return;
    }
    raw_early_add(&probe->early, env, conn, cursor_left(&data));
    probe->num_segments++;
    probe->num_bytes += cursor_left(&data);
    for (int d = 0; d < 2; d++)
        conn->late[d] = !link->tcp->syn_seen[d] || link->lost[d];
    bool from_held = probe->held.len != 0;
    if (from_held && !reassembly_add(&probe->held, env, data)) {
        give_up(session, link, dir);
        return;
    }
    switch (look(session, link, dir, data, &proto)) {
    case PROTO_YES:
        if (!take(session, link, proto))
            return;
        report_early(session, link, dir, data);
        if (from_held)
            feed_held(session, link, dir);
        else
            proto->feed(env, conn, dir, data);
        feed_held(session, link, 1 - dir);
        return;
    case PROTO_NO:
        if (!conn->late[dir]) {
            forget(session, link);
            return;
        }
        break;
    case PROTO_MORE:
        break;
    }
    if (probe->num_segments >= patience->segments || probe->num_bytes >= patience->bytes) {
        give_up(session, link, dir);
    } else if (probe->held.len >= patience->window_len) {
        reassembly_free(&probe->held, env);
        raw_early_drop(&probe->early, env, 0, not_kept);
        probe->looked_len = 0;
        link->lost[dir] = true;
    } else if (!from_held && !reassembly_add(&probe->held, env, data)) {
        give_up(session, link, dir);
    }
}

static void on_open(void *context, struct tcp_conn_view *view)
{
    struct ds_session *session = context;
    struct env *env = &session->env;
    const struct proto *proto = NULL;

    struct link *link = calloc(1, sizeof *link);
    if (link == NULL) {
        env->stats.no_memory++;
        tcp_table_forget(view);
        return;
    }
    view->user = link;
    link->session = session;
    link->tcp = view;
    link->conn.tcp = view;
    if (view->facts != NULL)
        link->conn.view.link = &view->facts->link;
    for (int end = 0; end < 2; end++) {
        link->conn.view.end[end].addr = view->addr[end];
        link->conn.view.end[end].port = view->port[end];
    }
    if (proto_find(env, &link->conn, 0, cursor_make(NULL, 0), &proto) == PROTO_YES)
        (void)take(session, link, proto);
}

/* take_past takes what stands for bytes of a connection that is known to be a distribution's. */
static void take_past(struct ds_session *session, struct link *link, int dir, struct cursor data)
{
    struct env *env = &session->env;
    struct conn *conn = &link->conn;
    if (conn->proto == NULL) {
        for (int d = 0; d < 2; d++)
            conn->late[d] = !link->tcp->syn_seen[d];
        if (!take(session, link, &dist_proto))
            return;
    }
    if (env->past != DS_PAST_OPEN)
        conn->proto->feed(env, conn, dir, data);
    else if (conn->proto->take_alone != NULL)
        conn->proto->take_alone(env, conn, dir, data);
}

/* take_text takes what a direction says, be it in TLS or not. */
static void take_text(struct ds_session *session, struct link *link, int dir, struct cursor data)
{
    if (link->conn.proto == NULL) {
        probe_data(session, link, dir, data);
        return;
    }
    link->is_fed = true;
    raw_emit_data(&session->env, &link->conn, dir, data);
    link->conn.proto->feed(&session->env, &link->conn, dir, data);
}

static void take_gap(struct ds_session *session, struct link *link, int dir, uint64_t len,
                     enum tcp_gap why)
{
    const struct ds_fault fault = {conn_gap_fault(why), 0, "bytes are missing here"};
    if (link->conn.proto != NULL) {
        raw_emit_missing(&session->env, &link->conn, dir, len, fault);
        link->conn.proto->gap(&session->env, &link->conn, dir, len, why);
        return;
    }
    /* What was probed so far leads nowhere now; what follows is as if joined late. */
    link->lost[dir] = true;
    link->probes[dir].looked_len = 0;
    raw_early_drop(&link->probes[dir].early, &session->env, len, fault);
    reassembly_free(&link->probes[dir].held, &session->env);
}

static void on_tls_text(void *context, int dir, struct cursor text)
{
    struct link *link = context;
    link->session->env.stats.tls_opened += !link->is_opened;
    link->is_opened = true;
    if (!link->is_forgotten)
        take_text(link->session, link, dir, text);
}

static void on_tls_gap(void *context, int dir, uint64_t len, enum tcp_gap why)
{
    struct link *link = context;
    if (!link->is_forgotten)
        take_gap(link->session, link, dir, len, why);
}

/* on_tls_sealed: a connection that cannot be read is shown where its port tells what it is. */
static void on_tls_sealed(void *context)
{
    struct link *link = context;
    struct ds_session *session = link->session;
    const struct proto *proto = NULL;
    if (link->is_forgotten)
        return;
    if (link->conn.proto == NULL &&
        proto_find(&session->env, &link->conn, 0, cursor_make(NULL, 0), &proto) == PROTO_YES &&
        !take(session, link, proto))
        return;
    if (link->conn.proto != NULL && link->conn.proto->sealed != NULL) {
        link->conn.proto->sealed(&session->env, &link->conn);
    } else if (!keylog_grows(&session->env)) {
        session->env.stats.tls_unknown++;
        forget(session, link);
    }
}

static const struct tls_events tls_events = {
    .text = on_tls_text,
    .gap = on_tls_gap,
    .sealed = on_tls_sealed,
};

/* starts_tls says whether what comes is TLS, and is worth the trouble. */
static bool starts_tls(const struct ds_session *session, const struct link *link, int dir,
                       struct cursor data)
{
    const struct conn *conn = &link->conn;
    const bool is_late = !link->tcp->syn_seen[dir] || link->lost[dir];
    if (conn->proto != NULL && (link->is_fed || conn->proto->sealed == NULL))
        return false;
    return tls_probe(data, is_late) &&
           (known_port(session, link) || keylog_is_of_use(&session->env));
}

static void start_tls(struct ds_session *session, struct link *link)
{
    struct env *env = &session->env;
    if (session->tls == NULL)
        session->tls = tls_stage_new(env, &tls_events);
    if (session->tls != NULL)
        link->tls = tls_new(session->tls, link->tcp, link);
    if (link->tls == NULL) {
        env->stats.no_memory++;
        return;
    }
    env->stats.tls_connections++;
    link->conn.view.tls = tls_view(link->tls);
    for (int dir = 0; dir < 2; dir++)
        reassembly_free(&link->probes[dir].held, env);
}

/* leave_tls does what could not be done while the stage was at work. */
static void leave_tls(struct ds_session *session, struct link *link)
{
    link->is_in_tls = false;
    if (link->is_forgotten)
        forget(session, link);
}

static void on_data(void *context, struct tcp_conn_view *view, int dir, struct cursor data)
{
    struct ds_session *session = context;
    struct link *link = view->user;

    if (link == NULL)
        return;
    if (session->env.past > DS_PAST_BYTES) {
        take_past(session, link, dir, data);
        return;
    }
    if (session->env.past == DS_PAST_NONE)
        link->conn.view.counters[dir].bytes += cursor_left(&data);
    if (link->tls == NULL && starts_tls(session, link, dir, data))
        start_tls(session, link);
    if (link->tls == NULL) {
        take_text(session, link, dir, data);
        return;
    }
    link->is_in_tls = true;
    tls_feed(link->tls, dir, data);
    leave_tls(session, link);
}

static void on_gap(void *context, struct tcp_conn_view *view, int dir, uint64_t len,
                   enum tcp_gap why)
{
    struct ds_session *session = context;
    struct link *link = view->user;

    if (link == NULL)
        return;
    if (link->tls == NULL) {
        take_gap(session, link, dir, len, why);
        return;
    }
    link->is_in_tls = true;
    tls_gap(link->tls, dir, len, why);
    leave_tls(session, link);
}

static void on_end(void *context, struct tcp_conn_view *view, int dir)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    if (link != NULL && link->conn.proto != NULL)
        link->conn.proto->end(&session->env, &link->conn, dir);
}

static void on_go_on(void *context, struct tcp_conn_view *view)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    const struct ds_conn_change change = {
        .state = DS_CONN_CONTINUED,
        .reason = "it began before; what came then is known from what stands for it",
    };
    if (link != NULL && link->conn.view.number != 0)
        conn_emit_change(&session->env, &link->conn, 0, change);
}

static void on_icmp(void *context, struct tcp_conn_view *view, int dir)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    if (link != NULL && link->conn.proto != NULL)
        conn_report_icmp(&session->env, &link->conn, dir);
}

static void on_stall(void *context, struct tcp_conn_view *view, int dir,
                     const struct ds_stall *stall)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    if (link == NULL || link->conn.proto == NULL)
        return;
    struct ds_event event = {.type = DS_EVENT_STALL, .dir = (uint8_t)dir, .stall = *stall};
    if (link->conn.proto->progress != NULL)
        link->conn.proto->progress(&link->conn, dir, &event.stall.message_size,
                                   &event.stall.message_passed);
    env_emit(&session->env, &link->conn, &event);
}

static void on_close(void *context, struct tcp_conn_view *view, enum tcp_close why)
{
    struct ds_session *session = context;
    struct link *link = view->user;
    const enum ds_past_kind past = session->env.past;

    if (link == NULL)
        return;
    session->env.past = DS_PAST_NONE; /* it is another's */
    if (link->tls != NULL) {
        link->is_in_tls = true; /* it is freed here and nowhere else */
        tls_end(link->tls);
    }
    if (link->conn.proto != NULL)
        link->conn.proto->close(&session->env, &link->conn, why);
    session->env.past = past;
    link_free(session, link);
}

static const struct tcp_events tcp_events = {
    .open = on_open,
    .data = on_data,
    .gap = on_gap,
    .end = on_end,
    .go_on = on_go_on,
    .icmp = on_icmp,
    .stall = on_stall,
    .close = on_close,
};

static bool copy_cookie(struct ds_session *session, struct ds_text cookie)
{
    if (cookie.data == NULL)
        return true;
    session->cookie = malloc(cookie.len + 1);
    if (session->cookie == NULL)
        return false;
    memcpy(session->cookie, cookie.data, cookie.len);
    session->env.config.cookie.data = session->cookie;
    return true;
}

struct ds_session *ds_session_new(const struct ds_config *config)
{
    struct ds_session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return NULL;
    struct env *env = &session->env;
    env->config = *config;
    env->config.dist_ports = NULL;
    env->config.num_dist_ports = 0;
    env->config.cookie.data = NULL;
    env->meter.max = config->limits[DS_LIMIT_MEMORY];
    if (!config->certain)
        env->books = session->own_memory =
            config->atom_memory != NULL ? NULL : atom_books_new(config->limits[DS_LIMIT_ATOM_BOOKS]);
    if (!config->certain && config->atom_memory != NULL)
        env->books = config->atom_memory->books;
    env->registry = registry_new(config->limits[DS_LIMIT_NODES]);
    session->tcp = tcp_table_new(&tcp_events, session, &env->meter, env->config.limits,
                                 &env->stats);
    if (env->registry == NULL || (!config->certain && env->books == NULL) || session->tcp == NULL || !copy_cookie(session, config->cookie) ||
        !packet_decoder_init(&session->decoder, &env->meter,
                             config->limits[DS_LIMIT_IP_FRAGMENTS],
                             &env->stats.limits_hit[DS_LIMIT_IP_FRAGMENTS])) {
        ds_session_free(session);
        return NULL;
    }
    if (config->facts)
        tcp_table_measure(session->tcp);
    for (size_t i = 0; i < config->num_dist_ports; i++)
        registry_add_port(env->registry, config->dist_ports[i]);
    return session;
}

/* take_made takes a packet that stands for the past. */
static struct ds_where take_made(struct ds_session *session, const struct ds_packet *packet)
{
    struct ds_where where = {0};
    struct segment segment;
    if (packet->past.kind >= DS_PAST_KIND_COUNT ||
        packet_decode(&session->decoder, packet, &segment) != PACKET_SEGMENT)
        return where;
    session->env.past = packet->past.kind;
    where.tcp = tcp_table_past(session->tcp, &segment, &packet->past);
    where.forgotten = tcp_table_forgotten(session->tcp);
    session->env.past = DS_PAST_NONE;
    return where;
}

struct ds_where ds_session_packet(struct ds_session *session, const struct ds_packet *packet)
{
    struct ds_stats *stats = &session->env.stats;
    struct ds_where where = {0};
    struct segment segment;

    if (packet->past.kind != DS_PAST_NONE)
        return take_made(session, packet);
    stats->packets++;
    stats->bytes += packet->len;
    stats->truncated_packets += packet->cap_len < packet->len;
    const enum packet_status status = packet_decode(&session->decoder, packet, &segment);
    switch (status) {
    case PACKET_SEGMENT:
        where.tcp = tcp_table_feed(session->tcp, &segment);
        where.forgotten = tcp_table_forgotten(session->tcp);
        break;
    case PACKET_ICMP:
        stats->not_tcp++;
        where.tcp = tcp_table_icmp(session->tcp, &segment, &session->decoder.icmp);
        break;
    case PACKET_NOT_TCP:
        stats->not_tcp++;
        break;
    case PACKET_MALFORMED:
        stats->malformed_packets++;
        break;
    case PACKET_UNKNOWN_LINK:
        stats->unknown_link++;
        break;
    case PACKET_HELD:
    case PACKET_TRUNCATED:
        break;
    }
    where.whole = ip_fragments_last(session->decoder.fragments);
    where.is_complete = where.whole != 0 && status != PACKET_HELD;
    stats->limits_hit[DS_LIMIT_MEMORY] = session->env.meter.hits;
    return where;
}

void ds_session_time(struct ds_session *session, int64_t now_ns)
{
    if (session->ended)
        return;
    tcp_table_time(session->tcp, now_ns);
    session->env.stats.limits_hit[DS_LIMIT_MEMORY] = session->env.meter.hits;
}

void ds_session_settle(struct ds_session *session)
{
    if (!session->ended)
        tcp_table_settle(session->tcp);
    session->env.stats.limits_hit[DS_LIMIT_MEMORY] = session->env.meter.hits;
}

struct decoder_state_walk {
    struct env *env;
    const struct ds_endpoint *ends; /* NULL: all */
    ds_past_fn give;
    void *context;
};

static bool is_between(const struct tcp_conn_view *tcp, const struct ds_endpoint *ends)
{
    for (int end = 0; end < 2; end++) {
        if (tcp->port[end] != ends[end].port ||
            memcmp(&tcp->addr[end], &ends[end].addr, sizeof tcp->addr[end]) != 0)
            return false;
    }
    return true;
}

static void give_past(void *context, const struct tcp_conn_view *tcp,
                      const struct tcp_point point[2])
{
    const struct decoder_state_walk *walk = context;
    const struct link *link = tcp->user;
    if (link == NULL || link->tls != NULL || (walk->ends != NULL && !is_between(tcp, walk->ends)))
        return;
    if (link->conn.proto != NULL) {
        if (link->conn.proto->give_past != NULL)
            link->conn.proto->give_past(walk->env, &link->conn, point, walk->give, walk->context);
        return;
    }
    struct decoder_state_rest rest[2];
    for (int dir = 0; dir < 2; dir++) {
        rest[dir] = (struct decoder_state_rest){.kind = DS_PAST_BYTES,
                                                .bytes = reassembly_cursor(&link->probes[dir].held),
                                                .lost_before = link->lost[dir]};
    }
    decoder_state_give(walk->env, &link->conn, point, rest, tcp->syn_seen[0] || tcp->syn_seen[1],
                       walk->give, walk->context);
}

void ds_session_past(struct ds_session *session, const struct ds_endpoint *ends, ds_past_fn give,
                     void *context)
{
    ds_session_settle(session);
    struct decoder_state_walk walk = {&session->env, ends, give, context};
    tcp_table_walk(session->tcp, give_past, &walk);
}

struct find_walk {
    const struct ds_endpoint *ends;
    struct link *found;
};

static void find_link(void *context, const struct tcp_conn_view *tcp,
                      const struct tcp_point point[2])
{
    struct find_walk *walk = context;
    (void)point;
    if (tcp->user != NULL && is_between(tcp, walk->ends))
        walk->found = tcp->user;
}

void ds_session_forget(struct ds_session *session, const struct ds_endpoint *ends)
{
    struct find_walk walk = {.ends = ends};
    tcp_table_walk(session->tcp, find_link, &walk);
    struct link *link = walk.found;
    if (link == NULL)
        return;
    if (link->conn.proto != NULL)
        link->conn.proto->close(&session->env, &link->conn, TCP_CLOSE_DROPPED);
    forget(session, link);
}

void ds_session_end(struct ds_session *session)
{
    if (session->ended)
        return;
    session->ended = true;
    tcp_table_end(session->tcp);
    session->env.stats.limits_hit[DS_LIMIT_MEMORY] = session->env.meter.hits;
}

const struct ds_stats *ds_session_stats(const struct ds_session *session)
{
    return &session->env.stats;
}

void ds_session_free(struct ds_session *session)
{
    if (session == NULL)
        return;
    if (session->tcp != NULL) {
        /* Closing frees what hangs on the connections; nobody is told any more. */
        session->env.config.on_event = NULL;
        session->env.config.on_port = NULL;
        session->env.config.on_all_known = NULL;
        ds_session_end(session);
    }
    tcp_table_free(session->tcp);
    tls_stage_free(session->tls);
    packet_decoder_free(&session->decoder);
    registry_free(session->env.registry);
    atom_books_free(session->own_memory);
    arena_free(&session->env.arena);
    free(session->cookie);
    free(session);
}
