/*
 * packet_json.c - see packet_json.h.
 */
#include "send/nats/packet_json.h"

#include "capture/pseudo_packet.h"
#include "core/time_point.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>

enum { LONGEST_PACKET = 262144, MICROSECONDS_LEN = 27 }; /* 2026-01-31T23:59:59.123456Z */

static void write_counts(struct json_writer *json, const struct capture_point_counts *counts)
{
    json_put_open(json, JSON_KEY("point"));
    json_put_time(json, JSON_KEY("since"), counts->since_ns);
    json_put_unsigned(json, JSON_KEY("lost"), counts->lost);
    json_put_unsigned(json, JSON_KEY("dropped"), counts->dropped);
    json_put_close(json);
}

void packet_json_write(struct json_writer *json, const struct ds_packet *packet, const char *host,
                       const struct capture_point_counts *counts, struct ds_buffer *out)
{
    json->out = out;
    json_begin(json, JSON_TYPE("packet"));
    json_put_time(json, JSON_KEY("ts"), packet->ts_ns);
    json_put_string(json, JSON_KEY("host"), host);
    json_put_unsigned(json, JSON_KEY("frame"), packet->frame);
    json_put_unsigned(json, JSON_KEY("link_type"), packet->link_type);
    json_put_unsigned(json, JSON_KEY("len"), packet->len);
    if (packet->past.kind != DS_SNAPSHOT_NONE)
        json_put_bool(json, JSON_KEY("past"), true);
    if (counts != NULL)
        write_counts(json, counts);
    json_put_key(json, JSON_KEY("data"));
    JSON_LITERAL(json, "\"");
    ds_buffer_add_base64(out, packet->data, packet->cap_len);
    JSON_LITERAL(json, "\"");
    json_end(json);
    if (!out->failed && out->len != 0)
        out->len--; /* the newline */
}

void packet_json_id(const struct ds_packet *packet, const char *host, char id[SEND_MAX_ID + 1])
{
    snprintf(id, SEND_MAX_ID + 1, "p.%s.%" PRId64 ".%" PRIu64, host, packet->ts_ns, packet->frame);
}

void packet_json_made_id(int64_t ts_ns, uint64_t number, const char *host, char id[SEND_MAX_ID + 1])
{
    snprintf(id, SEND_MAX_ID + 1, "s.%s.%" PRId64 ".%" PRIu64, host, ts_ns, number);
}

/* number_of returns the number under a key; max + 1 if it is no number up to max. */
static uint64_t number_of(const cJSON *object, const char *key, uint64_t max)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    const double number = cJSON_IsNumber(item) ? item->valuedouble : -1;
    return number >= 0 && number <= (double)max ? (uint64_t)number : max + 1;
}

/* digit_of returns the value of a character of base64, 64 for any other. */
static uint32_t digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* add_bytes decodes a text of base64 (RFC 4648, section 4). */
static bool add_bytes(const char *text, struct ds_buffer *bytes)
{
    while (text[0] != '\0') {
        uint32_t word = 0;
        int num = 0;
        for (; num < 4 && digit_of(text[num]) < 64; num++)
            word |= digit_of(text[num]) << (18 - 6 * num);
        for (int i = num; i < 4; i++) {
            if (text[i] != '=' || num < 2)
                return false;
        }
        const uint8_t out[] = {(uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};
        ds_buffer_add(bytes, out, (size_t)num - 1);
        text += 4;
        if (num < 4 && text[0] != '\0')
            return false;
    }
    return !bytes->failed;
}

/* read_counts reads what the publisher says of itself: what is invalid is ignored. */
static struct capture_point_counts read_counts(const cJSON *object)
{
    const cJSON *point = cJSON_GetObjectItemCaseSensitive(object, "point");
    const cJSON *since = cJSON_GetObjectItemCaseSensitive(point, "since");
    const uint64_t lost = number_of(point, "lost", JSON_MAX_EXACT);
    const uint64_t dropped = number_of(point, "dropped", JSON_MAX_EXACT);
    struct time_point when;
    if (!cJSON_IsString(since) || !time_point_parse(since->valuestring, &when) ||
        when.kind != TIME_POINT_ABSOLUTE || lost > JSON_MAX_EXACT || dropped > JSON_MAX_EXACT)
        return (struct capture_point_counts){0};
    return (struct capture_point_counts){.since_ns = when.ns, .lost = lost, .dropped = dropped};
}

static bool read_packet(const cJSON *object, struct ds_packet *packet, bool *has_nanoseconds,
                        struct ds_buffer *bytes)
{
    const cJSON *ts = cJSON_GetObjectItemCaseSensitive(object, "ts");
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(object, "data");
    const uint64_t link_type = number_of(object, "link_type", UINT16_MAX);
    const uint64_t len = number_of(object, "len", UINT32_MAX);
    const uint64_t frame = number_of(object, "frame", JSON_MAX_EXACT);
    struct time_point when;
    if (!cJSON_IsString(ts) || !time_point_parse(ts->valuestring, &when) ||
        when.kind != TIME_POINT_ABSOLUTE ||
        !cJSON_IsString(data) || !add_bytes(data->valuestring, bytes) || bytes->len > LONGEST_PACKET ||
        link_type > UINT16_MAX || len > UINT32_MAX || len < bytes->len || frame > JSON_MAX_EXACT)
        return false;
    *has_nanoseconds = strlen(ts->valuestring) > MICROSECONDS_LEN;
    *packet = (struct ds_packet){
        .ts_ns = when.ns,
        .frame = frame,
        .link_type = (uint32_t)link_type,
        .data = (const uint8_t *)bytes->data,
        .cap_len = (uint32_t)bytes->len,
        .len = (uint32_t)len,
    };
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "past"))) {
        pseudo_packet_read(packet, 0);
        return packet->past.kind != DS_SNAPSHOT_NONE;
    }
    return true;
}

bool packet_json_time(struct ds_text json, int64_t *ts_ns)
{
    cJSON *object = cJSON_ParseWithLength(json.data, json.len);
    const cJSON *ts = cJSON_GetObjectItemCaseSensitive(object, "ts");
    struct time_point when;
    const bool good =
        cJSON_IsString(ts) && time_point_parse(ts->valuestring, &when) && when.kind == TIME_POINT_ABSOLUTE;
    if (good)
        *ts_ns = when.ns;
    cJSON_Delete(object);
    return good;
}

bool packet_json_read(struct ds_text json, struct ds_packet *packet, bool *has_nanoseconds,
                      struct capture_point_counts *counts, struct ds_buffer *bytes)
{
    cJSON *object = cJSON_ParseWithLength(json.data, json.len);
    bytes->len = 0;
    const bool good = object != NULL && read_packet(object, packet, has_nanoseconds, bytes);
    *counts = read_counts(object);
    cJSON_Delete(object);
    return good;
}
