/*
 * test_tcp_ignored.c - what the ends of a connection ignore is not of it (tcp_judge.h), what may begin
 * another one on its ports (tcp_reuse.h), and what goes on behind its end (tcp_ended.h): the boundaries
 * and the caps. tests/scripts/outsiders.py has whole conversations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tcp_world.h"

#include "failing_alloc.h"
#include "tcp/tcp_reuse.h"
#include "tcp/tcp_table.h"

/* Of an odd time the option stands as few senders write it. */
static void feed_time(struct world *w, int dir, uint32_t seq, uint32_t ack, const char *text,
                      uint32_t sent_time)
{
    const uint8_t time[4] = {(uint8_t)(sent_time >> 24), (uint8_t)(sent_time >> 16),
                             (uint8_t)(sent_time >> 8), (uint8_t)sent_time};
    const uint8_t usual[12] = {1, 1, 8, 10, time[0], time[1], time[2], time[3]};
    const uint8_t other[16] = {1, 5, 2, 8, 10, time[0], time[1], time[2], time[3]};
    struct segment segment = next_segment(w, dir);
    segment.seq = seq;
    segment.ack = ack;
    segment.flags = TCP_ACK;
    segment.window = 1000;
    segment.payload = cursor_make(text, strlen(text));
    segment.options = sent_time % 2 == 0 ? cursor_make(usual, sizeof usual)
                                         : cursor_make(other, sizeof other);
    tcp_table_feed(w->table, &segment);
}

/* Where the other end is not heard, the next bytes are ignored if their timestamp is old; four segments in a row
 * are believed. */
static void test_old_times_one_way(void **state)
{
    struct world *w = *state;
    feed_time(w, A, 101, 501, "a", 7000);
    w->frame += 100;
    feed_time(w, A, 102, 501, "b", 7005);
    feed_time(w, A, 103, 501, "old", 7003);
    feed_time(w, A, 103, 501, "c", 7004);
    feed_time(w, A, 104, 501, "d", 7006);
    assert_int_equal(w->stats.ignored, 1);
    for (uint32_t i = 0; i < 5; i++)
        feed_time(w, A, 105 + i, 501, "x", 100 + 2 * i);
    assert_int_equal(w->stats.ignored, 4);
    w->now_ns += 3000 * MS;
    w->frame += 100;
    feed_time(w, A, 110, 501, "y", 200);
    tcp_table_end(w->table);
    expect_log(w, "open 0:a 0:b 0:c 0:d 0!3L 0:x 0:x 0:y close=CAPTURE");
}

/* A segment behind a hole waits, whatever its timestamp, and an acknowledgement that is ahead of the data says
 * nothing about the time of that. */
static void test_times_out_of_order_one_way(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    feed_time(w, A, 110, 501, "", 9000);
    feed_time(w, A, 101, 501, "abc", 7000);
    feed_time(w, A, 107, 501, "ghi", 6000);
    feed_time(w, A, 104, 501, "def", 7002);
    tcp_table_end(w->table);
    assert_int_equal(w->stats.ignored, 0);
    expect_log(w, "open 0:abc 0:def 0:ghi close=CAPTURE");
}

/* Where one direction was captured, a far-off acknowledgement is not the turn of data that its sender has not
 * come to yet. */
static void test_early_stray_ack_one_way(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    feed(w, B, TCP_SYN | TCP_ACK, 500, 101, "");
    feed(w, B, TCP_ACK, 501, 103, "ab");
    feed(w, B, TCP_ACK, 503, 0x30000000, "XY");
    feed(w, B, TCP_ACK, 503, 105, "cd");
    feed(w, B, TCP_ACK, 505, 107, "ef");
    tcp_table_settle(w->table);
    expect_log(w, "open 1:ab 1:cd 1:ef");
    assert_int_equal(w->stats.ignored, 1);
}

/* What acknowledges numbers far off is ignored, though the other end is not heard; a second one is believed. */
static void test_stray_ack_one_way(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_ACK, 101, 501, "a");
    w->now_ns += 300 * MS;
    feed(w, A, TCP_ACK, 102, 501, "b");
    feed(w, A, TCP_ACK, 103, 501 + 2 * TCP_NEAR, "spoof");
    feed(w, A, TCP_ACK, 103, 502, "c");
    assert_int_equal(w->stats.ignored, 1);
    feed(w, A, TCP_ACK, 104, 501 + 4 * TCP_NEAR, "d");
    feed(w, A, TCP_ACK, 104, 502 + 4 * TCP_NEAR, "d");
    feed(w, A, TCP_ACK, 105, 503 + 4 * TCP_NEAR, "e");
    assert_int_equal(w->stats.ignored, 2);
    expect_log(w, "open 0:a 0:b 0:c 0:d 0:e");
}

