/*
 * test_tcp_stalls.c - what segments reveal about a stalled stream: a closed or full window,
 * repeated retransmissions, or missing bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "analysis_world.h"

/* A process that is stalled: retransmissions probe whether it reads, and its kernel answers. */
static void probes(void **state)
{
    enum { CLOSED, BEYOND, WITHIN, UNANSWERED, CASES };
    struct world *w = *state;
    for (int i = 0; i < CASES; i++) {
        renew(w);
        open_up(w);
        at(w, 100);
        data(w, 0, 100, 200);
        w->window[1] = i == CLOSED || i == UNANSWERED ? 0 : 1; /* 128 bytes */
        ack(w, 1, i == WITHIN ? 172 : 100);
        for (int n = 0; n < 6; n++) {
            at(w, 400 + n * 400);
            data(w, 0, 100, 200);
            at(w, 402 + n * 400);
            if (i != UNANSWERED)
                ack(w, 1, i == WITHIN ? 172 : 100);
        }
        assert_int_equal(side(w, 0)->probes, i == WITHIN ? 0 : 6);
        assert_int_equal(side(w, 0)->retransmitted, i == WITHIN ? 6 : 0);
        assert_int_equal(w->facts->dir[0].lost_ns != 0, i == WITHIN || i == UNANSWERED);
        assert_int_equal(w->facts->dir[0].stall_tries, i == CLOSED || i == UNANSWERED ? 6 : 0);
    }
}

/* is_heard: the other end sends, bytes are retransmitted, and a while later the other end sends and
 * has not received them. */
static void heard_and_not_acknowledged(void **state)
{
    enum { HEARD, NOT_AGAIN, TOO_SOON, ACKNOWLEDGED, CASES };
    struct world *w = *state;
    for (int i = 0; i < CASES; i++) {
        renew(w);
        open_up(w);
        ack(w, 1, 100);
        at(w, 100);
        data(w, 0, 100, 1448);
        for (int n = 1; n <= 3; n++) {
            at(w, 100 + n * 300);
            data(w, 0, 100, 1448);
        }
        assert_int_equal(w->ended, 0);
        assert_false(w->stall.is_heard);
        assert_int_equal(w->stall.from_seq, 100);
        at(w, 2000);
        put(w, 1, TCP_ACK, 500, 100, 4, ++w->ip_id);
        assert_int_equal(w->ended, -1);
        at(w, 3000);
        if (i != NOT_AGAIN)
            data(w, 0, 100, 1448);
        assert_int_equal(w->ended, -1);
        at(w, i == TOO_SOON ? 3239 : 3240); /* 200 ms, and twice the handshake's 20 */
        put(w, 1, TCP_ACK, 504, i == ACKNOWLEDGED ? 1548 : 100, 4, ++w->ip_id);
        assert_int_equal(w->ended, i == HEARD || i == ACKNOWLEDGED ? 0 : -1);
        if (i != HEARD && i != ACKNOWLEDGED)
            continue;
        assert_int_equal(w->stall.why, DS_STALL_LOST);
        assert_int_equal(w->stall.is_heard, i == HEARD);
        assert_int_equal(w->stall.is_over, i == ACKNOWLEDGED);
        assert_int_equal(w->stall.duration_ns, 2840 * MS);
        at(w, 6000); /* once */
        data(w, 0, 100, 1448);
        at(w, 8000);
        put(w, 1, TCP_ACK, 508, i == ACKNOWLEDGED ? 1548 : 100, 4, ++w->ip_id);
        assert_int_equal(w->ended, -1);
    }
}

/* close_window: B has received the first 1000 bytes, and accepts no more. */
static void close_window(struct world *w)
{
    data(w, 0, 100, 1000);
    w->window[1] = 0;
    ack(w, 1, 1100);
}

/* A stall is reported when the kernels have answered within it, or after three seconds. */
static void kernels_have_a_word(void **state)
{
    struct world *w = *state;
    open_up(w);
    at(w, 100);
    close_window(w);
    const int64_t since_ns = w->facts->dir[0].stall_ns;
    struct ds_socket *socket[2] = {&w->facts->link.side[0].socket, &w->facts->link.side[1].socket};
    at(w, 1100);
    assert_false(tcp_analysis_time(w->facts, 0, true, w->now_ns, &w->stall)); /* no kernel knows them yet */
    for (int end = 0; end < 2; end++) {
        socket[end]->asked_ns = since_ns - 1;
        assert_false(tcp_analysis_time(w->facts, 0, true, w->now_ns, &w->stall));
        socket[end]->asked_ns = since_ns;
    }
    assert_true(tcp_analysis_time(w->facts, 0, true, w->now_ns, &w->stall));
    w->facts->dir[0].stall_told = false;
    socket[0]->asked_ns = since_ns - 1; /* that kernel does not answer any more */
    at(w, 3099);
    assert_false(tcp_analysis_time(w->facts, 0, true, w->now_ns, &w->stall));
    at(w, 3100);
    assert_true(tcp_analysis_time(w->facts, 0, true, w->now_ns, &w->stall));
}

