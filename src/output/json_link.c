/*
 * json_link.c - see json_link.h. Keys of spans end in _us; what has not been seen is left out.
 */
#include "output/json_link.h"

#include <distsniff/dissect.h>

static void put_span(struct json_writer *json, struct json_key key, int64_t ns)
{
    if (ns != 0)
        json_put_microseconds(json, key, ns);
}

static void write_round_trip(const struct ds_histogram *spread, struct json_writer *json)
{
    if (spread->num == 0)
        return;
    json_put_open(json, JSON_KEY("round_trip_us"));
    json_put_unsigned(json, JSON_KEY("count"), spread->num);
    json_put_microseconds(json, JSON_KEY("min"), spread->min_ns);
    json_put_microseconds(json, JSON_KEY("p50"), ds_histogram_at(spread, 500));
    json_put_microseconds(json, JSON_KEY("p99"), ds_histogram_at(spread, 990));
    json_put_microseconds(json, JSON_KEY("max"), spread->max_ns);
    json_put_close(json);
}

static void write_ticks(const struct ds_tcp_side *side, uint64_t num, struct json_writer *json)
{
    json_put_unsigned(json, JSON_KEY("ticks"), num);
    if (side->tick_intervals == 0)
        return;
    json_put_microseconds(json, JSON_KEY("tick_every_us"), side->tick_last_ns);
    json_put_microseconds(json, JSON_KEY("tick_longest_us"), side->tick_max_ns);
}

static void write_side(struct json_key key, const struct ds_conn *conn, int end,
                       struct json_writer *json)
{
    const struct ds_tcp_side *side = &conn->link->side[end];
    json_put_open(json, key);
    json_put_unsigned(json, JSON_KEY("bytes"), conn->counters[end].bytes);
    json_put_unsigned(json, JSON_KEY("messages"), conn->counters[end].messages);
    write_ticks(side, conn->counters[end].ticks, json);
#define FACT(name, member) json_put_unsigned(json, JSON_KEY(#name), side->member);
#define FACT_SEEN(name, member)                                                                    \
    if (side->member != 0)                                                                         \
        json_put_unsigned(json, JSON_KEY(#name), side->member);
#define FACT_SPAN(name, member) put_span(json, JSON_KEY(#name "_us"), side->member);
#include "output/link_facts.def"
#undef FACT
#undef FACT_SEEN
#undef FACT_SPAN
    write_round_trip(&side->round_trip, json);
    json_put_close(json);
}

void json_link_write(const struct ds_event *event, struct json_writer *json)
{
    const struct ds_tcp_stats *link = event->conn->link;
    const bool is_over = event->type == DS_EVENT_CONN && event->change.final;
    json_put_bool(json, JSON_KEY("over"), is_over);
    if (is_over)
        json_put_string(json, JSON_KEY("close"), ds_close_name(link->close));
    if (is_over && link->closed_by >= 0)
        json_put_string(json, JSON_KEY("closer"), link->closed_by == event->dir ? "src" : "dst");
    if (link->icmp != NULL)
        json_put_string(json, JSON_KEY("icmp"), link->icmp);
    put_span(json, JSON_KEY("handshake_us"), link->handshake_ns);
    write_side(JSON_KEY("src_link"), event->conn, event->dir, json);
    write_side(JSON_KEY("dst_link"), event->conn, !event->dir, json);
}
