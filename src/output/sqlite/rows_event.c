/*
 * rows_event.c - events other than messages as rows: connections, EPMD, handshakes, ticks, gaps,
 * stalls. See rows.h.
 */
#ifdef DISTSNIFF_SQLITE

#include "output/sqlite/rows.h"

#include "core/community_id.h"
#include "record/fields.h"

#include <distsniff/dissect.h>
#include <inttypes.h>

static void put_addr(struct rows *rows, enum database_column addr, const struct ds_addr *from)
{
    char text[DS_ADDR_LEN];
    const size_t at = rows->text->len;
    ds_addr_print(from, text);
    ds_buffer_add_text(rows->text, text);
    database_printed(rows->database, addr, at);
}

static void put_end(struct rows *rows, const struct ds_endpoint *end, enum database_column addr,
                    enum database_column port)
{
    put_addr(rows, addr, &end->addr);
    database_number(rows->database, port, end->port);
}

static void put_second(struct rows *rows, enum database_column column, int64_t second)
{
    if (second != 0 && second < INT64_MAX / 1000000000)
        database_number(rows->database, column, second * 1000000000);
}

/* A row of record/fields.def becomes a value, in the column of its name. */
#define PUT(table, name, kind, when, value)                                                        \
    if (when) {                                                                                    \
        PUT_##kind(COLUMN_##table##_##name, value);                                                \
    }
#define PUT_UNSIGNED(column, number) database_number(d, column, (int64_t)(number))
#define PUT_SIGNED PUT_UNSIGNED
#define PUT_BOOL PUT_UNSIGNED
#define PUT_TIME(column, ns) PUT_UNSIGNED(column##_ns, ns)
#define PUT_SPAN PUT_TIME
#define PUT_WORD(column, word) database_word(d, column, word)
#define PUT_STRING PUT_WORD
#define PUT_TEXT(column, text) database_escaped(d, column, text)
#define PUT_TEXT_OR_NONE PUT_TEXT
#define PUT_DIGEST(column, digest) put_bytes(rows, column, digest, sizeof(digest))
#define PUT_FLAGS(column, flags) put_flags(rows, column, flags)
#define PUT_FLAG_NAMES(column, flags) put_flag_names(rows, column, flags)
#define PUT_EPMD_NODES(column, epmd) /* separate rows of epmd_node */

static void put_renewals(struct rows *rows, enum database_column column, uint64_t renewals)
{
    if (renewals != 0)
        database_number(rows->database, column, (int64_t)renewals);
}

static void put_tls(struct rows *rows, const struct ds_tls *tls)
{
    struct database *d = rows->database;
    if (tls == NULL)
        return;
    database_word(d, COLUMN_connection_tls_version, ds_tls_version_name(tls->version));
    database_word(d, COLUMN_connection_tls_suite, tls->suite_name);
    database_word(d, COLUMN_connection_tls_group, tls->group);
    database_escaped(d, COLUMN_connection_tls_sni, tls->sni);
    database_word(d, COLUMN_connection_tls_keys, ds_tls_keys_name(tls->keys));
    database_escaped(d, COLUMN_connection_a_certificate, tls->certificate[0]);
    put_second(rows, COLUMN_connection_a_certificate_until_ns, tls->valid_until[0]);
    database_word(d, COLUMN_connection_a_alert, tls->alert[0]);
    put_renewals(rows, COLUMN_connection_a_renewals, tls->key_updates[0]);
    database_escaped(d, COLUMN_connection_b_certificate, tls->certificate[1]);
    put_second(rows, COLUMN_connection_b_certificate_until_ns, tls->valid_until[1]);
    database_word(d, COLUMN_connection_b_alert, tls->alert[1]);
    put_renewals(rows, COLUMN_connection_b_renewals, tls->key_updates[1]);
    if (tls->has_ech)
        database_number(d, COLUMN_connection_tls_ech, 1);
    database_word(d, COLUMN_connection_a_certificate_packed, tls->packed[0]);
    database_word(d, COLUMN_connection_b_certificate_packed, tls->packed[1]);
}

