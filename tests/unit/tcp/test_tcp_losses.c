/*
 * test_tcp_losses.c - what segments reveal about losses: what was retransmitted and why, where it
 * was lost, what was reordered, duplicated, or retransmitted needlessly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "analysis_world.h"

static void which_side_lost_it(void **state)
{
    struct world *w = *state;
    open_up(w);
    at(w, 100);
    data(w, 0, 100, 1400);
    data(w, 0, 1500, 1400); /* seen, and sent again: lost behind us */
    at(w, 320);
    data(w, 0, 1500, 1400);
    assert_int_equal(side(w, 0)->retransmitted, 1);
    assert_int_equal(side(w, 0)->retransmitted_bytes, 1400);
    ack(w, 1, 2900);
    assert_int_equal(side(w, 0)->round_trip.num, 0); /* it is unknown which copy was acknowledged */
    /* One is left out and comes 300 ms later: lost before the capture point. */
    put(w, 0, TCP_ACK, 4300, 500, 1400, 77);
    w->next[0] = 2900;
    at(w, 620);
    data(w, 0, 2900, 1400);
    assert_int_equal(side(w, 0)->lost_upstream, 1);
    /* And one that is reordered. */
    w->next[0] = 5700;
    put(w, 0, TCP_ACK, 7100, 500, 1400, 79);
    w->next[0] = 5700;
    at(w, 622);
    data(w, 0, 5700, 1400);
    assert_int_equal(side(w, 0)->reordered, 1);
    assert_int_equal(side(w, 0)->retransmitted, 1);
    assert_int_equal(side(w, 0)->lost_upstream, 1);
    assert_int_equal(side(w, 0)->retransmitted_large, 2);
}

/* A segment so far ahead that it is probably forged does not make all that follows a
 * retransmission; acknowledged bytes were sent. */
static void far_ahead(void **state)
{
    struct world *w = *state;
    open_up(w);
    at(w, 100);
    data(w, 0, 100, 100);
    ack(w, 1, 200);
    w->next[0] = 201 + (1 << 20);
    put(w, 0, TCP_ACK, 201 + (1 << 20), 500, 100, 77);
    w->next[0] = 200;
    for (uint32_t i = 0; i < 20; i++) {
        at(w, 200 + 10 * (int64_t)i);
        data(w, 0, 200 + 100 * i, 100);
    }
    assert_int_equal(side(w, 0)->lost_upstream + side(w, 0)->reordered, 0);
    ack(w, 1, 2100);
    w->next[0] = 2200 + (1 << 20);
    put(w, 0, TCP_ACK, 2200 + (1 << 20), 500, 100, 79); /* by a byte not too far */
    w->next[0] = 2200;
    at(w, 700);
    data(w, 0, 2200, 100);
    assert_int_equal(side(w, 0)->lost_upstream + side(w, 0)->reordered, 1);
}

/* fills_hole: 6 packets of A with given identifications; the last but one leaves a gap that the
 * last one fills, late_ns later. */
static void fills_hole(struct world *w, uint16_t step, uint16_t last_id, int64_t late_ns)
{
    for (uint16_t i = 0; i < 5; i++)
        put(w, 0, TCP_ACK, 100 + i * 10u, 500, 10, (uint16_t)(65529 + i * step));
    put(w, 0, TCP_ACK, 160, 500, 10, (uint16_t)(65529 + 6 * step));
    w->next[0] = 150;
    w->now_ns += late_ns;
    put(w, 0, TCP_ACK, 150, 500, 10, last_id);
}

/* If packets have identifications, these decide, however soon or late a packet comes. */
static void numbers_tell_before_times(void **state)
{
    const struct {
        uint16_t step, last_id;
        int64_t late_ns;
        bool is_lost;
    } cases[] = {
        {3, (uint16_t)(65529 + 5 * 3), 90 * MS, false}, /* between those of its neighbours */
        {3, (uint16_t)(65529 + 7 * 3), MS / 10, true},
        {511, (uint16_t)(65529 + 7 * 511), MS / 10, true},
        {512, (uint16_t)(65529 + 7 * 512), MS / 10, false}, /* no identifications: time decides */
        {512, (uint16_t)(65529 + 5 * 512), 3 * MS, true},
        {0, 0, MS / 10, false},
        {3, 0, MS / 10, false}, /* no number */
    };
    struct world *w = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        renew(w);
        open_up(w);
        fills_hole(w, cases[i].step, cases[i].last_id, cases[i].late_ns);
        assert_int_equal(side(w, 0)->lost_upstream, cases[i].is_lost);
        assert_int_equal(side(w, 0)->reordered, !cases[i].is_lost);
    }
}

