/*
 * test_packet_stream.c - what packet servers send becomes one capture file, connection after
 * connection; invalid input is reported. And the URLs of -r tcp://.
 */
#include "send/stream/packet_stream.h"
#include "send/stream/stream_url.h"

#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MICROS = 0xa1b2c3d4, NANOS = 0xa1b23c4d, ETHERNET = 1, COOKED = 113 };

static struct {
    struct packet_stream stream;
    struct ds_buffer in, out;
    size_t at;
    bool swapped;
} w;

static void start(void)
{
    ds_buffer_free(&w.in);
    ds_buffer_free(&w.out);
    memset(&w, 0, sizeof w);
}

static void put32(uint32_t value)
{
    value = w.swapped ? __builtin_bswap32(value) : value;
    ds_buffer_add(&w.in, &value, sizeof value);
}

static void put_head(uint32_t magic, uint32_t key, uint32_t link_type)
{
    put32(magic);
    put32(w.swapped ? 2u << 16 | 4 : 4u << 16 | 2);
    put32(key);
    put32(0);
    put32(65535);
    put32(link_type);
}

static void put_packet(uint32_t seconds, uint32_t fraction, const char *bytes, uint32_t len)
{
    put32(seconds);
    put32(fraction);
    put32(len);
    put32(len + 7);
    ds_buffer_add(&w.in, bytes, len);
}

static bool take(void)
{
    const struct ds_text text = {w.in.data + w.at, w.in.len - w.at};
    size_t left;
    const bool is_good = packet_stream_read(&w.stream, text, &left, &w.out);
    w.at = w.in.len - left;
    return is_good;
}

static void come_again(void)
{
    packet_stream_restart(&w.stream);
    w.at = w.in.len = 0;
}

static uint32_t out32(size_t at)
{
    uint32_t value;
    assert_true(at + sizeof value <= w.out.len);
    memcpy(&value, w.out.data + at, sizeof value);
    return value;
}

static void becomes_nanoseconds_in_our_order(void **state)
{
    (void)state;
    static const uint32_t magics[] = {MICROS, NANOS};
    for (int i = 0; i < 4; i++) {
        start();
        w.swapped = i / 2 != 0;
        put_head(magics[i % 2], 0, COOKED);
        put_packet(1700000000, 999999, "abcde", 5);
        assert_true(take());
        assert_int_equal(w.out.len, 24 + 16 + 5);
        assert_int_equal(out32(0), NANOS);
        assert_int_equal(out32(20), COOKED);
        assert_int_equal(out32(24), 1700000000);
        assert_int_equal(out32(28), i % 2 == 0 ? 999999000 : 999999);
        assert_int_equal(out32(32), 5);
        assert_int_equal(out32(36), 12);
        assert_memory_equal(w.out.data + 40, "abcde", 5);
    }
    start();
    put_head(MICROS, 0, ETHERNET);
    put_packet(1, 1000000, "a", 1); /* a second has fewer microseconds */
    assert_true(take());
    assert_int_equal(out32(28), 999999000);
}

static void gives_out_whole_pieces_alone(void **state)
{
    (void)state;
    start();
    put_head(MICROS, 7, ETHERNET);
    put_packet(1, 2, "abc", 3);
    const size_t all = w.in.len;
    for (size_t len = 0; len <= all; len++) {
        w.in.len = len;
        assert_true(take());
        assert_int_equal(w.out.len, len < 24 ? 0 : len < all ? 24 : all);
    }
    assert_int_equal(out32(8), 7);
}

static void another_connection_goes_on(void **state)
{
    (void)state;
    start();
    put_head(MICROS, 0, ETHERNET);
    put_packet(1, 2, "abc", 3);
    put32(5); /* the next packet is truncated */
    assert_true(take());
    come_again();
    w.swapped = true;
    put_head(NANOS, 0, ETHERNET);
    put_packet(6, 7, "de", 2);
    assert_true(take());
    assert_int_equal(w.out.len, 24 + 16 + 3 + 16 + 2);
    assert_int_equal(out32(24 + 16 + 3), 6);
    /* Another link layer cannot be appended, nor can pcapng. */
    come_again();
    put_head(NANOS, 0, COOKED);
    assert_false(take());
    assert_non_null(strstr(w.stream.wrong, "link layer"));
    come_again();
    put_head(NANOS, 1, ETHERNET);
    assert_false(take());
    come_again();
    w.swapped = false;
    put32(0x0a0d0d0a);
    put32(28);
    put32(0x1a2b3c4d);
    assert_false(take());
    assert_non_null(strstr(w.stream.wrong, "it was pcap"));
}