/* A SYN does not begin a connection anew of which data waits. */
static void test_syn_where_data_waits(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    feed(w, A, TCP_ACK, 105, 501, "data");
    w->now_ns += 300 * MS;
    feed(w, A, TCP_SYN, 90000000, 0, "");
    w->now_ns += 3000 * MS;
    feed(w, A, TCP_ACK, 109, 501, "more");
    tcp_table_end(w->table);
    assert_int_equal(w->stats.ignored, 1);
    expect_log(w, "open 0!4L 0:data 0:more close=CAPTURE");
}

/* An urgent pointer without data waits with the data before it. */
static void test_urgent_waits(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    feed(w, A, TCP_ACK, 101, 501, "ab");
    struct segment segment = next_segment(w, A);
    segment.seq = 103;
    segment.ack = 501;
    segment.flags = TCP_ACK | TCP_URG;
    segment.urgent = 2;
    tcp_table_feed(w->table, &segment);
    feed(w, A, TCP_ACK, 103, 501, "c!d");
    tcp_table_end(w->table);
    expect_log(w, "open 0:ab 0:c 0:d close=CAPTURE");
}

/* A segment of before is as old as its timestamp is less by two, unless it has been acknowledged. */
static void test_old_times(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed_time(w, A, 101, 501, "a", 7000);
    feed_time(w, B, 501, 102, "", 1);
    feed_time(w, A, 102, 501, "b", 7005);
    feed_time(w, B, 501, 103, "", 1);
    expect_log(w, "open 0:a 0:b");
    feed_time(w, A, 103, 501, "old", 7003);
    expect_log(w, "");
    assert_int_equal(w->stats.ignored, 1);
    feed_time(w, A, 103, 501, "c", 7004);
    expect_log(w, "0:c");
    feed_time(w, B, 501, 108, "", 2);
    feed_time(w, A, 104, 501, "late", 6000); /* it has arrived, says B */
    expect_log(w, "0:late");
    assert_int_equal(w->stats.ignored, 1);
}

/* feed_good feeds a segment that may be the next one, feed_doubted one that is too old for it. */
static void feed_good(struct world *w, int dir, uint32_t seq, uint32_t ack, const char *text)
{
    feed_time(w, dir, seq, ack, text, 7000);
}

static void feed_doubted(struct world *w, int dir, uint32_t seq, uint32_t ack, const char *text)
{
    feed_time(w, dir, seq, ack, text, 100);
}

/* wait_long waits for as long as something that is acknowledged may be missing. */
static void wait_long(struct world *w)
{
    w->now_ns += 300 * MS;
    w->frame += 100;
    tcp_table_time(w->table, w->now_ns);
}

/* What the other end acknowledges though it was ignored has not been ignored there: it is passed on when
 * nothing else has come in its place. */
static void test_wrongly_ignored(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed_time(w, A, 101, 501, "a", 7000);
    feed_time(w, B, 501, 102, "", 1);
    feed_time(w, A, 102, 501, "b", 7005);
    feed_time(w, B, 501, 103, "", 1);
    feed_time(w, A, 103, 501, "cd", 100);
    feed_time(w, A, 105, 501, "e", 100);
    feed_time(w, B, 501, 106, "", 1);
    expect_log(w, "open 0:a 0:b");
    wait_long(w);
    expect_log(w, "0:cd 0:e");
    feed_time(w, A, 106, 501, "f", 100);
    feed_time(w, B, 501, 107, "", 1);
    feed_time(w, A, 107, 501, "g", 100);
    expect_log(w, "0:f 0:g");
    assert_int_equal(held_len(w), 0);
}

static void begin_doubted(struct world *w)
{
    shake(w, 100, 500);
    feed_good(w, A, 101, 501, "x");
    feed_good(w, B, 501, 102, "");
    expect_log(w, "open 0:x");
}

/* Other bytes that come in their place win, before the acknowledgement or behind it. */
static void test_doubted_and_replaced(void **state)
{
    struct world *w = *state;
    begin_doubted(w);
    feed_doubted(w, A, 102, 501, "evil");
    feed_good(w, A, 102, 501, "good");
    feed_good(w, B, 501, 106, "");
    feed_doubted(w, A, 106, 501, "evil");
    feed_good(w, B, 501, 110, "");
    feed_good(w, A, 106, 501, "late");
    wait_long(w);
    expect_log(w, "0:good 0:late");
    assert_int_equal(held_len(w), 0);
}

/* An acknowledgement of more than has been sent, and of a FIN, does not prove that what was doubted has
 * arrived. One of what is held behind it does. */
