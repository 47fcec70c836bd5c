/*
 * test_otlp_request.c - the URL and headers that spans are sent with, and how many at a time.
 */
#include "failing_alloc.h"
#include "send/otlp/otlp_batch.h"
#include "send/otlp/otlp_config.h"
#include "send/otlp/otlp_headers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <cmocka.h>

static struct otlp_config config;

static bool parse(const char *word)
{
    config = (struct otlp_config){0};
    return otlp_url_parse(word, &config);
}

static void addresses(void **state)
{
    static const char *const right[][2] = {
        {"http://a", "http://a/v1/traces"},
        {"http://a/", "http://a/v1/traces"},
        {"http://a:4318", "http://a:4318/v1/traces"},
        {"https://a.b-c_d:65535/x", "https://a.b-c_d:65535/x"},
        {"http://[::1]:4318", "http://[::1]:4318/v1/traces"},
        {"http://10.0.0.1/otlp/v1/traces", "http://10.0.0.1/otlp/v1/traces"},
        {"HTTPS://a", "HTTPS://a/v1/traces"},
    };
    static const char *const wrong[] = {
        "", "http", "http:", "http:/a", "http://", "http:///v1", "ftp://a", "htp://a", "a:4318", "http://a:",
        "http://a:0", "http://a:65536", "http://a:123456", "http://a:-1", "http://a b", "http://a/b c",
        "http://u@a", "http://u:p@a/x", "http://a?k", "http://a/x?k", "http://a#x", "http://[::1", "http://[]",
        "http://[::1]x", "http://a\n", "http://a/\x01", "http://a/\xC3\xA4", "http://a\"/",
    };
    char longer[2 * OTLP_MAX_URL] = "http://";
    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        assert_true(otlp_is_url(right[i][0]));
        assert_true(parse(right[i][0]));
        assert_string_equal(config.url, right[i][1]);
        assert_int_equal(config.has_tls, right[i][0][4] == 's' || right[i][0][4] == 'S');
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(parse(wrong[i]));
    for (size_t len = OTLP_MAX_URL - 20; len < OTLP_MAX_URL + 20; len++) {
        memset(longer + 7, 'a', len - 7);
        assert_true(parse(longer) == (len + strlen("/v1/traces") < OTLP_MAX_URL));
    }
    assert_false(otlp_is_url("spans.json"));
    assert_false(otlp_is_url("./a:4318"));
    assert_false(otlp_is_url("a:b"));
    assert_true(otlp_is_url("a:4318/v1/traces"));
}

static void whose_they_are(void **state)
{
    (void)state;
    assert_true(parse("http://localhost:1") && config.is_local);
    assert_true(parse("http://127.0.0.1") && config.is_local);
    assert_true(parse("http://[::1]") && config.is_local);
    assert_true(parse("http://127.0.0.1.example") && !config.is_local);
    assert_true(parse("http://localhost.example") && !config.is_local);
    assert_true(parse("http://local") && !config.is_local);
}

static void headers_of_a_file(void **state)
{
    struct otlp_headers headers;
    char right[] = "# a\n\n  Authorization: Bearer x=y  \r\nX-1:\tb c\n";
    static const char *const wrong[] = {"",   "\n# x\n", "a",     ": b",     "a b: c",       "a:", "a: \n",
                                        "a: \x7F", "\xFF: b", "Host: x", "content-TYPE: x", "a: b\n\x01"};
    char many[OTLP_MAX_HEADERS * 5 + 10] = "";
    (void)state;
    assert_true(otlp_headers_parse("f", right, &headers));
    assert_int_equal(headers.num, 2);
    assert_string_equal(headers.lines[0], "Authorization: Bearer x=y");
    assert_string_equal(headers.lines[1], "X-1:\tb c");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[64];
        strcpy(text, wrong[i]);
        assert_false(otlp_headers_parse("f", text, &headers));
    }
    for (int num = OTLP_MAX_HEADERS; num <= OTLP_MAX_HEADERS + 1; num++) {
        many[0] = '\0';
        for (int i = 0; i < num; i++)
            strcat(many, "a: b\n");
        assert_true(otlp_headers_parse("f", many, &headers) == (num == OTLP_MAX_HEADERS));
    }
}

static void push(struct send_queue *queue, size_t len)
{
    char *body = malloc(len);
    assert_non_null(body);
    memset(body, 'x', len);
    assert_true(send_queue_push(queue, 0, "", body, len));
    free(body);
}