static void put_block(uint32_t type, uint32_t body_len)
{
    static const char zeros[64];
    put32(type);
    put32(12 + body_len);
    if (type == 0x0a0d0d0a) {
        put32(0x1a2b3c4d);
        body_len -= 4;
        ds_buffer_add(&w.in, zeros, body_len);
        put32(16 + body_len);
        return;
    }
    ds_buffer_add(&w.in, zeros, body_len);
    put32(12 + body_len);
}

static void blocks_pass_as_they_are(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        start();
        w.swapped = i == 1;
        put_block(0x0a0d0d0a, 16);
        put_block(1, 8);
        put_block(6, 20);
        const size_t all = w.in.len;
        w.in.len = all - 1;
        assert_true(take());
        assert_int_equal(w.out.len, all - 32);
        w.in.len = all;
        assert_true(take());
        assert_int_equal(w.out.len, all);
        assert_memory_equal(w.out.data, w.in.data, all);
        come_again();
        put_block(0x0a0d0d0a, 16); /* another section */
        assert_true(take());
        assert_int_equal(w.out.len, all + 28);
        come_again();
        w.swapped = !w.swapped;
        put_block(0x0a0d0d0a, 16);
        assert_false(take());
        assert_non_null(strstr(w.stream.wrong, "byte order"));
        come_again();
        put_head(MICROS, 0, ETHERNET);
        assert_false(take());
    }
}

/* put_interface and put_captured are whole blocks. */
static void put_interface(uint16_t link_type, uint32_t snap_len)
{
    const uint16_t fields[2] = {w.swapped ? __builtin_bswap16(link_type) : link_type, 0};
    put32(1);
    put32(20);
    ds_buffer_add(&w.in, fields, sizeof fields);
    put32(snap_len);
    put32(20);
}

static void put_captured(uint32_t interface, uint32_t captured, uint32_t body_len)
{
    static const char zeros[64];
    put32(6);
    put32(32 + body_len);
    put32(interface);
    put32(0);
    put32(0);
    put32(captured);
    put32(captured);
    ds_buffer_add(&w.in, zeros, body_len);
    put32(32 + body_len);
}

/* Input that libpcap would keep for ever, or behind which it would read nothing, is not passed on. */
static void blocks_are_those_of_packets(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        static const struct {
            uint32_t interface, captured, body_len;
            bool is_good;
        } cases[] = {{0, 16, 16, true},   {0, 13, 16, true},   {0, 17, 16, false},
                     {1, 40, 40, true},   {0, 40, 40, false},  {2, 4, 4, false},
                     {UINT32_MAX, 4, 4, false}, {0, UINT32_MAX, 16, false}};
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            start();
            w.swapped = i == 1;
            put_block(0x0a0d0d0a, 16);
            put_interface(1, 32);
            put_interface(1, 0);
            put_captured(cases[c].interface, cases[c].captured, cases[c].body_len);
            assert_int_equal(take(), cases[c].is_good);
        }
        start();
        w.swapped = i == 1;
        put_block(0x0a0d0d0a, 16);
        put_interface(1, 0);
        const size_t wanted = w.in.len;
        for (unsigned n = 0; n < 100; n++)
            put_block(0xbad + n, 32); /* unknown blocks */
        assert_true(take());
        assert_int_equal(w.out.len, wanted);
        for (unsigned n = 1; n < PACKET_STREAM_INTERFACES; n++)
            put_interface(1, 0);
        assert_true(take());
        put_interface(1, 0);
        assert_false(take());
        assert_non_null(strstr(w.stream.wrong, "64 interfaces"));
        come_again(); /* another link type than before */
        put_block(0x0a0d0d0a, 16);
        put_interface(113, 0);
        assert_false(take());
        assert_non_null(strstr(w.stream.wrong, "another link layer"));
    }
}