static void test_doubted_and_acked_beyond(void **state)
{
    struct world *w = *state;
    begin_doubted(w);
    feed_doubted(w, A, 102, 501, "evil");
    feed_good(w, B, 501, 108, "");
    feed_good(w, A, 102, 501, "ok");
    feed_good(w, B, 501, 104, "");
    feed_doubted(w, A, 104, 501, "bad");
    feed_good(w, A, 104, 501, "fine");
    feed_good(w, B, 501, 108, "");
    expect_log(w, "0:ok 0:fine");
    feed_doubted(w, A, 108, 501, "doubt");
    feed_good(w, A, 113, 501, "held");
    feed_good(w, B, 501, 117, "");
    wait_long(w);
    expect_log(w, "0:doubt 0:held");
}

/* What is acknowledged and not exactly what was doubted is another segment, which was not captured. */
static void test_doubted_and_another(void **state)
{
    struct world *w = *state;
    begin_doubted(w);
    feed_doubted(w, A, 102, 501, "evil");
    feed_good(w, B, 501, 107, "");
    wait_long(w);
    feed_good(w, A, 107, 501, "next");
    wait_long(w);
    expect_log(w, "0!5L 0:next");
    assert_int_equal(held_len(w), 0);
}

/* Of two versions nobody knows which one was taken. */
static void test_doubted_twice(void **state)
{
    struct world *w = *state;
    begin_doubted(w);
    feed_doubted(w, A, 102, 501, "some");
    feed_doubted(w, A, 102, 501, "evil");
    feed_good(w, B, 501, 106, "");
    feed_good(w, A, 106, 501, "next");
    wait_long(w);
    expect_log(w, "0!4L 0:next");
    assert_int_equal(held_len(w), 0);
}

/* Sent again it is the same one; it fills what is missing before what follows, be that acknowledged too. */
static void test_doubted_again(void **state)
{
    struct world *w = *state;
    begin_doubted(w);
    feed_doubted(w, A, 102, 501, "some");
    feed_doubted(w, A, 102, 501, "some");
    feed_good(w, A, 106, 501, "next");
    feed_good(w, B, 501, 110, "");
    wait_long(w);
    expect_log(w, "0:some 0:next");
    feed_doubted(w, A, 110, 501, "end");
    tcp_table_end(w->table);
    expect_log(w, "0:end close=CAPTURE");
    assert_int_equal(held_len(w), 0);
}

/* What is doubted is bounded, by pieces and by bytes; where not all is kept there is a gap as before. */
static void test_doubted_caps(void **state)
{
    enum { NUM = TCP_MAX_DOUBTED };
    struct world *w = *state;
    begin_doubted(w);
    for (uint32_t i = 0; i < NUM; i++)
        feed_doubted(w, A, 102 + i, 501, "d");
    feed_good(w, B, 501, 102 + NUM, "");
    wait_long(w);
    assert_int_equal(w->log_len, 4 * NUM - 1);
    w->log_len = 0;
    for (uint32_t i = 0; i < NUM + 1; i++)
        feed_doubted(w, B, 501 + i, 102 + NUM, "d");
    feed_good(w, A, 102 + NUM, 501 + NUM + 1, "");
    feed_good(w, B, 501 + NUM + 1, 102 + NUM, "next");
    wait_long(w);
    expect_log(w, "1!129L 1:next");
    assert_int_equal(held_len(w), 0);
}

static void test_doubted_bytes(void **state)
{
    static char large[TCP_DOUBTED];
    struct world *w = *state;
    begin_doubted(w);
    memset(large, 'l', sizeof large - 1);
    feed_doubted(w, A, 102, 501, "d");
    feed_doubted(w, A, 103, 501, large);
    assert_in_range(held_len(w), 1, 100);
    w->memcap.max = w->memcap.used;
    feed_doubted(w, A, 103, 501, "e");
    assert_int_equal(w->memcap.hits, 1);
}

static void test_doubted_without_memory(void **state)
{
    struct world *w = *state;
    begin_doubted(w);
    failing_alloc_at(1);
    feed_doubted(w, A, 102, 501, "some");
    failing_alloc_at(0);
    assert_int_equal(w->stats.no_memory, 1);
    assert_int_equal(held_len(w), 0);
    feed_good(w, B, 501, 106, "");
    feed_good(w, A, 106, 501, "next");
    wait_long(w);
    expect_log(w, "0!4L 0:next");
}

/* Numbers that are far off: of acknowledgements, believed when a second says the same; of data, with the
 * fourth that follows on. */
static void test_strays(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    feed(w, A, TCP_ACK, 102, 502 + (1 << 20), "c");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:a 1:b 0:c");
    feed(w, A, TCP_ACK, 103, 502 + (1 << 22), "d");
    expect_log(w, "");
    feed(w, A, TCP_ACK, 103, 503 + (1 << 22), "e");
    expect_log(w, "0:e");
    assert_int_equal(w->stats.ignored, 1);
    for (uint32_t i = 0; i < 4; i++)
        feed(w, A, TCP_ACK, 105 + (1 << 24) + i, 502, "x");
    assert_int_equal(w->stats.ignored, 4);
    tcp_table_end(w->table);
    assert_non_null(strstr(w->log, "0:x close=CAPTURE"));
}

