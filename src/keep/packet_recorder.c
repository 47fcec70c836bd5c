/*
 * packet_recorder.c - see packet_recorder.h: the memory that -O and --trigger share.
 *
 * Packets of connections that are not Erlang's are dropped as soon as that is known.
 */
#include "keep/packet_recorder_parts.h"

#include "core/clock.h"
#include "core/complain.h"

#include <stdlib.h>
#include <string.h>

enum { CONNS_FOR_EACH = 4 }; /* entries in the store for each connection that the session follows */

bool recorder_wanted(const struct keep_config *config)
{
    return config->connections_file != NULL || config->trigger != NULL;
}

static void on_leave(void *context, const struct stored_conn *conn, const struct ds_packet *packet)
{
    struct packet_recorder *k = context;
    if (conn != NULL && conn->pinned)
        recorder_write(k, packet);
    else if (!k->is_at_end)
        ds_session_packet(k->past, packet);
}

static void on_past(void *context, const struct ds_event *event)
{
    struct packet_recorder *k = context;
    pending_messages_event(&k->openings, event);
}

static bool open_parts(struct packet_recorder *k)
{
    if (k->config->trigger != NULL)
        return keep_latest_open(k);
    keep_conns_open(k);
    return k->ending == STOP_NONE;
}

struct packet_recorder *recorder_new(const struct keep_config *config,
                                     const struct ds_config *session, const struct capture *capture)
{
    struct ds_config past = *session;
    struct packet_recorder *k = calloc(1, sizeof *k);
    past.on_event = on_past;
    past.on_port = NULL;
    past.on_all_known = NULL;
    past.context = k;
    past.raw = false;
    past.remember = true;
    past.keylog_notes = false; /* only the main session's secrets count */
    past.facts = false;
    past.limits[DS_LIMIT_MEMORY] *= 2; /* counts both sessions, and this one has the same data as the
                                          other */
    if (k == NULL || !pending_messages_init(&k->openings, config->labels, session->limits) ||
        (k->past = ds_session_new(&past)) == NULL) {
        complain("out of memory");
        if (k != NULL)
            pending_messages_free(&k->openings);
        free(k);
        return NULL;
    }
    k->config = config;
    k->keylog = config->embeds_secrets ? session->keylog : NULL;
    k->clock_ns = clock_now_ns;
    k->capture = capture;
    const uint64_t max = config->limits[DS_LIMIT_KEPT];
    const uint64_t max_conns = config->limits[DS_LIMIT_CONNECTIONS];
    packet_store_init(&k->store, config->max_bytes != 0 ? config->max_bytes : max,
                      max_conns < UINT32_MAX ? max_conns * CONNS_FOR_EACH : UINT32_MAX);
    k->store.on_leave = on_leave;
    k->store.context = k;
    if (!open_parts(k)) {
        recorder_free(k);
        return NULL;
    }
    return k;
}

void recorder_set_notes(struct packet_recorder *k, struct packet_notes *notes)
{
    k->notes = notes;
}

void recorder_record(struct packet_recorder *k, const struct record *record, bool selected)
{
    if (record->event != NULL && ds_event_is_raw(record->event))
        return;
    if (record->event != NULL)
        k->now_ns = record->event->ts_ns;
    if (k->config->trigger != NULL)
        keep_latest_record(k, record);
    else
        keep_conns_record(k, record, selected);
}

/* forget handles a connection that turned out not to be Erlang's with this packet. If the past session
 * has seen its beginning, it also gets the rest and finds that out; otherwise it never sees the
 * connection: many such connections would evict Erlang's. */
static void forget(struct packet_recorder *k, uint64_t key, const struct ds_packet *packet)
{
    struct stored_conn *conn = packet_store_find(&k->store, key);
    if (conn != NULL ? conn->decoder_state_unknown : key <= k->store.newest_key) {
        packet_store_drop_conn(&k->store, key);
        ds_session_packet(k->past, packet);
    } else if (conn != NULL) {
        packet_store_empty(&k->store, conn);
    }
}

void recorder_packet(struct packet_recorder *k, const struct ds_packet *packet,
                     const struct ds_where *where)
{
    if (k->ending != STOP_NONE)
        return;
    const uint64_t key = packet_store_key(&k->store, where);
    if (where->forgotten != 0)
        forget(k, where->forgotten, packet);
    if (k->config->trigger != NULL)
        keep_latest_packet(k, key, packet);
    else
        keep_conns_packet(k, key, packet);
}

void recorder_flush(struct packet_recorder *k)
{
    if (k->config->trigger != NULL)
        keep_latest_look(k);
    recorder_flush_file(k);
}

enum stop_reason recorder_get_stop(const struct packet_recorder *k)
{
    return k->ending;
}

bool recorder_has_failed(const struct packet_recorder *k)
{
    return k->ending == STOP_OUTPUT || k->latest.after.failed;
}

void recorder_add_stats(const struct packet_recorder *k, struct ds_stats *stats)
{
    const struct ds_stats *past = ds_session_stats(k->past);
    stats->limits_hit[DS_LIMIT_KEPT] += k->num_incomplete;
    stats->limits_hit[DS_LIMIT_FILES] += k->latest.num_refused;
    stats->limits_hit[DS_LIMIT_MEMORY] += past->limits_hit[DS_LIMIT_MEMORY];
    stats->no_memory += k->no_memory + k->store.no_memory + k->openings.no_memory + past->no_memory;
}

void recorder_end(struct packet_recorder *k)
{
    k->is_at_end = true;
    if (k->config->trigger != NULL)
        keep_latest_end(k);
    else
        keep_conns_end(k);
}

void recorder_free(struct packet_recorder *k)
{
    if (k == NULL)
        return;
    pcap_writer_close(&k->writer);
    packet_store_free(&k->store);
    ds_session_free(k->past);
    pending_messages_free(&k->openings);
    ds_buffer_free(&k->made);
    conn_states_free(&k->states);
    free(k);
}
