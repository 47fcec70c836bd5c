/*
 * packet_recorder.c - see packet_recorder.h: the memory that both ways of keeping share, and their
 * files.
 *
 * Packets of connections that are not Erlang's are kept no longer than it takes to know that.
 */
#include "packet_recorder_parts.h"

#include "clock.h"
#include "complain.h"
#include "made_packet.h"

#include <stdlib.h>
#include <string.h>

enum { CONNS_FOR_EACH = 4 }; /* in the store, for each that the session follows */
enum { RECENT_NS = 100000000 }; /* so long before its request may a monitor be set up */

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
    openings_event(&k->openings, event);
}

static bool open_parts(struct packet_recorder *k)
{
    if (k->config->trigger != NULL)
        return keep_latest_open(k);
    keep_conns_open(k);
    return k->ending == ENDING_NONE;
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
    past.keylog_notes = false; /* the session's numbers are meant */
    past.facts = false;
    past.limits[DS_LIMIT_MEMORY] *= 2; /* of both: it holds what the other one does */
    if (k == NULL || !openings_init(&k->openings, session->limits) ||
        (k->past = ds_session_new(&past)) == NULL) {
        complain("out of memory");
        if (k != NULL)
            openings_free(&k->openings);
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

/* Files */

static void note_output(struct packet_recorder *k)
{
    const struct output_file *output = &k->writer.output;
    if (output->failed && k->ending == ENDING_NONE)
        k->ending = output->closed ? ENDING_READER : ENDING_OUTPUT;
}

/* wants_secrets says whether a connection is one whose packets are written. */
static bool wants_secrets(void *context, uint64_t tcp)
{
    const struct packet_recorder *k = context;
    const struct stored_conn *conn = packet_store_find(&k->store, tcp);
    return conn != NULL && (k->config->trigger != NULL || conn->pinned);
}

void recorder_open(struct packet_recorder *k, const char *name)
{
    const struct raw_writer_config writer = {
        .has_made = true,
        .takes_pcap = !k->config->embeds_secrets,
        .secrets = {k->keylog, wants_secrets, k},
    };
    if (!raw_writer_open(&k->writer, name, k->capture, &writer))
        k->ending = ENDING_OUTPUT;
}

void recorder_write(struct packet_recorder *k, const struct ds_packet *packet)
{
    raw_writer_write(&k->writer, packet,
                     k->notes != NULL ? packet_notes_take(k->notes, packet->frame) : NULL);
    if (k->config->packet_buffered)
        raw_writer_flush(&k->writer);
    note_output(k);
}

void recorder_set_notes(struct packet_recorder *k, struct packet_notes *notes)
{
    k->notes = notes;
}

static void write_segment(struct packet_recorder *k, const struct ds_segment *segment)
{
    struct ds_packet packet;
    if (made_packet(segment, k->writing.now_ns, k->capture->inputs[0].link_type, &k->made,
                    &packet)) {
        recorder_write(k, &packet);
        return;
    }
    k->no_memory += k->made.failed;
    k->num_incomplete += !k->made.failed;
    ds_buffer_free(&k->made);
}

/* write_opening writes a message that stands outside of the stream, as if it had been sent again.
 */
static void write_opening(void *context, const struct opening *opening)
{
    enum { PSH_ACK = 24, WINDOW = 65535 };
    struct packet_recorder *k = context;
    const struct recorder_past *w = &k->writing;
    const int from =
        opening->ends[0].port == w->ends[0].port &&
                memcmp(&opening->ends[0].addr, &w->ends[0].addr, sizeof w->ends[0].addr) == 0
            ? 0
            : 1;
    if (opening->frame == NULL) {
        k->num_incomplete++;
        return;
    }
    struct ds_segment segment = {
        .src = opening->ends[0].addr,
        .dst = opening->ends[1].addr,
        .src_port = opening->ends[0].port,
        .dst_port = opening->ends[1].port,
        .seq = w->point[from] - (uint32_t)opening->len,
        .ack = w->point[!from],
        .window = WINDOW,
        .flags = PSH_ACK,
        .payload = opening->frame,
        .payload_len = (uint32_t)opening->len,
        .past = {.sent_ns = opening->ns,
                 .point = {w->point[from], w->point[!from]},
                 .knows = {w->knows[from], w->knows[!from]},
                 .kind = DS_PAST_OPEN},
    };
    if (ds_session_seal_past(k->past, &segment, &k->sealed)) {
        write_segment(k, &segment);
        return;
    }
    k->no_memory += k->sealed.failed;
    k->num_incomplete += !k->sealed.failed;
    ds_buffer_free(&k->sealed);
}

/* end_conn writes what belongs behind the past of a connection: what may still be answered. */
static void end_conn(struct packet_recorder *k)
{
    if (k->writing.has_conn)
        openings_give(&k->openings, k->writing.ends, k->writing.now_ns - RECENT_NS, write_opening,
                      k);
    k->writing.has_conn = false;
}

static void take_segment(void *context, int64_t ts_ns, const struct ds_segment *segment)
{
    struct packet_recorder *k = context;
    const struct ds_past *past = &segment->past;
    (void)ts_ns; /* is in past */
    if (past->begins) {
        end_conn(k);
        k->writing.has_conn = true;
        k->writing.ends[0] = (struct ds_endpoint){.addr = segment->src, .port = segment->src_port};
        k->writing.ends[1] = (struct ds_endpoint){.addr = segment->dst, .port = segment->dst_port};
        memcpy(k->writing.point, past->point, sizeof past->point);
        memcpy(k->writing.knows, past->knows, sizeof past->knows);
    }
    write_segment(k, segment);
}

void recorder_write_state(struct packet_recorder *k, const struct ds_endpoint *ends, int64_t now_ns)
{
    k->writing = (struct recorder_past){.now_ns = now_ns};
    ds_session_past(k->past, ends, take_segment, k);
    end_conn(k);
}

void recorder_close(struct packet_recorder *k)
{
    k->no_memory += k->writer.no_memory;
    raw_writer_close(&k->writer);
    note_output(k);
}

/* What comes in */

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

/* forget is for a connection that turned out not to be Erlang's with a packet. If the past knows
 * the beginning of it, it gets the rest to find that out; else it never hears of it, lest a
 * crowd of others drives out those that are Erlang's. */
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
    if (k->ending != ENDING_NONE)
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
    raw_writer_flush(&k->writer);
    note_output(k);
    if (k->config->trigger != NULL)
        keep_latest_look(k);
}

enum ending_reason recorder_get_ending(const struct packet_recorder *k)
{
    return k->ending;
}

bool recorder_has_failed(const struct packet_recorder *k)
{
    return k->ending == ENDING_OUTPUT || k->latest.after.failed;
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
    raw_writer_close(&k->writer);
    packet_store_free(&k->store);
    ds_session_free(k->past);
    openings_free(&k->openings);
    ds_buffer_free(&k->made);
    ds_buffer_free(&k->sealed);
    free(k);
}