/* fill fills a request and releases it. */
static size_t fill(struct otlp_batch *batch, struct send_queue *queue, uint64_t most, uint64_t num)
{
    otlp_batch_look(batch, queue, most);
    const uint64_t looked = batch->num;
    const bool is_full = batch->is_full;
    assert_true(otlp_batch_fill(batch, queue, most, false));
    assert_int_equal(batch->num, num);
    assert_int_equal(looked, num);
    assert_int_equal(is_full, batch->is_full);
    send_queue_release(queue, batch->end);
    return otlp_batch_body(batch, false).len;
}

static void requests_are_bounded(void **state)
{
    struct send_queue *queue = send_queue_new(4 * 1024 * 1024);
    struct otlp_batch batch = {0};
    (void)state;
    assert_non_null(queue);
    for (int i = 0; i < OTLP_MOST_SPANS + 3; i++)
        push(queue, 10);
    const size_t len = fill(&batch, queue, OTLP_MOST_SPANS, OTLP_MOST_SPANS);
    assert_int_equal(len, strlen("{\"resourceSpans\":[]}") + 11 * OTLP_MOST_SPANS - 1);
    assert_true(batch.is_full);
    (void)fill(&batch, queue, 2, 2);
    (void)fill(&batch, queue, 2, 1);
    assert_false(batch.is_full);
    (void)fill(&batch, queue, 2, 0);
    /* By bytes; a span that exceeds the limit is sent alone. */
    push(queue, OTLP_MOST_BYTES / 2);
    push(queue, OTLP_MOST_BYTES / 2);
    push(queue, OTLP_MOST_BYTES + 5);
    push(queue, 10);
    (void)fill(&batch, queue, OTLP_MOST_SPANS, 1);
    (void)fill(&batch, queue, OTLP_MOST_SPANS, 1);
    (void)fill(&batch, queue, OTLP_MOST_SPANS, 1);
    (void)fill(&batch, queue, OTLP_MOST_SPANS, 1);
    (void)fill(&batch, queue, OTLP_MOST_SPANS, 0);
    otlp_batch_free(&batch);
    send_queue_free(queue);
}

static void is_joined(void **state)
{
    struct send_queue *queue = send_queue_new(4096);
    struct otlp_batch batch = {0};
    (void)state;
    assert_non_null(queue);
    for (int round = 0; round < 500; round++) { /* many times around the ring */
        assert_true(send_queue_push(queue, 0, "", "{1}", 3));
        assert_true(send_queue_push(queue, 0, "", "{2222222222222222222222}", 24));
        assert_true(otlp_batch_fill(&batch, queue, 9, false));
        const struct ds_text body = otlp_batch_body(&batch, false);
        assert_int_equal(body.len, 48);
        assert_memory_equal(body.data, "{\"resourceSpans\":[{1},{2222222222222222222222}]}", 48);
        send_queue_release(queue, batch.end);
    }
    otlp_batch_free(&batch);
    send_queue_free(queue);
}

static void is_packed(void **state)
{
    struct send_queue *queue = send_queue_new(1024 * 1024);
    struct otlp_batch batch = {0};
    static char out[300000];
    (void)state;
    assert_non_null(queue);
    push(queue, 200000);
    assert_true(otlp_batch_fill(&batch, queue, 9, true));
    const struct ds_text body = otlp_batch_body(&batch, true), text = otlp_batch_body(&batch, false);
    assert_true(body.len < 2000);
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)body.data,
                       .avail_in = (uInt)body.len,
                       .next_out = (Bytef *)out,
                       .avail_out = sizeof out};
    assert_int_equal(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, text.len);
    assert_memory_equal(out, text.data, text.len);
    inflateEnd(&stream);
    otlp_batch_free(&batch);
    send_queue_free(queue);
}

static void fill_again(void *context)
{
    struct send_queue *queue = context;
    struct otlp_batch batch = {0};
    const bool good = otlp_batch_fill(&batch, queue, 9, true);
    assert_true(good || (batch.text.data == NULL && batch.packed.data == NULL));
    otlp_batch_free(&batch);
}

static void memory_runs_out(void **state)
{
    struct send_queue *queue = send_queue_new(1024 * 1024);
    (void)state;
    assert_non_null(queue);
    push(queue, 20000);
    push(queue, 200000);
    assert_true(failing_alloc_each(fill_again, queue) >= 2);
    send_queue_free(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),
        cmocka_unit_test(whose_they_are),
        cmocka_unit_test(headers_of_a_file),
        cmocka_unit_test(requests_are_bounded),
        cmocka_unit_test(is_joined),
        cmocka_unit_test(is_packed),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
