/*
 * test_tcp_reorder.c - TCP segments that are slightly out of order wait for their turn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tcp/tcp_analysis.h"
#include "tcp_world.h"

/* Packets out of order, and far apart in time: bytes that come within a few packets are not lost. */
static void test_disorder(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    shake(w, 0, 0);
    feed(w, B, TCP_ACK, 1, 5, ""); /* of bytes that come later */
    feed(w, A, TCP_ACK, 3, 1, "cd");
    for (int i = 0; i < TCP_DISORDER - 1; i++) {
        w->now_ns += 5000 * MS;
        feed(w, B, TCP_ACK, 1, 5, "");
    }
    expect_log(w, "open");
    feed(w, A, TCP_ACK, 1, 1, "ab");
    expect_log(w, "0:ab 0:cd");
    feed(w, A, TCP_ACK | TCP_FIN, 7, 1, "gh");
    for (int i = 0; i < TCP_DISORDER; i++) {
        expect_log(w, "");
        w->now_ns += 5000 * MS;
        feed(w, B, TCP_ACK, 1, 10, "");
    }
    expect_log(w, "0!2L 0:gh 0.");
}

/* Packets in any order, at the beginning and the end of a connection. */

static void tell(struct world *w, const struct told *told, const char *order)
{
    for (; *order != '\0'; order++)
        feed_told(w, &told[*order - '0']);
}

/* A question, its answer, and the end of the connection, which the answering end began. */
static const struct told exchange[] = {
    {A, TCP_SYN, 100, 0, ""},
    {B, TCP_SYN | TCP_ACK, 500, 101, ""},
    {A, TCP_ACK, 101, 501, ""},
    {A, TCP_ACK, 101, 501, "ask"},
    {B, TCP_ACK, 501, 104, "answer"},
    {B, TCP_ACK | TCP_FIN, 507, 104, ""},
    {A, TCP_ACK | TCP_FIN, 104, 508, ""},
    {B, TCP_ACK, 508, 105, ""},
};

static void test_any_order(void **state)
{
    static const char *const orders[] = {"01234567", "76543210", "43210567", "10432567",
                                         "65432107", "50617243", "34567012", "24601357"};
    struct world *w = *state;
    w->is_quiet = true;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        tell(w, exchange, orders[i]);
        tcp_table_settle(w->table);
        expect_log(w, "open 0:ask 1:answer 1. 0. close=FIN");
        assert_int_equal(held_len(w), 0);
        w->client_port++;
    }
}

/* Segments behind a waiting one wait, too, also on other connections; each keeps its own time. */
static void test_order_among_connections(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    shake(w, 100, 500);
    w->client_port++;
    feed(w, A, TCP_ACK, 900, 700, "late");
    w->client_port--;
    feed(w, A, TCP_ACK, 101, 501, "other");
    expect_log(w, "open");
    for (int i = 0; i < TCP_DISORDER - 2; i++)
        feed(w, A, TCP_ACK, 106, 501, "");
    expect_log(w, "");
    feed(w, A, TCP_ACK, 106, 501, "");
    expect_log(w, "open 0:late 0:other");
    assert_int_equal(held_len(w), 0);
}

/* On a connection that was joined late, the other side's stream begins with its lowest captured
 * byte, in any order. */
static void test_joined_late_in_disorder(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_ACK, 100, 506, "ask");
    feed(w, B, TCP_ACK, 508, 103, "ef");
    feed(w, B, TCP_ACK, 506, 103, "cd");
    feed(w, B, TCP_ACK, 504, 103, "ab");
    w->now_ns += 1000 * MS;
    tcp_table_time(w->table, w->now_ns);
    expect_log(w, "open 0:ask 1:ab 1:cd 1:ef");
}

/* joined_late_segments feeds questions with an answer, or with a bare acknowledgement, and expects
 * that all segments are counted, in this order and with packets 2 and 3 of each four swapped. */
static void joined_late_segments(struct world *w, const char *answer, bool is_swapped)
{
    const uint32_t len = (uint32_t)strlen(answer);
    w->client_port++;
    for (uint32_t i = 0; i < 6; i++) {
        for (int k = 0; k < 4; k++) {
            const int at = is_swapped && (k == 1 || k == 2) ? 3 - k : k;
            const uint32_t asked = 100 + 2 * i + (uint32_t)at / 2, answered = 500 + len * (2 * i + (uint32_t)at / 2);
            if (at % 2 == 0)
                feed(w, A, TCP_ACK, asked, answered, "q");
            else
                feed(w, B, TCP_ACK, answered, asked + 1, answer);
        }
    }
    tcp_table_settle(w->table);
    struct segment any = next_segment(w, A);
    int dir;
    const struct tcp_conn *conn = tcp_find_conn(w->table, &any, &dir);
    assert_non_null(conn);
    const struct ds_tcp_side *side = conn->view.facts->link.side;
    assert_int_equal(side[dir].segments, 12);
    assert_int_equal(side[!dir].segments, 12);
    assert_int_equal(side[0].retransmitted + side[1].retransmitted, 0);
}