/* A copy of such a segment is no second one that says the same. */
static void test_stray_copies(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    for (int copy = 0; copy < 3; copy++)
        feed(w, A, TCP_ACK, 102, 502 + (1 << 22), "spoof");
    feed(w, A, TCP_ACK, 102, 502, "c");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:a 1:b 0:c");
    assert_int_equal(w->stats.ignored, 3);
}

/* An acknowledgement alone is judged likewise; one that fits between two that do not shows that both are
 * strays. */
static void test_stray_acks(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    for (uint32_t i = 0; i < 3; i++) {
        feed(w, A, TCP_ACK, 102, 502 + (1 << 22) + i, "");
        feed(w, A, TCP_ACK, 102, 502, "");
    }
    assert_int_equal(w->stats.ignored, 3);
    feed(w, A, TCP_ACK, 102, 502 + (1 << 20), "");
    assert_int_equal(w->stats.ignored, 3);
    feed(w, A, TCP_ACK, 102, 502 + (3 << 20), "");
    feed(w, A, TCP_ACK, 102, 503 + (3 << 20), "");
    assert_int_equal(w->stats.ignored, 4);
    feed(w, B, TCP_ACK, 502, 102, "c");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:a 1:b 1:c");
}

/* A stray acknowledgement is forgotten with the next one that fits, however plain that is. */
static void test_stray_ack_then_plain_ones(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    for (uint32_t i = 0; i < TCP_DISORDER; i++)
        feed(w, A, TCP_ACK, 101, 501, "");
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    feed(w, A, TCP_ACK, 102, 502 + (1 << 22), "");
    feed(w, B, TCP_ACK, 502, 102, "c");
    feed(w, A, TCP_ACK, 102, 503, "");
    feed(w, A, TCP_ACK, 102, 503 + (1 << 22), "spoof");
    feed(w, A, TCP_ACK, 102, 503, "d");
    expect_log(w, "open 0:a 1:b 1:c 0:d");
    assert_int_equal(w->stats.ignored, 2);
}

static void establish(struct world *w)
{
    w->is_quiet = true;
    shake(w, 100, 500);
    for (uint32_t i = 0; i < TCP_DISORDER; i++)
        feed(w, B, TCP_ACK, 501, 101, "");
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    expect_log(w, "open 0:a 1:b");
}

/* What acknowledges bytes that were not sent yet goes behind what comes in its place, even if they are sent
 * meanwhile: by one byte, by TCP_NEAR. */
static void test_unsent_acks(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, A, TCP_ACK, 102, 503, "spoof");
    feed(w, A, TCP_ACK, 104, 502 + TCP_NEAR, "spoof");
    feed(w, B, TCP_ACK, 502, 102, "x");
    expect_log(w, "1:x");
    feed(w, A, TCP_ACK, 102, 502, "right");
    feed(w, B, TCP_ACK, 503, 107, "");
    feed(w, A, TCP_ACK, 107, 503, "more");
    expect_log(w, "0:right 0:more");
    tcp_table_settle(w->table);
    assert_int_equal(w->stats.overlaps_differing, 0);
    assert_int_equal(w->stats.ignored, 2);
    expect_log(w, "");
    const uint64_t num = w->stats.retransmitted;
    feed(w, A, TCP_ACK, 107, 900, "more");
    assert_int_equal(w->stats.retransmitted, num + 1); /* of what has come nothing waits */
}

/* It is taken once the other end has acknowledged all of it, or after the clock has waited. Then what was
 * acknowledged counts as lost. A number that the sender has acknowledged before is in no doubt. */
static void test_unsent_acks_of_lost_bytes(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, A, TCP_ACK, 102, 507, "ans");
    feed(w, B, TCP_ACK, 507, 104, "");
    expect_log(w, "");
    feed(w, B, TCP_ACK, 507, 105, "");
    expect_log(w, "0:ans");
    feed(w, A, TCP_ACK, 105, 507, "wer");
    expect_log(w, "0:wer");
    feed(w, A, TCP_ACK, 108, 512, "");
    feed(w, A, TCP_ACK, 108, 512, "known");
    expect_log(w, "0:known");
    feed(w, A, TCP_ACK, 113, 520, "waits");
    tcp_table_time(w->table, w->now_ns + 199 * MS);
    expect_log(w, "");
    tcp_table_time(w->table, w->now_ns + 200 * MS);
    expect_log(w, "0:waits");
    feed(w, A, TCP_ACK, 118, 525, "cap");
    for (int i = 1; i < TCP_DISORDER; i++)
        feed(w, B, TCP_ACK, 502, 118, "");
    expect_log(w, "");
    feed(w, B, TCP_ACK, 502, 118, "");
    expect_log(w, "0:cap");
}