static void nobody_reads(void **state)
{
    struct world *w = *state;
    open_up(w);
    at(w, 100);
    close_window(w);
    assert_int_equal(side(w, 1)->zero_windows, 1);
    assert_true(tcp_analysis_stalls(w->facts));
    at(w, 1099);
    assert_false(tcp_analysis_time(w->facts, 0, false, w->now_ns, &w->stall));
    at(w, 1100);
    assert_true(tcp_analysis_time(w->facts, 0, false, w->now_ns, &w->stall));
    assert_false(w->stall.is_over);
    assert_false(tcp_analysis_time(w->facts, 0, false, w->now_ns, &w->stall)); /* reported */
    ack(w, 1, 1100);
    assert_int_equal(side(w, 1)->zero_windows, 1);
    at(w, 4700);
    w->window[1] = 512;
    ack(w, 1, 1100);
    assert_int_equal(w->ended, 0);
    assert_true(w->stall.is_over);
    assert_int_equal(w->stall.why, DS_STALL_ZERO_WINDOW);
    assert_int_equal(w->stall.duration_ns, 4600 * MS);
    assert_int_equal(side(w, 0)->stalls, 1);
    assert_int_equal(side(w, 0)->longest_stall_ns, 4600 * MS);
    /* Data that is sent without a pause was delayed; later data was not. */
    data(w, 0, 1100, 100);
    assert_int_equal(w->facts->dir[0].run_ns, 4600 * MS);
    ack(w, 1, 1200);
    at(w, 4710);
    data(w, 0, 1200, 100);
    assert_int_equal(w->facts->dir[0].run_ns, 0);
}

static void short_pauses_are_usual(void **state)
{
    struct world *w = *state;
    open_up(w);
    close_window(w);
    at(w, 119);
    w->window[1] = 512;
    ack(w, 1, 1100);
    assert_int_equal(w->ended, -1);
    assert_int_equal(side(w, 0)->stalls, 0);
    /* A full window that is still being used is no stall. */
    w->window[1] = 20;
    ack(w, 1, 1100);
    for (uint32_t i = 0; i < 50; i++) {
        at(w, 200 + i * 50);
        data(w, 0, 1100 + i * 1200, 1200);
        data(w, 0, 2300 + i * 1200, 1200);
        ack(w, 1, 2300 + i * 1200);
        assert_int_equal(w->ended, -1);
    }
    assert_int_equal(side(w, 0)->stalls, 0);
}

static void full_window(void **state)
{
    struct world *w = *state;
    open_up(w);
    w->window[1] = 20; /* 2560 bytes */
    ack(w, 1, 100);
    at(w, 100);
    data(w, 0, 100, 1200);
    data(w, 0, 1300, 1200);
    at(w, 900);
    ack(w, 1, 2500);
    assert_int_equal(w->ended, 0);
    assert_int_equal(w->stall.why, DS_STALL_FULL_WINDOW);
    assert_int_equal(w->stall.duration_ns, 800 * MS);
    /* A stall that lasts until the end. */
    data(w, 0, 2500, 1200);
    data(w, 0, 3700, 1200);
    at(w, 1200);
    assert_true(tcp_analysis_end(w->facts, 0, w->now_ns, &w->stall));
    assert_false(w->stall.is_over);
    assert_int_equal(w->stall.duration_ns, 300 * MS);
}

