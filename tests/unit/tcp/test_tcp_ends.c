/*
 * test_tcp_ends.c - how TCP connections begin and end: refused, reset, closed, ports reused, and
 * never answered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tcp/tcp_reuse.h"
#include "tcp_world.h"

static void test_fin_out_of_order(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK | TCP_FIN, 3, 1, "cd");
    feed(w, B, TCP_ACK | TCP_FIN, 1, 1, "");
    expect_log(w, "open 1.");
    feed(w, A, TCP_ACK, 1, 2, "ab");
    expect_log(w, "0:ab 0:cd 0. close=FIN");
}

static void test_bare_fin_out_of_order(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK | TCP_FIN, 3, 1, "");
    expect_log(w, "open");
    feed(w, B, TCP_ACK | TCP_FIN, 1, 4, ""); /* the other end was already there: it was first */
    expect_log(w, "");
    w->now_ns += 300 * MS;
    feed(w, B, TCP_ACK | TCP_FIN, 1, 4, "");
    expect_log(w, "1. 0!2L 0. close=FIN");
}

static void test_fin_that_was_none(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK | TCP_FIN, 3, 1, ""); /* forged: the stream goes on */
    feed(w, A, TCP_ACK, 1, 1, "abcd");
    feed(w, A, TCP_ACK, 5, 1, "ef");
    expect_log(w, "open 0:abcd 0:ef");
    feed(w, A, TCP_ACK | TCP_FIN, 7, 1, "");
    expect_log(w, "0.");
    feed(w, A, TCP_ACK, 7, 1, "gh"); /* nothing comes after the end */
    feed(w, A, TCP_ACK, 9, 1, "ij");
    feed(w, B, TCP_ACK, 1, 8, ""); /* it has got the FIN, and nothing behind it */
    expect_log(w, "");
    tcp_table_end(w->table);
    expect_log(w, "close=CAPTURE");
    assert_int_equal(held_len(w), 0);
}

/* After the beginning, a FIN does not wait for bytes before it. */
static void test_fin_amid_that_was_none(void **state)
{
    struct world *w = *state;
    establish(w);
    feed(w, A, TCP_ACK | TCP_FIN, 104, 502, "");
    feed(w, A, TCP_ACK, 102, 502, "cdef");
    expect_log(w, "0:cdef");
    feed(w, A, TCP_ACK | TCP_FIN, 106, 502, "");
    expect_log(w, "0.");
}

static void test_reset(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    feed(w, A, TCP_ACK, 1001, 5001, "a");
    feed(w, B, TCP_RST, 5001 + 0x40000000, 0, ""); /* blind */
    feed(w, B, TCP_RST, 5001 - 0x40000000, 0, "");
    feed(w, A, TCP_ACK, 1002, 5001, "b");
    expect_log(w, "open 0:a 0:b");
    feed(w, A, TCP_ACK, 1006, 5001, "late");
    feed(w, B, TCP_RST | TCP_ACK, 5001, 1003, "");
    expect_log(w, "0!3L 0:late close=RESET1");
    feed(w, A, TCP_ACK, 1010, 5001, "after");
    feed(w, A, TCP_ACK | TCP_FIN, 1015, 5001, "");
    tcp_table_end(w->table);
    expect_log(w, "");
    assert_int_equal(w->stats.tcp_connections, 1);
}

static void test_refused(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 1000, 0, "");
    feed(w, B, TCP_RST | TCP_ACK, 0, 0x50000000, ""); /* not an answer to that */
    expect_log(w, "open");
    feed(w, B, TCP_RST | TCP_ACK, 0, 1001, "");
    expect_log(w, "close=RESET1");
    feed(w, A, TCP_SYN, 1000, 0, "");
    expect_log(w, "");
    feed(w, A, TCP_SYN, 2000, 0, ""); /* tries again */
    feed(w, B, TCP_SYN | TCP_ACK, 7000, 2001, "");
    feed(w, A, TCP_ACK, 2001, 7001, "a");
    expect_log(w, "open 0:a");
}

static void test_reset_opens_nothing(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_RST, 1000, 0, "");
    feed(w, A, TCP_RST, 1000, 0, "reason");
    feed(w, A, TCP_ACK, 1000, 0, "");
    feed(w, A, TCP_FIN | TCP_ACK, 1000, 0, "");
    expect_log(w, "");
}

/* goes_on_after_reset: a RST whose number is one too high, and data of the other end after_ns later. */
static void goes_on_after_reset(struct world *w, int64_t after_ns)
{
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_RST | TCP_ACK, 502, 102, "");
    tcp_table_settle(w->table);
    w->frame += 100;
    w->now_ns += after_ns;
    feed(w, A, TCP_ACK, 102, 501, "b");
}

