/*
 * test_tcp.c - TCP reassembly: what is reported for segments in and out of order, and what must
 * never be held, lost or reported twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "failing_alloc.h"
#include "tcp_world.h"

static void test_conversation(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    expect_log(w, "open");
    feed(w, A, TCP_ACK | TCP_PSH, 1001, 5001, "hello");
    feed(w, B, TCP_ACK, 5001, 1006, "");
    feed(w, B, TCP_ACK | TCP_PSH, 5001, 1006, "world!");
    feed(w, A, TCP_ACK, 1006, 5007, "");
    expect_log(w, "0:hello 1:world!");
    feed(w, A, TCP_ACK | TCP_FIN, 1006, 5007, "bye");
    expect_log(w, "0:bye 0.");
    feed(w, B, TCP_ACK | TCP_FIN, 5007, 1010, "");
    expect_log(w, "1. close=FIN");
    feed(w, A, TCP_ACK, 1010, 5008, ""); /* opens nothing */
    tcp_table_end(w->table);
    expect_log(w, "");
    assert_int_equal(w->stats.tcp_connections, 1);
    assert_int_equal(w->stats.segments, 10);
    assert_int_equal(w->stats.retransmitted + w->stats.reordered, 0);
}

static void test_view_says_who_opened(void **state)
{
    struct world *w = *state;
    feed(w, B, TCP_SYN | TCP_ACK, 5000, 1001, ""); /* the SYN-ACK first: A opened it */
    feed(w, A, TCP_SYN, 1000, 0, "");
    feed(w, A, TCP_ACK, 1001, 5001, "a");
    feed(w, B, TCP_ACK, 5001, 1002, "b");
    expect_log(w, "open 0:a 1:b");
    assert_int_equal(w->stats.tcp_connections, 1);
}

/* Delivered bytes are compared with whatever comes in their place, however it is cut. */
static void test_other_bytes_than_delivered(void **state)
{
    static const char text[] = "abcdefghijklmnopqrstuvwxyz";
    enum { LEN = sizeof text - 1 };
    struct world *w = *state;
    uint64_t num = 0;
    shake(w, 0, 0xfffffff5); /* B's numbers wrap around */
    for (uint32_t at = 0; at < LEN; at += 2) {
        char two[3] = {text[at], text[at + 1], 0};
        feed(w, A, TCP_ACK, 1 + at, 0xfffffff6 + at, two);
        feed(w, B, TCP_ACK, 0xfffffff6 + at, 3 + at, two);
    }
    for (uint32_t from = 0; from + 1 < LEN; from++) { /* the last byte alone is a keep-alive */
        for (uint32_t to = from + 1; to <= LEN; to++) {
            char part[LEN + 1] = {0};
            memcpy(part, text + from, to - from);
            feed(w, A, TCP_ACK, 1 + from, 1, part);
            feed(w, B, TCP_ACK, 0xfffffff6 + from, 1, part);
            assert_int_equal(w->stats.overlaps_differing, num);
            part[(from * 7 + to) % (to - from)] ^= 32;
            feed(w, A, TCP_ACK, 1 + from, 1, part);
            assert_int_equal(w->stats.overlaps_differing, ++num);
            feed(w, B, TCP_ACK, 0xfffffff6 + from, 1, part);
            assert_int_equal(w->stats.overlaps_differing, ++num);
        }
    }
    feed(w, A, TCP_ACK, LEN, 1, "!"); /* a keep-alive may contain any byte */
    assert_int_equal(w->stats.overlaps_differing, num);
    feed(w, A, TCP_ACK, LEN, 1, "z12"); /* a keep-alive with more data */
    feed(w, A, TCP_ACK, LEN, 1, "y12345");
    assert_int_equal(w->stats.overlaps_differing, num + 1);
}

/* The latest TCP_DELIVERED_MAX bytes are compared, however the ring has grown, but nothing behind a
 * gap that was given up, and no more than the cap of all rings. */