/* Bare acknowledgements are counted even if they come while the first data waits for a SYN: they
 * show that the other end exists. */
static void test_joined_late_acknowledgements(void **state)
{
    struct world *w = *state;
    tcp_table_measure(w->table, false);
    w->is_quiet = true;
    joined_late_segments(w, "", false);
    joined_late_segments(w, "", true);
    joined_late_segments(w, "a", false);
    joined_late_segments(w, "a", true);
    w->client_port++;
    w->log_len = 0;
    feed(w, B, TCP_ACK, 499, 100, ""); /* a keep-alive has the number of an earlier byte */
    feed(w, A, TCP_ACK, 100, 500, "ab");
    feed(w, B, TCP_ACK, 499, 102, "");
    feed(w, B, TCP_ACK, 500, 102, "cd");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:ab 1:cd");
}

/* A bare acknowledgement is processed even if earlier bytes of its sender are missing: it ends a
 * wait, whatever happens to the missing bytes. */
static void test_acknowledgement_behind_a_hole(void **state)
{
    struct world *w = *state;
    tcp_table_measure(w->table, false);
    w->is_quiet = true;
    feed(w, A, TCP_ACK, 100, 500, "ask");
    feed(w, B, TCP_ACK, 500, 103, "no");
    feed(w, A, TCP_ACK, 103, 502, "ask");
    tcp_table_settle(w->table);
    feed(w, B, TCP_ACK, 510, 106, ""); /* 502 to 509 were lost and are retransmitted later */
    struct segment any = next_segment(w, A);
    int dir;
    const struct tcp_conn *conn = tcp_find_conn(w->table, &any, &dir);
    assert_non_null(conn);
    assert_int_equal(conn->stream[dir].acked, 106);
    expect_log(w, "open 0:ask 1:no 0:ask");
}

/* Packets that are captured on their sender's host have no checksum yet. They do not wait for that
 * reason at the beginning, when both ends send before they have received anything. */
static void test_joined_late_without_checksums(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    for (uint32_t i = 0; i < 3; i++) {
        feed_summed(w, A, 101 + i, 501, "a", false);
        feed_summed(w, B, 501 + i, 101, "b", false);
    }
    tcp_table_settle(w->table);
    expect_log(w, "open 0:a 1:b 0:a 1:b 0:a 1:b");
    assert_int_equal(w->stats.ignored + w->stats.reordered, 0);
}

/* In one direction alone, an acknowledgement is not processed before earlier segments of its sender. */
static void test_acknowledgements_one_way(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    feed(w, B, TCP_SYN | TCP_ACK, 500, 101, "");
    for (uint32_t i = 0; i < 20; i++) {
        feed(w, B, TCP_ACK, 501 + i, 103 + 2 * i, "");
        feed(w, B, TCP_ACK, 501 + i, 103 + 2 * i, "x");
    }
    tcp_table_settle(w->table);
    expect_log(w, "open 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x 1:x");
    assert_int_equal(w->stats.reordered, 0);
}

/* A SYN that comes as the last of 32 packets is in time; a later one is not, as the beginning of
 * the stream is known by then. */
static void test_syn_at_the_last_moment(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    for (int late = 0; late < 2; late++) {
        w->client_port = (uint16_t)(41000 + late);
        feed(w, B, TCP_ACK, 501, 101, "answer");
        for (int i = 0; i < TCP_DISORDER - 1 + late; i++)
            feed(w, A, TCP_ACK, 101, 507, "");
        feed(w, A, TCP_SYN, 100, 0, "");
        feed(w, B, TCP_SYN | TCP_ACK, 500, 101, "");
        feed(w, A, TCP_ACK, 101, 507, "next");
        tcp_table_end(w->table);
        expect_log(w, late ? "open 0:answer 1:next close=CAPTURE"
                           : "open 1:answer 0:next close=CAPTURE");
    }
}

/* Packet times alone do not end the wait while packets come, but the clock does. */
static void test_turns_by_clock(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    feed(w, B, TCP_ACK, 501, 101, "answer");
    tcp_table_time(w->table, w->now_ns + 199 * MS);
    expect_log(w, "");
    tcp_table_time(w->table, w->now_ns + 200 * MS);
    expect_log(w, "open 0:answer");
}

/* The first packet of a capture that joined late may be an outsider's: the connection begins with
 * what the other end has acknowledged. */
static void test_joined_late_behind_somebody_else(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    feed(w, A, TCP_ACK, 9000, 501, "spoof");
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    feed(w, A, TCP_ACK, 102, 502, "c");
    feed(w, B, TCP_ACK, 502, 103, "d");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:a 1:b 0:c 1:d");
    w->client_port++; /* nothing is acknowledged, or a number far away */
    feed(w, A, TCP_ACK, 9000, 501, "spoof");
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 9006 + TCP_NEAR, "");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:spoof");
}

