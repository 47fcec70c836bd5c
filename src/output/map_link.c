/*
 * map_link.c - see map_link.h. What has not been seen is left out.
 */
#include "map_link.h"

#include "map_fields.h"

#include <distsniff/dissect.h>

static const struct field counter_fields[] = {
    FIELD(ds_counters, "bytes", COUNT, bytes),
    FIELD(ds_counters, "messages", COUNT, messages),
    FIELD(ds_counters, "ticks", COUNT, ticks),
};

static const struct field tick_fields[] = {
    FIELD(ds_link_side, "tick_every", I64, tick_last_ns),
    FIELD(ds_link_side, "tick_longest", I64, tick_max_ns),
};

static const struct field side_fields[] = {
    FIELD(ds_link_side, "segments", COUNT, segments),
    FIELD(ds_link_side, "data_segments", COUNT, data_segments),
    FIELD(ds_link_side, "data_bytes", COUNT, data_bytes),
    FIELD(ds_link_side, "resent", COUNT, resent),
    FIELD(ds_link_side, "resent_unseen", COUNT, resent_unseen),
    FIELD(ds_link_side, "reordered", COUNT, reordered),
    FIELD(ds_link_side, "copies", COUNT, copies),
    FIELD(ds_link_side, "keepalives", COUNT, keepalives),
    FIELD(ds_link_side, "syns", U32, syns),
    FIELD(ds_link_side, "mss", U32, mss),
    FIELD(ds_link_side, "max_in_flight", U32, max_in_flight),
    FIELD(ds_link_side, "zero_windows", COUNT, zero_windows),
    FIELD(ds_link_side, "stalls", COUNT, stalls),
    FIELD(ds_link_side, "stalled", I64, stalled_ns),
    FIELD(ds_link_side, "longest_stall", I64, longest_stall_ns),
    FIELD(ds_link_side, "longest_quiet", I64, longest_quiet_ns),
};

static void put_round_trip(struct map_writer *map, const struct ds_spread *spread)
{
    if (spread->num == 0)
        return;
    map_key(map, "round_trip");
    map_put_open(map);
    map_field_unsigned(map, "count", spread->num);
    map_field_signed(map, "min", spread->min_ns);
    map_field_signed(map, "p50", ds_spread_at(spread, 500));
    map_field_signed(map, "p99", ds_spread_at(spread, 990));
    map_field_signed(map, "max", spread->max_ns);
    map_put_close(map);
}

static void put_side(struct map_writer *map, const char *key, const struct ds_conn *conn, int end)
{
    const struct ds_link_side *side = &conn->link->side[end];
    map_key(map, key);
    map_put_open(map);
    MAP_FIELDS(map, counter_fields, &conn->counters[end]);
    if (side->tick_intervals != 0)
        MAP_FIELDS(map, tick_fields, side);
    MAP_FIELDS(map, side_fields, side);
    put_round_trip(map, &side->round_trip);
    map_put_close(map);
}

void map_link_write(struct map_writer *map, const struct ds_event *event)
{
    const struct ds_link *link = event->conn->link;
    const bool is_over = event->type == DS_EVENT_CONN && event->change.final;
    map_field_string(map, "over", is_over ? "true" : "false", true);
    if (is_over)
        map_field_string(map, "close", ds_close_name(link->close), true);
    if (is_over && link->closer >= 0)
        map_field_string(map, "closer", link->closer == event->dir ? "src" : "dst", true);
    map_field_string(map, "icmp", link->icmp, false);
    if (link->handshake_ns != 0)
        map_field_signed(map, "handshake", link->handshake_ns);
    put_side(map, "src_link", event->conn, event->dir);
    put_side(map, "dst_link", event->conn, !event->dir);
}
