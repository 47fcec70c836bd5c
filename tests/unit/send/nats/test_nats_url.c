/*
 * test_nats_url.c - valid and invalid values of -T nats= and -r nats://; and packets as JSON and
 * back, from any writer.
 */
#include "core/clock.h"
#include "send/nats/nats_config.h"
#include "send/nats/packet_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static struct nats_url url;

/* is_ago compares a time with the clock: it was that many seconds ago, and this test takes less
 * than a minute. */
static void is_ago(int64_t ns, int64_t seconds)
{
    const int64_t ago_ns = clock_since_1970_ns() - ns;
    assert_true(ago_ns >= seconds * SECOND && ago_ns < (seconds + 60) * SECOND);
}

static void says_where(void **state)
{
    (void)state;
    assert_true(nats_url_parse("-r", "nats://a:4222", &url));
    assert_int_equal(url.num_servers, 1);
    assert_string_equal(url.servers[0], "a:4222");
    assert_string_equal(url.stream, "DISTSNIFF");
    assert_string_equal(url.host, "*");
    assert_false(url.has_tls);
    assert_true(nats_url_parse("-r", "tls://a,b:1,tls://[::1]:2/MINE?since=15min&host=web-1", &url));
    assert_int_equal(url.num_servers, 3);
    assert_string_equal(url.servers[1], "b:1");
    assert_string_equal(url.servers[2], "[::1]:2");
    assert_string_equal(url.stream, "MINE");
    assert_string_equal(url.prefix, "mine");
    assert_string_equal(url.host, "web-1");
    assert_true(url.has_tls);
    is_ago(url.since_ns, 900);
    assert_true(nats_url_parse("-r", "nats://a/", &url));
    assert_string_equal(url.stream, "DISTSNIFF");
    assert_false(url.follows);
    assert_true(nats_url_parse("-r", "nats://a?follow", &url));
    assert_true(url.follows);
    assert_int_equal(url.lateness_ns, 0);
    assert_true(nats_url_parse("-r", "nats://a?lateness=1min&host=b&follow&since=1s", &url));
    assert_true(url.follows);
    assert_string_equal(url.host, "b");
    assert_int_equal(url.lateness_ns, 60 * INT64_C(1000000000));
    is_ago(url.since_ns, 1);
    assert_true(nats_url_parse("-r", "nats://a?follow&silence=1s", &url));
    assert_int_equal(url.silence_ns, INT64_C(1000000000));
    assert_true(nats_url_parse("-r", "nats://a?silence=24h&follow", &url));
    assert_int_equal(url.silence_ns, 86400 * INT64_C(1000000000));
}

static void says_when(void **state)
{
    (void)state;
    assert_true(nats_url_parse("-r", "nats://a", &url));
    assert_true(url.since_ns == 0 && url.until_ns == 0);
    assert_true(nats_url_parse("-r", "nats://a?since=2026-01-31T23:59:59Z&until=2026-01-31T23:59:59.5Z", &url));
    assert_int_equal(url.since_ns, 1769903999 * SECOND);
    assert_int_equal(url.until_ns, 1769903999 * SECOND + SECOND / 2);
    assert_true(nats_url_parse("-r", "nats://a?until=1769903999&since=1769903998.5", &url));
    assert_int_equal(url.until_ns, 1769903999 * SECOND);
    assert_int_equal(url.since_ns, 1769903999 * SECOND - SECOND / 2);
    assert_true(nats_url_parse("-r", "nats://a?since=2h&until=90min", &url));
    is_ago(url.since_ns, 7200);
    is_ago(url.until_ns, 5400);
    assert_true(nats_url_parse("-r", "nats://a?since=00:00&follow", &url)); /* the last midnight */
    const int64_t ago_ns = clock_since_1970_ns() - url.since_ns;
    assert_true(ago_ns >= 0 && ago_ns <= 25 * 3600 * SECOND); /* on a day on which clocks are put back */
    assert_true(nats_url_parse("-r", "nats://a?since=900000h", &url)); /* before 1970 */
    assert_int_equal(url.since_ns, 1);
}

static void is_wrong(void **state)
{
    static const char *const wrong[] = {
        "",          "a:4222",       "http://a",       "nats://",        "nats://a,,b",
        "nats://u:p@a", "nats://a/x.y", "nats://a/*",  "nats://a?since=x", "nats://a?since=-1s",
        "nats://a?x=1", "nats://a?host=", "nats://a?host=*", "nats://a?",
        "nats://a?follow=1", "nats://a?follows", "nats://a?follow&", "nats://a?lateness=1s",
        "nats://a?follow&lateness=0s", "nats://a?follow&lateness=61s", "nats://a?follow&lateness",
        "nats://a?silence=5s", "nats://a?follow&silence=999ms", "nats://a?follow&silence=25h",
        "nats://a?until", "nats://a?until=0s", "nats://a?until=+10s", "nats://a?since=0", "nats://a?until=25:00",
        "nats://a?since=1min&until=1h", "nats://a?since=1769903999&until=1769903999",
        "nats://a?follow&until=1min",
        "nats://1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
    };
    char longer[2 * NATS_MAX_URL] = "nats://";
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(nats_url_parse("-r", wrong[i], &url));
    memset(longer + 7, 'a', sizeof longer - 8);
    assert_false(nats_url_parse("-r", longer, &url));
    assert_false(nats_is_url("nats.pcap"));
    assert_true(nats_is_url("tls://a"));
}

