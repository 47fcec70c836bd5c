/*
 * sink_nats.c - -T nats=URL: the records of -T json, each published separately. See nats_config.h.
 */
#include "output/sink.h"
#include "send/nats/nats_publisher.h"
#include "send/nats/record_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool nats_open(struct sink *sink)
{
    struct sink *json = calloc(1, sizeof *json);
    if (json == NULL)
        return false;
    *json = (struct sink){.kind = &sink_json, .config = sink->config, .output.fd = -1};
    if (!sink_json.open(json)) {
        free(json);
        return false;
    }
    sink->state = json;
    return true;
}

static void nats_close(struct sink *sink)
{
    struct sink *json = sink->state;
    sink_json.close(json);
    ds_buffer_free(&json->output.buffer);
    free(json);
}

/* publish publishes the output of sink_json. */
static void publish(const struct sink *sink, enum nats_type type, const char *id, int64_t ts_ns)
{
    struct sink *json = sink->state;
    struct ds_buffer *out = &json->output.buffer;
    if (out->failed)
        ds_buffer_free(out); /* memory ran out: the record is lost */
    const struct ds_text text = {out->data, out->len != 0 ? out->len - 1 : 0};
    nats_publish(sink->config->nats, type, id, ts_ns, text);
}

/* prepare sets sink_json up to write the next record into an empty buffer. */
static struct sink *prepare(const struct sink *sink)
{
    struct sink *json = sink->state;
    json->time_digits = sink->time_digits;
    json->output.buffer.len = 0;
    return json;
}

static void nats_record(struct sink *sink, const struct record *record)
{
    char id[SEND_MAX_ID + 1];
    sink_json.record(prepare(sink), record);
    record_id(record, nats_publisher_host(sink->config->nats), id);
    publish(sink, nats_type_of(record), id, record_time(record));
}

static void nats_lost(struct sink *sink, const struct loss *loss)
{
    char id[SEND_MAX_ID + 1];
    snprintf(id, sizeof id, "l.%s.%s.%" PRIx64 ".%" PRIx64, nats_publisher_host(sink->config->nats),
             loss_cause_name(loss->cause), (uint64_t)loss->first_ns, (uint64_t)loss->last_ns);
    sink_json.lost(prepare(sink), loss);
    publish(sink, NATS_LOST, id, loss->first_ns);
}

static bool nats_skips(const struct sink_config *config, const struct record *record)
{
    return !nats_publisher_wants(config->nats, nats_type_of(record));
}

const struct sink_kind sink_nats = {
    .name = "nats",
    .help = "records and packets to NATS JetStream, for reading what many hosts saw",
    .open = nats_open,
    .record = nats_record,
    .lost = nats_lost,
    .close = nats_close,
    .skips = nats_skips,
    .takes_links = true,
    .takes_monitors = true,
    .takes_findings = true,
    .writes_nothing = true,
    .takes_url = true,
};
