/*
 * sink_wireshark.c - a pcapng file with one packet per record, for Wireshark: its link type passes
 * a packet to the dissector that the packet names, which is packaging/wireshark/distsniff.lua.
 *
 *   packet  tag:2 (12: a dissector) length:2 name, padded to 4; tag:2 (0: no more) length:2 (0);
 *           the record as -T json writes it, with its newline; the bytes of the frame as it was sent
 *
 * Tags and lengths are big-endian. Wireshark accepts packets of at most MOST bytes: a longer record
 * is cut, which the packet's length shows, and a shorter record is followed by less of the frame.
 */
#include "keep/pcapng_form.h"
#include "output/sink.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINK_TYPE = 252, /* LINKTYPE_WIRESHARK_UPPER_PDU */
    MOST = 262144,
};

static const char head[] = {0, 12, 0, 12, 'd', 'i', 's', 't', 's', 'n', 'i', 'f', 'f', 0, 0, 0, 0, 0, 0, 0};

struct wireshark {
    struct sink json; /* writes into its own buffer, which is never flushed */
};

static bool wireshark_open(struct sink *sink)
{
    struct wireshark *w = calloc(1, sizeof *w);
    if (w == NULL)
        return false;
    w->json = (struct sink){.kind = &sink_json, .config = sink->config, .output = {.fd = -1}};
    if (!sink_json.open(&w->json)) {
        free(w);
        return false;
    }
    sink->state = w;
    pcapng_form_begin(&sink->output.buffer, LINK_TYPE, MOST, true, 0);
    return true;
}

/* get_frame returns the bytes that a record is about; for a record that follows an event, the
 * event's own. */
static struct ds_text get_frame(const struct record *record)
{
    const struct ds_event *event = record->event;
    if (event == NULL || event->bytes == NULL || record->call != NULL || record->monitor != NULL ||
        record->finding != NULL || record->link_facts)
        return (struct ds_text){0};
    return (struct ds_text){(const char *)event->bytes, event->bytes_len};
}

/* put_packet writes what the JSON writer has written, and the frame. */
static void put_packet(struct sink *sink, int64_t ts_ns, struct ds_text frame)
{
    struct wireshark *w = sink->state;
    struct ds_buffer *packet = &w->json.output.buffer, *out = &sink->output.buffer;
    if (frame.len != 0 && packet->len < MOST)
        ds_buffer_add(packet, frame.data, frame.len < MOST - packet->len ? frame.len : MOST - packet->len);
    const size_t len = packet->len;
    const struct ds_packet made = {
        .ts_ns = ts_ns,
        .data = (const uint8_t *)packet->data,
        .cap_len = (uint32_t)(len < MOST ? len : MOST),
        .len = (uint32_t)(len < UINT32_MAX ? len : UINT32_MAX),
    };
    if (packet->failed)
        out->failed = true;
    else if (len > sizeof head) /* there is a record */
        pcapng_form_packet(out, &made, 0, true, NULL);
    packet->len = 0;
    packet->failed = false;
}

static struct sink *begin(struct sink *sink)
{
    struct wireshark *w = sink->state;
    w->json.time_digits = sink->time_digits;
    w->json.output.buffer.is_stopped = sink->output.buffer.is_stopped;
    ds_buffer_add(&w->json.output.buffer, head, sizeof head);
    return &w->json;
}

static void wireshark_record(struct sink *sink, const struct record *record)
{
    sink_json.record(begin(sink), record);
    put_packet(sink, record_time(record), get_frame(record));
}

/* wireshark_skips leaves out updates and sums, which are no records in -T json. */
static bool wireshark_skips(const struct sink_config *config, const struct record *record)
{
    (void)config;
    return record->finding != NULL && (record->finding->kind == NULL || record->finding->is_update);
}

static void wireshark_lost(struct sink *sink, const struct loss *loss)
{
    sink_json.lost(begin(sink), loss);
    put_packet(sink, loss->first_ns, (struct ds_text){0});
}

static void wireshark_close(struct sink *sink)
{
    struct wireshark *w = sink->state;
    sink_json.close(&w->json);
    ds_buffer_free(&w->json.output.buffer);
    free(w);
}

const struct sink_kind sink_wireshark = {
    .name = "wireshark",
    .help = "records as packets, for Wireshark with distsniff.lua",
    .open = wireshark_open,
    .record = wireshark_record,
    .lost = wireshark_lost,
    .close = wireshark_close,
    .skips = wireshark_skips,
    .takes_links = true,
    .takes_monitors = true,
    .takes_findings = true,
    .wants_findings = true,
};
