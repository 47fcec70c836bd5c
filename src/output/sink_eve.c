/*
 * sink_eve.c - findings, connections and damage as Suricata's EVE JSON, for programs that collect
 * Suricata's logs: https://docs.suricata.io/en/latest/output/eve/eve-json-format.html
 *
 *   event_type  from            contents
 *   alert       a finding       gid 4369, signature_id 43690000 + the digits of its code, severity 1 to 3
 *   flow        a connection    when it is over: segments and their payload by direction, start, end
 *   anomaly     a gap, a fault  type applayer if a peer sent malformed data, else stream
 *
 * Data without a name in EVE is in an object "distsniff". A finding identifies a connection by
 * number: the ends of the latest connections are remembered, so that an alert has addresses.
 */
#include "core/community_id.h"
#include "output/finding_json.h"
#include "output/sink.h"

#include <distsniff/dissect.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
    REMEMBERED = 4096, /* connections whose ends are remembered, by the low bits of their numbers */
    GENERATOR = 4369,
    FIRST_SIGNATURE = 43690000,
};

struct remembered_ends {
    uint64_t conn; /* 0: none */
    struct {
        struct ds_addr addr;
        uint16_t port;
    } end[2];
};

struct eve_state {
    struct json_writer json;
    struct ds_buffer scratch;
    struct timestamp_cache clock;
    struct remembered_ends ends[REMEMBERED];
};

static void remember(struct eve_state *s, const struct ds_conn *conn)
{
    struct remembered_ends *kept = &s->ends[conn->number % REMEMBERED];
    if (kept->conn == conn->number)
        return;
    kept->conn = conn->number;
    for (int i = 0; i < 2; i++) {
        kept->end[i].addr = conn->end[i].addr;
        kept->end[i].port = conn->end[i].port;
    }
}

/* put_time writes a time as Suricata does: the zone as +0000. */
static void put_time(struct eve_state *s, struct json_key key, int64_t ns)
{
    s->scratch.len = 0;
    timestamp_print_utc(&s->clock, ns, 6, &s->scratch);
    if (s->scratch.len != 0)
        s->scratch.len--; /* Z */
    ds_buffer_add_text(&s->scratch, "+0000");
    json_put_text(&s->json, key, (struct ds_text){s->scratch.data, s->scratch.len});
}

static void put_words(struct eve_state *s, struct json_key key, const struct wording *wording)
{
    s->scratch.len = 0;
    wording_print(wording, &s->scratch);
    json_put_text(&s->json, key, (struct ds_text){s->scratch.data, s->scratch.len});
}

static void put_addr(struct json_writer *json, struct json_key key, const struct ds_addr *addr)
{
    char text[DS_ADDR_LEN];
    ds_addr_print(addr, text);
    json_put_string(json, key, text);
}

/* begin begins an event of a connection; 0: none. */
static void begin(struct eve_state *s, const char *type, int64_t ts_ns, uint64_t conn, uint64_t frame)
{
    struct json_writer *json = &s->json;
    const struct remembered_ends *kept = &s->ends[conn % REMEMBERED];
    json_begin_object(json);
    put_time(s, JSON_KEY("timestamp"), ts_ns);
    if (conn != 0)
        json_put_unsigned(json, JSON_KEY("flow_id"), conn);
    if (frame != 0)
        json_put_unsigned(json, JSON_KEY("pcap_cnt"), frame);
    json_put_word(json, JSON_KEY("event_type"), type);
    if (conn == 0 || kept->conn != conn)
        return;
    put_addr(json, JSON_KEY("src_ip"), &kept->end[0].addr);
    json_put_unsigned(json, JSON_KEY("src_port"), kept->end[0].port);
    put_addr(json, JSON_KEY("dest_ip"), &kept->end[1].addr);
    json_put_unsigned(json, JSON_KEY("dest_port"), kept->end[1].port);
    json_put_word(json, JSON_KEY("proto"), "TCP");
    struct ds_endpoint ends[2] = {{.addr = kept->end[0].addr, .port = kept->end[0].port},
                                  {.addr = kept->end[1].addr, .port = kept->end[1].port}};
    char id[COMMUNITY_ID_SIZE];
    if (community_id_print(ends, id))
        json_put_string(json, JSON_KEY("community_id"), id);
}

static void end(struct eve_state *s)
{
    json_end_object(&s->json);
    JSON_LITERAL(&s->json, "\n");
}