/* What is held behind a hole, and a FIN, has been sent. */
static void test_acks_of_held_bytes(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, B, TCP_ACK, 504, 102, "held");
    feed(w, A, TCP_ACK, 102, 508, "c");
    expect_log(w, "0:c");
    feed(w, A, TCP_ACK, 103, 509, "waits");
    feed(w, B, TCP_ACK | TCP_FIN, 508, 103, "");
    expect_log(w, "");
    feed(w, B, TCP_ACK, 502, 108, "xy");
    expect_log(w, "0:waits 1:xy 1:held 1.");
    feed(w, A, TCP_ACK, 108, 509, "d");
    expect_log(w, "0:d");
}

static void test_unsent_acks_of_acked_data(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, B, TCP_ACK, 502, 104, "");
    feed(w, A, TCP_ACK, 102, 507, "ok");
    expect_log(w, "0:ok");
}

/* Of a SYN that comes again only the first one's data is read. */
static void test_data_of_a_repeated_syn(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "fast");
    feed(w, A, TCP_SYN, 100, 0, "spoof");
    feed(w, B, TCP_SYN | TCP_ACK, 500, 105, "");
    feed(w, A, TCP_SYN, 100, 0, "spoofed");
    feed(w, A, TCP_ACK, 105, 501, "a");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:fast 0:a");
    assert_int_equal(w->stats.ignored, 2);
}

/* What acknowledges bytes before the first one is ignored, however often, by one byte. */
static void test_acks_before_the_beginning(void **state)
{
    struct world *w = *state;
    establish(w);
    for (int i = 0; i < 3; i++)
        feed(w, A, TCP_ACK, 102, 500, "spoof");
    feed(w, A, TCP_ACK, 102, 500 - TCP_NEAR, "");
    assert_int_equal(w->stats.ignored, 4);
    feed(w, A, TCP_ACK, 102, 501, "old");
    expect_log(w, "0:old");
}

/* Numbers that have come half way round may come to the beginning again. */
static void test_acks_of_a_long_stream(void **state)
{
    enum { LEN = 300000 };
    static uint8_t bytes[LEN];
    struct world *w = *state;
    establish(w);
    for (uint32_t at = 0; at < UINT32_C(0x80000000); at += LEN) {
        feed_bytes(w, B, TCP_ACK, 502 + at, 102, bytes, LEN);
        w->log_len = 0;
    }
    w->log[0] = '\0';
    const struct tcp_stream *stream = &w->table->last->stream[B];
    assert_true(stream->is_long);
    feed(w, A, TCP_ACK, 102, stream->next_seq, "a");
    expect_log(w, "0:a");
}

/* A SYN-ACK and data that acknowledges something else are no connection. */
static void test_syn_ack_and_stray_data(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, B, TCP_SYN | TCP_ACK, 501, 102, "");
    feed(w, B, TCP_ACK, 502, 102 + 3 * TCP_NEAR, "spoof");
    feed(w, A, TCP_ACK, 102, 502, "c");
    feed(w, B, TCP_ACK, 502, 103, "d");
    tcp_table_settle(w->table);
    expect_log(w, "0:c 1:d");
}

/* A SYN that the ends ignore does not make what waits be taken. */
static void test_syn_where_an_unsent_ack_waits(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, A, TCP_ACK, 102, 503, "spoof");
    feed(w, A, TCP_SYN, 90000000, 0, "");
    feed(w, A, TCP_ACK, 102, 502, "c");
    feed(w, B, TCP_ACK, 502, 103, "d");
    tcp_table_settle(w->table);
    expect_log(w, "0:c 1:d");
}

/* As soon as something of the other end is there, also where a capture begins amid a connection. */
static void test_unsent_ack_at_the_start(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    feed(w, A, TCP_ACK, 102, 503, "spoof");
    feed(w, B, TCP_ACK, 502, 102, "c");
    feed(w, A, TCP_ACK, 102, 503, "right");
    feed(w, B, TCP_ACK, 503, 107, "d");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:a 1:b 1:c 0:right 1:d");
}

static void feed_signed(struct world *w, int dir, uint8_t flags, uint32_t seq, uint32_t ack, const char *text,
                        uint8_t len)
{
    const uint8_t options[20] = {1, 1, 19, len};
    struct segment segment = next_segment(w, dir);
    segment.seq = seq;
    segment.ack = ack;
    segment.flags = flags;
    segment.payload = cursor_make(text, strlen(text));
    segment.options = cursor_make(options, 2u + len);
    tcp_table_feed(w->table, &segment);
}