/* Otherwise, three acknowledgements of the byte before the gap cause a retransmission, which takes
 * a round trip. */
static void repeated_acknowledgements_tell(void **state)
{
    struct world *w = *state;
    for (unsigned acks = 2; acks <= 3; acks++) {
        for (int is_due = 0; is_due < 2; is_due++) {
            renew(w);
            open_up(w);
            w->facts->link.handshake_ns = MS;
            for (int i = 0; i < 5; i++)
                put(w, 1, TCP_ACK, 500, 100, 0, 0); /* of earlier data */
            put(w, 0, TCP_ACK, 110, 500, 10, 0);
            w->next[0] = 100;
            for (unsigned i = 0; i < acks; i++)
                put(w, 1, TCP_ACK, 500, 100, 0, 0);
            w->now_ns += MS - 1 + is_due;
            put(w, 0, TCP_ACK, 100, 500, 10, 0);
            const bool is_lost = acks == 3 && is_due;
            assert_int_equal(side(w, 0)->lost_upstream, is_lost);
            assert_int_equal(side(w, 0)->reordered, !is_lost);
        }
    }
}

/* Retransmitted bytes that were acknowledged have arrived: the acknowledgement was lost in the
 * other direction. */
static void acknowledged_is_not_lost(void **state)
{
    struct world *w = *state;
    for (int is_acked = 0; is_acked < 2; is_acked++) {
        renew(w);
        open_up(w);
        data(w, 0, 100, 50);
        put(w, 1, TCP_ACK, 500, is_acked ? 150 : 149, 0, ++w->ip_id);
        for (int i = 1; i <= 3; i++) {
            at(w, 100 + 300 * i);
            data(w, 0, 100, 50);
            assert_int_equal(w->ended, i == 3 && !is_acked ? 0 : -1);
        }
        assert_int_equal(side(w, 0)->retransmitted, 3);
    }
}

static void copies_are_no_loss(void **state)
{
    struct world *w = *state;
    open_up(w);
    put(w, 0, TCP_ACK, 100, 500, 50, 7);
    put(w, 0, TCP_ACK, 150, 500, 50, 8);
    put(w, 0, TCP_ACK, 100, 500, 50, 7);
    put(w, 0, TCP_ACK, 150, 500, 50, 8);
    assert_int_equal(side(w, 0)->copies, 2);
    assert_int_equal(side(w, 0)->retransmitted, 0);
    assert_int_equal(side(w, 0)->data_segments, 2);
    /* Without an identification, time decides. */
    put(w, 1, TCP_ACK, 500, 200, 50, 0);
    put(w, 1, TCP_ACK, 500, 200, 50, 0);
    assert_int_equal(side(w, 1)->copies, 1);
    at(w, 300);
    put(w, 1, TCP_ACK, 500, 200, 50, 0);
    assert_int_equal(side(w, 1)->retransmitted, 1);
}

/* The greatest time between two captures of a packet, and of a reordered one. */
static void times_tell_exactly(void **state)
{
    struct world *w = *state;
    open_up(w);
    assert_int_equal(side(w, 0)->first_ns, 1000 * MS);
    for (int64_t late = 0; late < 2; late++) {
        put(w, 1, TCP_ACK, 500, 100, 50, 0);
        w->now_ns += MS / 2 - 1 + late;
        put(w, 1, TCP_ACK, 500, 100, 50, 0);
        w->now_ns += MS;
    }
    assert_int_equal(side(w, 1)->copies, 1);
    assert_int_equal(side(w, 1)->retransmitted, 2); /* the one after a while, too */
    for (uint32_t late = 0; late < 2; late++) {
        const uint32_t seq = 100 + late * 100;
        w->next[0] = seq;
        data(w, 0, seq + 50, 50);
        w->next[0] = seq;
        w->now_ns += 3 * MS - 1 + late;
        data(w, 0, seq, 50);
    }
    assert_int_equal(side(w, 0)->reordered, 1);
    assert_int_equal(side(w, 0)->lost_upstream, 1);
    assert_int_equal(side(w, 0)->first_ns, 1000 * MS);
}