/* A RST whose number is near the expected one counts if nothing follows for a second. */
static void test_doubted_reset(void **state)
{
    struct world *w = *state;
    goes_on_after_reset(w, 100 * MS); /* it was under way */
    tcp_table_time(w->table, w->now_ns + 899 * MS);
    expect_log(w, "open 0:a 0:b");
    tcp_table_time(w->table, w->now_ns + 900 * MS);
    expect_log(w, "close=RESET1");
    assert_int_equal(w->stats.ignored, 0);
    w->client_port++;
    goes_on_after_reset(w, 200 * MS); /* it was not */
    tcp_table_time(w->table, w->now_ns + 5000 * MS);
    expect_log(w, "open 0:a 0:b");
    assert_int_equal(w->stats.ignored, 1);
    feed(w, B, TCP_RST | TCP_ACK, 502, 103, "");
    tcp_table_end(w->table);
    expect_log(w, "close=RESET1");
}

static void test_reuse(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    feed(w, A, TCP_ACK, 1001, 5001, "a");
    feed(w, A, TCP_SYN, 1000, 0, ""); /* a late copy */
    expect_log(w, "open 0:a");
    assert_int_equal(w->stats.retransmitted, 1);
    feed(w, A, TCP_ACK, 1005, 5001, "held");
    shake(w, 90000, 80000);
    expect_log(w, "0!3L 0:held close=REUSED open");
    feed(w, A, TCP_ACK, 90001, 80001, "b");
    feed(w, B, TCP_ACK, 80001, 90002, "c");
    expect_log(w, "0:b 1:c");
    assert_int_equal(held_len(w), 0);
}

/* If only the other side has sent something, or has closed, the connection was established. */
static void test_reuse_of_what_was_answered(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    feed(w, B, TCP_ACK, 5001, 1001, "b");
    feed(w, A, TCP_SYN, 90000, 0, "");
    expect_log(w, "open 1:b");
    feed(w, B, TCP_SYN | TCP_ACK, 80000, 90001, "");
    expect_log(w, "close=REUSED open");
    feed(w, A, TCP_ACK, 90001, 80001, "");
    feed(w, B, TCP_ACK | TCP_FIN, 80001, 90001, "");
    feed(w, A, TCP_SYN, 170000, 0, "");
    feed(w, B, TCP_SYN | TCP_ACK, 110000, 170001, "");
    expect_log(w, "1. close=REUSED open");
    assert_int_equal(w->stats.ignored, 0);
}

/* Of the SYNs in the middle of a connection, the latest TCP_MAX_REUSED are kept. */
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

static void test_reuse_after_close(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    feed(w, A, TCP_ACK | TCP_FIN, 1001, 5001, "a");
    feed(w, B, TCP_ACK | TCP_FIN, 5001, 1003, "b");
    expect_log(w, "open 0:a 0. 1:b 1. close=FIN");
    feed(w, B, TCP_ACK | TCP_FIN, 5001, 1003, "b"); /* late */
    feed(w, A, TCP_ACK, 1003, 5003, "");
    expect_log(w, "");
    shake(w, 2000, 7000);
    feed(w, A, TCP_ACK, 2001, 7001, "c");
    expect_log(w, "open 0:c");
}

static void test_new_syn_before_data(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 1000, 0, "");
    shake(w, 2000, 7000); /* the first attempt was given up: still nothing happened */
    feed(w, A, TCP_ACK, 2001, 7001, "c");
    expect_log(w, "open 0:c");
}

/* Of two SYNs before the answer, the answered one begins the connection. */
static void test_syns_at_the_beginning(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    feed(w, A, TCP_SYN, 7777777, 0, "");
    feed(w, B, TCP_SYN | TCP_ACK, 1, 12345, ""); /* of neither SYN */
    feed(w, B, TCP_SYN | TCP_ACK, 500, 101, "");
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    expect_log(w, "open 0:a 1:b");
    assert_int_equal(w->stats.ignored, 1);
}

static void test_closed_is_forgotten_in_time(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    feed(w, B, TCP_RST | TCP_ACK, 5001, 1001, "");
    expect_log(w, "open close=RESET1");
    w->now_ns += 61000 * MS;
    feed(w, A, TCP_ACK, 77, 0, "new");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:new");
}

static void test_reuse_unseen(void **state)
{
    struct world *w = *state;
    shake(w, 0x70000000, 5000);
    feed(w, A, TCP_ACK, 0x70000001, 5001, "a");
    expect_log(w, "open 0:a");
    /* Another connection on the same ports whose beginning was not captured. */
    for (uint32_t i = 0; i < 6; i++)
        feed(w, A, TCP_ACK, 0x10000000 + 2 * i, 5001, "bc");
    expect_log(w, "close=REUSED open 0:bc 0:bc 0:bc 0:bc 0:bc 0:bc");
}

static void test_end_in_order_of_first_packets(void **state)
{
    struct world *w = *state;
    static const char *const texts[] = {"one", "two", "three"};
    for (int i = 0; i < 3; i++) {
        w->client_port = (uint16_t)(50000 - i);
        shake(w, 0, 0);
        feed(w, A, TCP_ACK, 4, 1, texts[i]);
    }
    w->client_port = 50000;
    feed(w, B, TCP_ACK, 1, 1, "x");
    expect_log(w, "open open open 1:x");
    tcp_table_end(w->table);
    expect_log(w, "0!3L 0:one close=CAPTURE 0!3L 0:two close=CAPTURE 0!3L 0:three close=CAPTURE");
    shake(w, 0, 0); /* the table can be used again */
    expect_log(w, "open");
}