static void test_delivered_caps(void **state)
{
    enum { NUM = 60, LEN = 1000, MAX = TCP_DELIVERED_MAX };
    static uint8_t bytes[NUM * LEN];
    struct world *w = *state;
    shake(w, 0, 0);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    uint64_t num = 0;
    for (uint32_t i = 0; i < NUM; i++) {
        feed_bytes(w, A, TCP_ACK, 1 + i * LEN, 1, bytes + i * LEN, LEN);
        w->log_len = 0;
        const uint32_t end = (i + 1) * LEN, first = end > MAX ? end - MAX : 0;
        for (uint32_t at = 0; at + 2 <= end; at += 997) {
            uint8_t two[2] = {bytes[at], bytes[at + 1]};
            feed_bytes(w, A, TCP_ACK, 1 + at, 1, two, 2);
            assert_int_equal(w->stats.overlaps_differing, num);
            two[1] ^= 1;
            feed_bytes(w, A, TCP_ACK, 1 + at, 1, two, 2);
            num += at + 1 >= first;
            assert_int_equal(w->stats.overlaps_differing, num);
        }
    }
    w->limits[DS_LIMIT_MEMORY] = 8 * 4 * TCP_DELIVERED_FIRST; /* what B's ring would need, and A's exists */
    feed_bytes(w, B, TCP_ACK, 1, 1, bytes, LEN);
    feed_bytes(w, B, TCP_ACK, 1, 1, bytes + 1, LEN);
    assert_int_equal(w->stats.overlaps_differing, num);
    w->limits[DS_LIMIT_MEMORY] = 1 << 25;
    failing_alloc_at(1);
    feed_bytes(w, B, TCP_ACK, 1 + LEN, 1, bytes, LEN);
    failing_alloc_at(0);
    assert_int_equal(w->stats.no_memory, 1);
    feed_bytes(w, B, TCP_ACK, 1 + 2 * LEN, 1, bytes, LEN);
    feed_bytes(w, B, TCP_ACK, 1, 1, bytes + 1, 2 * LEN);
    assert_int_equal(w->stats.overlaps_differing, num);
    feed_bytes(w, B, TCP_ACK, 1 + 2 * LEN, 1, bytes + 1, LEN);
    assert_int_equal(w->stats.overlaps_differing, num + 1);
}

/* Of a segment that is longer than a ring, the end is kept. */
static void test_delivered_long(void **state)
{
    enum { LEN = TCP_DELIVERED_MAX + 5001 };
    static uint8_t bytes[LEN];
    struct world *w = *state;
    for (size_t i = 0; i < LEN; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    shake(w, 0, 0);
    feed_bytes(w, A, TCP_ACK, 1, 1, bytes, LEN);
    feed_bytes(w, A, TCP_ACK, 1, 1, bytes, LEN);
    assert_int_equal(w->stats.overlaps_differing, 0);
    bytes[LEN - 1] ^= 1;
    feed_bytes(w, A, TCP_ACK, LEN - 9, 1, bytes + LEN - 10, 10);
    assert_int_equal(w->stats.overlaps_differing, 1);
}

/* Retransmissions after the end of a direction, or of the connection, are compared, too. */
static void test_other_bytes_behind_the_end(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "abcd");
    feed(w, A, TCP_ACK | TCP_FIN, 5, 1, "");
    feed(w, A, TCP_ACK, 3, 1, "cd");
    feed(w, A, TCP_ACK, 1, 1, "ab");
    assert_int_equal(w->stats.overlaps_differing, 0);
    feed(w, A, TCP_ACK, 2, 1, "bX");
    assert_int_equal(w->stats.overlaps_differing, 1);
    expect_log(w, "open 0:abcd 0.");
}

/* On a connection that was captured from its SYN, bytes before the first one do not belong to it,
 * nor does a retransmission that acknowledges what the other end cannot have sent. */
static void test_old_bytes_of_another(void **state)
{
    struct world *w = *state;
    shake(w, 5000, 5000);
    feed(w, A, TCP_ACK, 5001, 5001, "abcd");
    feed(w, A, TCP_ACK, 5000, 5001, "?"); /* a keep-alive */
    feed(w, A, TCP_ACK, 5000, 5001, "");
    feed(w, A, TCP_ACK, 5001, 5001, "ab");
    assert_int_equal(w->stats.ignored, 0);
    feed(w, A, TCP_ACK, 4999, 5001, "ab");
    feed(w, A, TCP_ACK, 5001, 5001 + TCP_NEAR, "ab");
    feed(w, A, TCP_ACK, 5005, 5001, "e");
    assert_int_equal(w->stats.ignored, 1);
    feed(w, A, TCP_ACK, 5002, 5002 + TCP_NEAR, "bcde");
    feed(w, A, TCP_ACK, 5006, 5001, "f");
    assert_int_equal(w->stats.ignored, 2);
    assert_int_equal(w->stats.overlaps_differing, 0);
    expect_log(w, "open 0:abcd 0:e 0:f");
}

