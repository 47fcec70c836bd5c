/*
 * test_tcp_analysis.c - what segments reveal about their path: round trips, windows, ticks,
 * silences, hops; and malformed options. test_tcp_losses.c and test_tcp_stalls.c have the rest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "failing_alloc.h"
#include "analysis_world.h"

static void round_trips(void **state)
{
    struct world *w = *state;
    open_up(w);
    assert_int_equal(w->facts->link.handshake_ns, 20 * MS);
    assert_int_equal(side(w, 0)->mss, MSS);
    assert_true(side(w, 0)->is_scaled);
    for (uint32_t i = 0; i < 100; i++) {
        at(w, 100 + i * 10);
        data(w, 0, 100 + i * 50, 50);
        at(w, 100 + i * 10 + (i == 7 ? 9 : 2));
        ack(w, 1, 150 + i * 50);
    }
    const struct ds_histogram *spread = &side(w, 0)->round_trip;
    assert_int_equal(spread->num, 100);
    assert_int_equal(spread->min_ns, 2 * MS);
    assert_int_equal(spread->max_ns, 9 * MS);
    assert_in_range(ds_histogram_at(spread, 500), 18 * MS / 10, 22 * MS / 10);
    assert_in_range(ds_histogram_at(spread, 995), 81 * MS / 10, 99 * MS / 10);
    assert_int_equal(side(w, 0)->window, 512 << SCALE);
    assert_int_equal(side(w, 1)->window, 512 << SCALE);
    assert_int_equal(side(w, 0)->retransmitted + side(w, 0)->lost_upstream + side(w, 0)->stalls, 0);
    assert_int_equal(side(w, 0)->data_segments, 100);
    assert_int_equal(side(w, 0)->max_in_flight, 50);
}

static void ticks(void **state)
{
    struct world *w = *state;
    open_up(w);
    for (uint64_t i = 1; i <= 5; i++)
        tcp_analysis_tick(w->facts, 0, (int64_t)i * 15000 * MS + (i == 3 ? 20 * MS : 0), i);
    tcp_analysis_tick(w->facts, 0, 99000 * MS, 9); /* frames in between */
    assert_int_equal(side(w, 0)->tick_intervals, 4);
    assert_int_equal(side(w, 0)->tick_min_ns, 14980 * MS);
    assert_int_equal(side(w, 0)->tick_max_ns, 15020 * MS);
    assert_int_equal(side(w, 0)->tick_last_ns, 15000 * MS);
}

/* After a long handshake, the ticks that were due during it come at once. */
static void ticks_at_once(void **state)
{
    struct world *w = *state;
    open_up(w);
    tcp_analysis_tick(w->facts, 0, 9000 * MS, 1);
    tcp_analysis_tick(w->facts, 0, 9000 * MS + MS / 60, 2);
    tcp_analysis_tick(w->facts, 0, 9050 * MS + MS / 60 - 1, 3);
    assert_int_equal(side(w, 0)->tick_intervals, 0);
    tcp_analysis_tick(w->facts, 0, 9100 * MS + MS / 60 - 1, 4);
    assert_int_equal(side(w, 0)->tick_intervals, 1);
}

/* A tick that waited for a retransmission is late, and the next one comes too soon. */
static void late_ticks(void **state)
{
    struct world *w = *state;
    open_up(w);
    tcp_analysis_tick(w->facts, 0, 2000 * MS, 1);
    tcp_analysis_tick(w->facts, 0, 4000 * MS, 2);
    at(w, 5500);
    data(w, 0, 100, 50);
    at(w, 5800);
    data(w, 0, 100, 50);
    assert_int_equal(side(w, 0)->retransmitted, 1);
    tcp_analysis_tick(w->facts, 0, 7200 * MS, 3);
    tcp_analysis_tick(w->facts, 0, 8000 * MS, 4);
    assert_int_equal(side(w, 0)->tick_intervals, 1);
    tcp_analysis_tick(w->facts, 0, 10000 * MS, 5);
    assert_int_equal(side(w, 0)->tick_intervals, 2);
    assert_int_equal(side(w, 0)->tick_min_ns, 2000 * MS);
}