static uint64_t signature_of(const struct finding_kind *kind)
{
    return FIRST_SIGNATURE + strtoull(kind->code + 2, NULL, 10); /* "DS101" */
}

/* In Suricata, 1 is the worst. */
static unsigned severity_of(enum severity severity)
{
    return severity == SEVERITY_ERROR ? 1 : severity == SEVERITY_WARNING ? 2 : 3;
}

static void write_alert(struct eve_state *s, const struct finding *f)
{
    struct json_writer *json = &s->json;
    const struct evidence *e = f->num_evidence != 0 ? &f->evidence[f->num_evidence - 1] : NULL;
    begin(s, "alert", f->last_ns, e != NULL ? e->conn : 0,
          e != NULL && e->num != 0 ? e->packet[0].frame : 0);
    json_put_open(json, JSON_KEY("alert"));
    json_put_word(json, JSON_KEY("action"), "allowed");
    json_put_unsigned(json, JSON_KEY("gid"), GENERATOR);
    json_put_unsigned(json, JSON_KEY("signature_id"), signature_of(f->kind));
    json_put_unsigned(json, JSON_KEY("rev"), 1);
    s->scratch.len = 0;
    ds_buffer_printf(&s->scratch, "%s %s", f->kind->code, f->kind->title);
    json_put_text(json, JSON_KEY("signature"), (struct ds_text){s->scratch.data, s->scratch.len});
    json_put_string(json, JSON_KEY("category"), finding_rank_name(f->kind->rank));
    json_put_unsigned(json, JSON_KEY("severity"), severity_of(f->severity));
    json_put_close(json);
    json_put_open(json, JSON_KEY("distsniff"));
    json_put_string(json, JSON_KEY("code"), f->kind->code);
    json_put_string(json, JSON_KEY("certainty"), certainty_name(f->certainty));
    put_words(s, JSON_KEY("text"), &f->sentence);
    if (f->detail.len != 0)
        put_words(s, JSON_KEY("detail"), &f->detail);
    finding_params_put(f, JSON_KEY("params"), json);
    json_put_string(json, JSON_KEY("advice"), f->kind->advice);
    json_put_unsigned(json, JSON_KEY("count"), f->count);
    put_time(s, JSON_KEY("first"), f->first_ns);
    json_put_list(json, JSON_KEY("nodes"));
    for (int i = 0; i < 2; i++) {
        if (f->node[i].len == 0)
            continue;
        json_item(json);
        json_value_text(json, finding_node(f, i));
    }
    json_put_list_end(json);
    json_put_close(json);
    end(s);
}

/* app_proto returns the protocol. EPMD has no frames. */
static const char *app_proto(const struct ds_conn *conn)
{
    if (conn->tls != NULL)
        return "tls";
    if (conn->counters[0].frames + conn->counters[1].frames != 0)
        return "erldist";
    return conn->counters[0].bytes + conn->counters[1].bytes != 0 ? "epmd" : "failed";
}

/* flow_reason returns why the flow is reported now. */
static const char *flow_reason(const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn->link;
    if (event->change.unfollowed)
        return link != NULL && link->close == DS_CLOSE_EVICTED ? "forced" : "shutdown";
    return "timeout";
}

static void write_flow(struct eve_state *s, const struct ds_event *event)
{
    struct json_writer *json = &s->json;
    const struct ds_conn *conn = event->conn;
    const struct ds_tcp_stats *link = conn->link;
    begin(s, "flow", event->ts_ns, conn->number, event->frame);
    json_put_word(json, JSON_KEY("app_proto"), app_proto(conn));
    json_put_open(json, JSON_KEY("flow"));
    if (link != NULL) {
        json_put_unsigned(json, JSON_KEY("pkts_toserver"), link->side[0].segments);
        json_put_unsigned(json, JSON_KEY("pkts_toclient"), link->side[1].segments);
        json_put_unsigned(json, JSON_KEY("bytes_toserver"), link->side[0].data_bytes);
        json_put_unsigned(json, JSON_KEY("bytes_toclient"), link->side[1].data_bytes);
        int64_t start = link->side[0].first_ns;
        if (start == 0 || (link->side[1].first_ns != 0 && link->side[1].first_ns < start))
            start = link->side[1].first_ns;
        if (start != 0) {
            put_time(s, JSON_KEY("start"), start);
            put_time(s, JSON_KEY("end"), event->ts_ns);
            json_put_unsigned(json, JSON_KEY("age"), (uint64_t)((event->ts_ns - start) / 1000000000));
        }
    }
    json_put_word(json, JSON_KEY("state"), event->change.unfollowed ? "established" : "closed");
    json_put_word(json, JSON_KEY("reason"), flow_reason(event));
    json_put_close(json);
    json_put_open(json, JSON_KEY("distsniff"));
    if (link != NULL)
        json_put_string(json, JSON_KEY("close"), ds_close_name(link->close));
    if (conn->end[0].node.data != NULL)
        json_put_text(json, JSON_KEY("src_node"), conn->end[0].node);
    if (conn->end[1].node.data != NULL)
        json_put_text(json, JSON_KEY("dest_node"), conn->end[1].node);
    json_put_unsigned(json, JSON_KEY("messages_toserver"), conn->counters[0].messages);
    json_put_unsigned(json, JSON_KEY("messages_toclient"), conn->counters[1].messages);
    json_put_unsigned(json, JSON_KEY("gap_bytes"),
                      conn->counters[0].gap_bytes + conn->counters[1].gap_bytes);
    json_put_close(json);
    end(s);
}