static void put_node(struct rows *rows, const struct ds_endpoint *end, enum database_column node,
                     enum database_column creation)
{
    database_escaped(rows->database, node, end->node);
    if (end->creation != 0)
        database_number(rows->database, creation, end->creation);
}

static void conn_row(struct rows *rows, const struct ds_event *event)
{
    struct database *d = rows->database;
    const struct ds_conn *conn = event->conn;
    const struct ds_conn_change *change = &event->change;
    char community_id[COMMUNITY_ID_SIZE];
    database_row(d, TABLE_connection);
    database_number(d, COLUMN_connection_conn, (int64_t)conn->number);
    database_number(d, COLUMN_connection_began_ns, event->ts_ns);
    if (change->final && change->state != DS_CONN_OPEN_AT_END)
        database_number(d, COLUMN_connection_ended_ns, event->ts_ns);
    database_word(d, COLUMN_connection_state, ds_conn_state_name(change->state));
    database_word(d, COLUMN_connection_reason, change->reason);
    if (community_id_print(conn->end, community_id))
        database_word(d, COLUMN_connection_community_id, community_id);
    put_end(rows, &conn->end[0], COLUMN_connection_a_addr, COLUMN_connection_a_port);
    put_node(rows, &conn->end[0], COLUMN_connection_a_node, COLUMN_connection_a_creation);
    put_end(rows, &conn->end[1], COLUMN_connection_b_addr, COLUMN_connection_b_port);
    put_node(rows, &conn->end[1], COLUMN_connection_b_node, COLUMN_connection_b_creation);
    if (change->from.family != 0)
        put_addr(rows, COLUMN_connection_icmp_from, &change->from);
    put_tls(rows, conn->tls);
    database_end_row(d);
}

static void put_conn_rows(struct rows *rows, const struct ds_event *event)
{
    struct database *d = rows->database;
    conn_row(rows, event);
    database_row(d, TABLE_change);
    ROWS_PUT_EVENT(rows, change, event);
    database_word(d, COLUMN_change_state, ds_conn_state_name(event->change.state));
    database_word(d, COLUMN_change_reason, event->change.reason);
    ROWS_PUT_FAULT(rows, change, event);
    database_end_row(d);
}

static void put_ticks(struct rows *rows, const struct ds_tcp_side *side)
{
    if (side->tick_intervals == 0)
        return;
    database_number(rows->database, COLUMN_link_tick_every_ns, side->tick_last_ns);
    database_number(rows->database, COLUMN_link_tick_longest_ns, side->tick_max_ns);
}

static void put_round_trip(struct rows *rows, const struct ds_histogram *spread)
{
    struct database *d = rows->database;
    database_number(d, COLUMN_link_round_trips, (int64_t)spread->num);
    if (spread->num == 0)
        return;
    database_number(d, COLUMN_link_round_trip_min_ns, spread->min_ns);
    database_number(d, COLUMN_link_round_trip_p50_ns, ds_histogram_at(spread, 500));
    database_number(d, COLUMN_link_round_trip_p99_ns, ds_histogram_at(spread, 990));
    database_number(d, COLUMN_link_round_trip_max_ns, spread->max_ns);
}

static void put_counters(struct rows *rows, const struct ds_counters *counters)
{
    struct database *d = rows->database;
    database_number(d, COLUMN_link_bytes, (int64_t)counters->bytes);
    database_number(d, COLUMN_link_messages, (int64_t)counters->messages);
    database_number(d, COLUMN_link_ticks, (int64_t)counters->ticks);
    database_number(d, COLUMN_link_gaps, (int64_t)counters->gaps);
    database_number(d, COLUMN_link_gap_bytes, (int64_t)counters->gap_bytes);
    database_number(d, COLUMN_link_faults, (int64_t)counters->faults);
    database_number(d, COLUMN_link_unknown_atoms, (int64_t)counters->unknown_atoms);
    database_number(d, COLUMN_link_likely_atoms, (int64_t)counters->likely_atoms);
}

