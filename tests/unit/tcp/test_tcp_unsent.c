/*
 * test_tcp_unsent.c - data that acknowledges bytes that were not sent waits for the data that may
 * come in its place (tcp_reorder.c): until it is acknowledged, or for as long as packets are out of
 * order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tcp_conversation.h"
#include "tcp_world.h"

/* Data that acknowledges bytes that were not sent yet is processed after the data in its place,
 * even if the bytes are sent in between: by one byte, by TCP_NEAR. */
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
    assert_int_equal(w->stats.retransmitted, num + 1); /* delivered bytes do not wait */
}

/* It is processed when the other end has acknowledged all of it, or after the clock has waited. The
 * acknowledged bytes then count as lost. A number that the sender has acknowledged before is not in
 * doubt. */
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
    assert_int_equal(w->table->last->stream[B].acked, 520);
    feed(w, A, TCP_ACK, 118, 525, "cap");
    for (int i = 1; i < TCP_DISORDER; i++)
        feed(w, B, TCP_ACK, 502, 118, "");
    expect_log(w, "");
    feed(w, B, TCP_ACK, 502, 118, "");
    expect_log(w, "0:cap");
}

/* Held bytes behind a gap, and a FIN, were sent. */
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

/* A SYN that the ends ignore does not end the wait. */
static struct conversation test_syn_where_an_unsent_ack_waits = {
    .begin = establish,
    .told = {{A, TCP_ACK, 102, 503, "spoof"},
             {A, TCP_SYN, 90000000, 0, ""},
             {A, TCP_ACK, 102, 502, "c"},
             {B, TCP_ACK, 502, 103, "d"}},
    .log = "0:c 1:d",
    .ignored = 2,
};

/* The wait begins as soon as the other end is seen, also if a capture begins in the middle of a
 * connection. */
static struct conversation test_unsent_ack_at_the_start = {
    .told = {{A, TCP_ACK, 101, 501, "a"},
             {B, TCP_ACK, 501, 102, "b"},
             {A, TCP_ACK, 102, 503, "spoof"},
             {B, TCP_ACK, 502, 102, "c"},
             {A, TCP_ACK, 102, 503, "right"},
             {B, TCP_ACK, 503, 107, "d"}},
    .log = "open 0:a 1:b 1:c 0:right 1:d",
    .ignored = 1,
};

/* The bytes of a gap were not captured, whatever is held behind it. */
static struct conversation test_unsent_ack_amid_a_hole = {
    .begin = establish,
    .told = {{B, TCP_ACK, 510, 102, "early"},
             {A, TCP_ACK, 102, 505, "spoof"},
             {A, TCP_ACK, 102, 502, "right"}},
    .log = "0:right",
    .ignored = 1,
};

/* If all segments wait for a reset of another connection, the data in its place waits, too. */
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

/* An acknowledgement with a bad checksum does not show that it has arrived. */
static void test_unsent_ack_and_a_bad_checksum(void **state)
{
    struct world *w = *state;
    establish(w);
    feed_summed(w, B, 502, 102, "c", true);
    feed(w, A, TCP_ACK, 102, 504, "spoof");
    feed_summed(w, B, 503, 107, "", false);
    expect_log(w, "1:c");
    feed(w, A, TCP_ACK, 102, 503, "right");
    tcp_table_settle(w->table);
    expect_log(w, "0:right");
}

/* Other bytes came in the place of data that acknowledged unsent bytes. That acknowledgement proves
 * nothing, even if the real bytes are acknowledged before it is processed. */
static void test_unsent_ack_of_replaced_data(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, A, TCP_ACK | TCP_FIN, 104, 900, "xy");
    feed(w, A, TCP_ACK, 102, 502, "abcd");
    feed(w, B, TCP_ACK, 502, 106, "");
    tcp_table_settle(w->table);
    expect_log(w, "0:abcd");
    assert_int_equal(w->table->last->stream[B].acked, 502);
    feed(w, A, TCP_ACK, 108, 900, "gh"); /* the same bytes, too */
    feed(w, A, TCP_ACK, 106, 502, "efgh");
    feed(w, B, TCP_ACK, 502, 110, "");
    tcp_table_settle(w->table);
    expect_log(w, "0:efgh");
    assert_int_equal(w->table->last->stream[B].acked, 502);
    feed(w, A, TCP_ACK, 112, 900, "xy");
    feed(w, A, TCP_ACK, 110, 502, "ijk"); /* not all of it */
    feed(w, B, TCP_ACK, 502, 114, "");
    tcp_table_settle(w->table);
    expect_log(w, "0:ijk 0:y");
    assert_int_equal(w->table->last->stream[B].acked, 900);
}

/* An acknowledgement of far more than was sent is forged as well, and does not show that data has arrived. */
static void test_unsent_ack_and_another(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, A, TCP_ACK, 102, 503, "spoof");
    feed(w, B, TCP_ACK | TCP_FIN, 505, 102 + 2 * TCP_NEAR, "xy");
    expect_log(w, "");
    feed(w, A, TCP_ACK, 102, 502, "right");
    tcp_table_settle(w->table);
    expect_log(w, "0:right");
    assert_int_equal(w->stats.ignored, 2);
}

/* One of the byte behind it is that of a FIN, which was not captured. */
static void test_unsent_ack_and_one_of_a_fin(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, A, TCP_ACK, 102, 503, "was sent");
    feed(w, B, TCP_ACK, 502, 111, "");
    expect_log(w, "0:was sent");
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_unsent_acks),
        TEST(test_unsent_acks_of_lost_bytes),
        TEST(test_acks_of_held_bytes),
        TEST(test_unsent_acks_of_acked_data),
        CONVERSATION(test_syn_where_an_unsent_ack_waits),
        CONVERSATION(test_unsent_ack_at_the_start),
        CONVERSATION(test_unsent_ack_amid_a_hole),
        TEST(test_unsent_ack_behind_a_reset),
        TEST(test_unsent_ack_and_a_bad_checksum),
        TEST(test_unsent_ack_of_replaced_data),
        TEST(test_unsent_ack_and_another),
        TEST(test_unsent_ack_and_one_of_a_fin),
        TEST(test_acks_of_a_fin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