/* Linux drops a signature that was not agreed on, and what has none where one was. */
static void test_signatures(void **state)
{
    struct world *w = *state;
    establish(w);
    feed_signed(w, A, TCP_ACK, 102, 502, "spoof", 18);
    feed_signed(w, A, TCP_ACK, 102, 502, "", 18);
    feed_signed(w, A, TCP_RST | TCP_ACK, 102, 502, "", 18);
    feed(w, A, TCP_ACK, 102, 502, "c");
    assert_int_equal(w->stats.ignored, 3);
    feed_signed(w, A, TCP_ACK, 103, 502, "short", 17);
    expect_log(w, "0:c 0:short");
    w->client_port++;
    feed_signed(w, A, TCP_SYN, 100, 0, "", 18);
    feed_signed(w, B, TCP_SYN | TCP_ACK, 500, 101, "", 18);
    feed_signed(w, A, TCP_ACK, 101, 501, "a", 18);
    feed(w, A, TCP_ACK, 102, 501, "spoof");
    feed_signed(w, A, TCP_ACK, 102, 501, "b", 18);
    tcp_table_settle(w->table);
    assert_int_equal(w->stats.ignored, 4);
    expect_log(w, "open 0:a 0:b");
}

/* Where the other end acknowledges what was ignored, its sender is believed: the SYN was of somebody else. */
static void test_signatures_that_were_agreed_on(void **state)
{
    struct world *w = *state;
    establish(w);
    feed_signed(w, A, TCP_ACK, 102, 502, "a", 18);
    feed(w, B, TCP_ACK, 502, 103, "");
    feed_signed(w, A, TCP_ACK, 103, 502, "b", 18);
    tcp_table_end(w->table);
    expect_log(w, "0:a 0:b close=CAPTURE");
}

/* Of a connection that was up before, nothing shows what was agreed on. What two segments of somebody else
 * have does not count. */
static void test_signatures_of_a_late_join(void **state)
{
    struct world *w = *state;
    feed_signed(w, A, TCP_ACK, 101, 501, "", 18);
    feed_signed(w, B, TCP_ACK, 501, 101, "", 18);
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    feed(w, A, TCP_ACK, 102, 502, "c");
    tcp_table_end(w->table);
    assert_int_equal(w->stats.ignored, 0);
    expect_log(w, "open 0:a 1:b 0:c close=CAPTURE");
}

/* Bytes of a hole have not been captured, whatever is held behind it. */
static void test_unsent_ack_amid_a_hole(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, B, TCP_ACK, 510, 102, "early");
    feed(w, A, TCP_ACK, 102, 505, "spoof");
    feed(w, A, TCP_ACK, 102, 502, "right");
    tcp_table_settle(w->table);
    expect_log(w, "0:right");
}

/* Where all waits for a reset of another connection, what comes in its place waits as well. */
static void test_unsent_ack_behind_a_reset(void **state)
{
    struct world *w = *state;
    establish(w);
    w->client_port++;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 501, "z");
    feed(w, B, TCP_RST, 510, 0, "");
    w->client_port--;
    feed(w, A, TCP_ACK, 102, 503, "spoof");
    feed(w, B, TCP_ACK, 502, 102, "x");
    feed(w, A, TCP_ACK, 102, 503, "right");
    feed(w, B, TCP_ACK, 503, 107, "");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:z 1:x 0:right");
}

static void test_acks_of_a_fin(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, B, TCP_ACK | TCP_FIN, 502, 102, "");
    feed(w, A, TCP_ACK, 102, 503, "c");
    expect_log(w, "1. 0:c");
    feed(w, A, TCP_ACK, 103, 504, "waits");
    expect_log(w, "");
}

/* What was sent before the SYN is old, too: a handshake begins with the time of who sends it. */
static void test_time_of_syn(void **state)
{
    struct world *w = *state;
    const uint8_t time[12] = {1, 1, 8, 10, 0, 0, 0x10, 0};
    for (int dir = 0; dir < 2; dir++) {
        struct segment segment = next_segment(w, dir);
        segment.seq = dir == A ? 100 : 500;
        segment.ack = dir == A ? 0 : 101;
        segment.flags = dir == A ? TCP_SYN : TCP_SYN | TCP_ACK;
        segment.options = cursor_make(time, sizeof time);
        tcp_table_feed(w->table, &segment);
    }
    feed_time(w, A, 101, 501, "", 0x1000);
    feed_time(w, B, 501, 101, "old", 0xffe);
    feed_time(w, B, 501, 101, "b", 0xfff);
    feed_time(w, A, 101, 502, "old", 0xffe);
    feed_time(w, A, 101, 502, "a", 0x1000);
    tcp_table_settle(w->table);
    expect_log(w, "open 1:b 0:a");
    assert_int_equal(w->stats.ignored, 2);
}

/* Data of before the beginning, and the acknowledgement of what has really come: no other connection. */
static void test_before_the_beginning(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed(w, B, TCP_ACK, 493, 101, "12345678");
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:a 1:b");
    assert_int_equal(w->stats.ignored, 1);
}

