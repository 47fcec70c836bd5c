/*
 * sink_otlp.c - -T otlp=FILE: calls as spans of OpenTelemetry, in OTLP's JSON (span_writer.h): one
 * document a line with one span, in the format of the file exporter
 * (https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/).
 */
#include "output/otlp/span_writer.h"
#include "output/sink.h"

static void write_span(void *context, struct ds_text text)
{
    struct sink *sink = context;
    struct ds_buffer *out = &sink->output.buffer;
    ds_buffer_add(out, SPANS_BEFORE, sizeof SPANS_BEFORE - 1);
    ds_buffer_add(out, text.data, text.len);
    ds_buffer_add(out, SPANS_BEHIND "\n", sizeof SPANS_BEHIND);
}

static bool otlp_open(struct sink *sink)
{
    sink->state = span_writer_new(write_span, sink);
    return sink->state != NULL;
}

static void otlp_record(struct sink *sink, const struct record *record)
{
    if (record->call != NULL && !span_writer_add(sink->state, record->call))
        sink->output.buffer.failed = true;
}

static void otlp_end(struct sink *sink)
{
    span_writer_end(sink->state);
    output_file_end_record(&sink->output);
}

static void otlp_close(struct sink *sink)
{
    span_writer_free(sink->state);
    sink->state = NULL;
}

static bool otlp_skips(const struct sink_config *config, const struct record *record)
{
    (void)config;
    return record->call == NULL;
}

const struct sink_kind sink_otlp = {
    .name = "otlp",
    .help = "calls as spans of OpenTelemetry, a document of OTLP's JSON a line",
    .open = otlp_open,
    .record = otlp_record,
    .end = otlp_end,
    .close = otlp_close,
    .skips = otlp_skips,
    .by_url = &sink_otlp_sent,
};
