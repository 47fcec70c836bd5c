/*
 * sink_otlp_sent.c - -T otlp=URL: sends what -T otlp=FILE writes. See otlp_config.h.
 */
#include "output/otlp/span_writer.h"
#include "output/sink.h"
#include "send/otlp/otlp_publisher.h"

static void publish(void *context, struct ds_text text)
{
    otlp_publish(context, text);
}

static bool sent_open(struct sink *sink)
{
    sink->state = span_writer_new(publish, sink->config->otlp);
    return sink->state != NULL;
}

static void sent_record(struct sink *sink, const struct record *record)
{
    if (record->call != NULL && !span_writer_add(sink->state, record->call))
        otlp_publish(sink->config->otlp, (struct ds_text){"", 0});
}

static void sent_end(struct sink *sink)
{
    span_writer_end(sink->state);
}

static void sent_close(struct sink *sink)
{
    span_writer_free(sink->state);
    sink->state = NULL;
}

static bool sent_skips(const struct sink_config *config, const struct record *record)
{
    (void)config;
    return record->call == NULL;
}

/* Not in the table of sinks.c: sink_otlp is replaced by it. */
const struct sink_kind sink_otlp_sent = {
    .name = "otlp",
    .help = "calls as spans of OpenTelemetry, sent to a receiver of OTLP over HTTP",
    .open = sent_open,
    .record = sent_record,
    .end = sent_end,
    .close = sent_close,
    .skips = sent_skips,
    .writes_nothing = true,
    .takes_url = true,
};
