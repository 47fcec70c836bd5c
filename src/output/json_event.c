/*
 * json_event.c - see json_event.h.
 */
#include "output/json_event.h"

#include "core/community_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* What the messages of EPMD have to say. */
enum {
    HAS_NAME = 1,
    HAS_PORT = 2, /* and all that a registration holds */
    HAS_RESULT = 4,
    HAS_CREATION = 8,
    HAS_NODES = 16,
};

static const uint8_t epmd_fields[DS_EPMD_COUNT] = {
    [DS_EPMD_ALIVE2_REQ] = HAS_NAME | HAS_PORT,
    [DS_EPMD_ALIVE2_RESP] = HAS_RESULT | HAS_CREATION,
    [DS_EPMD_ALIVE2_X_RESP] = HAS_RESULT | HAS_CREATION,
    [DS_EPMD_PORT_PLEASE2_REQ] = HAS_NAME,
    [DS_EPMD_PORT2_RESP] = HAS_NAME | HAS_PORT | HAS_RESULT,
    [DS_EPMD_NAMES_RESP] = HAS_NODES,
    [DS_EPMD_DUMP_RESP] = HAS_NODES,
    [DS_EPMD_STOP_REQ] = HAS_NAME,
};

static void write_epmd_nodes(struct json_writer *json, const struct ds_epmd *epmd)
{
    cJSON *nodes = json_tree_array();
    for (size_t i = 0; i < epmd->num_nodes; i++) {
        cJSON *node = json_append_object(nodes);
        json_add_text(node, "name", epmd->nodes[i].name);
        json_add_unsigned(node, "port", epmd->nodes[i].port);
        if (epmd->op == DS_EPMD_DUMP_RESP) {
            json_add_signed(node, "fd", epmd->nodes[i].fd);
            json_add_bool(node, "active", epmd->nodes[i].active);
        }
    }
    json_put_tree(json, JSON_KEY("nodes"), nodes);
}

void json_event_epmd(struct json_writer *json, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    unsigned fields = epmd_fields[epmd->op];
    if ((fields & HAS_RESULT) != 0 && epmd->result != 0)
        fields = HAS_RESULT;
    json_put_string(json, JSON_KEY("op"), ds_epmd_op_name(epmd->op));
    if ((fields & HAS_RESULT) != 0)
        json_put_unsigned(json, JSON_KEY("result"), epmd->result);
    if (epmd->name.data != NULL)
        json_put_text(json, JSON_KEY("name"), epmd->name);
    if ((fields & HAS_PORT) != 0) {
        json_put_unsigned(json, JSON_KEY("port"), epmd->port);
        json_put_unsigned(json, JSON_KEY("node_type"), epmd->node_type);
        json_put_unsigned(json, JSON_KEY("protocol"), epmd->protocol);
        json_put_unsigned(json, JSON_KEY("highest_version"), epmd->highest_version);
        json_put_unsigned(json, JSON_KEY("lowest_version"), epmd->lowest_version);
        json_put_text(json, JSON_KEY("extra"), epmd->extra);
    }
    if ((fields & HAS_CREATION) != 0)
        json_put_unsigned(json, JSON_KEY("creation"), epmd->creation);
    if ((fields & HAS_NODES) != 0) {
        json_put_unsigned(json, JSON_KEY("epmd_port"), epmd->epmd_port);
        write_epmd_nodes(json, epmd);
    }
    if (epmd->raw.data != NULL)
        json_put_text(json, JSON_KEY("answer"), epmd->raw);
}

static void write_flags(struct json_writer *json, uint64_t flags)
{
    char text[32];
    char unknown[64][8];
    snprintf(text, sizeof text, "0x%" PRIx64, flags);
    json_put_string(json, JSON_KEY("flags"), text);
    cJSON *names = json_tree_array();
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((flags >> bit & 1) == 0)
            continue;
        const char *name = ds_flag_name(bit);
        if (name == NULL) {
            snprintf(unknown[bit], sizeof unknown[bit], "bit_%u", bit);
            name = unknown[bit];
        }
        json_append_string(names, name);
    }
    json_put_tree(json, JSON_KEY("flag_names"), names);
    const char *release = ds_flags_release(flags);
    if (release != NULL)
        json_put_string(json, JSON_KEY("release"), release);
}

void json_event_handshake(struct json_writer *json, const struct ds_event *event)
{
    const struct ds_handshake *h = &event->handshake;
    json_put_string(json, JSON_KEY("step"), ds_handshake_step_name(h->step));
    if (h->version != 0)
        json_put_unsigned(json, JSON_KEY("version"), h->version);
    if (h->status.data != NULL)
        json_put_text(json, JSON_KEY("status"), h->status);
    if (h->name.data != NULL)
        json_put_text(json, JSON_KEY("name"), h->name);
    if (h->creation != 0 || h->version == 6 || h->step == DS_STEP_COMPLEMENT)
        json_put_unsigned(json, JSON_KEY("creation"), h->creation);
    if (h->has_challenge)
        json_put_unsigned(json, JSON_KEY("challenge"), h->challenge);
    if (h->has_digest)
        json_put_hex(json, JSON_KEY("digest"), h->digest, sizeof h->digest);
    if (h->cookie != DS_COOKIE_UNCHECKED)
        json_put_bool(json, JSON_KEY("cookie_ok"), h->cookie == DS_COOKIE_OK);
    if (h->cookie_note != NULL)
        json_put_string(json, JSON_KEY("cookie_note"), h->cookie_note);
    if (h->has_flags)
        write_flags(json, h->flags);
}

