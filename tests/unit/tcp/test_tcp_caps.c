/*
 * test_tcp_caps.c - TCP reassembly at its caps, without memory, and on connections that are no
 * longer wanted.
 */
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tcp_world.h"

static void test_cap_connections(void **state)
{
    struct world *w = *state;
    w->limits[DS_LIMIT_CONNECTIONS] = 2;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 5, 1, "held");
    w->client_port++;
    shake(w, 0, 0);
    w->client_port--;
    feed(w, A, TCP_ACK, 1, 1, "x"); /* the first is now the more recent one */
    expect_log(w, "open open 0:x");
    w->client_port += 2;
    shake(w, 0, 0);
    expect_log(w, "close=DROPPED open");
    assert_int_equal(w->stats.limits_hit[DS_LIMIT_CONNECTIONS], 1);
    /* A closed connection is evicted before any other, without an event. */
    feed(w, B, TCP_RST | TCP_ACK, 1, 1, "");
    w->client_port++;
    shake(w, 0, 0);
    expect_log(w, "close=RESET1 open");
    assert_int_equal(w->stats.limits_hit[DS_LIMIT_CONNECTIONS], 1);
    tcp_table_end(w->table);
    expect_log(w, "0!3L 0:held close=CAPTURE close=CAPTURE");
}

static void test_cap_connections_zero(void **state)
{
    struct world *w = *state;
    w->limits[DS_LIMIT_CONNECTIONS] = 0;
    shake(w, 0, 0);
    w->client_port++;
    shake(w, 0, 0);
    expect_log(w, "open close=DROPPED open");
}

static void test_cap_buffer(void **state)
{
    struct world *w = *state;
    static uint8_t bytes[1000];
    w->limits[DS_LIMIT_BUFFER] = 2500;
    shake(w, 0, 0);
    feed_bytes(w, A, TCP_ACK, 11, 1, bytes, 1000);
    feed_bytes(w, A, TCP_ACK, 1021, 1, bytes, 1000);
    expect_log(w, "open");
    assert_int_equal(w->stats.limits_hit[DS_LIMIT_BUFFER], 0);
    feed_bytes(w, A, TCP_ACK, 2031, 1, bytes, 1000); /* only the first gap is given up */
    expect_log(w, "0!10P 0:[1000]");
    assert_int_equal(w->stats.limits_hit[DS_LIMIT_BUFFER], 1);
    feed_bytes(w, A, TCP_ACK, 1011, 1, bytes, 10);
    assert_memory_equal(w->log, "0:", 2);
    assert_in_range(held_len(w), 1000, 1100); /* only the last one is held */
    w->log_len = 0;
    w->limits[DS_LIMIT_BUFFER] = 0;
    feed_bytes(w, A, TCP_ACK, 3050, 1, bytes, 1000); /* nothing can be held */
    expect_log(w, "0!10P 0:[1000] 0!19P 0:[1000]");
    assert_int_equal(held_len(w), 0);
}

/* Bytes that fit exactly are held; bytes behind the end of a stream are not, once the end is held. */
static void test_cap_buffer_to_the_byte(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 11, 1, "held");
    const uint64_t cost = held_len(w);
    w->limits[DS_LIMIT_BUFFER] = 2 * cost;
    feed(w, A, TCP_ACK, 21, 1, "held");
    assert_int_equal(w->stats.limits_hit[DS_LIMIT_BUFFER], 0);
    assert_int_equal(held_len(w), 2 * cost);
    feed(w, A, TCP_ACK | TCP_FIN, 1, 1, "");
    expect_log(w, "open 0.");
    assert_int_equal(held_len(w), 0);
}

static void test_cap_pieces(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    for (uint32_t i = 0; i < 20000; i++)
        feed(w, A, TCP_ACK, 10 + 2 * i, 1, "x");
    assert_true(held_len(w) <= 4096 * 64);
    assert_int_equal(w->stats.limits_hit[DS_LIMIT_BUFFER], 20000 - 4096);
}

static void test_cap_memory(void **state)
{
    struct world *w = *state;
    static uint8_t bytes[1000];
    w->memcap.max = 1500;
    shake(w, 0, 0);
    feed_bytes(w, A, TCP_ACK, 11, 1, bytes, 1000);
    w->client_port++;
    shake(w, 0, 0);
    feed_bytes(w, A, TCP_ACK, 11, 1, bytes, 1000); /* no room: the segment is passed on */
    expect_log(w, "open open 0!10P 0:[1000]");
    assert_int_equal(w->memcap.hits, 1);
    feed_bytes(w, A, TCP_ACK, 1011, 1, bytes, 100);
    expect_log(w, "0:");
}