/* A SYN is retransmitted after 1 s, then after 2 s; its sender gives up. */
static void test_syn_unanswered(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    w->now_ns += 1000 * MS;
    feed(w, A, TCP_SYN, 100, 0, "");
    w->now_ns += 2000 * MS;
    feed(w, A, TCP_SYN, 100, 0, "");
    expect_log(w, "open");
    tcp_table_time(w->table, w->now_ns + 4999 * MS);
    expect_log(w, "");
    tcp_table_time(w->table, w->now_ns + 5000 * MS);
    expect_log(w, "close=SILENT");
    /* The answer comes late. */
    w->now_ns += 6000 * MS;
    feed(w, A, TCP_SYN, 100, 0, "");
    expect_log(w, "");
    feed(w, B, TCP_SYN | TCP_ACK, 500, 101, "");
    feed(w, A, TCP_ACK, 101, 501, "ab");
    expect_log(w, "open 0:ab");
    tcp_table_end(w->table);
    expect_log(w, "close=CAPTURE");
}

static void test_syn_unanswered_once(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    w->is_quiet = true; /* packets are slightly out of order: the answer may come next */
    w->client_port++;
    w->now_ns += 3600 * MS;
    feed(w, A, TCP_SYN, 700, 0, "");
    expect_log(w, "open open");
    w->is_quiet = false;
    w->now_ns += 100 * MS;
    w->client_port++;
    feed(w, A, TCP_SYN, 1, 1, "");
    expect_log(w, "open close=SILENT");
    tcp_table_end(w->table); /* the others may still be answered */
    expect_log(w, "close=CAPTURE close=CAPTURE");
}

static void test_syn_at_the_end(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    w->now_ns += 1000 * MS;
    feed(w, A, TCP_SYN, 100, 0, "");
    w->client_port++;
    feed(w, A, TCP_SYN, 100, 0, "");
    tcp_table_end(w->table);
    expect_log(w, "open open close=SILENT close=CAPTURE");
}

/* An acknowledgement shows that there was an answer, captured or not. */
static void test_syn_answered_unseen(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    feed(w, A, TCP_ACK, 101, 501, "");
    tcp_table_time(w->table, w->now_ns + 60000 * MS);
    tcp_table_end(w->table);
    expect_log(w, "open close=CAPTURE");
}

static void tell_icmp(struct world *w, int dir, uint32_t seq, const struct icmp_error *error)
{
    struct segment segment = next_segment(w, dir);
    segment.seq = seq;
    tcp_table_icmp(w->table, &segment, error);
}

static const struct icmp_error unreachable = {.from = {4, {10, 0, 0, 9}}, .what = "unreachable"};
static const struct icmp_error too_big = {
    .from = {4, {10, 0, 0, 9}}, .what = "big", .too_big = true, .mtu = 1400};

static void test_icmp_of_a_syn(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    tell_icmp(w, A, 101, &unreachable); /* does not quote this SYN */
    tell_icmp(w, B, 100, &unreachable);
    w->client_port++;
    tell_icmp(w, A, 100, &unreachable);
    w->client_port--;
    expect_log(w, "open");
    tell_icmp(w, A, 100, &unreachable);
    expect_log(w, "close=ICMP");
    tell_icmp(w, A, 100, &unreachable);
    expect_log(w, "");
}

static void test_icmp_of_data(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed(w, B, TCP_ACK, 501, 101, "ab");
    tell_icmp(w, B, 501, &too_big);
    tell_icmp(w, B, 501, &too_big); /* reported once */
    tell_icmp(w, A, 101 + (1 << 20) + 1, &unreachable); /* far off: of no connection */
    expect_log(w, "open 1:ab 1?big");
    tell_icmp(w, A, 101 + (1 << 20), &unreachable);
    expect_log(w, "0?unreachable");
    feed(w, B, TCP_ACK, 503, 101, "cd");
    expect_log(w, "1:cd");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_fin_out_of_order),
        TEST(test_bare_fin_out_of_order),
        TEST(test_fin_that_was_none),
        TEST(test_fin_amid_that_was_none),
        TEST(test_reset),
        TEST(test_refused),
        TEST(test_reset_opens_nothing),
        TEST(test_doubted_reset),
        TEST(test_reuse),
        TEST(test_reuse_of_what_was_answered),
        TEST(test_syns_amid),
        TEST(test_reuse_after_close),
        TEST(test_new_syn_before_data),
        TEST(test_syns_at_the_beginning),
        TEST(test_closed_is_forgotten_in_time),
        TEST(test_reuse_unseen),
        TEST(test_end_in_order_of_first_packets),
        TEST(test_syn_unanswered),
        TEST(test_syn_unanswered_once),
        TEST(test_syn_at_the_end),
        TEST(test_syn_answered_unseen),
        TEST(test_icmp_of_a_syn),
        TEST(test_icmp_of_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