static void write_anomaly(struct eve_state *s, const struct ds_event *event, const char *type,
                          const char *name)
{
    struct json_writer *json = &s->json;
    begin(s, "anomaly", event->ts_ns, event->conn->number, event->frame);
    json_put_open(json, JSON_KEY("anomaly"));
    json_put_word(json, JSON_KEY("type"), type);
    json_put_string(json, JSON_KEY("event"), name);
    json_put_close(json);
    json_put_open(json, JSON_KEY("distsniff"));
    json_put_word(json, JSON_KEY("direction"), event->dir == 0 ? "to_server" : "to_client");
    if (event->type == DS_EVENT_GAP)
        json_put_unsigned(json, JSON_KEY("gap_bytes"), event->gap.bytes);
    if (event->fault.kind != DS_FAULT_NONE && event->fault.what != NULL)
        json_put_string(json, JSON_KEY("what"), event->fault.what);
    json_put_close(json);
    end(s);
}

static void write_event(struct eve_state *s, const struct ds_event *event)
{
    remember(s, event->conn);
    if (event->type == DS_EVENT_GAP)
        write_anomaly(s, event, "stream", "gap");
    else if (event->fault.kind != DS_FAULT_NONE)
        write_anomaly(s, event, event->fault.kind == DS_FAULT_MALFORMED ? "applayer" : "stream",
                      ds_fault_kind_name(event->fault.kind));
    if (event->type == DS_EVENT_CONN && event->change.final)
        write_flow(s, event);
}

static void eve_record(struct sink *sink, const struct record *record)
{
    struct eve_state *s = sink->state;
    const size_t start = sink->output.buffer.len;
    s->json.out = &sink->output.buffer;
    s->json.failed = false;
    if (record->finding != NULL) {
        if (record->finding->kind != NULL && !record->finding->is_update)
            write_alert(s, record->finding);
    } else if (record->call == NULL && record->monitor == NULL && !record->link_facts) {
        write_event(s, record->event);
    }
    if (s->json.failed || s->scratch.failed) { /* a complete event, or none */
        s->scratch.failed = false;
        sink->output.buffer.len = start;
        sink->output.buffer.failed = true;
    }
}

static bool eve_open(struct sink *sink)
{
    struct eve_state *s = calloc(1, sizeof *s);
    sink->state = s;
    return s != NULL;
}

static void eve_close(struct sink *sink)
{
    struct eve_state *s = sink->state;
    json_writer_free(&s->json);
    ds_buffer_free(&s->scratch);
    free(s);
}

/* eve_skips: EVE has no events for calls, monitors and facts of links, nor for messages and ticks
 * without a fault. */
static bool eve_skips(const struct sink_config *config, const struct record *record)
{
    (void)config;
    if (record->finding != NULL)
        return false;
    return record->call != NULL || record->monitor != NULL || record->link_facts ||
           ((record->event->type == DS_EVENT_MESSAGE || record->event->type == DS_EVENT_TICK) &&
            record->event->fault.kind == DS_FAULT_NONE);
}

const struct sink_kind sink_eve = {
    .name = "eve",
    .help = "findings and connections as Suricata's EVE JSON, one event a line",
    .open = eve_open,
    .record = eve_record,
    .close = eve_close,
    .skips = eve_skips,
    .takes_links = true,
    .takes_findings = true,
    .wants_findings = true,
};
