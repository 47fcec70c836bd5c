/*
 * keep_conns.c - see keep_conns.h.
 *
 * A connection in which something is selected is pinned. If some of its packets have left the store by
 * then, the state after them is written as a snapshot. With input files, all packets then go through
 * the store, and those of pinned connections are written when they leave it: so they are in the order
 * of the capture. Live, that could take hours: there they are written at once, and so is each packet
 * that follows.
 *
 * EPMD reveals a port just before the connection to it is made. That exchange is kept with the
 * connection as long as the connection is open, since something may be selected much later.
 */
#include "keep/packet_recorder_parts.h"

#include <string.h>

void keep_conns_open(struct packet_recorder *k)
{
    k->conns.in_order = !k->capture->is_live;
    recorder_open(k, k->config->connections_file);
}

/* write_stored writes the stored packets of two connections, one of which may be NULL. */
static void write_stored(struct packet_recorder *k, struct stored_conn *a, struct stored_conn *b)
{
    for (;;) {
        struct stored_packet *one = a != NULL ? a->packets.first : NULL;
        struct stored_packet *other = b != NULL ? b->packets.first : NULL;
        if (one == NULL || (other != NULL && other->packet.frame < one->packet.frame))
            one = other;
        if (one == NULL)
            return;
        recorder_write(k, &one->packet);
        packet_store_remove(&k->store, one);
    }
}

static void pin(struct packet_recorder *k, struct stored_conn *conn)
{
    struct stored_conn *led =
        conn->leads_to != 0 ? packet_store_find(&k->store, conn->leads_to) : NULL;
    if (led != NULL)
        led->led_by = 0;
    pcap_writer_add_secrets(&k->writer, conn->key);
    conn->pinned = true;
    k->num_incomplete += conn->decoder_state_unknown;
    if (conn->decoder_state_unknown && conn->has_ends) {
        const struct stored_packet *next = conn->packets.first;
        recorder_write_state(k, conn->ends, next != NULL ? next->packet.ts_ns : k->now_ns);
        ds_session_forget(k->past, conn->ends);
    }
}

static void choose(struct packet_recorder *k, struct stored_conn *conn)
{
    if (conn->pinned)
        return;
    struct stored_conn *epmd =
        conn->led_by != 0 ? packet_store_find(&k->store, conn->led_by) : NULL;
    for (const struct stored_packet *p = conn->held_back.first; p != NULL; p = p->next)
        recorder_write(k, &p->packet);
    if (epmd != NULL)
        pin(k, epmd);
    else if (conn->led_by != 0 && conn->held_back.first == NULL)
        k->num_incomplete++;
    packet_store_free_held_back(&k->store, conn);
    pin(k, conn);
    if (!k->conns.in_order)
        write_stored(k, epmd, conn);
}

/* EPMD */

