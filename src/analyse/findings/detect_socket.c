/*
 * detect_socket.c - faults of connections other than distribution: a replica of a RabbitMQ stream
 * that its leader does not reach (DS609), and the cookie that gen_rpc sends in clear (DS406).
 *
 *     osiris    a connection that fails, to the port where a replica said that it listens; or the
 *               answer to its start_child, {error, {connection_refused, _}}
 *     gen_rpc   {gen_rpc_authenticate_connection, Cookie}, or with the client's node before the cookie
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <string.h>

#define SYNS_NS INT64_C(3000000000) /* SYNs are sent for about this long */

/* stream_replica is a replica that its leader did not reach. */
enum { MAX_STREAM_REPLICAS = 64 };
struct stream_replica {
    uint64_t key, finding; /* key 0: a free entry */
};

struct socket_watch {
    struct stream_replica replica[MAX_STREAM_REPLICAS];
    unsigned next_replica;
};

const struct detect_family detect_socket_family = {sizeof(struct socket_watch), {{0}}};

/* stream_key is the key of a replica's node, by which on_reached finds its finding. */
static uint64_t stream_key(const struct ds_endpoint *replica)
{
    return replica->node.data != NULL
               ? hash_short(71, replica->node) | 1
               : hash_more(73, replica->addr.bytes, sizeof replica->addr.bytes) | 1;
}

static struct stream_replica *find_replica(struct detect *d, uint64_t key)
{
    for (unsigned i = 0; i < MAX_STREAM_REPLICAS; i++) {
        if (d->socket->replica[i].key == key)
            return &d->socket->replica[i];
    }
    return NULL;
}

/* note_replica records a finding until the replica is reached. */
static void note_replica(struct detect *d, uint64_t key, uint64_t finding)
{
    struct stream_replica *r = find_replica(d, key);
    if (r == NULL)
        r = &d->socket->replica[d->socket->next_replica++ % MAX_STREAM_REPLICAS];
    *r = (struct stream_replica){key, finding};
}

static void add_sentence(struct finding *f, const struct ds_endpoint *leader,
                         const struct ds_endpoint *replica)
{
    wording_say(&f->sentence, "{node} does not reach a stream's replica on {peer}", an_end(leader),
                an_end(replica));
}

/* on_failure reports a failed connection. The leader's node, end 0, connects. */
static void on_failure(struct detect *d, const struct ds_event *event)
{
    const struct ds_endpoint *leader = &event->conn->end[0], *replica = &event->conn->end[1];
    struct finding *f = detect_begin(d, FINDING_DS609, event);
    add_sentence(f, leader, replica);
    wording_say(&f->detail, "its connection to {server} port {port}: {reason}", an_addr(&replica->addr),
                a_number(replica->port), a_word(event->change.reason));
    detect_since(d, event->ts_ns - SYNS_NS);
    detect_frame(f, event->frame, "the latest packet of it");
    note_replica(d, stream_key(replica), detect_commit(d));
}

/* on_reached handles a replica that got its connection. */
static void on_reached(struct detect *d, const struct ds_event *event)
{
    struct stream_replica *r = find_replica(d, stream_key(&event->conn->end[1]));
    if (r == NULL)
        return;
    detect_over(d, r->finding);
    r->key = 0;
}

static void on_cookie(struct detect *d, const struct ds_event *event)
{
    struct ds_term word, cookie;
    if (event->conn->tls != NULL || !ds_term_get_element(&event->message.payload, 0, &word) ||
        !detect_is_atom(&word, "gen_rpc_authenticate_connection") ||
        !ds_term_get_element(&event->message.payload, 1, &cookie))
        return;
    struct finding *f = detect_begin(d, FINDING_DS406, event);
    wording_say(&f->sentence, "{node} sends its cookie in clear text to {peer}",
                an_end(&event->conn->end[event->dir]), an_end(&event->conn->end[!event->dir]));
    detect_frame(f, event->frame, "gen_rpc_authenticate_connection");
    detect_commit(d);
}

void detect_socket(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const bool is_osiris = strcmp(event->conn->proto, "osiris") == 0;
    if (is_osiris && event->type == DS_EVENT_CONN && event->change.state == DS_CONN_FAILED)
        on_failure(d, event);
    else if (is_osiris && event->type == DS_EVENT_CONN && event->change.state == DS_CONN_OPEN)
        on_reached(d, event);
    else if (event->type == DS_EVENT_MESSAGE && !is_osiris && event->message.payload.data != NULL)
        on_cookie(d, event);
}

/* asks_for_stream says whether a replica asks its leader's node to connect to it. */
static bool asks_for_stream(const struct call *call)
{
    static const char name[] = "osiris_replica_reader_sup";
    return call->callee.name.len == sizeof name - 1 &&
           memcmp(call->callee.name.data, name, sizeof name - 1) == 0;
}

bool detect_waits_for_stream(struct detect *d, const struct call *call)
{
    const struct ds_endpoint replica = {.node = call->caller.node};
    return asks_for_stream(call) && replica.node.data != NULL &&
           find_replica(d, stream_key(&replica)) != NULL;
}

void detect_socket_call(struct detect *d, const struct call *call)
{
    struct ds_term word, reason, inner;
    if (!asks_for_stream(call) || !ds_term_get_element(&call->result, 0, &word) ||
        !detect_is_atom(&word, "error") ||
        !ds_term_get_element(&call->result, 1, &reason))
        return;
    if (!ds_term_get_element(&reason, 0, &inner))
        inner = reason;
    if (!detect_is_atom(&inner, "connection_refused"))
        return;
    const struct ds_endpoint leader = {.node = call->callee.node},
                             replica = {.node = call->caller.node};
    struct finding *f = detect_begin_call(d, FINDING_DS609, call);
    add_sentence(f, &leader, &replica);
    wording_add(&f->detail,
                "it answers {error, connection_refused} to the replica that asked it to connect");
    note_replica(d, stream_key(&replica), detect_commit(d));
}
