/*
 * session.c - the path of a packet: link, IP and TCP; then, in session_flow.c, its connection's
 * protocol.
 */
#include "session/session_parts.h"

#include "atoms/atom_memory.h"
#include "dist/decoder_state.h"
#include "dist/decoder_state_export.h"
#include "dist/dist.h"
#include "dist/node_name.h"
#include "dist/registry.h"
#include "dist/socket_places.h"
#include "net/ip_fragments.h"
#include "tls/tls_snapshot.h"

#include <stdlib.h>

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
    struct dissect_ctx *env = &session->env;
    env->config = *config;
    env->config.dist_ports = NULL;
    env->config.num_dist_ports = 0;
    env->config.cookie.data = NULL;
    env->memcap.max = config->limits[DS_LIMIT_MEMORY];
    env->memcap.beside = config->beside != NULL ? &config->beside->env.memcap : NULL;
    if (!config->certain && config->atom_memory == NULL)
        env->books = session->own_memory = all_node_atoms_new(config->limits[DS_LIMIT_ATOM_BOOKS]);
    else if (!config->certain)
        env->books = config->atom_memory->books;
    env->registry = registry_new(config->limits[DS_LIMIT_NODES]);
    session->tcp = tcp_table_new(&session_tcp_events, session, &env->memcap, env->config.limits,
                                 &env->stats);
    if (env->registry == NULL || (!config->certain && env->books == NULL) || session->tcp == NULL ||
        !copy_cookie(session, config->cookie) ||
        !packet_decoder_init(&session->decoder, &env->memcap,
                             config->limits[DS_LIMIT_IP_FRAGMENTS],
                             &env->stats.limits_hit[DS_LIMIT_IP_FRAGMENTS])) {
        ds_session_free(session);
        return NULL;
    }
    packet_decoder_count(&session->decoder, &env->stats);
    session->decoder.reads_dns = config->lookups;
    if (config->facts)
        tcp_table_measure(session->tcp, config->sockets);
    for (size_t i = 0; i < config->num_dist_ports; i++)
        registry_add_port(env->registry, config->dist_ports[i]);
    return session;
}

/* read_snapshot_packet processes a pseudo packet of a snapshot. */
static struct ds_where read_snapshot_packet(struct ds_session *session, const struct ds_packet *packet)
{
    struct ds_where where = {0};
    struct segment segment;
    if (packet->past.kind >= DS_SNAPSHOT_KIND_COUNT ||
        packet_decode(&session->decoder, packet, &segment) != PACKET_SEGMENT)
        return where;
    session->env.past = packet->past.kind;
    where.tcp = tcp_table_snapshot(session->tcp, &segment, &packet->past);
    where.forgotten = tcp_table_forgotten(session->tcp);
    session->env.past = DS_SNAPSHOT_NONE;
    return where;
}

/* report_lookup reports a DNS message. It makes a temporary connection for it. */
static void report_lookup(struct ds_session *session, const struct ds_packet *packet,
                          const struct segment *segment)
{
    const struct dns_message *dns = &session->decoder.dns;
    const int client = dns->is_answer; /* index of its sender: 0 asks */
    struct ds_conn conn = {0};
    conn.end[client] = (struct ds_endpoint){.addr = segment->src, .port = segment->src_port};
    conn.end[!client] = (struct ds_endpoint){.addr = segment->dst, .port = segment->dst_port};
    const struct ds_event event = {
        .type = DS_EVENT_LOOKUP,
        .dir = (uint8_t)client,
        .frame = packet->frame,
        .ts_ns = packet->ts_ns,
        .conn = &conn,
        .lookup = {.name = {dns->name, dns->name_len}, .id = dns->id, .type = dns->type,
                   .is_answer = dns->is_answer, .has_address = dns->has_address,
                   .code = dns->code,
                   .icmp = session->decoder.icmp.what},
    };
    if (session->env.config.on_event != NULL)
        session->env.config.on_event(session->env.config.context, &event);
}

/* Not inline: the compiler would split it before inlining, and each packet would pay for two
 * calls. */
