/*
 * test_tcp_ignored.c - segments that the ends of a connection ignore do not belong to it
 * (tcp_judge.h): old timestamps, numbers far off or before the beginning, signatures.
 * tests/scripts/outsiders.py has whole conversations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tcp_conversation.h"
#include "tcp_world.h"

/* A segment is old if its timestamp is lower by two, unless it has been acknowledged. */
static void test_old_times(void **state)
{
    struct world *w = *state;
    begin_timed(w);
    expect_log(w, "open 0:a 0:b");
    feed_time(w, A, 103, 501, "old", 7003);
    expect_log(w, "");
    assert_int_equal(w->stats.ignored, 1);
    feed_time(w, A, 103, 501, "c", 7004);
    expect_log(w, "0:c");
    feed_time(w, B, 501, 108, "", 2);
    feed_time(w, A, 104, 501, "late", 6000); /* it has arrived, according to B */
    expect_log(w, "0:late");
    assert_int_equal(w->stats.ignored, 1);
}

/* A segment that waits because it acknowledges bytes that were not captured arrived before segments
 * that were sent later. */
static void test_times_of_what_waits(void **state)
{
    struct world *w = *state;
    begin_timed(w);
    expect_log(w, "open 0:a 0:b");
    for (int copy = 0; copy < 2; copy++)
        feed_time(w, A, 107, 504, "tail", 7010);
    for (int copy = 0; copy < 2; copy++)
        feed_time(w, B, 504, 103, "", 2);
    for (int copy = 0; copy < 2; copy++)
        feed_time(w, A, 103, 504, "mi", 7014);
    for (int copy = 0; copy < 2; copy++)
        feed_time(w, B, 504, 105, "", 2);
    for (int copy = 0; copy < 2; copy++)
        feed_time(w, A, 105, 504, "dd", 7014);
    feed_time(w, B, 504, 111, "", 2);
    tcp_table_settle(w->table);
    assert_int_equal(w->stats.ignored, 0);
    expect_log(w, "0:mi 0:dd 0:tail");
    feed_time(w, A, 111, 504, "old", 7012); /* a later one is not */
    feed_time(w, A, 111, 504, "c", 7014);
    feed_time(w, B, 504, 112, "", 2);
    tcp_table_settle(w->table);
    assert_int_equal(w->stats.ignored, 1);
    expect_log(w, "0:c");
}

/* If the other end is not captured, the next bytes are ignored if their timestamp is old; four such
 * segments in a row are believed. */
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

/* A segment behind a gap waits, whatever its timestamp; and an acknowledgement that is ahead of the
 * data reveals nothing about the data's time. */
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

/* A segment that is older than the SYN is ignored, too: a handshake begins with the sender's time. */
static void test_time_of_syn(void **state)
{
    struct world *w = *state;
    struct segment syn = timed_segment(w, A, TCP_SYN, 100, 0, "", 0x1000);
    tcp_table_feed(w->table, &syn);
    struct segment answer = timed_segment(w, B, TCP_SYN | TCP_ACK, 500, 101, "", 0x1000);
    tcp_table_feed(w->table, &answer);
    feed_time(w, A, 101, 501, "", 0x1000);
    feed_time(w, B, 501, 101, "old", 0xffe);
    feed_time(w, B, 501, 101, "b", 0xfff);
    feed_time(w, A, 101, 502, "old", 0xffe);
    feed_time(w, A, 101, 502, "a", 0x1000);
    tcp_table_settle(w->table);
    expect_log(w, "open 1:b 0:a");
    assert_int_equal(w->stats.ignored, 2);
}

static void shake_hands(struct world *w)
{
    shake(w, 100, 500);
}

/* Numbers far off: an acknowledgement is believed if a second one agrees, data with the fourth
 * consecutive segment. */
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

/* A copy of such a segment does not count as a second one. */
static struct conversation test_stray_copies = {
    .begin = shake_hands,
    .told = {{A, TCP_ACK, 101, 501, "a"},
             {B, TCP_ACK, 501, 102, "b"},
             {A, TCP_ACK, 102, 502 + (1 << 22), "spoof"},
             {A, TCP_ACK, 102, 502 + (1 << 22), "spoof"},
             {A, TCP_ACK, 102, 502 + (1 << 22), "spoof"},
             {A, TCP_ACK, 102, 502, "c"}},
    .log = "open 0:a 1:b 0:c",
    .ignored = 3,
};

/* A bare acknowledgement is judged in the same way; if one that fits comes between two that do not,
 * both are strays. */
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

/* A stray acknowledgement is forgotten with the next one that fits, even a bare one. */
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

/* An acknowledgement far off is ignored even if the other end is not captured; a second one is
 * believed. */
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