static void a_host_is_one_word(void **state)
{
    char name[NATS_MAX_WORD];
    (void)state;
    nats_host_name("web.example.com", name);
    assert_string_equal(name, "web_example_com");
    nats_host_name("a b*>c", name);
    assert_string_equal(name, "a_b__c");
    nats_host_name("", name);
    assert_string_equal(name, "_");
    nats_host_name(NULL, name);
    assert_true(name[0] != '\0');
}

static void packets_come_back(void **state)
{
    struct json_writer json = {.time_digits = 9};
    struct ds_buffer out = {0}, bytes = {0};
    uint8_t data[300];
    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 7);
    for (uint32_t len = 0; len <= sizeof data; len++) {
        const struct ds_packet packet = {.ts_ns = INT64_C(1795230677000001001) + len,
                                         .frame = 5 + len,
                                         .link_type = 276,
                                         .data = data,
                                         .cap_len = len,
                                         .len = len + 3};
        struct ds_packet back;
        struct capture_point_counts counts;
        bool has_nanoseconds;
        out.len = 0;
        const struct capture_point_counts told = {INT64_C(1795230600000001000), len, 7};
        packet_json_write(&json, &packet, "h", len % 2 == 0 ? &told : NULL, &out);
        assert_false(out.failed);
        assert_true(packet_json_read((struct ds_text){out.data, out.len}, &back, &has_nanoseconds,
                                     &counts, &bytes));
        assert_int_equal(counts.since_ns, len % 2 == 0 ? told.since_ns : 0);
        assert_int_equal(counts.lost, len % 2 == 0 ? len : 0);
        assert_int_equal(counts.dropped, len % 2 == 0 ? 7 : 0);
        assert_true(has_nanoseconds);
        assert_true(back.ts_ns == packet.ts_ns && back.frame == packet.frame &&
                    back.link_type == packet.link_type && back.len == packet.len);
        assert_int_equal(back.cap_len, len);
        assert_true(len == 0 || memcmp(back.data, data, len) == 0);
    }
    ds_buffer_free(&out);
    ds_buffer_free(&bytes);
    json_writer_free(&json);
}

static void what_is_no_packet(void **state)
{
#define REST "\"frame\":1,\"link_type\":1,\"len\":3"
#define TS "\"ts\":\"2026-01-31T23:59:59.123456Z\""
    static const char *const wrong[] = {
        "", "{", "[]", "7", "{}",
        "{" TS "," REST "}",
        "{" REST ",\"data\":\"AAAA\"}",
        "{\"ts\":7," REST ",\"data\":\"AAAA\"}",
        "{\"ts\":\"23:59:59\"," REST ",\"data\":\"AAAA\"}",
        "{" TS "," REST ",\"data\":\"AAA\"}",
        "{" TS "," REST ",\"data\":\"A===\"}",
        "{" TS "," REST ",\"data\":\"AA==AAAA\"}",
        "{" TS "," REST ",\"data\":\"AA=A\"}",
        "{" TS "," REST ",\"data\":\"AA!A\"}",
        "{" TS "," REST ",\"data\":\"AAAAAAAA\"}", /* more than there was */
        "{" TS ",\"frame\":-1,\"link_type\":1,\"len\":3,\"data\":\"AAAA\"}",
        "{" TS ",\"frame\":1,\"link_type\":65536,\"len\":3,\"data\":\"AAAA\"}",
        "{" TS ",\"frame\":1,\"link_type\":1,\"len\":1e99,\"data\":\"AAAA\"}",
    };
    struct ds_buffer bytes = {0};
    struct ds_packet packet;
    struct capture_point_counts counts;
    bool has_nanoseconds;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(packet_json_read((struct ds_text){wrong[i], strlen(wrong[i])}, &packet,
                                      &has_nanoseconds, &counts, &bytes));
    const char *right = "{" TS "," REST ",\"data\":\"AQID\"}";
    assert_true(packet_json_read((struct ds_text){right, strlen(right)}, &packet, &has_nanoseconds,
                                 &counts, &bytes));
    assert_false(has_nanoseconds);
    assert_memory_equal(packet.data, "\1\2\3", 3);
    ds_buffer_free(&bytes);
}

/* A packet is one, whatever else it says of its publisher. */
static void what_says_nothing_of_a_publisher(void **state)
{
    static const char *const nothing[] = {
        "7", "{}", "[]",
        "{\"since\":7,\"lost\":0,\"dropped\":0}",
        "{\"since\":\"23:59:59\",\"lost\":0,\"dropped\":0}",
        "{\"since\":\"2026-01-31T23:59:59Z\",\"lost\":-1,\"dropped\":0}",
        "{\"since\":\"2026-01-31T23:59:59Z\",\"lost\":0,\"dropped\":1e99}",
        "{\"since\":\"2026-01-31T23:59:59Z\",\"lost\":0}",
    };
    struct ds_buffer bytes = {0};
    struct ds_packet packet;
    (void)state;
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        struct capture_point_counts counts = {1, 2, 3};
        bool has_nanoseconds;
        char text[256];
        snprintf(text, sizeof text, "{" TS "," REST ",\"point\":%s,\"data\":\"AQID\"}", nothing[i]);
        assert_true(packet_json_read((struct ds_text){text, strlen(text)}, &packet, &has_nanoseconds, &counts,
                                     &bytes));
        assert_true(counts.since_ns == 0 && counts.lost == 0 && counts.dropped == 0);
    }
    ds_buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_where),
        cmocka_unit_test(says_when),
        cmocka_unit_test(is_wrong),
        cmocka_unit_test(a_host_is_one_word),
        cmocka_unit_test(packets_come_back),
        cmocka_unit_test(what_is_no_packet),
        cmocka_unit_test(what_says_nothing_of_a_publisher),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
