/*
 * test_tcp_doubted.c - segments that seem too old for their place are kept: the other end may
 * acknowledge them, or other bytes may come in their place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "failing_alloc.h"
#include "tcp_world.h"

/* feed_good feeds a segment that may be the next one, feed_doubted one that seems too old. */
static void feed_good(struct world *w, int dir, uint32_t seq, uint32_t ack, const char *text)
{
    feed_time(w, dir, seq, ack, text, 7000);
}

static void feed_doubted(struct world *w, int dir, uint32_t seq, uint32_t ack, const char *text)
{
    feed_time(w, dir, seq, ack, text, 100);
}

/* wait_long waits for as long as acknowledged bytes may be missing. */
static void wait_long(struct world *w)
{
    w->now_ns += 300 * MS;
    w->frame += 100;
    tcp_table_time(w->table, w->now_ns);
}

/* If the other end acknowledges a doubted segment, it has accepted it: the segment is passed on if
 * nothing else came in its place. */
static void test_wrongly_ignored(void **state)
{
    struct world *w = *state;
    begin_timed(w);
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

/* Other bytes that come in its place win, before or after the acknowledgement. */
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

/* An acknowledgement of more than was sent, or of a FIN, does not prove that the doubted segment
 * arrived. One of held bytes behind it does. */
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

/* If the acknowledgement does not end exactly at the doubted segment, it is of another segment,
 * which was not captured. */
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

/* If there are two versions, it is unknown which one was accepted. */
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

/* A retransmission of a doubted segment is the same one; it fills the gap before later bytes, even
 * if these are acknowledged, too. */
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

/* Doubted segments are capped, by number and by bytes; one that is not kept leaves a gap as before. */
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_wrongly_ignored),
        TEST(test_doubted_and_replaced),
        TEST(test_doubted_and_another),
        TEST(test_doubted_and_acked_beyond),
        TEST(test_doubted_twice),
        TEST(test_doubted_again),
        TEST(test_doubted_caps),
        TEST(test_doubted_bytes),
        TEST(test_doubted_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