/* In one direction alone, a far-off acknowledgement does not end the wait for data that its sender
 * has not reached yet. */
static struct conversation test_early_stray_ack_one_way = {
    .told = {{B, TCP_SYN | TCP_ACK, 500, 101, ""},
             {B, TCP_ACK, 501, 103, "ab"},
             {B, TCP_ACK, 503, 0x30000000, "XY"},
             {B, TCP_ACK, 503, 105, "cd"},
             {B, TCP_ACK, 505, 107, "ef"}},
    .log = "open 1:ab 1:cd 1:ef",
    .ignored = 1,
};

/* A SYN-ACK, and data that acknowledges something else, do not make a connection. */
static struct conversation test_syn_ack_and_stray_data = {
    .begin = establish,
    .told = {{B, TCP_SYN | TCP_ACK, 501, 102, ""},
             {B, TCP_ACK, 502, 102 + 3 * TCP_NEAR, "spoof"},
             {A, TCP_ACK, 102, 502, "c"},
             {B, TCP_ACK, 502, 103, "d"}},
    .log = "0:c 1:d",
    .ignored = 2,
};

/* A SYN does not start a new connection while data of the old one waits. */
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

/* Of a repeated SYN, only the first one's data is read. */
static struct conversation test_data_of_a_repeated_syn = {
    .told = {{A, TCP_SYN, 100, 0, "fast"},
             {A, TCP_SYN, 100, 0, "spoof"},
             {B, TCP_SYN | TCP_ACK, 500, 105, ""},
             {A, TCP_SYN, 100, 0, "spoofed"},
             {A, TCP_ACK, 105, 501, "a"}},
    .log = "open 0:fast 0:a",
    .ignored = 2,
};

/* The data of a SYN is ignored if the answer does not acknowledge it. */
static struct conversation test_data_of_a_syn_that_nobody_takes = {
    .told = {{A, TCP_SYN | TCP_FIN, 100, 0, "GET /"},
             {B, TCP_SYN | TCP_ACK, 500, 101, "spoof"},
             {A, TCP_ACK, 101, 501, "real"},
             {B, TCP_ACK, 501, 105, "answer"},
             {A, TCP_ACK, 105, 507, ""}},
    .log = "open 0:real 1:answer",
};

/* The same, shown by what its sender sends next, or by what the other end has read. */
static struct conversation test_data_of_a_syn_alone = {
    .told = {{A, TCP_SYN, 100, 0, "GET /"}, {A, TCP_ACK, 101, 501, "real"}, {A, TCP_ACK, 105, 501, "more"}},
    .log = "open 0:real 0:more",
};

static struct conversation test_data_of_a_syn_gone_on = {
    .told = {{A, TCP_SYN, 100, 0, "fast"}, {A, TCP_ACK, 105, 501, "more"}},
    .log = "open 0:fast 0:more",
};

static struct conversation test_data_of_a_syn_acked = {
    .told = {{A, TCP_SYN, 100, 0, "fast"}, {B, TCP_ACK, 501, 105, "b"}, {A, TCP_ACK, 105, 502, ""}},
    .log = "open 0:fast 1:b",
};

/* The rest of it does not fill a gap. */
static struct conversation test_data_of_a_syn_and_a_hole = {
    .told = {{A, TCP_SYN, 100, 0, "GET /"}, {A, TCP_ACK, 101, 501, "real"}, {A, TCP_ACK, 120, 501, "far"}},
    .log = "open 0:real",
};

/* A number in the middle of it proves nothing. */
static struct conversation test_data_of_a_syn_in_part = {
    .told = {{A, TCP_SYN, 100, 0, "GET /"}, {A, TCP_ACK, 103, 501, "x"}},
    .log = "open",
};

/* An answer that acknowledges something else is ignored. */
static struct conversation test_data_of_a_syn_and_a_wrong_answer = {
    .told = {{A, TCP_SYN, 100, 0, "fast"},
             {B, TCP_SYN | TCP_ACK, 700, 999, ""},
             {B, TCP_SYN | TCP_ACK, 500, 105, ""},
             {B, TCP_ACK, 501, 105, "b"},
             {A, TCP_ACK, 105, 502, ""}},
    .log = "open 0:fast 1:b",
    .ignored = 1,
};

/* The answer acknowledges another SYN, or only a part. */
static struct conversation test_data_of_another_syn = {
    .told = {{A, TCP_SYN, 100, 0, "spoof"},
             {A, TCP_SYN, 900, 0, ""},
             {B, TCP_SYN | TCP_ACK, 500, 104, ""},
             {B, TCP_SYN | TCP_ACK, 500, 901, ""},
             {A, TCP_ACK, 901, 501, "real"}},
    .log = "open 0:real",
    .ignored = 1,
};

