/*
 * test_spans.c - calls as spans: the traces that they belong to, in any order of ends, and within
 * caps.
 */
#include "failing_alloc.h"
#include "output/otlp/span_trees.h"
#include "output/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TRACEPARENT "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

static char given[64 * 1024]; /* "call:trace " of each span */
static size_t num_given;

static void note_span(void *context, struct ds_text text)
{
    (void)context;
    const size_t len = strlen(given);
    num_given++;
    if (len + text.len < sizeof given)
        memcpy(given + len, text.data, text.len);
}

/* add adds a span whose text is its number and the id of its trace. */
static void add(struct span_trees *trees, unsigned call, unsigned parent, bool has_children)
{
    char text[64];
    const int len = snprintf(text, sizeof text, "%u:%032d ", call, 0);
    struct trace_span span = {.call = call, .parent = parent, .has_children = has_children,
                              .trace = trace_id_of_call(call, 0), .text = text, .len = (size_t)len,
                              .trace_at = (size_t)len - 1 - TRACE_ID_LEN};
    span_trees_add(trees, &span);
}

static bool is_in_trace_of(unsigned call, unsigned root)
{
    char wanted[64];
    const struct trace_id trace = trace_id_of_call(root, 0);
    snprintf(wanted, sizeof wanted, "%u:%.32s ", call, trace.hex);
    return strstr(given, wanted) != NULL;
}

static struct span_trees *begin(void)
{
    struct span_trees *trees = span_trees_new(note_span, NULL);
    assert_non_null(trees);
    memset(given, 0, sizeof given);
    num_given = 0;
    return trees;
}

static void test_children_wait(void **state)
{
    struct span_trees *trees = begin();
    (void)state;
    add(trees, 13, 12, false);
    add(trees, 12, 11, true);
    add(trees, 99, 98, false); /* in another tree */
    assert_int_equal(num_given, 0);
    add(trees, 11, 0, true);
    assert_int_equal(num_given, 3);
    assert_true(is_in_trace_of(11, 11) && is_in_trace_of(12, 11) && is_in_trace_of(13, 11));
    add(trees, 14, 12, false); /* it ends after its parent */
    assert_true(is_in_trace_of(14, 11));
    span_trees_end(trees);
    assert_true(is_in_trace_of(99, 98));
    assert_int_equal(num_given, 5);
    span_trees_free(trees);
}

static void test_bounds(void **state)
{
    enum { MOST = 1024 };
    struct span_trees *trees = begin();
    (void)state;
    for (unsigned i = 0; i < MOST; i++)
        add(trees, 100000 + i, 5, false);
    assert_int_equal(num_given, 0);
    add(trees, 7, 5, false);
    assert_int_equal(num_given, 1);
    assert_true(is_in_trace_of(7, 7));
    span_trees_end(trees);
    assert_int_equal(num_given, MOST + 1);
    span_trees_free(trees);
}

static void record_call(void *context)
{
    static const char request[] = "\x6D\0\0\0\x37" TRACEPARENT;
    struct sink sink;
    const struct sink_config config = {0};
    const struct sink_format format = {&sink_otlp, "/dev/null"};
    const struct call call = {.number = 3, .conn = 1, .label = "gen:call", .outcome = CALL_OK,
                              .start_ns = 5, .end_ns = 9, .parent = 2,
                              .request = {.data = (const uint8_t *)request, .len = sizeof request - 1}};
    const struct record record = {.call = &call};
    (void)context;
    if (!sink_open(&sink, &format, &config))
        return;
    sink_otlp.record(&sink, &record);
    struct ds_buffer *out = &sink.output.buffer;
    ds_buffer_add(out, "", 1);
    if (!out->failed) {
        assert_non_null(strstr(out->data, "\"traceId\":\"0af7651916cd43dd8448eb211c80319c\""));
        assert_non_null(strstr(out->data, "\"parentSpanId\":\"b7ad6b7169203331\""));
        out->len--;
    }
    sink_close(&sink);
}

/* The trace of the application is joined; every allocation can fail. */
static void test_traceparent(void **state)
{
    (void)state;
    record_call(NULL);
    assert_true(failing_alloc_each(record_call, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_children_wait),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_traceparent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