/* Silences of both ends: the segment after a silence is answered, or not. */
static void silences(void **state)
{
    struct world *w = *state;
    const struct ds_tcp_stats *link = &w->facts->link;
    open_up(w);
    put(w, 1, TCP_ACK, 500, 100, 0, ++w->ip_id);
    at(w, 1020);
    data(w, 0, 100, 10);
    assert_int_equal(link->silence_ns, 1000 * MS);
    assert_int_equal(link->longest_silence_ns, 0);
    at(w, 1030);
    put(w, 0, TCP_ACK, 100, 500, 10, ++w->ip_id); /* again: it is the same silence */
    data(w, 1, 500, 10); /* acknowledges it */
    assert_int_equal(link->silence_ns, 0);
    assert_int_equal(link->longest_silence_ns, 1000 * MS);
    at(w, 1040);
    put(w, 0, TCP_ACK, 110, 510, 0, ++w->ip_id);
    at(w, 3040);
    data(w, 1, 510, 10);
    at(w, 3050);
    put(w, 0, TCP_ACK, 110, 510, 10, ++w->ip_id); /* crosses it: no answer */
    assert_int_equal(link->silence_ns, 2000 * MS);
    put(w, 0, TCP_ACK | TCP_FIN, 120, 510, 0, ++w->ip_id);
    put(w, 0, TCP_RST, 121, 0, 0, ++w->ip_id);
    assert_int_equal(link->silence_ns, 2000 * MS);
    put(w, 0, TCP_ACK, 120, 510, 0, ++w->ip_id); /* it has got something */
    assert_int_equal(link->longest_silence_ns, 2000 * MS);
}

/* A pause of a second or more, the latest one, and the time at which a segment without payload came
 * within it. */
static void pauses(void **state)
{
    struct world *w = *state;
    open_up(w);
    at(w, 100);
    data(w, 1, 500, 10);
    at(w, 1099);
    data(w, 1, 510, 10);
    assert_int_equal(side(w, 1)->pause_to_ns, 0);
    at(w, 1500);
    ack(w, 1, 100);
    at(w, 2099);
    data(w, 1, 520, 10);
    assert_int_equal(side(w, 1)->pause_from_ns, 2099 * MS);
    assert_int_equal(side(w, 1)->pause_heard_ns, 2500 * MS);
    assert_int_equal(side(w, 1)->pause_to_ns, 3099 * MS);
    assert_int_equal(side(w, 1)->pause_usual_ns, 999 * MS); /* before it */
    assert_int_equal(side(w, 0)->pause_to_ns, 0); /* it has sent nothing yet */
    at(w, 2500);
    data(w, 1, 520, 10); /* a second time: it is not silent */
    at(w, 3400);
    data(w, 1, 530, 10);
    assert_int_equal(side(w, 1)->pause_to_ns, 3099 * MS);
    at(w, 9000);
    data(w, 1, 540, 10);
    assert_int_equal(side(w, 1)->pause_from_ns, 4400 * MS);
    assert_int_equal(side(w, 1)->pause_heard_ns, 4400 * MS);
    assert_int_equal(side(w, 1)->pause_to_ns, 10000 * MS);
    assert_int_equal(side(w, 1)->pause_usual_ns / MS, 957); /* 1000, 401 and 900 ms, a sixteenth of each */
}

/* In one direction alone, it is not known who closed first, unless by a RST. */
static void one_way(void **state)
{
    struct world *w = *state;
    const struct ds_tcp_stats *link = &w->facts->link;
    assert_int_equal(ds_tcp_unseen(link), -1); /* nothing at all */
    put(w, 0, TCP_SYN, 99, 0, 0, 1);
    put(w, 0, TCP_SYN, 99, 0, 0, 2);
    assert_int_equal(ds_tcp_unseen(link), -1); /* it may be unanswered */
    put(w, 0, TCP_ACK, 100, 500, 0, 3);
    assert_int_equal(ds_tcp_unseen(link), 1);
    put(w, 0, TCP_ACK | TCP_FIN, 100, 500, 0, 4);
    assert_int_equal(link->closed_by, -1);
    put(w, 1, TCP_ACK, 500, 101, 0, 5);
    assert_int_equal(ds_tcp_unseen(link), -1);
    put(w, 1, TCP_ACK | TCP_FIN, 500, 101, 0, 6);
    assert_int_equal(link->closed_by, 1);
    renew(w);
    put(w, 1, TCP_ACK, 500, 100, 0, 1);
    assert_int_equal(ds_tcp_unseen(&w->facts->link), 0);
}

