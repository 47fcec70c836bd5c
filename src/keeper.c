/*
 * keeper.c - see keeper.h.
 *
 * -O: when something is selected in a connection, the packets of it in the store are written,
 * and from then on each as it comes. If the store no longer has the first ones, what they
 * leave to be known comes before. With a connection between nodes goes the exchange with EPMD
 * that told the port of either end.
 *
 * --trigger: the store always goes on. When it happens, a new file gets what is known of the
 * past, the whole store, and what comes until --keep-after is over.
 *
 * Packets of connections that are not Erlang's are kept no longer than it takes to know that.
 */
#include "keeper.h"

#include "after_file.h"
#include "complain.h"
#include "filter.h"
#include "made_packet.h"
#include "packet_store.h"
#include "progress.h"
#include "raw_writer.h"
#include "recorder_name.h"

#include <stdlib.h>
#include <string.h>

enum {
    CONNS_FOR_EACH = 4,   /* in the store, for each that the session follows */
    LATE_NS = 1000000000, /* packets may still be with the kernel */
};

struct keeper {
    const struct options *options;
    const struct capture *capture;
    uint32_t link_type;
    struct packet_store store;
    struct ds_session *past; /* gets what the store drops */
    struct ds_buffer made;
    struct raw_writer writer;
    bool triggered;         /* by the packet that is with the session */
    int64_t triggered_ns;
    int64_t until_ns;       /* --trigger: the end of the file that is open */
    uint64_t num_files, num_files_refused;
    uint64_t num_incomplete; /* -O: connections without their first packets */
    uint64_t no_memory;
    struct after_file after;
    bool failed;
    char name[RECORDER_NAME_LEN];
};

bool keeper_wanted(const struct options *options)
{
    return options->connections_file != NULL || options->trigger != NULL;
}

static void on_drop(void *context, const struct ds_packet *packet)
{
    struct keeper *k = context;
    ds_session_packet(k->past, packet);
}

struct keeper *keeper_new(const struct options *options, const struct ds_config *config,
                          const struct capture *capture)
{
    struct ds_config past = *config;
    struct keeper *k = calloc(1, sizeof *k);
    past.on_event = NULL;
    past.on_port = NULL;
    past.raw = false;
    past.remember = true;
    if (k == NULL || (k->past = ds_session_new(&past)) == NULL) {
        complain("out of memory");
        free(k);
        return NULL;
    }
    k->options = options;
    k->capture = capture;
    k->after.command = options->after_command;
    k->link_type = capture->inputs[0].link_type;
    const uint64_t max = options->config.limits[DS_LIMIT_KEPT];
    packet_store_init(&k->store,
                      options->keep_bytes != 0 ? options->keep_bytes : max,
                      options->config.limits[DS_LIMIT_CONNECTIONS] * CONNS_FOR_EACH);
    k->store.on_drop = on_drop;
    k->store.context = k;
    if (options->connections_file != NULL &&
        !raw_writer_open(&k->writer, options->connections_file, capture)) {
        keeper_free(k);
        return NULL;
    }
    return k;
}

/* Writing */

static void write_packet(struct keeper *k, const struct ds_packet *packet)
{
    raw_writer_write(&k->writer, packet);
    k->failed = k->failed || k->writer.output.failed;
}

static void write_segment(void *context, int64_t ts_ns, const struct ds_segment *segment)
{
    struct keeper *k = context;
    struct ds_packet packet;
    if (made_packet(segment, ts_ns, k->link_type, &k->made, &packet)) {
        write_packet(k, &packet);
    } else {
        k->no_memory++;
        ds_buffer_free(&k->made);
    }
}

/* -O */

/* What is written stays in the store until its turn comes, but as nobody's. */
static void write_stored(struct keeper *k, struct stored_conn *conn)
{
    for (struct stored_packet *p = conn->first; p != NULL; p = p->next_same) {
        write_packet(k, &p->packet);
        p->key = 0;
    }
    conn->first = conn->last = NULL;
}

static void write_conn(struct keeper *k, struct stored_conn *conn)
{
    if (conn->past_unknown && conn->has_ends) {
        k->num_incomplete++;
        ds_session_past(k->past, conn->ends, write_segment, k);
    }
    write_stored(k, conn);
    conn->pinned = true;
}

/* write_epmd writes the exchanges that told where either end of conn listens. */
static void write_epmd(struct keeper *k, const struct stored_conn *conn)
{
    struct stored_conn *next;
    const uint16_t ports[2] = {conn->ends[0].port, conn->ends[1].port};
    for (struct stored_conn *c = table_oldest(&k->store.conns); c != NULL; c = next) {
        next = table_newer(&k->store.conns, c);
        if (c->pinned || c->epmd_port == 0 ||
            (c->epmd_port != ports[0] && c->epmd_port != ports[1]))
            continue;
        write_conn(k, c);
    }
}

static void choose(struct keeper *k, struct stored_conn *conn)
{
    if (conn->pinned)
        return;
    write_epmd(k, conn);
    write_conn(k, conn);
}