/* An old segment announces no urgent byte. */
static void test_old_urgent(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed_time(w, A, 101, 501, "a", 0x1000);
    feed_time(w, B, 501, 102, "", 1);
    const uint8_t old[12] = {1, 1, 8, 10, 0, 0, 0x0f, 0xfe};
    struct segment segment = next_segment(w, A);
    segment.seq = 102;
    segment.ack = 501;
    segment.flags = TCP_ACK | TCP_URG;
    segment.urgent = 2;
    segment.options = cursor_make(old, sizeof old);
    tcp_table_feed(w->table, &segment);
    feed(w, A, TCP_ACK, 102, 501, "bcd");
    expect_log(w, "open 0:a 0:bcd");
}

static void feed_urgent(struct world *w, uint32_t seq, const char *text, uint16_t urgent)
{
    struct segment segment = next_segment(w, A);
    segment.seq = seq;
    segment.ack = 501;
    segment.flags = TCP_ACK | TCP_URG;
    segment.urgent = urgent;
    segment.payload = cursor_make(text, strlen(text));
    tcp_table_feed(w->table, &segment);
}

static void test_urgent(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed_urgent(w, 101, "ab!", 3);
    expect_log(w, "open 0:ab");
    feed_urgent(w, 104, "!cd", 1);
    feed_urgent(w, 107, "!ef", 0);
    expect_log(w, "0:cd 0:ef");
    feed_urgent(w, 110, "", 3); /* two bytes on */
    feed(w, A, TCP_ACK, 110, 501, "gh!ij");
    expect_log(w, "0:gh 0:ij");
    feed_urgent(w, 110, "gh!ij", 3); /* again */
    feed(w, A, TCP_ACK, 115, 501, "kl");
    expect_log(w, "0:kl");
}

/* A RST that is near what is expected counts where nothing follows for a second. */
static void test_doubted_reset(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_RST | TCP_ACK, 502, 102, "");
    tcp_table_settle(w->table);
    w->frame += 100;
    w->now_ns += 100 * MS;
    feed(w, A, TCP_ACK, 102, 501, "b"); /* it was under way */
    tcp_table_time(w->table, w->now_ns + 899 * MS);
    expect_log(w, "open 0:a 0:b");
    tcp_table_time(w->table, w->now_ns + 900 * MS);
    expect_log(w, "close=RESET1");
    assert_int_equal(w->stats.ignored, 0);

    w->client_port++;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_RST | TCP_ACK, 502, 102, "");
    tcp_table_settle(w->table);
    w->frame += 100;
    w->now_ns += 200 * MS;
    feed(w, A, TCP_ACK, 102, 501, "b"); /* it was not */
    tcp_table_time(w->table, w->now_ns + 5000 * MS);
    expect_log(w, "open 0:a 0:b");
    assert_int_equal(w->stats.ignored, 1);
    feed(w, B, TCP_RST | TCP_ACK, 502, 103, "");
    tcp_table_end(w->table);
    expect_log(w, "close=RESET1");
}

/* Of the SYNs amid a connection the latest TCP_MAX_REUSED are kept. */
static void test_syns_amid(void **state)
{
    struct world *w = *state;
    for (uint32_t n = TCP_MAX_REUSED; n <= TCP_MAX_REUSED + 1; n++) {
        w->client_port++;
        shake(w, 100, 500);
        feed(w, A, TCP_ACK, 101, 501, "a");
        for (uint32_t i = 0; i < n; i++)
            feed(w, A, TCP_SYN, 90000 + 10 * i, 0, "");
        feed(w, B, TCP_SYN | TCP_ACK, 80000, 90001, "");
        tcp_table_end(w->table);
        expect_log(w, n == TCP_MAX_REUSED ? "open 0:a close=REUSED open close=CAPTURE" : "open 0:a close=CAPTURE");
    }
}

/* Of two SYNs before the answer the one that is answered begins the connection. */
static void test_syns_at_the_beginning(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    feed(w, A, TCP_SYN, 7777777, 0, "");
    feed(w, B, TCP_SYN | TCP_ACK, 1, 12345, ""); /* of neither */
    feed(w, B, TCP_SYN | TCP_ACK, 500, 101, "");
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    expect_log(w, "open 0:a 1:b");
    assert_int_equal(w->stats.ignored, 1);
}

static bool may_resume(void *context, struct tcp_conn_view *view)
{
    (void)context;
    return view->user != NULL;
}

static void on_resume(void *context, struct tcp_conn_view *view, bool was_closed)
{
    struct world *w = context;
    (void)view;
    say(w, was_closed ? "resume" : "unend");
}

static void on_gone(void *context, struct tcp_conn_view *view)
{
    struct world *w = context;
    (void)view;
    say(w, "gone");
}

static void let_resume(struct world *w)
{
    static struct tcp_events resuming;
    resuming = events;
    resuming.can_resume = may_resume;
    resuming.resume = on_resume;
    resuming.gone = on_gone;
    tcp_table_free(w->table);
    w->table = tcp_table_new(&resuming, w, &w->memcap, w->limits, &w->stats);
}

