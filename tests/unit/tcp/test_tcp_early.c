/*
 * test_tcp_early.c - data that was captured before the SYN of its connection: packets are not quite in
 * order, or somebody has sent it whose guess of both first numbers was right. And SYNs of both ends, or too many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tcp_conversation.h"
#include "tcp_world.h"

static struct conversation test_of_the_client = {
    .told = {{A, TCP_ACK, 101, 501, "spoofed"},
             {A, TCP_SYN, 100, 0, ""},
             {B, TCP_SYN | TCP_ACK, 500, 101, ""},
             {A, TCP_ACK, 101, 501, ""},
             {A, TCP_ACK, 101, 501, "ask"},
             {B, TCP_ACK, 501, 104, "ok"},
             {A, TCP_ACK, 104, 503, "more of it"}},
    .log = "open 0:ask 1:ok 0:more of it",
    .ignored = 1,
};

/* What came before its own SYN-ACK is no answer. */
static struct conversation test_of_the_server = {
    .told = {{B, TCP_ACK, 501, 104, "spoofed"},
             {A, TCP_SYN, 100, 0, ""},
             {B, TCP_SYN | TCP_ACK, 500, 101, ""},
             {A, TCP_ACK, 101, 501, "ask"},
             {B, TCP_ACK, 501, 104, "ok"},
             {A, TCP_ACK, 104, 503, "more"},
             {B, TCP_ACK, 503, 108, "very well"}},
    .log = "open 0:ask 1:ok 0:more 1:very well",
    .ignored = 1,
};

static struct conversation test_between_syn_and_syn_ack = {
    .told = {{A, TCP_SYN, 100, 0, ""},
             {B, TCP_ACK, 501, 101, "spoofed"},
             {B, TCP_SYN | TCP_ACK, 500, 101, ""},
             {A, TCP_ACK, 101, 501, "ask"},
             {B, TCP_ACK, 501, 104, "ok"},
             {A, TCP_ACK, 104, 503, "more"},
             {B, TCP_ACK, 503, 108, "very well"}},
    .log = "open 0:ask 1:ok 0:more 1:very well",
    .ignored = 1,
};

/* What the other end acknowledges, and nothing else comes in its place, was captured too early. */
static struct conversation test_only_out_of_order = {
    .told = {{A, TCP_ACK, 101, 501, "ask"},
             {A, TCP_SYN, 100, 0, ""},
             {B, TCP_SYN | TCP_ACK, 500, 101, ""},
             {B, TCP_ACK, 501, 104, "ok"},
             {A, TCP_ACK, 104, 503, "more"}},
    .log = "open 0:ask 1:ok 0:more",
};

/* Data between two SYNs is no earlier than the first. */
static struct conversation test_between_two_syns = {
    .told = {{A, TCP_SYN, 100, 0, ""},
             {A, TCP_ACK, 101, 501, "ask"},
             {A, TCP_SYN, 100, 0, ""},
             {A, TCP_ACK, 101, 501, "other"}},
    .log = "open 0:ask 0:er",
};

/* If one end is captured, nothing is acknowledged: what comes after the SYN goes first. */
static struct conversation test_one_way = {
    .told = {{A, TCP_ACK, 101, 501, "spoofed"},
             {A, TCP_SYN, 100, 0, ""},
             {A, TCP_ACK, 101, 501, ""},
             {A, TCP_ACK, 101, 501, "ask"},
             {A, TCP_ACK, 104, 503, "more of it"}},
    .log = "open 0:ask 0:more of it",
    .ignored = 1,
};

static struct conversation test_one_way_only_out_of_order = {
    .told = {{A, TCP_ACK, 101, 501, "ask"},
             {A, TCP_SYN, 100, 0, ""},
             {A, TCP_ACK, 101, 501, ""},
             {A, TCP_ACK, 104, 503, "more"}},
    .log = "open 0:ask 0:more",
};