/* The receiver of that data may want no more. */
static void test_forgotten_at_the_data_of_a_syn(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "fast");
    w->forget_at = 'd';
    feed(w, A, TCP_ACK, 105, 501, "more");
    feed(w, B, TCP_ACK, 501, 109, "b");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:fast");
}

/* Data from before the beginning, and the acknowledgement of real data: not another connection. */
static struct conversation test_before_the_beginning = {
    .begin = shake_hands,
    .told = {{B, TCP_ACK, 493, 101, "12345678"},
             {A, TCP_ACK, 101, 501, "a"},
             {B, TCP_ACK, 501, 102, "b"}},
    .log = "open 0:a 1:b",
    .ignored = 1,
};

/* An acknowledgement of bytes before the first one, even by one byte, is ignored, however often it
 * comes. */
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

/* After half of all numbers, they may come near the beginning again. */
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

static void feed_signed(struct world *w, int dir, uint8_t flags, uint32_t seq, uint32_t ack, const char *text,
                        uint8_t len)
{
    const uint8_t options[20] = {1, 1, 19, len};
    struct segment segment = make_segment(w, dir, flags, seq, ack, text);
    segment.options = cursor_make(options, 2u + len);
    tcp_table_feed(w->table, &segment);
}

/* Linux drops a signature that was not negotiated, and a segment without one if it was. */
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

/* If the other end acknowledges ignored data, its sender is believed: the SYN was forged. */
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

/* On a connection that was joined late, one segment does not show what was negotiated. Two segments
 * of an outsider do not count either. */
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
    w->client_port++; /* in the opposite order */
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    feed_signed(w, A, TCP_ACK, 102, 502, "c", 18);
    feed(w, B, TCP_ACK, 502, 103, "d");
    tcp_table_settle(w->table);
    assert_int_equal(w->stats.ignored, 0);
    expect_log(w, "open 0:a 1:b 0:c 1:d");
}

/* Two equal segments of an end do. */
static void test_signatures_known_late(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    feed(w, A, TCP_ACK, 102, 502, "c");
    feed_signed(w, A, TCP_ACK, 103, 502, "spoof", 18);
    feed(w, A, TCP_ACK, 103, 502, "d");
    feed_signed(w, B, TCP_ACK, 502, 104, "e", 18);
    feed(w, B, TCP_ACK, 503, 104, "f");
    feed_signed(w, B, TCP_ACK, 504, 104, "g", 18);
    tcp_table_settle(w->table);
    assert_int_equal(w->stats.ignored, 1);
    expect_log(w, "open 0:a 1:b 0:c 0:d 1:e 1:f 1:g");
}