static void hop(struct world *w, uint8_t ttl, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        const struct segment segment = {.ts_ns = w->now_ns, .flags = TCP_ACK, .ttl = ttl};
        tcp_analyse_segment(w->facts, 1, &segment, 0, true, w->next[1], &w->stall);
    }
}

/* A second TTL is usual after eight segments, not counting those of a third one. */
static void usual_ttls(void **state)
{
    struct world *w = *state;
    hop(w, 64, 1);
    hop(w, 200, 7);
    hop(w, 64, 100);
    assert_int_equal(side(w, 1)->usual_ttl[0], 64);
    assert_int_equal(side(w, 1)->usual_ttl[1], 0);
    hop(w, 9, 1);
    hop(w, 200, 1);
    assert_int_equal(side(w, 1)->usual_ttl[1], 0);
    hop(w, 200, 1);
    assert_int_equal(side(w, 1)->usual_ttl[1], 200);
    hop(w, 62, 15); /* the path has changed again: the latest TTL */
    assert_int_equal(side(w, 1)->usual_ttl[1], 200);
    hop(w, 62, 1);
    assert_int_equal(side(w, 1)->usual_ttl[1], 62);
    assert_int_equal(side(w, 1)->usual_ttl[0], 64);
    assert_int_equal(side(w, 0)->usual_ttl[0], 0);
}

static void ignored_segments(void **state)
{
    struct world *w = *state;
    const struct ds_ignored *i = &side(w, 1)->ignored;
    tcp_analysis_ignore(w->facts, 1, TCP_RST | TCP_ACK, 60, 7, 70);
    tcp_analysis_ignore(w->facts, 1, TCP_SYN, 50, 8, 80);
    tcp_analysis_ignore(w->facts, 1, TCP_FIN | TCP_ACK, 70, 9, 90);
    assert_true(i->resets == 1 && i->syns == 1 && i->others == 1);
    assert_true(i->first_frame == 7 && i->last_frame == 9 && i->first_ns == 70);
    assert_true(i->min_ttl == 50 && i->max_ttl == 70);
    assert_int_equal(side(w, 0)->ignored.first_frame, 0);
}

static void spreads(void **state)
{
    struct ds_histogram spread = {0};
    (void)state;
    assert_int_equal(ds_histogram_at(&spread, 500), 0);
    ds_histogram_add(&spread, -1);
    assert_int_equal(spread.num, 0);
    for (int64_t ns = 1000; ns < INT64_C(4000000000000); ns += ns / 7) {
        struct ds_histogram one = {0};
        ds_histogram_add(&one, ns);
        ds_histogram_add(&one, ns);
        one.min_ns = 0;
        one.max_ns = INT64_MAX;
        const int64_t seen = ds_histogram_at(&one, 500);
        assert_true(ns < 4000 || (seen > ns - ns / 8 && seen < ns + ns / 8));
    }
    ds_histogram_add(&spread, INT64_MAX);
    assert_true(ds_histogram_at(&spread, 1000) > 0);
}

static void options_that_lie(void **state)
{
    struct world *w = *state;
    static const uint8_t bad[][4] = {{2, 0, 0, 0}, {2, 40, 1, 1}, {3, 2, 3, 1}, {3, 3, 200, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct segment segment = {.flags = TCP_SYN, .seq = 5, .ip_id = (uint16_t)(i + 1),
                                  .options = cursor_make(bad[i], sizeof bad[i])};
        tcp_analyse_segment(w->facts, 0, &segment, 0, false, 0, &w->stall);
    }
    assert_int_equal(side(w, 0)->mss, 0);
    assert_true(w->facts->dir[0].scale <= 14);
}

static void no_memory(void **state)
{
    (void)state;
    failing_alloc_at(1);
    assert_null(tcp_analysis_new());
    failing_alloc_at(0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(round_trips),
        TEST(ticks),
        TEST(ticks_at_once),
        TEST(silences),
        TEST(pauses),
        TEST(late_ticks),
        TEST(one_way),
        TEST(usual_ttls),
        TEST(ignored_segments),
        cmocka_unit_test(spreads),
        TEST(options_that_lie),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