__attribute__((noinline)) struct ds_where ds_session_packet(struct ds_session *session,
                                                            const struct ds_packet *packet)
{
    struct ds_stats *stats = &session->env.stats;
    struct ds_where where = {0};
    struct segment segment;

    if (packet->past.kind != DS_SNAPSHOT_NONE)
        return read_snapshot_packet(session, packet);
    stats->packets++;
    stats->bytes += packet->len;
    stats->truncated_packets += packet->cap_len < packet->len;
    const enum packet_status status = packet_decode(&session->decoder, packet, &segment);
    switch (status) {
    case PACKET_SEGMENT:
        where.tcp = tcp_table_feed(session->tcp, &segment);
        where.forgotten = tcp_table_forgotten(session->tcp);
        break;
    case PACKET_REFUSED:
        stats->segments++;
        where.tcp = tcp_table_refuse(session->tcp, &segment);
        break;
    case PACKET_ICMP:
        stats->not_tcp++;
        where.tcp = tcp_table_icmp(session->tcp, &segment, &session->decoder.icmp);
        break;
    case PACKET_DNS:
        stats->not_tcp++;
        report_lookup(session, packet, &segment);
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
    stats->limits_hit[DS_LIMIT_MEMORY] = session->env.memcap.hits;
    return where;
}

void ds_session_time(struct ds_session *session, int64_t now_ns)
{
    if (session->ended)
        return;
    tcp_table_time(session->tcp, now_ns);
    if (session->tls != NULL)
        tls_stage_time(session->tls, now_ns);
    session->env.stats.limits_hit[DS_LIMIT_MEMORY] = session->env.memcap.hits;
}

void ds_session_settle(struct ds_session *session)
{
    if (!session->ended)
        tcp_table_settle(session->tcp);
    session->env.stats.limits_hit[DS_LIMIT_MEMORY] = session->env.memcap.hits;
}

struct naming_walk {
    struct dissect_ctx *env;
    const struct ds_addr *addr;
    uint16_t port;
};

static void name_end(void *context, const struct tcp_conn_view *tcp, const struct tcp_point point[2])
{
    const struct naming_walk *walk = context;
    struct flow *flow = tcp->user;
    (void)point;
    if (flow == NULL || flow->conn.proto != &dist_proto)
        return;
    for (int end = 0; end < 2; end++) {
        if (tcp->port[end] == walk->port && memcmp(&tcp->addr[end], walk->addr, sizeof *walk->addr) == 0)
            dist_look_up_nodes(walk->env, &flow->conn);
    }
}

void ds_session_name_port(struct ds_session *session, const struct ds_addr *addr, uint16_t port,
                          struct ds_text name)
{
    struct dissect_ctx *env = &session->env;
    struct naming_walk walk = {env, addr, port};
    if (session->ended)
        return;
    if (!node_name_to_utf8(&env->arena, &name))
        env->stats.no_memory++;
    registry_add(env, addr, port, name, 0, NULL);
    arena_reset(&env->arena);
    tcp_table_walk(session->tcp, name_end, &walk);
}

struct decoder_state_walk {
    struct dissect_ctx *env;
    const struct ds_endpoint *ends; /* NULL: all connections */
    ds_snapshot_fn give;
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

/* emit_content emits the content of a connection. */
static void emit_content(struct dissect_ctx *env, const struct flow *flow, const struct tcp_point point[2],
                         ds_snapshot_fn give, void *context)
{
    const struct proto *proto = flow->conn.proto;
    const struct tcp_conn_view *tcp = flow->tcp;
    if (proto != NULL) {
        if (proto->write_snapshot != NULL)
            proto->write_snapshot(env, &flow->conn, point, give, context);
        return;
    }
    struct decoder_state_rest rest[2];
    for (int dir = 0; dir < 2; dir++) {
        rest[dir] = (struct decoder_state_rest){.kind = DS_SNAPSHOT_BYTES,
                                                .bytes =
                                                    stream_buffer_cursor(&flow->probes[dir].held),
                                                .lost_before = flow->lost[dir]};
    }
    decoder_state_export(env, &flow->conn, point, rest, tcp->syn_seen[0] || tcp->syn_seen[1], give,
                         context);
}

static void snapshot_tls(const struct decoder_state_walk *walk, const struct flow *flow,
                         const struct tcp_point point[2])
{
    const struct decoder_state *decoder = flow->conn.decoder;
    const int64_t since_ns =
        decoder != NULL && decoder->oldest != NULL ? decoder->oldest->ts_ns : flow->tcp->now_ns;
    struct tls_snapshot past;
    tls_snapshot_begin(&past, flow->tls, flow->tcp, point, since_ns, walk->give, walk->context);
    emit_content(walk->env, flow, point, tls_snapshot_add, &past);
    tls_snapshot_end(&past);
}

static void snapshot_conn(void *context, const struct tcp_conn_view *tcp, const struct tcp_point point[2])
{
    const struct decoder_state_walk *walk = context;
    const struct flow *flow = tcp->user;
    if (flow == NULL || (walk->ends != NULL && !is_between(tcp, walk->ends)))
        return;
    if (flow->tls == NULL)
        emit_content(walk->env, flow, point, walk->give, walk->context);
    else
        snapshot_tls(walk, flow, point);
}

void ds_session_snapshot(struct ds_session *session, const struct ds_endpoint *ends,
                         ds_snapshot_fn give, void *context)
{
    ds_session_settle(session);
    struct decoder_state_walk walk = {&session->env, ends, give, context};
    tcp_table_walk(session->tcp, snapshot_conn, &walk);
}

struct find_walk {
    const struct ds_endpoint *ends;
    struct flow *found;
};

static void find_link(void *context, const struct tcp_conn_view *tcp, const struct tcp_point point[2])
{
    struct find_walk *walk = context;
    (void)point;
    if (tcp->user != NULL && is_between(tcp, walk->ends))
        walk->found = tcp->user;
}

bool ds_session_seal_snapshot(const struct ds_session *session, struct ds_segment *segment,
                              struct ds_buffer *out)
{
    const struct ds_endpoint ends[2] = {{.addr = segment->src, .port = segment->src_port},
                                        {.addr = segment->dst, .port = segment->dst_port}};
    int dir;
    const struct tcp_conn_view *tcp = tcp_table_find(session->tcp, ends, &dir);
    const struct flow *flow = tcp != NULL ? tcp->user : NULL;
    out->len = 0;
    if (flow == NULL || flow->tls == NULL)
        return true;
    if (!tls_snapshot_seal(flow->tls, dir, (enum ds_snapshot_kind)segment->past.kind, 0,
                           cursor_make(segment->payload, segment->payload_len), out))
        return false;
    segment->past.kind = DS_SNAPSHOT_SEALED;
    segment->seq += segment->payload_len - (uint32_t)out->len;
    segment->payload = (const uint8_t *)out->data;
    segment->payload_len = (uint32_t)out->len;
    return true;
}

void ds_session_forget(struct ds_session *session, const struct ds_endpoint *ends)
{
    struct find_walk walk = {.ends = ends};
    tcp_table_walk(session->tcp, find_link, &walk);
    struct flow *flow = walk.found;
    if (flow == NULL)
        return;
    if (flow->conn.proto != NULL)
        flow->conn.proto->close(&session->env, &flow->conn, TCP_CLOSE_EVICTED);
    session_forget_flow(session, flow);
}

void ds_session_end(struct ds_session *session)
{
    if (session->ended)
        return;
    session->ended = true;
    if (session->tls != NULL)
        tls_stage_end(session->tls);
    tcp_table_end(session->tcp);
    session->env.stats.limits_hit[DS_LIMIT_MEMORY] = session->env.memcap.hits;
}

const struct ds_stats *ds_session_stats(const struct ds_session *session)
{
    return &session->env.stats;
}

void ds_session_fits(const struct ds_session *session, ds_fit_fn fn, void *context)
{
    if (session->env.books != NULL)
        all_node_atoms_fits(session->env.books, fn, context);
}

void ds_session_free(struct ds_session *session)
{
    if (session == NULL)
        return;
    if (session->tcp != NULL) {
        /* Closing frees the state of the connections, but reports nothing any more. */
        session->env.config.on_event = NULL;
        session->env.config.on_port = NULL;
        session->env.config.on_all_known = NULL;
        ds_session_end(session);
    }
    tcp_table_free(session->tcp);
    tls_stage_free(session->tls);
    packet_decoder_free(&session->decoder);
    registry_free(session->env.registry);
    socket_places_free(session->env.places);
    all_node_atoms_free(session->own_memory);
    arena_free(&session->env.arena);
    free(session->cookie);
    free(session);
}