static void test_retransmission(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "abcdef");
    feed(w, A, TCP_ACK, 1, 1, "abcdef");
    feed(w, A, TCP_ACK, 1, 1, "abc");
    expect_log(w, "open 0:abcdef");
    assert_int_equal(w->stats.retransmitted, 2);
    feed(w, A, TCP_ACK, 4, 1, "defgh"); /* partly new */
    expect_log(w, "0:gh");
    assert_int_equal(w->stats.retransmitted, 3);
    assert_int_equal(w->stats.overlaps_differing, 0);
}

/* The same packets captured at two interfaces. */
static void test_everything_twice(void **state)
{
    struct world *w = *state;
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_SYN, 1000, 0, "");
    for (int i = 0; i < 2; i++)
        feed(w, B, TCP_SYN | TCP_ACK, 5000, 1001, "");
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_ACK, 1001, 5001, "hello");
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_ACK, 1010, 5001, "later");
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_ACK, 1006, 5001, "fill");
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_ACK | TCP_FIN, 1015, 5001, "");
    for (int i = 0; i < 2; i++)
        feed(w, B, TCP_ACK | TCP_FIN, 5001, 1016, "");
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_ACK, 1016, 5002, "");
    expect_log(w, "open 0:hello 0:fill 0:later 0. 1. close=FIN");
    assert_int_equal(w->stats.retransmitted, 5);
    assert_int_equal(w->stats.reordered, 1);
    assert_int_equal(w->stats.tcp_connections, 1);
}

static void test_keep_alive(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "abc");
    feed(w, A, TCP_ACK, 3, 1, "");
    feed(w, A, TCP_ACK, 3, 1, "x");
    feed(w, A, TCP_ACK, 4, 1, "def");
    expect_log(w, "open 0:abc 0:def");
    assert_int_equal(w->stats.retransmitted, 0);
}

static void test_reordered(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 7, 1, "gh");
    feed(w, A, TCP_ACK, 3, 1, "cd");
    feed(w, A, TCP_ACK, 5, 1, "ef");
    expect_log(w, "open");
    assert_true(held_len(w) > 0);
    feed(w, A, TCP_ACK, 1, 1, "ab");
    expect_log(w, "0:ab 0:cd 0:ef 0:gh");
    assert_int_equal(held_len(w), 0);
    assert_int_equal(w->stats.reordered, 1);
    assert_int_equal(w->stats.retransmitted, 0);
}

/* If held copies differ, the one that begins first wins, as in Linux: tests/live/odd_packets.py
 * tests that. */
static void test_held_copies_that_differ(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 4, 1, "def");
    feed(w, A, TCP_ACK, 9, 1, "ij");
    feed(w, A, TCP_ACK, 4, 1, "def"); /* the same again */
    assert_int_equal(w->stats.retransmitted, 1);
    assert_int_equal(w->stats.overlaps_differing, 0);
    feed(w, A, TCP_ACK, 3, 1, "cKKKghYY"); /* 3 to 10: covers both */
    assert_int_equal(w->stats.overlaps_differing, 1);
    feed(w, A, TCP_ACK, 5, 1, "ZZ"); /* within held bytes */
    assert_int_equal(w->stats.overlaps_differing, 2);
    feed(w, A, TCP_ACK, 1, 1, "abZ"); /* in order: all of it is delivered */
    expect_log(w, "open 0:abZ 0:KKK 0:gh 0:YY");
    assert_int_equal(w->stats.overlaps_differing, 3);
    assert_int_equal(held_len(w), 0);
}