static void blocks_have_sensible_lengths(void **state)
{
    (void)state;
    static const struct {
        uint32_t len, len_again;
        bool is_good;
    } cases[] = {{12, 12, true},  {16, 16, true}, {8, 8, false}, {14, 14, false}, {16, 20, false},
                 {0, 0, false}, {PACKET_STREAM_MOST + 4, 0, false}, {UINT32_MAX, 0, false},
                 {PACKET_STREAM_MOST, 0, true}}; /* not complete yet */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start();
        put_block(0x0a0d0d0a, 16);
        put32(5);
        put32(cases[i].len);
        for (uint32_t at = 12; at < cases[i].len && at < 100; at += 4)
            put32(0);
        put32(cases[i].len_again);
        assert_int_equal(take(), cases[i].is_good);
    }
}

static void nonsense_is_none(void **state)
{
    (void)state;
    static const char texts[][16] = {"HTTP/1.1 200", "\x1f\x8b\x08", "", "\n\r\r\n____????"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        start();
        ds_buffer_add(&w.in, texts[i], 12);
        assert_false(take());
        assert_non_null(w.stream.wrong);
        assert_int_equal(w.out.len, 0);
    }
    start();
    put_head(NANOS, 0, ETHERNET);
    put32(1);
    put32(2);
    put32(262145);
    put32(262145);
    assert_false(take());
    start();
    put_head(NANOS, 0, ETHERNET);
    put32(1);
    put32(2);
    put32(262144);
    put32(262144);
    assert_true(take());
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (unsigned nth = 1;; nth++) {
        start();
        put_head(MICROS, 0, ETHERNET);
        put_packet(1, 2, "abc", 3);
        failing_alloc_at(nth);
        const bool is_good = take();
        const bool has_failed = failing_alloc_failed();
        failing_alloc_at(0);
        assert_int_equal(is_good, !has_failed);
        if (!has_failed)
            break;
        assert_string_equal(w.stream.wrong, "out of memory");
        /* The output contains whole packets, and the server is read again from its beginning. */
        assert_true(w.out.len == 0 || w.out.len == 24);
        come_again();
        put_head(MICROS, 0, ETHERNET);
        put_packet(1, 2, "abc", 3);
        assert_true(take());
        assert_int_equal(w.out.len, 24 + 16 + 3);
    }
    start();
}

static void urls(void **state)
{
    (void)state;
    static const struct {
        const char *word, *host, *port;
    } cases[] = {
        {"tcp://web1:5000", "web1", "5000"},     {"tcp://10.0.0.1:1", "10.0.0.1", "1"},
        {"tcp://[fe80::1]:65535", "fe80::1", "65535"}, {"tcp://web1", NULL, NULL},
        {"tcp://:5000", NULL, NULL},             {"tcp://web1:", NULL, NULL},
        {"tcp://web1:0", NULL, NULL},            {"tcp://web1:65536", NULL, NULL},
        {"tcp://web1:100000", NULL, NULL},       {"tcp://web1:5000/x", NULL, NULL},
        {"tcp://fe80::1:5000", NULL, NULL},      {"tcp://we b:5000", NULL, NULL},
        {"tcp://[]:5000", NULL, NULL},           {"tcp://a@b:5000", NULL, NULL},
    };
    struct stream_url url;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(stream_is_url(cases[i].word));
        assert_int_equal(stream_url_parse(cases[i].word, &url), cases[i].host != NULL);
        if (cases[i].host == NULL)
            continue;
        assert_string_equal(url.host, cases[i].host);
        assert_string_equal(url.port, cases[i].port);
        assert_ptr_equal(url.word, cases[i].word);
    }
    char longest[sizeof "tcp://:1" + STREAM_MAX_HOST + 1] = "tcp://";
    memset(longest + 6, 'a', STREAM_MAX_HOST);
    strcpy(longest + 6 + STREAM_MAX_HOST, ":1");
    assert_true(stream_url_parse(longest, &url));
    strcpy(longest + 6 + STREAM_MAX_HOST, "a:1");
    assert_false(stream_url_parse(longest, &url));
    assert_false(stream_is_url("nats://a:1"));
    assert_false(stream_is_url("tcp:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(becomes_nanoseconds_in_our_order),
        cmocka_unit_test(gives_out_whole_pieces_alone),
        cmocka_unit_test(another_connection_goes_on),
        cmocka_unit_test(blocks_pass_as_they_are),
        cmocka_unit_test(blocks_have_sensible_lengths),
        cmocka_unit_test(nonsense_is_none),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(blocks_are_those_of_packets),
        cmocka_unit_test(urls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