static bool same_addr(const struct ds_addr *a, const struct ds_addr *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void record_answer(struct packet_recorder *k, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    k->conns.told[k->conns.num_told++ % KEEP_TOLD] = (struct keep_told){
        .key = conn->tcp,
        .server = conn->end[event->dir].addr,
        .client = conn->end[1 - event->dir].addr,
        .port = event->epmd.port,
    };
}

/* led_to says whether an exchange led to a connection. */
static bool led_to(const struct keep_told *told, const struct stored_conn *conn)
{
    for (int end = 0; end < 2; end++) {
        if (told->port == conn->ends[end].port && same_addr(&told->server, &conn->ends[end].addr) &&
            same_addr(&told->client, &conn->ends[1 - end].addr))
            return true;
    }
    return false;
}

/* find_leader finds the exchange that led to a new connection: the latest one. */
static void find_leader(struct packet_recorder *k, struct stored_conn *conn)
{
    const struct keep_conns *c = &k->conns;
    const uint64_t num = c->num_told < KEEP_TOLD ? c->num_told : KEEP_TOLD;
    for (uint64_t i = 1; i <= num; i++) {
        const struct keep_told *told = &c->told[(c->num_told - i) % KEEP_TOLD];
        struct stored_conn *epmd =
            led_to(told, conn) ? packet_store_find(&k->store, told->key) : NULL;
        if (epmd == NULL)
            continue;
        if (!epmd->pinned) {
            epmd->leads_to = conn->key;
            conn->led_by = epmd->key;
        }
        return;
    }
}

/* Records */

static void meet(struct packet_recorder *k, struct stored_conn *conn, const struct ds_conn *met)
{
    for (int end = 0; end < 2; end++)
        conn->ends[end] =
            (struct ds_endpoint){.addr = met->end[end].addr, .port = met->end[end].port};
    conn->has_ends = true;
    find_leader(k, conn);
}

/* linger keeps a pinned connection for a while after its end: some packets follow late. */
static void linger(struct packet_recorder *k, struct stored_conn *conn)
{
    uint64_t *place = &k->conns.lingering[k->conns.num_lingering++ % KEEP_LINGERING];
    struct stored_conn *before = *place != 0 ? packet_store_find(&k->store, *place) : NULL;
    if (before != NULL) {
        before->stays = false;
        packet_store_release(&k->store, before);
    }
    *place = conn->key;
    conn->lingers = true;
}

static void see_event(struct packet_recorder *k, const struct ds_event *event, bool selected)
{
    struct stored_conn *conn = packet_store_conn(&k->store, event->conn->tcp);
    if (conn == NULL)
        return;
    conn->number = event->conn->number;
    if (!conn->has_ends)
        meet(k, conn, event->conn);
    if (event->type == DS_EVENT_EPMD && event->epmd.op == DS_EPMD_PORT2_RESP &&
        event->epmd.port != 0)
        record_answer(k, event);
    if (selected)
        choose(k, conn);
    const bool is_last = event->type == DS_EVENT_CONN && event->change.final;
    if (is_last && conn->pinned && !conn->lingers)
        linger(k, conn);
    conn->stays = !is_last || conn->lingers;
    packet_store_release(&k->store, conn);
}

/* see_left_open selects the connection of a call, monitor or link that no event ended. */
static void see_left_open(struct packet_recorder *k, uint64_t number)
{
    struct stored_conn *conn = table_oldest(&k->store.conns);
    while (conn != NULL && conn->number != number)
        conn = table_newer(&k->store.conns, conn);
    if (conn != NULL)
        choose(k, conn);
}

void keep_conns_record(struct packet_recorder *k, const struct record *record, bool selected)
{
    if (record->event != NULL)
        see_event(k, record->event, selected);
    else if (selected && record->finding != NULL)
        see_left_open(k, record->finding->evidence[0].conn);
    else if (selected)
        see_left_open(k, record->call != NULL ? record->call->conn : record->monitor->conn);
}

/* Packets */

static void write_leading(struct packet_recorder *k)
{
    while (k->store.oldest != NULL && k->store.oldest->conn->pinned)
        packet_store_drop_oldest(&k->store);
}

void keep_conns_packet(struct packet_recorder *k, uint64_t key, const struct ds_packet *packet)
{
    struct stored_conn *conn = key != 0 ? packet_store_find(&k->store, key) : NULL;
    const bool at_once = !k->conns.in_order || k->store.oldest == NULL;
    if (conn != NULL && conn->pinned && at_once) {
        write_stored(k, conn, NULL); /* fragments were waiting for this one */
        recorder_write(k, packet);
    } else if (key != 0) {
        packet_store_add(&k->store, key, packet);
    }
    if (k->conns.in_order)
        write_leading(k);
}

void keep_conns_end(struct packet_recorder *k)
{
    while (k->store.oldest != NULL)
        packet_store_drop_oldest(&k->store);
    const struct ds_buffer *rest = k->notes != NULL ? packet_notes_rest(k->notes) : NULL;
    if (rest != NULL)
        pcap_writer_end_comments(&k->writer, k->now_ns, rest);
    recorder_close(k);
}