static void test_held_copies_that_begin_together(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 4, 1, "def");
    feed(w, A, TCP_ACK, 4, 1, "KKK"); /* no longer than the held segment */
    feed(w, A, TCP_ACK, 9, 1, "ij");
    feed(w, A, TCP_ACK, 9, 1, "YYY"); /* covers it */
    feed(w, A, TCP_ACK, 7, 1, "gh");
    feed(w, A, TCP_ACK, 1, 1, "abc");
    expect_log(w, "open 0:abc 0:def 0:gh 0:YY 0:Y");
    assert_int_equal(w->stats.overlaps_differing, 2);
}

/* If a segment in order is truncated by the capture, the missing bytes are taken from held segments. */
static void test_cut_segment_over_held_ones(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 3, 1, "cd");
    feed(w, A, TCP_ACK, 6, 1, "fg");
    w->cut = 5;
    feed(w, A, TCP_ACK, 1, 1, "XYZ"); /* 1 to 9 */
    expect_log(w, "open 0:XYZ 0:d 0!1C 0:fg 0!1C");
    assert_int_equal(held_len(w), 0);
}

static void test_in_order_segment_over_held_ones(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 3, 1, "cd");
    feed(w, A, TCP_ACK, 7, 1, "gh");
    feed(w, A, TCP_ACK, 1, 1, "abcdefghij");
    expect_log(w, "open 0:abcdefghij");
    assert_int_equal(w->stats.overlaps_differing, 0);
    assert_int_equal(held_len(w), 0);
    feed(w, A, TCP_ACK, 13, 1, "mn");
    feed(w, A, TCP_ACK, 11, 1, "klM"); /* ends within a held segment */
    expect_log(w, "0:klM 0:n");
    assert_int_equal(w->stats.overlaps_differing, 1);
}

static void test_wrap(void **state)
{
    struct world *w = *state;
    shake(w, 0xfffffff9, 0xffffffff);
    feed(w, A, TCP_ACK, 0xfffffffa, 0, "abcd");
    feed(w, A, TCP_ACK, 0xfffffffe, 0, "efgh"); /* over the edge */
    feed(w, A, TCP_ACK, 6, 0, "mn");            /* early */
    feed(w, A, TCP_ACK, 0xfffffffe, 0, "efghij");
    feed(w, A, TCP_ACK, 4, 0, "kl");
    feed(w, B, TCP_ACK, 0, 8, "xyz");
    expect_log(w, "open 0:abcd 0:efgh 0:ij 0:kl 0:mn 1:xyz");
}

static void test_hole_at_wrap(void **state)
{
    struct world *w = *state;
    shake(w, 0xfffffff9, 0);
    feed(w, A, TCP_ACK, 0xfffffffa, 1, "abcd");
    feed(w, A, TCP_ACK, 4, 1, "late");
    feed(w, B, TCP_ACK, 1, 8, "");
    w->now_ns += 300 * MS;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "open 0:abcd 0!6L 0:late");
}

static void test_lost_when_acked(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "ab");
    feed(w, A, TCP_ACK, 6, 1, "fg");
    feed(w, B, TCP_ACK, 1, 8, ""); /* B has it all */
    w->now_ns += 199 * MS;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "open 0:ab");
    w->now_ns += 1 * MS;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "0!3L 0:fg");
    assert_int_equal(held_len(w), 0);
    feed(w, A, TCP_ACK, 3, 1, "cde"); /* too late */
    feed(w, A, TCP_ACK, 8, 1, "hi");
    expect_log(w, "0:hi");
}

/* Bytes that are acknowledged up to the end of the gap are lost; with a byte less they may still
 * come. */
static void test_lost_when_just_acked(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "ab");
    feed(w, A, TCP_ACK, 6, 1, "fg");
    feed(w, B, TCP_ACK, 1, 5, "");
    w->now_ns += 300 * MS;
    feed(w, B, TCP_ACK, 1, 5, "");
    expect_log(w, "open 0:ab");
    feed(w, B, TCP_ACK, 1, 6, "");
    expect_log(w, "0!3L 0:fg");
}

static void test_not_lost_while_peer_waits(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "ab");
    feed(w, A, TCP_ACK, 6, 1, "fg");
    for (int i = 0; i < 100; i++) {
        w->now_ns += 1000 * MS;
        feed(w, B, TCP_ACK, 1, 3, ""); /* asks for the missing bytes */
    }
    expect_log(w, "open 0:ab");
    feed(w, A, TCP_ACK, 3, 1, "cde");
    expect_log(w, "0:cde 0:fg");
}