static void feed_urgent(struct world *w, uint32_t seq, const char *text, uint16_t urgent)
{
    struct segment segment = make_segment(w, A, TCP_ACK | TCP_URG, seq, 501, text);
    segment.urgent = urgent;
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

/* A segment with an urgent pointer and no data waits with the data before it. */
static void test_urgent_waits(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    feed(w, A, TCP_ACK, 101, 501, "ab");
    feed_urgent(w, 103, "", 2);
    feed(w, A, TCP_ACK, 103, 501, "c!d");
    tcp_table_end(w->table);
    expect_log(w, "open 0:ab 0:c 0:d close=CAPTURE");
    w->client_port++; /* it came first */
    feed_urgent(w, 103, "", 2);
    feed(w, A, TCP_ACK, 101, 501, "ab");
    feed(w, A, TCP_ACK, 103, 501, "c!d");
    tcp_table_end(w->table);
    expect_log(w, "open 0:ab 0:c 0:d close=CAPTURE");
}

/* An old segment does not announce an urgent byte. */
static void test_old_urgent(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed_time(w, A, 101, 501, "a", 0x1000);
    feed_time(w, B, 501, 102, "", 1);
    struct segment segment = timed_segment(w, A, TCP_ACK | TCP_URG, 102, 501, "", 0xffe);
    segment.urgent = 2;
    tcp_table_feed(w->table, &segment);
    feed(w, A, TCP_ACK, 102, 501, "bcd");
    expect_log(w, "open 0:a 0:bcd");
}

static void feed_to_group(struct world *w, int dir, uint8_t flags, uint32_t seq, uint32_t ack, const char *text)
{
    struct segment segment = make_segment(w, dir, flags, seq, ack, text);
    segment.is_to_group = true;
    tcp_table_feed(w->table, &segment);
}

/* Linux takes no TCP from frames to several hosts. A sender of whom no other frames are known is believed. */
static void test_frames_to_a_group(void **state)
{
    struct world *w = *state;
    establish(w);
    feed_to_group(w, A, TCP_ACK, 102, 502, "spoof");
    feed_to_group(w, B, TCP_RST, 502, 0, "");
    feed_to_group(w, B, TCP_SYN | TCP_ACK, 700, 102, "");
    expect_log(w, "");
    assert_int_equal(w->stats.ignored, 3);
    feed(w, A, TCP_ACK, 102, 502, "c");
    expect_log(w, "0:c");
    w->client_port++;
    feed_to_group(w, A, TCP_SYN, 100, 0, "");
    feed(w, B, TCP_SYN | TCP_ACK, 500, 101, "");
    for (uint32_t i = 0; i <= TCP_DISORDER; i++)
        feed_to_group(w, A, TCP_ACK, 101 + i, 501, "x");
    assert_int_equal(w->stats.ignored, 3);
    assert_int_equal(w->table->last->stream[A].next_seq, 102 + TCP_DISORDER);
    feed(w, A, TCP_ACK, 102 + TCP_DISORDER, 501, "y"); /* from now on its frames are others */
    feed_to_group(w, A, TCP_ACK, 103 + TCP_DISORDER, 501, "spoof");
    assert_int_equal(w->stats.ignored, 4);
    w->client_port++; /* where one end is captured, all waits for a while */
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed_to_group(w, A, TCP_ACK, 102, 501, "spoof");
    feed(w, A, TCP_ACK, 102, 501, "b");
    tcp_table_settle(w->table);
    assert_int_equal(w->stats.ignored, 5);
    assert_int_equal(w->table->last->stream[A].next_seq, 103);
}

/* At the beginning a RST without an ACK waits for what was sent before. Its sender goes on, and the other end
 * acknowledges up to its number. */
static void test_reset_that_waited(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    w->is_quiet = true;
    feed(w, B, TCP_ACK, 501, 101, "ab");
    feed(w, B, TCP_RST, 505, 0, "");
    feed(w, B, TCP_ACK, 503, 101, "cd");
    feed(w, A, TCP_ACK, 101, 505, "x");
    feed(w, B, TCP_ACK, 505, 102, "ef");
    for (int i = 0; i < TCP_DISORDER; i++)
        feed(w, A, TCP_ACK, 102, 505, "");
    feed(w, A, TCP_ACK, 102, 507, "y");
    feed(w, B, TCP_ACK, 507, 103, "z");
    expect_log(w, "open 1:ab 1:cd 0:x 1:ef 0:y 1:z");
    assert_int_equal(w->stats.ignored, 1);
}

static void test_refused(void **state)
{
    struct world *w = *state;
    struct segment segment = make_segment(w, A, TCP_ACK, 102, 502, "spoof");
    assert_int_equal(tcp_table_refuse(w->table, &segment), 0);
    assert_int_equal(w->stats.ignored, 1);
    establish(w);
    assert_int_equal(tcp_table_refuse(w->table, &segment), 1);
    assert_int_equal(w->stats.ignored, 2);
    expect_log(w, "");
    tcp_table_forget(&w->table->last->view);
    assert_int_equal(tcp_table_refuse(w->table, &segment), 0);
    assert_int_equal(w->stats.ignored, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_old_times),
        TEST(test_times_of_what_waits),
        TEST(test_stray_acks),
        TEST(test_stray_ack_then_plain_ones),
        CONVERSATION(test_data_of_a_repeated_syn),
        TEST(test_acks_before_the_beginning),
        TEST(test_acks_of_a_long_stream),
        CONVERSATION(test_syn_ack_and_stray_data),
        TEST(test_signatures),
        TEST(test_signatures_that_were_agreed_on),
        TEST(test_signatures_of_a_late_join),
        TEST(test_signatures_known_late),
        TEST(test_time_of_syn),
        CONVERSATION(test_data_of_a_syn_that_nobody_takes),
        CONVERSATION(test_data_of_a_syn_alone),
        CONVERSATION(test_data_of_a_syn_gone_on),
        CONVERSATION(test_data_of_a_syn_acked),
        CONVERSATION(test_data_of_a_syn_and_a_hole),
        CONVERSATION(test_data_of_a_syn_in_part),
        CONVERSATION(test_data_of_a_syn_and_a_wrong_answer),
        CONVERSATION(test_data_of_another_syn),
        TEST(test_forgotten_at_the_data_of_a_syn),
        CONVERSATION(test_before_the_beginning),
        TEST(test_old_urgent),
        TEST(test_old_times_one_way),
        TEST(test_times_out_of_order_one_way),
        TEST(test_stray_ack_one_way),
        CONVERSATION(test_early_stray_ack_one_way),
        TEST(test_syn_where_data_waits),
        TEST(test_urgent_waits),
        TEST(test_strays),
        CONVERSATION(test_stray_copies),
        TEST(test_urgent),
        TEST(test_frames_to_a_group),
        TEST(test_reset_that_waited),
        TEST(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