static void link_row(struct rows *rows, const struct ds_event *event, int end)
{
    struct database *d = rows->database;
    const struct ds_conn *conn = event->conn;
    const struct ds_tcp_stats *link = conn->link;
    const struct ds_tcp_side *it = &link->side[end];
    database_row(d, TABLE_link);
    database_number(d, COLUMN_link_id, (int64_t)conn->number * 2 + end);
    database_number(d, COLUMN_link_conn, (int64_t)conn->number);
    database_number(d, COLUMN_link_ts_ns, event->ts_ns);
    database_static(d, COLUMN_link_src, endpoint_cache_get(rows->nodes, conn, (unsigned)end));
    database_static(d, COLUMN_link_dst, endpoint_cache_get(rows->nodes, conn, !end));
    put_counters(rows, &conn->counters[end]);
    put_ticks(rows, it);
#define TCP_FIELD(name, kind, when, value, help) PUT(link, name, kind, ALWAYS, value)
#include "record/fields.def"
    put_round_trip(rows, &it->round_trip);
    if (link->handshake_ns != 0)
        database_number(d, COLUMN_link_handshake_ns, link->handshake_ns);
    if (event->type == DS_EVENT_CONN && event->change.final) {
        database_word(d, COLUMN_link_close, ds_close_name(link->close));
        database_number(d, COLUMN_link_closed_it, link->closed_by == end);
    }
    database_word(d, COLUMN_link_icmp, link->icmp);
    database_end_row(d);
}

static void put_link_rows(struct rows *rows, const struct ds_event *event)
{
    link_row(rows, event, 0);
    link_row(rows, event, 1);
}

static void epmd_node_row(struct rows *rows, const struct ds_event *event,
                          const struct ds_epmd_node *node)
{
    struct database *d = rows->database;
    database_row(d, TABLE_epmd_node);
    database_number(d, COLUMN_epmd_node_frame, (int64_t)event->frame);
    database_number(d, COLUMN_epmd_node_conn, (int64_t)event->conn->number);
    database_escaped(d, COLUMN_epmd_node_name, node->name);
    database_number(d, COLUMN_epmd_node_port, node->port);
    if (event->epmd.op == DS_EPMD_DUMP_RESP)
        database_number(d, COLUMN_epmd_node_active, node->active);
    database_end_row(d);
}

static void put_epmd_rows(struct rows *rows, const struct ds_event *event)
{
    struct database *d = rows->database;
    const struct ds_epmd *it = &event->epmd;
    database_row(d, TABLE_epmd);
    ROWS_PUT_EVENT(rows, epmd, event);
    put_end(rows, &event->conn->end[event->dir], COLUMN_epmd_src_addr, COLUMN_epmd_src_port);
    put_end(rows, &event->conn->end[!event->dir], COLUMN_epmd_dst_addr, COLUMN_epmd_dst_port);
#define EPMD_FIELD(name, kind, when, value, help) PUT(epmd, name, kind, when, value)
#include "record/fields.def"
    ROWS_PUT_FAULT(rows, epmd, event);
    database_end_row(d);
    for (size_t i = 0; i < it->num_nodes; i++)
        epmd_node_row(rows, event, &it->nodes[i]);
}

static void put_bytes(struct rows *rows, enum database_column column, const uint8_t *bytes, size_t len)
{
    const size_t at = rows->text->len;
    ds_buffer_add(rows->text, bytes, len);
    database_bytes(rows->database, column, at);
}

static void put_flags(struct rows *rows, enum database_column column, uint64_t flags)
{
    const size_t at = rows->text->len;
    ds_buffer_printf(rows->text, "0x%" PRIx64, flags);
    database_printed(rows->database, column, at);
}

static void put_flag_names(struct rows *rows, enum database_column column, uint64_t flags)
{
    const size_t at = rows->text->len;
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((flags >> bit & 1) == 0)
            continue;
        const char *name = ds_flag_name(bit);
        ds_buffer_add_text(rows->text, rows->text->len != at ? " " : "");
        if (name != NULL)
            ds_buffer_add_text(rows->text, name);
        else
            ds_buffer_printf(rows->text, "bit_%u", bit);
    }
    database_printed(rows->database, column, at);
}