static void test_several_holes_at_once(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 3, 1, "c");
    feed(w, A, TCP_ACK, 5, 1, "e");
    w->now_ns += 300 * MS;
    feed(w, A, TCP_ACK, 7, 1, "g");
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "open 0!2L 0:c 0!1L 0:e"); /* g has not waited yet */
    w->now_ns += 200 * MS;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "0!1L 0:g");
}

static void test_lost_by_number_of_segments(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, B, TCP_ACK, 1, 2000, "");
    for (uint32_t i = 0; i < 63; i++)
        feed(w, A, TCP_ACK, 10 + i, 1, "x");
    expect_log(w, "open");
    feed(w, A, TCP_ACK, 10 + 63, 1, "x");
    assert_memory_equal(w->log, "0!9L 0:x", 8);
}

static void test_sweep_without_packets_of_the_connection(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 6, 1, "fg");
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "open");
    w->client_port = 40001;
    w->now_ns += 250 * MS;
    feed(w, A, TCP_SYN, 1, 0, "");
    expect_log(w, "open 0!5L 0:fg");
}

static void test_sweep_reaches_all(void **state)
{
    struct world *w = *state;
    enum { NUM = 500 };
    for (int i = 0; i < NUM; i++) {
        w->client_port = (uint16_t)(1000 + i);
        shake(w, 0, 0);
        feed(w, A, TCP_ACK, 6, 1, "fg");
    }
    assert_true(held_len(w) > 0);
    w->client_port = 999;
    for (int i = 0; i < 30; i++) {
        w->now_ns += 200 * MS;
        feed(w, A, TCP_ACK, 0, 0, "");
    }
    assert_int_equal(held_len(w), 0);
}

static void test_clock_going_back(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 6, 1, "fg");
    feed(w, B, TCP_ACK, 1, 8, "");
    w->now_ns = INT64_MIN;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "open");
    w->now_ns = INT64_MAX;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "0!5L 0:fg");
    feed(w, B, TCP_ACK | TCP_RST, 1, 8, "");
    w->now_ns = INT64_MIN;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "close=RESET1");
}

static void test_half_seen(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 0, 0, "");
    feed(w, A, TCP_ACK, 1, 1, "ab");
    feed(w, A, TCP_ACK, 6, 1, "fg");
    tcp_table_settle(w->table); /* no SYN-ACK follows */
    w->now_ns += 900 * MS;
    feed(w, A, TCP_ACK, 8, 1, "hi");
    expect_log(w, "open 0:ab");
    w->now_ns += 200 * MS;
    feed(w, A, TCP_ACK, 10, 1, "jk");
    expect_log(w, "0!3L 0:fg 0:hi 0:jk");
    feed(w, A, TCP_ACK | TCP_FIN, 12, 1, "");
    expect_log(w, "0.");
    tcp_table_end(w->table);
    expect_log(w, "close=CAPTURE");
}

static void test_syn_ack_missing(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 0, 0, "");
    feed(w, A, TCP_ACK, 1, 7001, "a");
    feed(w, B, TCP_ACK, 7003, 2, "cd");
    feed(w, B, TCP_ACK, 7001, 2, "ab");
    expect_log(w, "open"); /* it may still come */
    tcp_table_settle(w->table);
    expect_log(w, "0:a 1:ab 1:cd");
}

static void test_joined_late(void **state)
{
    struct world *w = *state;
    feed(w, B, TCP_ACK, 900, 100, ""); /* reveals nothing worth following */
    expect_log(w, "");
    feed(w, B, TCP_ACK, 900, 100, "xx"); /* the first packet: B is end 0 here */
    feed(w, A, TCP_ACK, 300, 902, "yy"); /* in flight when the capture began: no gap */
    feed(w, A, TCP_ACK, 302, 902, "zz");
    expect_log(w, ""); /* the SYN may still come */
    tcp_table_settle(w->table);
    expect_log(w, "open 0:xx 1:yy 1:zz");
}

