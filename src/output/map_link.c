/*
 * map_link.c - see map_link.h. What has not been seen is left out.
 */
#include "output/map_link.h"

#include "output/map_fields.h"

#include <distsniff/dissect.h>

static void put_span(struct map_writer *map, const char *key, int64_t ns)
{
    if (ns != 0)
        map_field_signed(map, key, ns);
}

static void put_round_trip(struct map_writer *map, const struct ds_histogram *spread)
{
    if (spread->num == 0)
        return;
    map_key(map, "round_trip");
    map_put_open(map);
    map_field_unsigned(map, "count", spread->num);
    map_field_signed(map, "min", spread->min_ns);
    map_field_signed(map, "p50", ds_histogram_at(spread, 500));
    map_field_signed(map, "p99", ds_histogram_at(spread, 990));
    map_field_signed(map, "max", spread->max_ns);
    map_put_close(map);
}

static void put_side(struct map_writer *map, const char *key, const struct ds_conn *conn, int end)
{
    const struct ds_tcp_side *side = &conn->link->side[end];
    map_key(map, key);
    map_put_open(map);
    map_field_unsigned(map, "bytes", conn->counters[end].bytes);
    map_field_unsigned(map, "messages", conn->counters[end].messages);
    map_field_unsigned(map, "ticks", conn->counters[end].ticks);
    if (side->tick_intervals != 0) {
        map_field_signed(map, "tick_every", side->tick_last_ns);
        map_field_signed(map, "tick_longest", side->tick_max_ns);
    }
#define FACT(name, member) map_field_unsigned(map, #name, side->member);
#define FACT_SEEN(name, member) map_field_nonzero(map, #name, side->member);
#define FACT_SPAN(name, member) put_span(map, #name, side->member);
#include "output/link_facts.def"
#undef FACT
#undef FACT_SEEN
#undef FACT_SPAN
    put_round_trip(map, &side->round_trip);
    map_put_close(map);
}

void map_link_write(struct map_writer *map, const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn->link;
    const bool is_over = event->type == DS_EVENT_CONN && event->change.final;
    map_field_string(map, "over", is_over ? "true" : "false", true);
    if (is_over)
        map_field_string(map, "close", ds_close_name(link->close), true);
    if (is_over && link->closed_by >= 0)
        map_field_string(map, "closer", link->closed_by == event->dir ? "src" : "dst", true);
    map_field_string(map, "icmp", link->icmp, false);
    put_span(map, "handshake", link->handshake_ns);
    put_side(map, "src_link", event->conn, event->dir);
    put_side(map, "dst_link", event->conn, !event->dir);
}