/* begin_early delivers data without a SYN, and lets as many packets of others go by. */
static void begin_early(struct world *w, int dir, unsigned num_others)
{
    w->is_quiet = true;
    feed(w, dir, TCP_ACK, dir == A ? 101 : 501, dir == A ? 501 : 104, "spoofed");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:spoofed");
    w->frame += num_others;
    w->now_ns += MS;
}

/* When more packets have come than may be in disorder, a SYN with the same number begins another connection
 * behind the data of either end. */
static void test_long_before_the_syn(void **state)
{
    struct world *w = *state;
    for (int dir = A; dir <= B; dir++) {
        begin_early(w, dir, TCP_DISORDER - 1);
        shake(w, 100, 500);
        feed(w, A, TCP_ACK, 101, 501, "ask");
        feed(w, B, TCP_ACK, 501, 104, "ok");
        tcp_table_settle(w->table);
        expect_log(w, "close=REUSED open 0:ask 1:ok");
        w->client_port++;
    }
}

static void test_not_so_long_before_the_syn(void **state)
{
    struct world *w = *state;
    begin_early(w, A, TCP_DISORDER - 2);
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 108, 501, "more");
    tcp_table_settle(w->table);
    expect_log(w, "0:more");
}

/* A capture of several threads may be in more disorder, but then times tell. */
static void test_syn_with_an_earlier_time(void **state)
{
    struct world *w = *state;
    begin_early(w, A, 1000);
    w->now_ns -= 2 * MS;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 108, 501, "more");
    tcp_table_settle(w->table);
    expect_log(w, "0:more");
}

/* Nor does a SYN without an answer begin one. */
static void test_data_and_a_stray_syn(void **state)
{
    struct world *w = *state;
    begin_early(w, A, 1000);
    feed(w, A, TCP_SYN, 100, 0, "");
    feed(w, A, TCP_ACK, 108, 501, "more");
    feed(w, B, TCP_ACK, 501, 112, "ok");
    tcp_table_settle(w->table);
    expect_log(w, "0:more 1:ok");
    assert_int_equal(w->stats.ignored, 1);
}

static void test_long_before_the_syn_one_way(void **state)
{
    struct world *w = *state;
    begin_early(w, A, 1000);
    feed(w, A, TCP_SYN, 100, 0, "");
    feed(w, A, TCP_ACK, 101, 501, "");
    feed(w, A, TCP_ACK, 101, 501, "ask");
    tcp_table_settle(w->table);
    expect_log(w, "close=REUSED open 0:ask");
}

/* So it does behind SYN-ACKs that nobody had asked for. */
static void test_long_before_the_syn_with_a_syn_ack(void **state)
{
    struct world *w = *state;
    begin_early(w, A, 0);
    feed(w, B, TCP_SYN | TCP_ACK, 900, 101, "");
    w->frame += TCP_DISORDER;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 501, "ask");
    feed(w, B, TCP_ACK, 501, 104, "ok");
    tcp_table_settle(w->table);
    expect_log(w, "close=REUSED open 0:ask 1:ok");
}

/* Early data that acknowledges what the SYN does not fit is of another connection, and so is all that is queued. */
static struct conversation test_of_another_connection = {
    .told = {{B, TCP_ACK, 501, 70000000, "spoofed"},
             {B, TCP_ACK, 501, 101, "again"},
             {A, TCP_SYN, 100, 0, ""},
             {B, TCP_SYN | TCP_ACK, 500, 101, ""},
             {A, TCP_ACK, 101, 501, "ask"},
             {B, TCP_ACK, 501, 104, "ok"}},
    .log = "open 0:spoofed close=REUSED open 0:ask 1:ok",
    .ignored = 1,
};

/* Of more SYNs than are remembered any may be answered. */
static void test_many_syns(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    for (uint32_t i = 1; i <= TCP_SYNS; i++)
        feed(w, A, TCP_SYN, 100 + 7000 * i, 0, "");
    feed(w, B, TCP_SYN | TCP_ACK, 500, 101, "");
    feed(w, A, TCP_ACK, 101, 501, "ask");
    feed(w, B, TCP_ACK, 501, 104, "ok");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:ask 1:ok");
    w->client_port++;
    feed(w, A, TCP_SYN, 100, 0, "");
    for (uint32_t i = 1; i < TCP_SYNS; i++)
        feed(w, A, TCP_SYN, 100 + 7000 * i, 0, "");
    feed(w, B, TCP_SYN | TCP_ACK, 500, 99, ""); /* all are remembered: none has this number */
    assert_int_equal(w->stats.ignored, 1);
}

