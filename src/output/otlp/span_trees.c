/*
 * span_trees.c - see span_trees.h. Spans that were passed on recently are remembered: some calls
 * end after their parent.
 */
#include "output/otlp/span_trees.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WAITING = 1024, MAX_WAITING_BYTES = 4 << 20, NUM_EMITTED = 4096 };

struct held_span {
    uint64_t call, parent;
    size_t trace_at, len;
    char *text;
};

struct span_trees {
    span_fn emit;
    void *context;
    struct held_span waiting[MAX_WAITING];
    size_t num_waiting, num_bytes;
    struct {
        uint64_t call;
        struct trace_id trace;
    } emitted[NUM_EMITTED]; /* by number of the call */
};

struct span_trees *span_trees_new(span_fn emit, void *context)
{
    struct span_trees *t = calloc(1, sizeof *t);
    if (t != NULL) {
        t->emit = emit;
        t->context = context;
    }
    return t;
}

void span_trees_free(struct span_trees *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->num_waiting; i++)
        free(t->waiting[i].text);
    free(t);
}

/* mix spreads the bits of a number (splitmix64, Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t number)
{
    number += UINT64_C(0x9E3779B97F4A7C15);
    number = (number ^ number >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    number = (number ^ number >> 27) * UINT64_C(0x94D049BB133111EB);
    return number ^ number >> 31;
}

static void print_hex(uint64_t number, char hex[SPAN_ID_LEN])
{
    number = number != 0 ? number : 1;
    for (int i = 0; i < SPAN_ID_LEN; i++)
        hex[i] = "0123456789abcdef"[number >> (60 - 4 * i) & 15];
}

void span_id_print(uint64_t call, char hex[SPAN_ID_LEN])
{
    print_hex(mix(call), hex);
}

struct trace_id trace_id_of_call(uint64_t call, int64_t start_ns)
{
    struct trace_id trace;
    const uint64_t first = mix((uint64_t)start_ns ^ mix(call));
    print_hex(first, trace.hex);
    print_hex(mix(first), trace.hex + SPAN_ID_LEN);
    return trace;
}

static const struct trace_id *find_trace(const struct span_trees *t, uint64_t call)
{
    const size_t i = call % NUM_EMITTED;
    return t->emitted[i].call == call ? &t->emitted[i].trace : NULL;
}

static void emit(struct span_trees *t, uint64_t call, const struct trace_id *trace, char *text,
                 size_t len, size_t trace_at)
{
    const size_t i = call % NUM_EMITTED;
    memcpy(text + trace_at, trace->hex, TRACE_ID_LEN);
    t->emitted[i].call = call;
    t->emitted[i].trace = *trace;
    t->emit(t->context, (struct ds_text){text, len});
}

static void emit_waiting(struct span_trees *t, size_t i, const struct trace_id *trace)
{
    const struct held_span w = t->waiting[i];
    t->waiting[i] = t->waiting[--t->num_waiting];
    t->num_bytes -= w.len;
    emit(t, w.call, trace, w.text, w.len, w.trace_at);
    free(w.text);
}

/* emit_children passes on what waited for a span, and for its children, recursively. */
static void emit_children(struct span_trees *t)
{
    for (bool found = true; found;) {
        found = false;
        for (size_t i = t->num_waiting; i > 0; i--) {
            const struct trace_id *trace = find_trace(t, t->waiting[i - 1].parent);
            if (trace == NULL)
                continue;
            const struct trace_id copy = *trace;
            emit_waiting(t, i - 1, &copy);
            found = true;
        }
    }
}

static bool keep(struct span_trees *t, const struct trace_span *span)
{
    if (t->num_waiting == MAX_WAITING || t->num_bytes + span->len > MAX_WAITING_BYTES)
        return false;
    char *text = malloc(span->len);
    if (text == NULL)
        return false;
    memcpy(text, span->text, span->len);
    t->num_bytes += span->len;
    t->waiting[t->num_waiting++] =
        (struct held_span){span->call, span->parent, span->trace_at, span->len, text};
    return true;
}

void span_trees_add(struct span_trees *t, struct trace_span *span)
{
    const struct trace_id *above =
        span->parent != 0 && !span->has_trace ? find_trace(t, span->parent) : NULL;
    struct trace_id trace = span->trace;
    if (above != NULL)
        trace = *above;
    else if (!span->has_trace && span->parent != 0 && keep(t, span))
        return;
    emit(t, span->call, &trace, span->text, span->len, span->trace_at);
    if (span->has_children)
        emit_children(t);
}

void span_trees_end(struct span_trees *t)
{
    while (t->num_waiting != 0) {
        const struct trace_id trace = trace_id_of_call(t->waiting[0].parent, 0);
        emit_waiting(t, 0, &trace);
        emit_children(t);
    }
}