static void see_event(struct keeper *k, const struct ds_event *event, bool selected)
{
    const bool is_epmd = event->type == DS_EVENT_EPMD && event->epmd.port != 0;
    const bool is_last = event->type == DS_EVENT_CONN && event->change.final;
    struct stored_conn *conn = selected ? packet_store_conn(&k->store, event->conn->tcp)
                                        : packet_store_find(&k->store, event->conn->tcp);
    if (conn == NULL)
        return;
    conn->number = event->conn->number;
    if (is_epmd)
        conn->epmd_port = event->epmd.port;
    if (!conn->has_ends) {
        for (int end = 0; end < 2; end++)
            conn->ends[end] = (struct ds_endpoint){.addr = event->conn->end[end].addr,
                                                   .port = event->conn->end[end].port};
        conn->has_ends = true;
    }
    if (selected)
        choose(k, conn);
    conn->ended = conn->ended || (is_last && conn->pinned);
    packet_store_release(&k->store, conn);
}

/* see_unanswered is for the end of a call that no event brought about. */
static void see_unanswered(struct keeper *k, const struct call *call)
{
    struct stored_conn *conn = table_oldest(&k->store.conns);
    while (conn != NULL && conn->number != call->conn)
        conn = table_newer(&k->store.conns, conn);
    if (conn != NULL)
        choose(k, conn);
}

void keeper_record(struct keeper *k, const struct record *record, bool selected)
{
    if (record->event != NULL && ds_event_is_raw(record->event))
        return;
    if (k->options->trigger != NULL) {
        if (!k->triggered && filter_run(k->options->trigger, record)) {
            k->triggered = true;
            k->triggered_ns = record_time(record);
        }
    } else if (record->event != NULL) {
        see_event(k, record->event, selected);
    } else if (selected && record->call != NULL) {
        see_unanswered(k, record->call);
    }
}

/* --trigger */

static void close_file(struct keeper *k)
{
    raw_writer_close(&k->writer);
    k->failed = k->failed || k->writer.output.failed;
    if (k->failed || k->options->trigger == NULL)
        return;
    k->num_files++;
    after_file_run(&k->after, k->name);
}

static void begin_file(struct keeper *k)
{
    if (k->num_files >= k->options->config.limits[DS_LIMIT_FILES]) {
        k->num_files_refused++;
        return;
    }
    if (!recorder_name(k->options->write_file, k->triggered_ns, k->name) ||
        !raw_writer_open(&k->writer, k->name, k->capture)) {
        k->failed = true;
        return;
    }
    const struct stored_packet *oldest = k->store.oldest;
    k->num_incomplete += k->store.was_full && oldest != NULL && k->options->keep_ns != 0 &&
                         k->triggered_ns - oldest->packet.ts_ns < k->options->keep_ns;
    ds_session_past(k->past, NULL, write_segment, k);
    for (const struct stored_packet *p = k->store.oldest; p != NULL; p = p->next)
        write_packet(k, &p->packet);
    k->until_ns = k->triggered_ns + k->options->keep_after_ns;
}

static void drop_old(struct keeper *k, int64_t now_ns)
{
    const int64_t keep_ns = k->options->keep_ns;
    while (keep_ns != 0 && k->store.oldest != NULL &&
           now_ns - k->store.oldest->packet.ts_ns > keep_ns)
        packet_store_drop_oldest(&k->store);
}

static void record_packet(struct keeper *k, uint64_t key, const struct ds_packet *packet)
{
    if (k->writer.dumper != NULL && packet->ts_ns > k->until_ns)
        close_file(k);
    drop_old(k, packet->ts_ns);
    if (key != 0)
        packet_store_add(&k->store, key, packet);
    if (k->writer.dumper != NULL && key != 0)
        write_packet(k, packet);
    else if (k->writer.dumper == NULL && k->triggered && !k->failed)
        begin_file(k);
    k->triggered = false;
}

void keeper_packet(struct keeper *k, const struct ds_packet *packet, const struct ds_where *where)
{
    if (k->failed)
        return;
    const uint64_t key = packet_store_key(&k->store, where);
    if (k->options->trigger != NULL) {
        record_packet(k, key, packet);
        return;
    }
    struct stored_conn *conn = key != 0 ? packet_store_find(&k->store, key) : NULL;
    if (conn != NULL && conn->pinned) {
        write_stored(k, conn); /* fragments that waited for this one */
        write_packet(k, packet);
    } else if (key != 0) {
        packet_store_add(&k->store, key, packet);
    }
}

void keeper_flush(struct keeper *k)
{
    raw_writer_flush(&k->writer);
    k->failed = k->failed || k->writer.output.failed;
    /* Where nothing more comes, the clock ends a file. */
    if (k->options->trigger != NULL && k->writer.dumper != NULL && k->capture->is_live &&
        clock_since_1970_ns() > k->until_ns + LATE_NS)
        close_file(k);
    after_file_reap(&k->after);
}

bool keeper_has_failed(const struct keeper *k)
{
    return k->failed;
}

void keeper_add_stats(const struct keeper *k, struct ds_stats *stats)
{
    stats->limits_hit[DS_LIMIT_KEPT] += k->num_incomplete;
    stats->limits_hit[DS_LIMIT_FILES] += k->num_files_refused;
    stats->no_memory += k->no_memory + k->store.no_memory;
}

void keeper_end(struct keeper *k)
{
    if (k->options->trigger != NULL && k->triggered && k->writer.dumper == NULL && !k->failed)
        begin_file(k); /* by the end of the capture */
    if (k->writer.dumper != NULL)
        close_file(k);
    after_file_wait(&k->after);
    k->failed = k->failed || k->after.failed;
}

void keeper_free(struct keeper *k)
{
    if (k == NULL)
        return;
    raw_writer_close(&k->writer);
    packet_store_free(&k->store);
    ds_session_free(k->past);
    ds_buffer_free(&k->made);
    free(k);
}