/* A SYN of the server, which it never sent, does not keep its SYN-ACK out. */
static void test_syn_of_the_server(void **state)
{
    struct world *w = *state;
    feed(w, B, TCP_SYN, 600, 0, "");
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 501, "ask");
    feed(w, B, TCP_ACK, 501, 104, "ok");
    tcp_table_settle(w->table);
    expect_log(w, "open 1:ask 0:ok");
    feed(w, B, TCP_SYN | TCP_ACK, 800, 104, "");
    feed(w, A, TCP_ACK, 104, 503, "more");
    expect_log(w, "1:more");
    assert_int_equal(w->stats.ignored, 1);
}

static void feed_syn_ack(struct world *w, uint32_t sent_time)
{
    struct segment segment = timed_segment(w, B, TCP_SYN | TCP_ACK, 500, 101, "", sent_time);
    tcp_table_feed(w->table, &segment);
}

/* What is older than its SYN-ACK is too old, also before anything is acknowledged, and also where data without an
 * ACK came before the SYN-ACK. */
static void test_older_than_the_syn_ack(void **state)
{
    struct world *w = *state;
    for (int i = 0; i < 2; i++) {
        feed(w, A, TCP_SYN, 100, 0, "");
        if (i == 1)
            feed(w, B, TCP_PSH, 503, 0, "spoofed");
        feed_syn_ack(w, 7000);
        feed_time(w, B, 501, 101, "spoofed", 6998);
        feed(w, A, TCP_ACK, 101, 501, "ask");
        feed_time(w, B, 501, 104, "ok", 6999); /* clocks may be a little off */
        tcp_table_settle(w->table);
        expect_log(w, "open 0:ask 1:ok");
        assert_int_equal(w->stats.ignored, i == 0 ? 1 : 3);
        w->client_port++;
    }
}

/* A SYN of each end, without an ACK: both have opened the connection. */
static void test_both_open(void **state)
{
    struct world *w = *state;
    feed(w, B, TCP_SYN, 500, 0, "");
    assert_false(w->table->last->view.both_opened);
    feed(w, B, TCP_SYN, 500, 0, "");
    assert_false(w->table->last->view.both_opened);
    feed(w, A, TCP_SYN, 100, 0, "");
    assert_true(w->table->last->view.both_opened);
    feed(w, B, TCP_SYN | TCP_ACK, 500, 101, "");
    feed(w, A, TCP_SYN | TCP_ACK, 100, 501, "");
    feed(w, A, TCP_ACK, 101, 501, "ask");
    feed(w, B, TCP_ACK, 501, 104, "ok");
    expect_log(w, "open 1:ask 0:ok");
    w->client_port++;
    shake(w, 100, 500);
    assert_false(w->table->last->view.both_opened);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CONVERSATION(test_of_the_client),
        CONVERSATION(test_of_the_server),
        CONVERSATION(test_between_syn_and_syn_ack),
        CONVERSATION(test_only_out_of_order),
        CONVERSATION(test_between_two_syns),
        CONVERSATION(test_one_way),
        CONVERSATION(test_one_way_only_out_of_order),
        TEST(test_long_before_the_syn),
        TEST(test_not_so_long_before_the_syn),
        TEST(test_syn_with_an_earlier_time),
        TEST(test_data_and_a_stray_syn),
        TEST(test_long_before_the_syn_one_way),
        TEST(test_long_before_the_syn_with_a_syn_ack),
        CONVERSATION(test_of_another_connection),
        TEST(test_many_syns),
        TEST(test_syn_of_the_server),
        TEST(test_older_than_the_syn_ack),
        TEST(test_both_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
