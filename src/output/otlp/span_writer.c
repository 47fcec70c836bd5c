/*
 * span_writer.c - see span_writer.h.
 */
#include "output/otlp/span_writer.h"

#include "core/term_show.h"
#include "output/json_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From opentelemetry-proto: SpanKind, StatusCode. */
enum { SPAN_KIND_CLIENT = 3, STATUS_CODE_ERROR = 2 };

struct span_writer {
    struct json_writer json;
    struct ds_buffer text, scratch;
    struct span_trees *trees;
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

/* find_traceparent looks for one in the text of the request. */
static bool find_traceparent(struct span_writer *w, const struct call *call, struct traceparent *parent)
{
    enum { LEN = 3 + TRACE_ID_LEN + 1 + SPAN_ID_LEN + 1 + 2 };
    if (call->request.data == NULL || call->request.len < LEN)
        return false;
    w->scratch.len = 0;
    term_show(&call->request, NULL, &w->scratch);
    for (size_t i = 0; i + LEN <= w->scratch.len; i++) {
        const char *at = memchr(w->scratch.data + i, '-', w->scratch.len - i);
        if (at == NULL)
            break;
        i = (size_t)(at - w->scratch.data);
        if (i >= 2 && i - 2 + LEN <= w->scratch.len && read_traceparent(at - 2, parent))
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

/* function_of returns "lists:seq", else the label: no data of the request. */
static struct ds_text function_of(struct span_writer *w, const struct call *call)
{
    const struct note note = {.mod = call->mod, .fun = call->fun};
    w->scratch.len = 0;
    if (call->mod.data != NULL)
        note_print_function(&note, &w->scratch);
    else if (call->label != NULL)
        ds_buffer_add_text(&w->scratch, call->label);
    return text_of(&w->scratch);
}

static struct ds_text process_of(struct span_writer *w, const struct party *party)
{
    w->scratch.len = 0;
    party_print_as(term_show_syntax(), party, &w->scratch);
    return text_of(&w->scratch);
}

static void put_attributes(struct span_writer *w, const struct call *call)
{
    struct json_writer *json = &w->json;
    json_put_list(json, JSON_KEY("attributes"));
    attribute_string(json, "rpc.system", "erlang");
    attribute(json, "rpc.service", call->callee.name);
    attribute(json, "rpc.method", function_of(w, call));
    attribute(json, "server.address", call->callee.node);
    attribute_string(json, "erlang.call.kind", call->label);
    attribute_string(json, "erlang.call.outcome", call_outcome_name(call->outcome));
    attribute(json, "erlang.caller", process_of(w, &call->caller));
    attribute(json, "erlang.callee", process_of(w, &call->callee));
    attribute_number(json, "distsniff.call", call->number);
    attribute_number(json, "distsniff.conn", call->conn);
    attribute_number(json, "distsniff.frame", call->start_frame);
    if (call_outcome_is_failure(call->outcome))
        attribute_string(json, "error.type", call->error_class != NULL
                                                 ? call->error_class
                                                 : call_outcome_name(call->outcome));
    json_put_list_end(json);
}

/* put_span writes a span, and returns the position for its trace id. */
static size_t put_span(struct span_writer *w, const struct call *call, const char *parent)
{
    static const char no_trace[] = "00000000000000000000000000000000";
    struct json_writer *json = &w->json;
    char id[SPAN_ID_LEN];
    json_item_open(json);
    json_put_string(json, JSON_KEY("traceId"), no_trace);
    const size_t trace_at = w->text.len - 1 - TRACE_ID_LEN; /* before the quote */
    span_id_print(call->number, id);
    json_put_text(json, JSON_KEY("spanId"), (struct ds_text){id, sizeof id});
    if (parent != NULL)
        json_put_text(json, JSON_KEY("parentSpanId"), (struct ds_text){parent, SPAN_ID_LEN});
    json_put_text(json, JSON_KEY("name"), function_of(w, call));
    json_put_unsigned(json, JSON_KEY("kind"), SPAN_KIND_CLIENT);
    put_nanoseconds(json, JSON_KEY("startTimeUnixNano"), call->start_ns);
    put_nanoseconds(json, JSON_KEY("endTimeUnixNano"), call->end_ns);
    put_attributes(w, call);
    json_put_open(json, JSON_KEY("status"));
    if (call_outcome_is_failure(call->outcome))
        json_put_unsigned(json, JSON_KEY("code"), STATUS_CODE_ERROR);
    json_put_close(json);
    json_put_close(json);
    return trace_at;
}

/* put_resource writes one span with its resource. */
static size_t put_resource(struct span_writer *w, const struct call *call, const char *parent)
{
    struct json_writer *json = &w->json;
    json_begin_object(json);
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
    const size_t trace_at = put_span(w, call, parent);
    json_put_list_end(json);
    json_put_close(json);
    json_put_list_end(json);
    json_end_object(json);
    return trace_at;
}

bool span_writer_add(struct span_writer *w, const struct call *call)
{
    struct traceparent above;
    char parent[SPAN_ID_LEN];
    w->text.len = 0;
    struct trace_span span = {.call = call->number,
                              .parent = call->parent,
                              .has_children = call->num_children != 0,
                              .has_trace = find_traceparent(w, call, &above)};
    span.trace = span.has_trace ? above.trace : trace_id_of_call(call->number, call->start_ns);
    if (call->parent != 0)
        span_id_print(call->parent, parent);
    span.trace_at = put_resource(w, call, span.has_trace     ? above.span
                                          : call->parent != 0 ? parent
                                                              : NULL);
    span.text = w->text.data;
    span.len = w->text.len;
    if (w->text.failed || w->scratch.failed || w->json.failed) {
        ds_buffer_free(&w->text);
        ds_buffer_free(&w->scratch);
        return false;
    }
    span_trees_add(w->trees, &span);
    return true;
}

void span_writer_end(struct span_writer *w)
{
    span_trees_end(w->trees);
}

void span_writer_free(struct span_writer *w)
{
    if (w == NULL)
        return;
    json_writer_free(&w->json);
    ds_buffer_free(&w->text);
    ds_buffer_free(&w->scratch);
    span_trees_free(w->trees);
    free(w);
}

struct span_writer *span_writer_new(span_fn emit, void *context)
{
    struct span_writer *w = calloc(1, sizeof *w);
    if (w == NULL || (w->trees = span_trees_new(emit, context)) == NULL) {
        free(w);
        return NULL;
    }
    w->json.out = &w->text;
    return w;
}