static void test_forget_in_callbacks(void **state)
{
    struct world *w = *state;
    static const struct {
        char event;
        const char *log;
    } cases[] = {
        {'o', "open close=FIN"},
        {'d', "open 0:ab close=FIN"},
        {'g', "open 0:ab 0!1L close=FIN"},
        {'e', "open 0:ab 0!1L 0:d 1:x 0. close=FIN"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        w->forget_at = cases[i].event;
        w->client_port++;
        shake(w, 0, 0);
        feed(w, A, TCP_ACK, 4, 1, "d");
        feed(w, A, TCP_ACK, 1, 1, "ab");
        feed(w, A, TCP_ACK, 8, 1, "h");
        w->now_ns += 300 * MS;
        feed(w, B, TCP_ACK, 1, 5, "");
        feed(w, B, TCP_ACK, 1, 5, "x");
        feed(w, A, TCP_ACK | TCP_FIN, 5, 2, "");
        feed(w, B, TCP_ACK | TCP_FIN, 2, 6, "");
        feed(w, A, TCP_ACK, 6, 3, "");
        assert_int_equal(w->memcap.used, 0);
        expect_log(w, cases[i].log);
    }
}

static void test_forgotten_ends(void **state)
{
    struct world *w = *state;
    w->forget_at = 'd';
    shake(w, 1000, 0);
    feed(w, A, TCP_ACK, 1001, 1, "a");
    for (uint32_t i = 0; i < 1000; i++)
        feed(w, A, TCP_ACK, 1002 + 3 * i, 1, "bc"); /* with gaps: not held */
    assert_int_equal(w->memcap.used, 0);
    feed(w, A, TCP_RST, 0x60000000, 1, "");
    expect_log(w, "open 0:a");
    feed(w, A, TCP_RST, 1002 + 3 * 999 + 2, 1, "");
    expect_log(w, "close=RESET0");

    w->client_port++;
    shake(w, 1000, 0);
    feed(w, A, TCP_ACK, 1001, 1, "a");
    feed(w, A, TCP_SYN, 9000, 1, "");
    expect_log(w, "open 0:a close=REUSED open");

    w->client_port++;
    w->forget_at = 'o'; /* and joined late */
    feed(w, A, TCP_ACK, 1001, 1, "a");
    feed(w, A, TCP_SYN, 9000, 1, "");
    expect_log(w, "open close=REUSED open");
    tcp_table_end(w->table);
    expect_log(w, "close=CAPTURE close=CAPTURE");
}

static void test_many_connections(void **state)
{
    struct world *w = *state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++) {
            w->client_port = (uint16_t)(1 + i);
            if (round == 0)
                shake(w, 0, 0);
            feed(w, A, TCP_ACK, round == 0 ? 1 : 2, 1, "x");
            w->log_len = 0;
        }
    }
    assert_int_equal(w->stats.tcp_connections, 5000);
    assert_int_equal(w->stats.retransmitted, 0);
}

/* Allocations. */

static void run_without_memory(void *context)
{
    (void)context;
    static struct world w;
    world_init(&w);
    if (w.table == NULL)
        return;
    for (int i = 0; i < 1100; i++) { /* enough to let the table grow */
        w.client_port = (uint16_t)(1 + i);
        feed(&w, A, TCP_SYN, 0, 0, "");
        w.log_len = 0;
    }
    w.client_port = 1;
    feed(&w, A, TCP_ACK, 1, 1, "ab");
    feed(&w, A, TCP_ACK, 7, 1, "gh");
    feed(&w, A, TCP_ACK, 5, 1, "ef");
    feed(&w, A, TCP_ACK, 1, 1, "abcdef");
    tcp_table_end(w.table);
    tcp_table_free(w.table);
    assert_int_equal(w.memcap.used, 0);
}

static void test_without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run_without_memory, NULL) > 1100);
}

static void test_no_memory_to_hold(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    failing_alloc_from(1);
    feed(w, A, TCP_ACK, 4, 1, "d");
    feed(w, A, TCP_ACK, 5, 1, "e");
    w->client_port++;
    feed(w, A, TCP_SYN, 0, 0, "");
    failing_alloc_from(0);
    expect_log(w, "open 0!3P 0:d 0:e");
    assert_int_equal(w->stats.no_memory, 4); /* to hold, and twice for the ring of tcp_delivered.h */
}

/* If nothing more can be kept, waiting segments are processed. */
static void test_cap_waiting(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    w->memcap.max = 1000;
    feed(w, A, TCP_ACK, 1, 1, "a");
    feed(w, A, TCP_ACK, 2, 1, "b");
    feed(w, A, TCP_ACK, 3, 1, "c");
    expect_log(w, "");
    feed_bytes(w, A, TCP_ACK, 4, 1, (uint8_t[700]){0}, 700);
    expect_log(w, "open 0:a 0:b 0:c 0:[700]");
    w->client_port++;
    failing_alloc_from(1);
    feed(w, A, TCP_SYN | TCP_ACK, 1, 1, "");
    failing_alloc_from(0);
    assert_int_equal(w->stats.no_memory, 2); /* the queue, and the connection */
    assert_int_equal(w->memcap.hits, 0);
}

/* Packets without a number: only a limited number waits. */
static void test_cap_queue(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    for (int i = 0; i < TCP_MAX_QUEUED; i++) {
        w->frame = 0;
        feed(w, A, TCP_ACK, (uint32_t)(100 - i), 1, "x");
    }
    expect_log(w, "");
    w->frame = 0;
    feed(w, A, TCP_ACK, 101, 1, "y");
    w->frame = 0;
    char all[] = "open 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x "
                 "0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:y";
    expect_log(w, all);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_cap_connections),
        TEST(test_cap_connections_zero),
        TEST(test_cap_buffer),
        TEST(test_cap_buffer_to_the_byte),
        TEST(test_cap_pieces),
        TEST(test_cap_memory),
        TEST(test_forget_in_callbacks),
        TEST(test_forgotten_ends),
        TEST(test_many_connections),
        cmocka_unit_test(test_without_memory),
        TEST(test_no_memory_to_hold),
        TEST(test_cap_waiting),
        TEST(test_cap_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
