/*
 * test_tcp_ended.c - connections that continue behind their end (tcp_ended.h): boundaries and caps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "failing_alloc.h"
#include "tcp_world.h"

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

/* Data that waits, as it acknowledges what was not sent, does not show that a connection goes on. */
static void test_unsent_ack_before_reset(void **state)
{
    struct world *w = *state;
    let_resume(w);
    establish(w);
    feed(w, A, TCP_ACK, 102, 503, "spoof");
    feed(w, A, TCP_RST | TCP_ACK, 102, 502, "");
    tcp_table_settle(w->table);
    expect_log(w, "close=RESET0");
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

/* An acknowledgement of the FIN, or of what came before, is no proof that it continues. */
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

static void close_both(struct world *w)
{
    w->is_quiet = true;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK | TCP_FIN, 101, 501, "a");
    feed(w, B, TCP_ACK | TCP_FIN, 501, 103, "b");
    feed(w, A, TCP_ACK, 103, 503, "");
    expect_log(w, "open 0:a 0. 1:b 1. close=FIN");
}

/* Both numbers lie beyond the end by one byte: the segment belongs to the next connection. */
static void test_leaps(void **state)
{
    struct world *w = *state;
    let_resume(w);
    close_both(w);
    feed(w, A, TCP_ACK, 104, 504, "c");
    feed(w, B, TCP_ACK, 504, 105, "d");
    feed(w, B, TCP_ACK, 505, 105, "e");
    tcp_table_settle(w->table);
    expect_log(w, "gone open 0:c 1:d 1:e");
}

/* If one number is the next one, the connection continues, and bytes are missing. Held bytes count
 * as arrived. */
static void test_leaps_one_way(void **state)
{
    struct world *w = *state;
    let_resume(w);
    close_both(w);
    feed(w, A, TCP_ACK, 103, 503, "c");
    feed(w, B, TCP_ACK, 503, 104, "d");
    feed(w, A, TCP_ACK, 104, 504, "e");
    feed(w, B, TCP_ACK, 504, 105, "f");
    tcp_table_end(w->table);
    expect_log(w, "resume 0!1L 0:c 0:e 1!1L 1:d 1:f close=CAPTURE gone");
}

/* What both have sent since is held: a number right behind it is the next one, too. */
static void test_goes_on_both_ways(void **state)
{
    struct world *w = *state;
    let_resume(w);
    shake(w, 100, 500);
    feed(w, A, TCP_RST | TCP_ACK, 101, 501, "");
    expect_log(w, "open close=RESET0");
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 101, "b");
    feed(w, A, TCP_ACK, 102, 502, "c");
    tcp_table_end(w->table);
    expect_log(w, "resume 0:a 1:b 0:c close=CAPTURE gone");
}

/* The same if only one end has closed its direction. */
static void test_leaps_half_closed(void **state)
{
    struct world *w = *state;
    let_resume(w);
    w->is_quiet = true;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK | TCP_FIN, 101, 501, "b");
    feed(w, A, TCP_ACK, 104, 503, "c");
    feed(w, B, TCP_ACK, 503, 105, "d");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:b 0. close=REUSED gone open 0:c 1:d");
}

/* A segment after a SYN near the old numbers, and answered, belongs to the next connection, even if
 * nothing has ended and the SYN-ACK is missing. */
static void test_leaps_behind_a_syn(void **state)
{
    struct world *w = *state;
    let_resume(w);
    establish(w);
    feed(w, A, TCP_SYN, 110, 0, "");
    feed(w, A, TCP_ACK, 111, 703, "c");
    feed(w, B, TCP_ACK, 703, 112, "d");
    tcp_table_settle(w->table);
    expect_log(w, "close=REUSED gone open 0:c 1:d");
    w->client_port++;
    establish(w);
    feed(w, A, TCP_SYN, 110, 0, "");
    feed(w, A, TCP_ACK, 111, 502, "c"); /* it answers the old connection's data */
    feed(w, B, TCP_ACK, 502, 112, "d");
    feed(w, B, TCP_SYN, 710, 0, "");
    tcp_table_end(w->table);
    expect_log(w, "1:d close=CAPTURE gone 0!9L 0:c close=CAPTURE gone");
    const struct told leaps[] = {{A, TCP_ACK, 112, 703, "c"}, {B, TCP_ACK, 703, 113, "d"}};
    for (int dir = 0; dir < 2; dir++) { /* not the next number, or the other end's */
        w->client_port++;
        establish(w);
        feed(w, dir, TCP_SYN, 110 + (uint32_t)dir, 0, "");
        feed_told(w, &leaps[0]);
        feed_told(w, &leaps[1]);
        tcp_table_end(w->table);
        expect_log(w, "0!10L 0:c 1!201L 1:d close=CAPTURE gone");
    }
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
        TEST(test_unsent_ack_before_reset),
        TEST(test_goes_on_after_reset),
        TEST(test_does_not_go_on),
        TEST(test_leaps),
        TEST(test_leaps_one_way),
        TEST(test_goes_on_both_ways),
        TEST(test_leaps_half_closed),
        TEST(test_leaps_behind_a_syn),
        TEST(test_resumable_cap),
        TEST(test_kept_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