static void test_goes_on_after_reset(void **state)
{
    struct world *w = *state;
    let_resume(w);
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_RST | TCP_ACK, 501, 102, "");
    feed(w, A, TCP_ACK, 102, 501, "under way");
    expect_log(w, "open 0:a close=RESET1");
    feed(w, B, TCP_ACK, 501, 111, "b");
    expect_log(w, "resume 0:under way 1:b");
    feed(w, A, TCP_ACK | TCP_FIN, 111, 502, "");
    feed(w, A, TCP_ACK, 111, 502, "c");
    expect_log(w, "0.");
    feed(w, B, TCP_ACK, 502, 113, "");
    expect_log(w, "unend 0:c");
    tcp_table_end(w->table);
    expect_log(w, "close=CAPTURE gone");
}

/* An acknowledgement of the FIN, or of what came before, is no sign of life. */
static void test_does_not_go_on(void **state)
{
    struct world *w = *state;
    let_resume(w);
    shake(w, 100, 500);
    feed(w, A, TCP_ACK | TCP_FIN, 101, 501, "a");
    feed(w, B, TCP_ACK | TCP_FIN, 501, 103, "b");
    feed(w, A, TCP_ACK, 103, 503, "");
    feed(w, B, TCP_ACK | TCP_FIN, 501, 103, "b");
    expect_log(w, "open 0:a 0. 1:b 1. close=FIN");
    w->now_ns += 60001 * MS;
    feed(w, A, TCP_ACK, 103, 503, "");
    expect_log(w, "gone");
}

static void test_resumable_cap(void **state)
{
    struct world *w = *state;
    let_resume(w);
    for (int i = 0; i <= TCP_MAX_RESUMABLE; i++) {
        w->client_port++;
        w->log_len = 0;
        shake(w, 100, 500);
        feed(w, B, TCP_RST | TCP_ACK, 501, 101, "");
        expect_log(w, i < TCP_MAX_RESUMABLE ? "open close=RESET1" : "open close=RESET1 gone");
    }
}

static void test_kept_cap(void **state)
{
    struct world *w = *state;
    static char bytes[100000];
    let_resume(w);
    shake(w, 100, 500);
    feed(w, B, TCP_RST | TCP_ACK, 501, 101, "");
    for (uint32_t i = 0; i < 9; i++)
        feed_bytes(w, A, TCP_ACK, 101 + i * 100000, 501, bytes, sizeof bytes);
    assert_true(held_len(w) > TCP_KEPT / 2 &&
                held_len(w) < TCP_KEPT + sizeof(struct tcp_conn));
    failing_alloc_at(1);
    feed(w, A, TCP_ACK, 101, 501, "xyz");
    failing_alloc_at(0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_old_times),
        TEST(test_stray_acks),
        TEST(test_stray_ack_then_plain_ones),
        TEST(test_unsent_acks),
        TEST(test_unsent_acks_of_lost_bytes),
        TEST(test_acks_of_held_bytes),
        TEST(test_unsent_acks_of_acked_data),
        TEST(test_data_of_a_repeated_syn),
        TEST(test_acks_before_the_beginning),
        TEST(test_acks_of_a_long_stream),
        TEST(test_syn_ack_and_stray_data),
        TEST(test_syn_where_an_unsent_ack_waits),
        TEST(test_unsent_ack_at_the_start),
        TEST(test_signatures),
        TEST(test_signatures_that_were_agreed_on),
        TEST(test_signatures_of_a_late_join),
        TEST(test_unsent_ack_amid_a_hole),
        TEST(test_unsent_ack_behind_a_reset),
        TEST(test_acks_of_a_fin),
        TEST(test_time_of_syn),
        TEST(test_before_the_beginning),
        TEST(test_old_urgent),
        TEST(test_old_times_one_way),
        TEST(test_times_out_of_order_one_way),
        TEST(test_stray_ack_one_way),
        TEST(test_early_stray_ack_one_way),
        TEST(test_syn_where_data_waits),
        TEST(test_urgent_waits),
        TEST(test_wrongly_ignored),
        TEST(test_doubted_and_replaced),
        TEST(test_doubted_and_another),
        TEST(test_doubted_and_acked_beyond),
        TEST(test_doubted_twice),
        TEST(test_doubted_again),
        TEST(test_doubted_caps),
        TEST(test_doubted_bytes),
        TEST(test_doubted_without_memory),
        TEST(test_strays),
        TEST(test_stray_copies),
        TEST(test_urgent),
        TEST(test_doubted_reset),
        TEST(test_syns_amid),
        TEST(test_syns_at_the_beginning),
        TEST(test_goes_on_after_reset),
        TEST(test_does_not_go_on),
        TEST(test_resumable_cap),
        TEST(test_kept_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