/* A connection that waited without success does not wait again. */
static void test_waits_once(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 511, "one"); /* ten bytes of the other side are missing */
    expect_log(w, "open");
    tcp_table_settle(w->table);
    feed(w, A, TCP_ACK, 104, 511, "two");
    expect_log(w, "0:one 0:two");
}

/* After its beginning, a connection waits only for an end, and with data that acknowledges bytes
 * that were not captured. */
static void test_beginning_is_over(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    shake(w, 100, 500);
    for (int i = 3; i < TCP_DISORDER - 1; i++)
        feed(w, A, TCP_ACK, 101, 501, "");
    feed(w, A, TCP_ACK, 101, 502, "waits"); /* the last one that may wait */
    expect_log(w, "open");
    feed(w, B, TCP_ACK, 501, 101, "x");
    feed(w, B, TCP_ACK, 502, 106, "");
    expect_log(w, "1:x 0:waits");
    feed(w, A, TCP_ACK, 117, 502, "does not");
    feed(w, A, TCP_ACK, 106, 502, "nor does it");
    expect_log(w, "0:nor does it 0:does not");
    tcp_table_settle(w->table);
    feed(w, A, TCP_ACK, 125, 503, "in doubt");
    expect_log(w, "");
    feed(w, B, TCP_ACK, 503, 133, "");
    expect_log(w, "0:in doubt");
}

static void test_reset_before_data(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    shake(w, 100, 500);
    feed(w, A, TCP_RST | TCP_ACK, 103, 503, "");
    feed(w, B, TCP_ACK, 501, 101, "cd");
    expect_log(w, "open 1:cd");
    feed(w, A, TCP_ACK, 101, 501, "ab");
    expect_log(w, "0:ab close=RESET0");
    w->client_port++;
    shake(w, 100, 500);
    feed(w, A, TCP_RST, 101, 0, ""); /* does not show what its sender had received */
    feed(w, B, TCP_ACK, 501, 101, "cd");
    expect_log(w, "open 1:cd");
    tcp_table_settle(w->table);
    expect_log(w, "close=RESET0");
    w->client_port++;
    shake(w, 100, 500);
    feed(w, A, TCP_RST, 101 + (1 << 20), 0, ""); /* blind: nothing waits for it */
    feed(w, B, TCP_ACK, 501, 101, "cd");
    expect_log(w, "open 1:cd");
    assert_int_equal(held_len(w), 0);
}

/* The ports are reused at once, while the end of the connection before is still expected. */
static void test_reuse_while_waiting(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 501, "old");
    feed(w, A, TCP_RST, 104, 0, "");
    expect_log(w, "open 0:old");
    shake(w, 90000, 80000);
    feed(w, A, TCP_ACK, 90001, 80001, "new");
    expect_log(w, "close=RESET0 open 0:new");
    /* Only the last packets of the connection before are known. */
    w->client_port++;
    feed(w, A, TCP_ACK, 5000000, 1, "rest");
    feed(w, A, TCP_SYN, 90000, 0, "");
    expect_log(w, "open 0:rest");
    feed(w, B, TCP_SYN | TCP_ACK, 80000, 90001, "");
    expect_log(w, "close=REUSED open");
    w->client_port++;
    feed(w, A, TCP_ACK, 90001 + (1 << 20), 1, "far"); /* as far off as possible */
    feed(w, A, TCP_SYN, 90000, 0, "");
    expect_log(w, "open");
    tcp_table_end(w->table);
}

/* A SYN that comes far too late belongs to the connection if its number is the one before the
 * beginning. */
static void test_very_late_syn(void **state)
{
    struct world *w = *state;
    for (uint32_t off = 0; off < 2; off++) {
        w->client_port++;
        feed(w, A, TCP_ACK, 200000, 1, "ab");
        tcp_table_settle(w->table);
        feed(w, A, TCP_SYN, 200000 - 1 - (1 << 16) - off, 0, "");
        feed(w, A, TCP_ACK, 200002, 1, "cd");
        tcp_table_end(w->table);
        expect_log(w, "open 0:ab 0:cd close=CAPTURE");
        assert_int_equal(w->stats.ignored, off); /* no end has answered it */
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_disorder),
        TEST(test_any_order),
        TEST(test_order_among_connections),
        TEST(test_joined_late_in_disorder),
        TEST(test_joined_late_acknowledgements),
        TEST(test_joined_late_without_checksums),
        TEST(test_acknowledgement_behind_a_hole),
        TEST(test_acknowledgements_one_way),
        TEST(test_syn_at_the_last_moment),
        TEST(test_turns_by_clock),
        TEST(test_joined_late_behind_somebody_else),
        TEST(test_waits_once),
        TEST(test_beginning_is_over),
        TEST(test_reset_before_data),
        TEST(test_reuse_while_waiting),
        TEST(test_very_late_syn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