static void write_counters(struct json_writer *json, struct json_key key,
                           const struct ds_counters *counters)
{
    cJSON *object = json_tree_object();
    json_add_unsigned(object, "bytes", counters->bytes);
    json_add_unsigned(object, "frames", counters->frames);
    json_add_unsigned(object, "messages", counters->messages);
    json_add_unsigned(object, "ticks", counters->ticks);
    json_add_unsigned(object, "gaps", counters->gaps);
    json_add_unsigned(object, "gap_bytes", counters->gap_bytes);
    json_add_unsigned(object, "faults", counters->faults);
    json_add_unsigned(object, "unknown_atoms", counters->unknown_atoms);
    if (counters->likely_atoms != 0)
        json_add_unsigned(object, "likely_atoms", counters->likely_atoms);
    if (counters->ignored != 0)
        json_add_unsigned(object, "ignored", counters->ignored);
    json_put_tree(json, key, object);
}

static void add_text(cJSON *object, const char *key, struct ds_text text)
{
    if (text.data != NULL)
        json_add_text(object, key, text);
}

static void add_string(cJSON *object, const char *key, const char *text)
{
    if (text != NULL)
        json_add_string(object, key, text);
}

/* add_second adds a point in time, in seconds since 1970. */
static void add_second(cJSON *object, const char *key, int64_t second)
{
    char text[sizeof "-2147483648-12-31T23:59:59Z"];
    const time_t time = (time_t)second;
    struct tm parts;
    if (second != 0 && gmtime_r(&time, &parts) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) != 0)
        json_add_string(object, key, text);
}

static void write_tls(struct json_writer *json, const struct ds_event *event)
{
    static const char *const certificates[] = {"src_certificate", "dst_certificate"};
    static const char *const untils[] = {"src_certificate_until", "dst_certificate_until"};
    static const char *const packed[] = {"src_certificate_packed", "dst_certificate_packed"};
    static const char *const alerts[] = {"src_alert", "dst_alert"};
    static const char *const renewals[] = {"src_renewals", "dst_renewals"};
    const struct ds_tls *tls = event->conn->tls;
    if (tls == NULL)
        return;
    cJSON *object = json_tree_object();
    add_string(object, "version", ds_tls_version_name(tls->version));
    add_string(object, "suite", tls->suite_name);
    add_string(object, "group", tls->group);
    add_text(object, "sni", tls->sni);
    if (tls->has_ech)
        json_add_bool(object, "ech", true);
    json_add_string(object, "keys", ds_tls_keys_name(tls->keys));
    for (int end = 0; end < 2; end++) {
        const int dir = end == 0 ? event->dir : !event->dir;
        add_text(object, certificates[end], tls->certificate[dir]);
        add_second(object, untils[end], tls->valid_until[dir]);
        add_string(object, packed[end], tls->packed[dir]);
        add_string(object, alerts[end], tls->alert[dir]);
        if (tls->key_updates[dir] != 0)
            json_add_unsigned(object, renewals[end], tls->key_updates[dir]);
    }
    json_put_tree(json, JSON_KEY("tls"), object);
}

void json_event_conn(struct json_writer *json, const struct ds_event *event)
{
    const struct ds_conn_change *change = &event->change;
    json_put_string(json, JSON_KEY("state"), ds_conn_state_name(change->state));
    if (change->reason != NULL)
        json_put_string(json, JSON_KEY("reason"), change->reason);
    if (change->from.family != 0) {
        char addr[DS_ADDR_LEN];
        ds_addr_print(&change->from, addr);
        json_put_string(json, JSON_KEY("icmp_from"), addr);
    }
    char id[COMMUNITY_ID_SIZE];
    if (community_id_print(event->conn->end, id))
        json_put_string(json, JSON_KEY("community_id"), id);
    write_tls(json, event);
    if (change->final) {
        write_counters(json, JSON_KEY("src_sent"), &event->conn->counters[event->dir]);
        write_counters(json, JSON_KEY("dst_sent"), &event->conn->counters[!event->dir]);
    }
}

void json_event_gap(struct json_writer *json, const struct ds_event *event)
{
    json_put_unsigned(json, JSON_KEY("bytes"), event->gap.bytes);
    if (event->gap.messages >= 0)
        json_put_signed(json, JSON_KEY("messages"), event->gap.messages);
}

void json_event_stall(struct json_writer *json, const struct ds_event *event)
{
    const struct ds_stall *stall = &event->stall;
    json_put_string(json, JSON_KEY("why"), ds_stall_why_name(stall->why));
    json_put_bool(json, JSON_KEY("over"), stall->is_over);
    json_put_time(json, JSON_KEY("start"), stall->start_ns);
    json_put_microseconds(json, JSON_KEY("duration_us"), stall->duration_ns);
    json_put_unsigned(json, JSON_KEY("in_flight"), stall->in_flight);
    if (stall->message_size != 0) {
        json_put_unsigned(json, JSON_KEY("message_size"), stall->message_size);
        json_put_unsigned(json, JSON_KEY("message_passed"), stall->message_passed);
    }
}
