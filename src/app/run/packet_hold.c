/*
 * packet_hold.c - see packet_hold.h.
 */
#include "app/run/packet_hold.h"

#include <stdlib.h>
#include <string.h>

/* Packets wait at least so long: a session may complete their messages that much later, because it
 * waits for earlier packets that come late. */
#define LEAST_NS INT64_C(300000000)

/* packet_on_hold is a packet that waits. */
struct packet_on_hold {
    struct packet_on_hold *next; /* the packet after it */
    struct ds_packet packet;
    bool has_unknown; /* the session ahead completed messages with unknown atoms when this was the
                       * latest packet */
    uint8_t bytes[];
};

struct packet_hold {
    struct packet_hold_config config;
    struct ds_session *ahead;
    struct packet_on_hold *first, *last;
    uint64_t bytes, num_early, no_memory;
    int64_t latest_ns; /* of all packets and all reported times */
};

static void on_event(void *context, const struct ds_event *event)
{
    struct packet_hold *hold = context;
    if (event->unknown_atoms != 0 && hold->last != NULL)
        hold->last->has_unknown = true;
}

static void on_port(void *context, uint16_t port, struct ds_text name)
{
    const struct packet_hold *hold = context;
    hold->config.session->on_port(hold->config.session->context, port, name);
}

struct packet_hold *packet_hold_new(const struct packet_hold_config *config)
{
    struct packet_hold *hold = calloc(1, sizeof *hold);
    if (hold == NULL)
        return NULL;
    hold->config = *config;
    hold->latest_ns = INT64_MIN;
    struct ds_config learning = *config->session;
    learning.on_event = on_event;
    learning.on_port = config->session->on_port != NULL ? on_port : NULL;
    learning.on_all_known = NULL;
    learning.context = hold;
    learning.beside = config->beside;
    learning.learn = true;
    learning.facts = learning.sockets = learning.lookups = learning.parts = false;
    learning.raw = learning.remember = learning.guesses = learning.keylog_notes = false;
    hold->ahead = ds_session_new(&learning);
    if (hold->ahead == NULL) {
        free(hold);
        return NULL;
    }
    return hold;
}

static uint64_t size_of(const struct packet_on_hold *waiting)
{
    return sizeof *waiting + waiting->packet.cap_len;
}

/* go_on passes on the oldest packet. */
static void go_on(struct packet_hold *hold)
{
    struct packet_on_hold *waiting = hold->first;
    hold->first = waiting->next;
    if (hold->first == NULL)
        hold->last = NULL;
    hold->bytes -= size_of(waiting);
    hold->config.take(hold->config.context, &waiting->packet);
    free(waiting);
}

void packet_hold_end(struct packet_hold *hold)
{
    while (hold->first != NULL)
        go_on(hold);
}

/* go_on_where_due passes on the packets that have waited long enough. */
static void go_on_where_due(struct packet_hold *hold)
{
    while (hold->first != NULL && hold->latest_ns - hold->first->packet.ts_ns >=
                                      (hold->first->has_unknown ? hold->config.hold_ns : LEAST_NS))
        go_on(hold);
}

/* go_on_before passes on all packets before one. */
static void go_on_before(struct packet_hold *hold, const struct packet_on_hold *waiting)
{
    while (hold->first != waiting)
        go_on(hold);
}

/* keep adds a packet to those that wait; false if memory ran out. */
static bool keep(struct packet_hold *hold, const struct ds_packet *packet)
{
    struct packet_on_hold *waiting = malloc(sizeof *waiting + packet->cap_len);
    if (waiting == NULL)
        return false;
    *waiting = (struct packet_on_hold){.packet = *packet};
    if (packet->cap_len != 0)
        memcpy(waiting->bytes, packet->data, packet->cap_len);
    waiting->packet.data = waiting->bytes;
    *(hold->last != NULL ? &hold->last->next : &hold->first) = waiting;
    hold->last = waiting;
    hold->bytes += size_of(waiting);
    return true;
}

void packet_hold_packet(struct packet_hold *hold, const struct ds_packet *packet)
{
    const bool is_past = packet->past.kind != DS_SNAPSHOT_NONE;
    const bool is_kept = !is_past && keep(hold, packet);
    (void)ds_session_packet(hold->ahead, packet);
    if (!is_kept) {
        hold->no_memory += !is_past;
        packet_hold_end(hold);
        hold->config.take(hold->config.context, packet);
        return;
    }
    /* After a clock went back, earlier packets would wait until it catches up. */
    if (hold->first->packet.ts_ns - packet->ts_ns > LEAST_NS) {
        go_on_before(hold, hold->last);
        hold->latest_ns = packet->ts_ns;
    }
    hold->latest_ns = packet->ts_ns > hold->latest_ns ? packet->ts_ns : hold->latest_ns;
    go_on_where_due(hold);
    while (hold->bytes > hold->config.max_bytes) {
        hold->num_early++;
        go_on(hold);
    }
}

int64_t packet_hold_time(struct packet_hold *hold, int64_t now_ns)
{
    ds_session_time(hold->ahead, now_ns);
    hold->latest_ns = now_ns > hold->latest_ns ? now_ns : hold->latest_ns;
    go_on_where_due(hold);
    return hold->first != NULL && hold->first->packet.ts_ns < now_ns ? hold->first->packet.ts_ns : now_ns;
}

void packet_hold_settle(struct packet_hold *hold)
{
    ds_session_settle(hold->ahead);
}

void packet_hold_name_port(struct packet_hold *hold, const struct ds_addr *addr, uint16_t port,
                           struct ds_text name)
{
    ds_session_name_port(hold->ahead, addr, port, name);
}

void packet_hold_add_stats(const struct packet_hold *hold, struct ds_stats *stats)
{
    stats->limits_hit[DS_LIMIT_HELD] += hold->num_early;
    stats->no_memory += hold->no_memory;
}

void packet_hold_free(struct packet_hold *hold)
{
    if (hold == NULL)
        return;
    while (hold->first != NULL) {
        struct packet_on_hold *waiting = hold->first;
        hold->first = waiting->next;
        free(waiting);
    }
    ds_session_free(hold->ahead);
    free(hold);
}