static void put_handshake_rows(struct rows *rows, const struct ds_event *event)
{
    struct database *d = rows->database;
    const struct ds_handshake *it = &event->handshake;
    database_row(d, TABLE_handshake);
    ROWS_PUT_EVENT(rows, handshake, event);
    rows_put_nodes(rows, event, COLUMN_handshake_src, COLUMN_handshake_dst);
#define HANDSHAKE_FIELD(name, kind, when, value, help) PUT(handshake, name, kind, when, value)
#include "record/fields.def"
    ROWS_PUT_FAULT(rows, handshake, event);
    database_end_row(d);
}

static void tick_row(struct rows *rows, const struct ds_event *event)
{
    database_row(rows->database, TABLE_tick);
    ROWS_PUT_EVENT(rows, tick, event);
    rows_put_nodes(rows, event, COLUMN_tick_src, COLUMN_tick_dst);
    database_end_row(rows->database);
}

static void gap_row(struct rows *rows, const struct ds_event *event)
{
    struct database *d = rows->database;
    const struct ds_gap *it = &event->gap;
    database_row(d, TABLE_gap);
    ROWS_PUT_EVENT(rows, gap, event);
    rows_put_nodes(rows, event, COLUMN_gap_src, COLUMN_gap_dst);
#define GAP_FIELD(name, kind, when, value, help) PUT(gap, name, kind, when, value)
#include "record/fields.def"
    database_end_row(d);
}

static void stream_row(struct rows *rows, const struct ds_event *event)
{
    struct database *d = rows->database;
    const struct ds_stream *it = &event->stream;
    database_row(d, TABLE_stream);
    ROWS_PUT_EVENT(rows, stream, event);
    rows_put_nodes(rows, event, COLUMN_stream_src, COLUMN_stream_dst);
    database_word(d, COLUMN_stream_proto, event->conn->proto);
#define STREAM_FIELD(name, kind, when, value, help) PUT(stream, name, kind, when, value)
#include "record/fields.def"
    database_end_row(d);
}

static void stall_row(struct rows *rows, const struct ds_event *event, const struct waited *held)
{
    struct database *d = rows->database;
    const struct ds_stall *it = &event->stall;
    database_row(d, TABLE_stall);
    ROWS_PUT_EVENT(rows, stall, event);
    rows_put_nodes(rows, event, COLUMN_stall_src, COLUMN_stall_dst);
#define STALL_FIELD(name, kind, when, value, help) PUT(stall, name, kind, when, value)
#include "record/fields.def"
    if (held != NULL) {
        database_number(d, COLUMN_stall_waited_messages, (int64_t)held->num_messages);
        database_number(d, COLUMN_stall_waited_bytes, (int64_t)held->num_bytes);
        database_number(d, COLUMN_stall_waited_calls, (int64_t)held->num_calls);
    }
    database_end_row(d);
}

static void event_row(struct rows *rows, const struct ds_event *event, const struct note *note)
{
    switch (event->type) {
    case DS_EVENT_MESSAGE:
        rows_message(rows, event, note);
        break;
    case DS_EVENT_EPMD:
        put_epmd_rows(rows, event);
        break;
    case DS_EVENT_HANDSHAKE:
        put_handshake_rows(rows, event);
        break;
    case DS_EVENT_CONN:
        put_conn_rows(rows, event);
        break;
    case DS_EVENT_TICK:
        tick_row(rows, event);
        break;
    case DS_EVENT_GAP:
        gap_row(rows, event);
        break;
    case DS_EVENT_STREAM:
        stream_row(rows, event);
        break;
    case DS_EVENT_STALL:
        stall_row(rows, event, note->held);
        break;
    default: /* only in tables, and bytes as sent */
        break;
    }
}

void rows_about(struct rows *rows, const char *name, const char *value)
{
    database_row(rows->database, TABLE_about);
    database_word(rows->database, COLUMN_about_name, name);
    database_word(rows->database, COLUMN_about_value, value);
    database_end_row(rows->database);
}

void rows_record(struct rows *rows, const struct record *record)
{
    if (record->finding != NULL)
        rows_finding(rows, record->finding);
    else if (record->call != NULL)
        rows_call(rows, record->call);
    else if (record->monitor != NULL)
        rows_monitor(rows, record->monitor);
    else if (record->link_facts)
        put_link_rows(rows, record->event);
    else
        event_row(rows, record->event, &record->note);
}

#endif
