/*
 * sink_otlp.c - -T otlp: calls as spans of OpenTelemetry, in OTLP's JSON: a document a line, as its file
 * exporter writes them (https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/). Each is an
 * ExportTraceServiceRequest of opentelemetry-proto with one span: ids in hex, 64-bit numbers as
 * strings, enums as numbers (https://opentelemetry.io/docs/specs/otlp/, "JSON Protobuf Encoding").
 *
 * A span is the caller's: how long it waited. Those that were called in its service are its children.
 * What the request holds that looks like a traceparent (https://www.w3.org/TR/trace-context/) says
 * which trace it belongs to, and which span of the application's asked.
 */
#include "complain.h"
#include "json_write.h"
#include "sink.h"
#include "span_trees.h"
#include "term_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of opentelemetry-proto: SpanKind, StatusCode. */
enum { SPAN_KIND_CLIENT = 3, STATUS_CODE_ERROR = 2 };

struct otlp {
    struct json_writer json;
    struct ds_buffer text, scratch;
    struct span_trees *trees;
    struct ds_buffer *out;
};

/* traceparent is "00-TRACE-SPAN-FLAGS". */
struct traceparent {
    struct trace_id trace;
    char span[SPAN_ID_LEN];
};

static bool is_hex(const char *text, size_t len)
{
    bool is_zero = true;
    for (size_t i = 0; i < len; i++) {
        if (!((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f')))
            return false;
        is_zero = is_zero && text[i] == '0';
    }
    return !is_zero;
}

static bool read_traceparent(const char *at, struct traceparent *parent)
{
    const char *trace = at + 3, *span = trace + TRACE_ID_LEN + 1, *flags = span + SPAN_ID_LEN + 1;
    if (memcmp(at, "00-", 3) != 0 || !is_hex(trace, TRACE_ID_LEN) || span[-1] != '-' ||
        !is_hex(span, SPAN_ID_LEN) || flags[-1] != '-')
        return false;
    memcpy(parent->trace.hex, trace, TRACE_ID_LEN);
    memcpy(parent->span, span, SPAN_ID_LEN);
    return true;
}

/* find_traceparent looks for one in the text of what was asked. */
static bool find_traceparent(struct otlp *o, const struct call *call, struct traceparent *parent)
{
    enum { LEN = 3 + TRACE_ID_LEN + 1 + SPAN_ID_LEN + 1 + 2 };
    if (call->request.data == NULL || call->request.len < LEN)
        return false;
    o->scratch.len = 0;
    term_show(&call->request, NULL, &o->scratch);
    for (size_t i = 0; i + LEN <= o->scratch.len; i++) {
        const char *at = memchr(o->scratch.data + i, '-', o->scratch.len - i);
        if (at == NULL)
            break;
        i = (size_t)(at - o->scratch.data);
        if (i >= 2 && i - 2 + LEN <= o->scratch.len && read_traceparent(at - 2, parent))
            return true;
    }
    return false;
}

static struct ds_text text_of(const struct ds_buffer *buffer)
{
    return (struct ds_text){buffer->len != 0 ? buffer->data : "", buffer->len};
}

static void attribute_of(struct json_writer *json, const char *name, struct json_key kind,
                         struct ds_text value)
{
    if (value.data == NULL)
        return;
    json_item_open(json);
    json_put_string(json, JSON_KEY("key"), name);
    json_put_open(json, JSON_KEY("value"));
    json_put_text(json, kind, value);
    json_put_close(json);
    json_put_close(json);
}

static void attribute(struct json_writer *json, const char *name, struct ds_text value)
{
    attribute_of(json, name, JSON_KEY("stringValue"), value);
}

static void attribute_string(struct json_writer *json, const char *name, const char *value)
{
    attribute(json, name, (struct ds_text){value, value != NULL ? strlen(value) : 0});
}

static void attribute_number(struct json_writer *json, const char *name, uint64_t value)
{
    char text[DS_DIGITS_MAX + 1];
    const int len = snprintf(text, sizeof text, "%" PRIu64, value);
    attribute_of(json, name, JSON_KEY("intValue"), (struct ds_text){text, (size_t)len});
}

static void put_nanoseconds(struct json_writer *json, struct json_key key, int64_t ns)
{
    char text[DS_DIGITS_MAX + 1];
    snprintf(text, sizeof text, "%" PRId64, ns > 0 ? ns : 0);
    json_put_string(json, key, text);
}

/* function_of is "lists:seq", else the label: nothing of what was asked. */
static struct ds_text function_of(struct otlp *o, const struct call *call)
{
    const struct note note = {.mod = call->mod, .fun = call->fun};
    o->scratch.len = 0;
    if (call->mod.data != NULL)
        note_print_function(&note, &o->scratch);
    else if (call->label != NULL)
        ds_buffer_add_text(&o->scratch, call->label);
    return text_of(&o->scratch);
}

static struct ds_text process_of(struct otlp *o, const struct party *party)
{
    o->scratch.len = 0;
    party_print_as(term_show_syntax(), party, &o->scratch);
    return text_of(&o->scratch);
}

static bool went_wrong(const struct call *call)
{
    return call->outcome != CALL_OK && call->outcome != CALL_UNKNOWN &&
           call->outcome != CALL_UNANSWERED && call->outcome != CALL_ANSWERED_ELSEWHERE;
}

static void put_attributes(struct otlp *o, const struct call *call)
{
    struct json_writer *json = &o->json;
    json_put_list(json, JSON_KEY("attributes"));
    attribute_string(json, "rpc.system", "erlang");
    attribute(json, "rpc.service", call->callee.name);
    attribute(json, "rpc.method", function_of(o, call));
    attribute(json, "server.address", call->callee.node);
    attribute_string(json, "erlang.call.kind", call->label);
    attribute_string(json, "erlang.call.outcome", call_outcome_name(call->outcome));
    attribute(json, "erlang.caller", process_of(o, &call->caller));
    attribute(json, "erlang.callee", process_of(o, &call->callee));
    attribute_number(json, "distsniff.call", call->number);
    attribute_number(json, "distsniff.conn", call->conn);
    attribute_number(json, "distsniff.frame", call->start_frame);
    if (went_wrong(call))
        attribute_string(json, "error.type", call->error_class != NULL
                                                 ? call->error_class
                                                 : call_outcome_name(call->outcome));
    json_put_list_end(json);
}

/* put_span puts all of a span, and returns where the id of its trace is to be. */
static size_t put_span(struct otlp *o, const struct call *call, const char *parent)
{
    static const char no_trace[] = "00000000000000000000000000000000";
    struct json_writer *json = &o->json;
    char id[SPAN_ID_LEN];
    json_item_open(json);
    json_put_string(json, JSON_KEY("traceId"), no_trace);
    const size_t trace_at = o->text.len - 1 - TRACE_ID_LEN; /* before the quote */
    span_id_print(call->number, id);
    json_put_text(json, JSON_KEY("spanId"), (struct ds_text){id, sizeof id});
    if (parent != NULL)
        json_put_text(json, JSON_KEY("parentSpanId"), (struct ds_text){parent, SPAN_ID_LEN});
    json_put_text(json, JSON_KEY("name"), function_of(o, call));
    json_put_unsigned(json, JSON_KEY("kind"), SPAN_KIND_CLIENT);
    put_nanoseconds(json, JSON_KEY("startTimeUnixNano"), call->start_ns);
    put_nanoseconds(json, JSON_KEY("endTimeUnixNano"), call->end_ns);
    put_attributes(o, call);
    json_put_open(json, JSON_KEY("status"));
    if (went_wrong(call))
        json_put_unsigned(json, JSON_KEY("code"), STATUS_CODE_ERROR);
    json_put_close(json);
    json_put_close(json);
    return trace_at;
}

/* put_document puts a request with one span. */
static size_t put_document(struct otlp *o, const struct call *call, const char *parent)
{
    struct json_writer *json = &o->json;
    json_begin_object(json);
    json_put_list(json, JSON_KEY("resourceSpans"));
    json_item_open(json);
    json_put_open(json, JSON_KEY("resource"));
    json_put_list(json, JSON_KEY("attributes"));
    attribute(json, "service.name", call->caller.node.data != NULL
                                        ? call->caller.node : (struct ds_text){"unknown_node", 12});
    json_put_list_end(json);
    json_put_close(json);
    json_put_list(json, JSON_KEY("scopeSpans"));
    json_item_open(json);
    json_put_open(json, JSON_KEY("scope"));
    json_put_string(json, JSON_KEY("name"), "distsniff");
    json_put_string(json, JSON_KEY("version"), DISTSNIFF_VERSION);
    json_put_close(json);
    json_put_list(json, JSON_KEY("spans"));
    const size_t trace_at = put_span(o, call, parent);
    json_put_list_end(json);
    json_put_close(json);
    json_put_list_end(json);
    json_put_close(json);
    json_put_list_end(json);
    json_end_object(json);
    JSON_LITERAL(json, "\n");
    return trace_at;
}

static void give(void *context, struct ds_text text)
{
    struct otlp *o = context;
    ds_buffer_add(o->out, text.data, text.len);
}

static void otlp_record(struct sink *sink, const struct record *record)
{
    struct otlp *o = sink->state;
    const struct call *call = record->call;
    struct traceparent above;
    char parent[SPAN_ID_LEN];
    if (call == NULL)
        return;
    o->out = &sink->output.buffer;
    o->text.len = 0;
    struct span span = {.call = call->number,
                        .parent = call->parent,
                        .has_children = call->num_children != 0,
                        .has_trace = find_traceparent(o, call, &above)};
    span.trace = span.has_trace ? above.trace : trace_id_of_call(call->number, call->start_ns);
    if (call->parent != 0)
        span_id_print(call->parent, parent);
    span.trace_at = put_document(o, call, span.has_trace     ? above.span
                                          : call->parent != 0 ? parent
                                                              : NULL);
    span.text = o->text.data;
    span.len = o->text.len;
    if (o->text.failed || o->scratch.failed || o->json.failed)
        sink->output.buffer.failed = true;
    else
        span_trees_add(o->trees, &span);
}

static void otlp_end(struct sink *sink)
{
    struct otlp *o = sink->state;
    o->out = &sink->output.buffer;
    span_trees_end(o->trees);
    output_file_end_record(&sink->output);
}

static void otlp_close(struct sink *sink)
{
    struct otlp *o = sink->state;
    json_writer_free(&o->json);
    ds_buffer_free(&o->text);
    ds_buffer_free(&o->scratch);
    span_trees_free(o->trees);
    free(o);
    sink->state = NULL;
}

static bool otlp_open(struct sink *sink)
{
    struct otlp *o = calloc(1, sizeof *o);
    if (o == NULL || (o->trees = span_trees_new(give, o)) == NULL) {
        free(o);
        return false;
    }
    o->json.out = &o->text;
    sink->state = o;
    return true;
}

static bool otlp_check(const char *file)
{
    if (file == NULL || strstr(file, "://") == NULL)
        return true;
    complain("-T otlp writes documents to a file, or standard output: to send them use a collector that "
             "reads such files");
    return false;
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
    .check = otlp_check,
    .skips = otlp_skips,
};