static void test_cut(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    w->cut = 3;
    feed(w, A, TCP_ACK, 1, 1, "ab"); /* 1 to 5 */
    w->cut = 0;
    feed(w, A, TCP_ACK, 6, 1, "f");
    expect_log(w, "open 0:ab 0!3C 0:f");
    w->cut = 2;
    feed(w, A, TCP_ACK, 9, 1, "i"); /* early: 9 to 11 */
    w->cut = 5;
    feed(w, A, TCP_ACK, 7, 1, ""); /* not captured: 7 to 11, of which 7 and 8 are new */
    w->cut = 0;
    feed(w, A, TCP_ACK, 12, 1, "l");
    expect_log(w, "0!2C 0:i 0!2C 0:l");
    w->cut = 4;
    feed(w, A, TCP_ACK, 11, 1, "kl"); /* 11 to 16, begins in known bytes */
    expect_log(w, "0!4C");
    feed(w, A, TCP_ACK | TCP_FIN, 17, 1, "x");
    expect_log(w, "0:x 0!4C 0.");
    w->cut = 0;
}

static void test_large_frames(void **state)
{
    struct world *w = *state;
    static uint8_t bytes[300000];
    shake(w, 0xfffff000, 0);
    feed_bytes(w, A, TCP_ACK, 0xfffff001, 1, bytes, 65483);
    feed_bytes(w, A, TCP_ACK, 0xfffff001 + 65483 + 300000, 1, bytes, 300000);
    feed_bytes(w, A, TCP_ACK, 0xfffff001 + 65483, 1, bytes, 300000);
    expect_log(w, "open 0:[65483] 0:[300000] 0:[300000]");
    w->cut = INT32_MAX;
    feed(w, A, TCP_ACK, 1, 1, "absurd");
    expect_log(w, "");
    w->cut = 0;
}

static void test_zero_window(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    struct segment segment = {
        .src = addr_a, .dst = addr_b, .src_port = 40000, .dst_port = 4369, .flags = TCP_ACK};
    tcp_table_feed(w->table, &segment);
    segment.flags = TCP_RST;
    tcp_table_feed(w->table, &segment);
    assert_int_equal(w->stats.zero_windows, 1);
}

/* The clock ends the wait for a gap while no packet comes. */
static void test_time(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 3, 1, "cd");
    feed(w, B, TCP_ACK, 1, 5, "");
    expect_log(w, "open");
    tcp_table_time(w->table, w->now_ns + 199 * MS);
    tcp_table_time(w->table, w->now_ns - 1000 * MS); /* ignored */
    expect_log(w, "");
    w->now_ns += 200 * MS;
    tcp_table_time(w->table, w->now_ns);
    expect_log(w, "0!2L 0:cd");
}

/* A retransmission up to the end of the delivered bytes is not a segment out of order. */
static void test_repeat_before_a_hole(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "abc");
    feed(w, A, TCP_ACK, 11, 1, "held");
    feed(w, A, TCP_ACK, 1, 1, "abc");
    expect_log(w, "open 0:abc");
    assert_int_equal(w->stats.reordered, 0);
    assert_int_equal(w->stats.retransmitted, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_conversation),
        TEST(test_repeat_before_a_hole),
        TEST(test_view_says_who_opened),
        TEST(test_retransmission),
        TEST(test_other_bytes_than_delivered),
        TEST(test_delivered_caps),
        TEST(test_delivered_long),
        TEST(test_other_bytes_behind_the_end),
        TEST(test_old_bytes_of_another),
        TEST(test_everything_twice),
        TEST(test_keep_alive),
        TEST(test_reordered),
        TEST(test_held_copies_that_differ),
        TEST(test_held_copies_that_begin_together),
        TEST(test_cut_segment_over_held_ones),
        TEST(test_in_order_segment_over_held_ones),
        TEST(test_wrap),
        TEST(test_hole_at_wrap),
        TEST(test_lost_when_acked),
        TEST(test_lost_when_just_acked),
        TEST(test_not_lost_while_peer_waits),
        TEST(test_several_holes_at_once),
        TEST(test_lost_by_number_of_segments),
        TEST(test_sweep_without_packets_of_the_connection),
        TEST(test_sweep_reaches_all),
        TEST(test_clock_going_back),
        TEST(test_half_seen),
        TEST(test_syn_ack_missing),
        TEST(test_joined_late),
        TEST(test_cut),
        TEST(test_large_frames),
        TEST(test_zero_window),
        TEST(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