/* Bytes that are lost before the capture point are known from the numbers of captured ones. */
static void lost_before_it_comes(void **state)
{
    enum { FROM = 500, HOLE = 20000, TAIL = 300 };
    struct world *w = *state;
    open_up(w);
    data(w, 1, FROM, 50);
    ack(w, 0, FROM + 50);
    const uint32_t hole = FROM + 50, end = hole + HOLE + TAIL;
    at(w, 100);
    put(w, 1, TCP_ACK, hole + HOLE, 100, TAIL, ++w->ip_id); /* the end of it, which is small */
    assert_int_equal(side(w, 1)->missing, HOLE);
    assert_int_equal(side(w, 1)->missing_ns, w->now_ns);
    ack(w, 0, hole);
    at(w, 3000);
    put(w, 1, TCP_ACK, end, 100, 0, 0);
    assert_int_equal(side(w, 1)->missing, HOLE); /* that end is not part of it */
    at(w, 3099);
    put(w, 0, TCP_ACK, 100, hole, 4, ++w->ip_id);
    put(w, 1, TCP_ACK, end, 104, 0, 0);
    assert_int_equal(w->ended, -1);
    at(w, 3100);
    put(w, 0, TCP_ACK, 104, hole, 0, 0); /* one end has been heard for that long, the other has not */
    assert_int_equal(w->ended, -1);
    put(w, 1, TCP_ACK, end, 104, 0, 0);
    assert_int_equal(w->ended, 1);
    assert_int_equal(w->stall.why, DS_STALL_MISSING);
    assert_false(w->stall.is_over);
    assert_int_equal(w->stall.start_ns, 1100 * MS);
    assert_int_equal(w->stall.duration_ns, 3000 * MS);
    assert_int_equal(w->stall.in_flight, HOLE);
    at(w, 7000);
    put(w, 0, TCP_ACK, 104, hole, 0, 0);
    put(w, 1, TCP_ACK, end, 104, 0, 0);
    assert_int_equal(w->ended, -1); /* once */
    ack(w, 0, end);
    assert_int_equal(w->ended, 1);
    assert_int_equal(w->stall.why, DS_STALL_MISSING);
    assert_true(w->stall.is_over);
    assert_int_equal(w->stall.duration_ns, 6900 * MS);
    assert_int_equal(side(w, 1)->missing, 0);
    assert_int_equal(side(w, 1)->missing_ns, 0);
    ack(w, 0, end);
    assert_int_equal(w->ended, -1);
}

/* Near misses: bytes that do arrive, small ones, ones of a size that other segments pass with, and
 * numbers that no end sent. */
static void comes_all_the_same(void **state)
{
    enum { COMES, ACKNOWLEDGED, SMALL, LARGE, OTHERS_PASS, LESS_THAN_FULL, RESET, FAR, NEAR, UNHEARD, CASES };
    struct world *w = *state;
    for (int i = 0; i < CASES; i++) {
        renew(w);
        open_up(w);
        data(w, 1, 500, 50);
        ack(w, 0, 550);
        const uint32_t hole = i == SMALL ? 999 : i == LARGE ? 1000 : i == FAR ? TCP_NEAR + 1
                              : i == NEAR ? TCP_NEAR : i == COMES ? 2000 : 3000;
        put(w, 1, i == RESET ? TCP_RST | TCP_ACK : TCP_ACK, 550 + hole, 100, 0, 0);
        if (i == COMES)
            data(w, 1, 550, 1448);
        if (i == ACKNOWLEDGED)
            ack(w, 0, 551);
        if (i == OTHERS_PASS || i == LESS_THAN_FULL)
            put(w, 1, TCP_ACK, 550 + hole, 100, MSS - 60 - (i == LESS_THAN_FULL), ++w->ip_id);
        for (int s = 1; s < 9; s++) {
            at(w, 1000 * s);
            if (i != UNHEARD)
                put(w, 0, TCP_ACK, 100, i == ACKNOWLEDGED ? 550 + hole : 550, 0, 0);
            put(w, 1, TCP_ACK, i == RESET ? 550 : 550 + hole, 100, 0, 0);
            if (w->ended == 1)
                break;
        }
        const bool is_told = i == LARGE || i == LESS_THAN_FULL || i == NEAR;
        if ((w->ended == 1) != is_told)
            fail_msg("case %d", i);
    }
}

/* The capture begins when bytes are already missing: acknowledgements reveal them. */
static void lost_before_the_capture(void **state)
{
    struct world *w = *state;
    for (int s = 0; s < 5 && w->ended <= 0; s++) {
        at(w, 1000 * s);
        put(w, 0, TCP_ACK, 100, 550, 4, ++w->ip_id);
        put(w, 1, TCP_ACK, 9000, 104, 0, 0);
    }
    assert_int_equal(w->ended, 1);
    assert_int_equal(w->stall.in_flight, 9000 - 550);
    assert_int_equal(w->stall.duration_ns, 3000 * MS);
}

/* Clocks that jump back and forth: the stalls together are longer than the greatest duration. */
static void stalls_of_centuries(void **state)
{
    struct world *w = *state;
    open_up(w);
    data(w, 0, 100, 50);
    for (int i = 0; i < 6; i++) {
        w->now_ns = i % 2 == 0 ? 1000 * MS : INT64_MAX / 2;
        w->window[1] = i % 2 == 0 ? 0 : 512;
        put(w, 1, TCP_ACK, 500, 150, 0, ++w->ip_id);
    }
    assert_int_equal(side(w, 0)->stalls, 3);
    assert_true(side(w, 0)->stalled_ns == INT64_MAX);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(probes),
        TEST(heard_and_not_acknowledged),
        TEST(nobody_reads),
        TEST(short_pauses_are_usual),
        TEST(lost_before_it_comes),
        TEST(comes_all_the_same),
        TEST(lost_before_the_capture),
        TEST(full_window),
        TEST(kernels_have_a_word),
        TEST(stalls_of_centuries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