/* Repetitions count for one segment. */
static void others_repeat_for_themselves(void **state)
{
    struct world *w = *state;
    open_up(w);
    data(w, 0, 100, 100);
    data(w, 0, 200, 100);
    for (int i = 1; i <= 2; i++) {
        at(w, 100 + i * 300);
        data(w, 0, 100, 100);
    }
    at(w, 1000);
    data(w, 0, 200, 100);
    assert_int_equal(side(w, 0)->retransmitted, 3);
    assert_int_equal(side(w, 0)->most_repeats, 2);
}

/* says_sack: B acknowledges a number, with blocks of received numbers. */
static void says_sack(struct world *w, uint32_t number, const uint32_t *edges, uint8_t num, uint8_t len)
{
    uint8_t options[40] = {1, 1, 5, len};
    for (uint8_t i = 0; i < num; i++) {
        for (int byte = 0; byte < 4; byte++)
            options[4 + i * 4 + byte] = (uint8_t)(edges[i] >> (24 - 8 * byte));
    }
    const struct segment segment = {.ts_ns = w->now_ns, .seq = w->facts->dir[1].high_seq, .ack = number,
                                    .flags = TCP_ACK, .window = (uint16_t)w->window[1], .ip_id = ++w->ip_id,
                                    .options = cursor_make(options, 4u + num * 4u)};
    w->ended = tcp_analyse_segment(w->facts, 1, &segment, 0, true, w->next[1], &w->stall);
}

/* A segment that arrived twice was not lost: the other end reports it (RFC 2883). */
static void came_twice(void **state)
{
    struct world *w = *state;
    static const struct {
        uint32_t edge[4];
        uint8_t num, len;
        bool is_twice;
    } cases[] = {{{100, 200}, 2, 10, true},
                 {{200, 300}, 2, 10, true}, /* up to the acknowledged number */
                 {{200, 301}, 2, 10, false}, /* it arrived behind a gap */
                 {{500, 600, 500, 700}, 4, 18, true}, /* within the second block */
                 {{500, 600, 501, 700}, 4, 18, false},
                 {{500, 700, 500, 699}, 4, 18, false},
                 {{500, 600, 400, 450}, 4, 18, false},
                 {{100, 200}, 1, 10, false}, /* cut */
                 {{100, 200}, 2, 1, false}};
    open_up(w);
    data(w, 0, 100, 200);
    uint64_t wanted = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        says_sack(w, 300, cases[i].edge, cases[i].num, cases[i].len);
        wanted += cases[i].is_twice;
        assert_int_equal(side(w, 0)->needless, wanted);
    }
    assert_int_equal(side(w, 1)->needless, 0);
}

static void keepalives_and_repeats(void **state)
{
    struct world *w = *state;
    open_up(w);
    data(w, 0, 100, 1448);
    at(w, 100);
    ack(w, 1, 1548);
    put(w, 0, TCP_ACK, 1547, 500, 0, 90);
    put(w, 0, TCP_ACK, 1547, 500, 1, 91);
    assert_int_equal(side(w, 0)->keepalives, 2);
    assert_int_equal(side(w, 0)->retransmitted, 0);
    data(w, 0, 1548, 1448);
    for (int i = 1; i < 5; i++) {
        at(w, 100 + i * 300);
        data(w, 0, 1548, 1448);
    }
    assert_int_equal(side(w, 0)->most_repeats, 4);
    assert_int_equal(side(w, 0)->most_repeats_len, 1448);
    assert_int_equal(side(w, 0)->repeated_ns, w->now_ns);
    assert_int_equal(side(w, 0)->retransmitted_large, 4);
    at(w, 1500);
    data(w, 0, 100, 1448); /* acknowledged bytes wait for nothing */
    assert_int_equal(side(w, 0)->repeated_ns, w->now_ns - 200 * MS);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(which_side_lost_it),
        TEST(far_ahead),
        TEST(numbers_tell_before_times),
        TEST(repeated_acknowledgements_tell),
        TEST(acknowledged_is_not_lost),
        TEST(copies_are_no_loss),
        TEST(times_tell_exactly),
        TEST(others_repeat_for_themselves),
        TEST(came_twice),
        TEST(keepalives_and_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
