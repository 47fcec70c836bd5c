/*
 * test_tcp_analysis.c - what segments tell of the way they take: round trips, losses and where,
 * windows, stalls, ticks. Two ends, A (0) and B (1); time goes on by at().
 */
#include "failing_alloc.h"
#include "tcp/tcp_analysis.h"
#include "tcp/tcp_conn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define MS INT64_C(1000000)

enum { MSS = 1460, SCALE = 7 };

struct world {
    struct tcp_analysis *facts;
    int64_t now_ns;
    uint32_t next[2]; /* number that the stream of an end waits for */
    uint32_t window[2];
    uint16_t ip_id;
    struct ds_stall stall;
    int ended;
};

static int setup(void **state)
{
    static struct world w;
    w = (struct world){.facts = tcp_analysis_new(), .now_ns = 1000 * MS, .window = {512, 512}};
    *state = &w;
    return w.facts != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    free(((struct world *)*state)->facts);
    return 0;
}

static void at(struct world *w, int64_t ms)
{
    w->now_ns = (1000 + ms) * MS;
}

static void put(struct world *w, int dir, uint8_t flags, uint32_t seq, uint32_t ack, uint32_t len,
                uint16_t ip_id)
{
    static const uint8_t options[] = {2, 4, MSS >> 8, MSS & 255, 1, 3, 3, SCALE};
    struct segment segment = {
        .ts_ns = w->now_ns,
        .seq = seq,
        .ack = ack,
        .flags = flags,
        .window = (uint16_t)w->window[dir],
        .ip_id = ip_id,
        .options = cursor_make(options, sizeof options),
    };
    w->ended = tcp_analysis_take(w->facts, dir, &segment, len, true, w->next[dir], &w->stall);
    if (seq + len - w->next[dir] < 1u << 30)
        w->next[dir] = seq + len;
}

static void open_up(struct world *w)
{
    put(w, 0, TCP_SYN, 99, 0, 0, 1);
    at(w, 10);
    put(w, 1, TCP_SYN | TCP_ACK, 499, 100, 0, 0);
    at(w, 20);
    put(w, 0, TCP_ACK, 100, 500, 0, 2);
    w->next[0] = 100;
    w->next[1] = 500;
    w->ip_id = 10;
}

static void data(struct world *w, int dir, uint32_t seq, uint32_t len)
{
    put(w, dir, TCP_ACK, seq, w->facts->dir[!dir].high_seq, len, ++w->ip_id);
}

static void ack(struct world *w, int dir, uint32_t number)
{
    put(w, dir, TCP_ACK, w->facts->dir[dir].high_seq, number, 0, ++w->ip_id);
}

static const struct ds_tcp_side *side(const struct world *w, int dir)
{
    return &w->facts->link.side[dir];
}

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
    assert_int_equal(side(w, 0)->round_trip.num, 0); /* of which copy? */
    /* One is left out; it comes 300 ms later: lost before us. */
    put(w, 0, TCP_ACK, 4300, 500, 1400, 77);
    w->next[0] = 2900;
    at(w, 620);
    data(w, 0, 2900, 1400);
    assert_int_equal(side(w, 0)->lost_upstream, 1);
    /* And one that is overtaken. */
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

/* What comes so far ahead that nobody may have sent it does not make all that follows retransmitted; what is
 * acknowledged there was sent. */
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

/* fills_hole: of 6 packets of A, numbered as said, the last but one leaves a hole that the last one fills, so
 * long after. */
static void fills_hole(struct world *w, uint16_t step, uint16_t last_id, int64_t late_ns)
{
    for (uint16_t i = 0; i < 5; i++)
        put(w, 0, TCP_ACK, 100 + i * 10u, 500, 10, (uint16_t)(65529 + i * step));
    put(w, 0, TCP_ACK, 160, 500, 10, (uint16_t)(65529 + 6 * step));
    w->next[0] = 150;
    w->now_ns += late_ns;
    put(w, 0, TCP_ACK, 150, 500, 10, last_id);
}

/* Where packets are numbered, the number tells, however soon or late it is. */
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
        {512, (uint16_t)(65529 + 7 * 512), MS / 10, false}, /* no numbers: then time tells */
        {512, (uint16_t)(65529 + 5 * 512), 3 * MS, true},
        {0, 0, MS / 10, false},
        {3, 0, MS / 10, false}, /* no number */
    };
    struct world *w = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        free(w->facts);
        w->facts = tcp_analysis_new();
        assert_non_null(w->facts);
        open_up(w);
        fills_hole(w, cases[i].step, cases[i].last_id, cases[i].late_ns);
        assert_int_equal(side(w, 0)->lost_upstream, cases[i].is_lost);
        assert_int_equal(side(w, 0)->reordered, !cases[i].is_lost);
    }
}

/* Where they are not, three acknowledgements for what stands before the hole have it sent again, and that
 * takes a round trip. */
static void repeated_acknowledgements_tell(void **state)
{
    struct world *w = *state;
    for (unsigned acks = 2; acks <= 3; acks++) {
        for (int is_due = 0; is_due < 2; is_due++) {
            free(w->facts);
            w->facts = tcp_analysis_new();
            assert_non_null(w->facts);
            w->next[0] = w->next[1] = 0;
            open_up(w);
            w->facts->link.handshake_ns = MS;
            for (int i = 0; i < 5; i++)
                put(w, 1, TCP_ACK, 500, 100, 0, 0); /* of before */
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

/* What is sent again though it was acknowledged has arrived: the acknowledgement is lost, the other way. */
static void acknowledged_is_not_lost(void **state)
{
    struct world *w = *state;
    for (int is_acked = 0; is_acked < 2; is_acked++) {
        free(w->facts);
        w->facts = tcp_analysis_new();
        assert_non_null(w->facts);
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

/* What is lost before it comes here is known by the numbers of what does come. */
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
    assert_int_equal(side(w, 1)->missing, HOLE); /* of which that end is no part */
    at(w, 3099);
    put(w, 0, TCP_ACK, 100, hole, 4, ++w->ip_id);
    put(w, 1, TCP_ACK, end, 104, 0, 0);
    assert_int_equal(w->ended, -1);
    at(w, 3100);
    put(w, 0, TCP_ACK, 104, hole, 0, 0); /* the one has been heard for so long, the other has not */
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

/* Near it: what comes after all, what is small, what others as large pass, and numbers that nobody sent. */
static void comes_all_the_same(void **state)
{
    enum { COMES, ACKNOWLEDGED, SMALL, LARGE, OTHERS_PASS, LESS_THAN_FULL, RESET, FAR, NEAR, UNHEARD, CASES };
    struct world *w = *state;
    for (int i = 0; i < CASES; i++) {
        free(w->facts);
        *w = (struct world){.facts = tcp_analysis_new(), .now_ns = 1000 * MS, .window = {512, 512}};
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

/* A capture that begins when it is missing already: what is acknowledged tells. */
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
    /* Without an identification time tells. */
    put(w, 1, TCP_ACK, 500, 200, 50, 0);
    put(w, 1, TCP_ACK, 500, 200, 50, 0);
    assert_int_equal(side(w, 1)->copies, 1);
    at(w, 300);
    put(w, 1, TCP_ACK, 500, 200, 50, 0);
    assert_int_equal(side(w, 1)->retransmitted, 1);
}

/* How long may be between two captures of a packet, and by how much one may be overtaken. */
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

/* Repeats are of one segment. */
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

/* says_sack: B acknowledges, with blocks of numbers that have come. */
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
    w->ended = tcp_analysis_take(w->facts, 1, &segment, 0, true, w->next[1], &w->stall);
}

/* What came twice was not lost: the other end says so (RFC 2883). */
static void came_twice(void **state)
{
    struct world *w = *state;
    static const struct {
        uint32_t edge[4];
        uint8_t num, len;
        bool is_twice;
    } cases[] = {{{100, 200}, 2, 10, true},
                 {{200, 300}, 2, 10, true}, /* up to what is acknowledged */
                 {{200, 301}, 2, 10, false}, /* what came behind a hole */
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

/* A process that stands still: what is sent again asks whether it reads on, and its kernel answers. */
static void probes(void **state)
{
    enum { CLOSED, BEYOND, WITHIN, UNANSWERED, CASES };
    struct world *w = *state;
    for (int i = 0; i < CASES; i++) {
        teardown(state);
        setup(state);
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

/* is_heard: the other end speaks, it is sent again, and a while later the other end speaks and has not got it. */
static void heard_and_not_acknowledged(void **state)
{
    enum { HEARD, NOT_AGAIN, TOO_SOON, ACKNOWLEDGED, CASES };
    struct world *w = *state;
    for (int i = 0; i < CASES; i++) {
        teardown(state);
        setup(state);
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
        at(w, i == TOO_SOON ? 3239 : 3240); /* 200 ms, and twice the 20 of the handshake */
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

/* A stall is reported once the kernels that are asked have answered within it, or after three seconds. */
static void kernels_have_a_word(void **state)
{
    struct world *w = *state;
    open_up(w);
    at(w, 100);
    data(w, 0, 100, 1000);
    w->window[1] = 0;
    ack(w, 1, 1100);
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
    data(w, 0, 100, 1000);
    w->window[1] = 0;
    ack(w, 1, 1100);
    assert_int_equal(side(w, 1)->zero_windows, 1);
    assert_true(tcp_analysis_stalls(w->facts));
    at(w, 1099);
    assert_false(tcp_analysis_time(w->facts, 0, false, w->now_ns, &w->stall));
    at(w, 1100);
    assert_true(tcp_analysis_time(w->facts, 0, false, w->now_ns, &w->stall));
    assert_false(w->stall.is_over);
    assert_false(tcp_analysis_time(w->facts, 0, false, w->now_ns, &w->stall)); /* told */
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
    /* What is sent without a pause was held up, what comes later was not. */
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
    data(w, 0, 100, 1000);
    w->window[1] = 0;
    ack(w, 1, 1100);
    at(w, 119);
    w->window[1] = 512;
    ack(w, 1, 1100);
    assert_int_equal(w->ended, -1);
    assert_int_equal(side(w, 0)->stalls, 0);
    /* A window that is full, but goes on to be used, is none. */
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
    /* One that goes on at the end. */
    data(w, 0, 2500, 1200);
    data(w, 0, 3700, 1200);
    at(w, 1200);
    assert_true(tcp_analysis_end(w->facts, 0, w->now_ns, &w->stall));
    assert_false(w->stall.is_over);
    assert_int_equal(w->stall.duration_ns, 300 * MS);
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
    assert_int_equal(side(w, 0)->retransmitted_large, 4);
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

/* A handshake that took long: the ticks that were due meanwhile come at once when it is over. */
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

/* A tick that had to wait for what was sent again is late, and the next one comes too soon. */
/* A pause of a second or more, the latest one, and when something came within it that has no payload. */
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

/* Clocks that go back and forth: the stalls together are longer than there is room for. */
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
        tcp_analysis_take(w->facts, 0, &segment, 0, false, 0, &w->stall);
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

/* Silences of both ends: what comes after them is answered, or not. */
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
    data(w, 1, 500, 10); /* what acknowledges it */
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

/* One direction alone: who closed first is not known then, unless by a RST. */
static void one_way(void **state)
{
    struct world *w = *state;
    const struct ds_tcp_stats *link = &w->facts->link;
    assert_int_equal(ds_tcp_unseen(link), -1); /* nothing at all */
    put(w, 0, TCP_SYN, 99, 0, 0, 1);
    put(w, 0, TCP_SYN, 99, 0, 0, 2);
    assert_int_equal(ds_tcp_unseen(link), -1); /* that may be unanswered */
    put(w, 0, TCP_ACK, 100, 500, 0, 3);
    assert_int_equal(ds_tcp_unseen(link), 1);
    put(w, 0, TCP_ACK | TCP_FIN, 100, 500, 0, 4);
    assert_int_equal(link->closed_by, -1);
    put(w, 1, TCP_ACK, 500, 101, 0, 5);
    assert_int_equal(ds_tcp_unseen(link), -1);
    put(w, 1, TCP_ACK | TCP_FIN, 500, 101, 0, 6);
    assert_int_equal(link->closed_by, 1);
    teardown(state);
    setup(state);
    put(w, 1, TCP_ACK, 500, 100, 0, 1);
    assert_int_equal(ds_tcp_unseen(&w->facts->link), 0);
}

static void hop(struct world *w, uint8_t ttl, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        const struct segment segment = {.ts_ns = w->now_ns, .flags = TCP_ACK, .ttl = ttl};
        tcp_analysis_take(w->facts, 1, &segment, 0, true, w->next[1], &w->stall);
    }
}

/* A second time to live is usual when eight segments had it, those of a third not counted. */
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
    hop(w, 62, 15); /* the way has changed again: the latest one */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trips, setup, teardown),
        cmocka_unit_test_setup_teardown(which_side_lost_it, setup, teardown),
        cmocka_unit_test_setup_teardown(far_ahead, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_tell_before_times, setup, teardown),
        cmocka_unit_test_setup_teardown(repeated_acknowledgements_tell, setup, teardown),
        cmocka_unit_test_setup_teardown(acknowledged_is_not_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_are_no_loss, setup, teardown),
        cmocka_unit_test_setup_teardown(times_tell_exactly, setup, teardown),
        cmocka_unit_test_setup_teardown(others_repeat_for_themselves, setup, teardown),
        cmocka_unit_test_setup_teardown(came_twice, setup, teardown),
        cmocka_unit_test_setup_teardown(probes, setup, teardown),
        cmocka_unit_test_setup_teardown(heard_and_not_acknowledged, setup, teardown),
        cmocka_unit_test_setup_teardown(nobody_reads, setup, teardown),
        cmocka_unit_test_setup_teardown(short_pauses_are_usual, setup, teardown),
        cmocka_unit_test_setup_teardown(lost_before_it_comes, setup, teardown),
        cmocka_unit_test_setup_teardown(comes_all_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(lost_before_the_capture, setup, teardown),
        cmocka_unit_test_setup_teardown(full_window, setup, teardown),
        cmocka_unit_test_setup_teardown(kernels_have_a_word, setup, teardown),
        cmocka_unit_test_setup_teardown(keepalives_and_repeats, setup, teardown),
        cmocka_unit_test_setup_teardown(ticks, setup, teardown),
        cmocka_unit_test_setup_teardown(ticks_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(silences, setup, teardown),
        cmocka_unit_test_setup_teardown(pauses, setup, teardown),
        cmocka_unit_test_setup_teardown(late_ticks, setup, teardown),
        cmocka_unit_test_setup_teardown(stalls_of_centuries, setup, teardown),
        cmocka_unit_test_setup_teardown(one_way, setup, teardown),
        cmocka_unit_test_setup_teardown(usual_ttls, setup, teardown),
        cmocka_unit_test_setup_teardown(ignored_segments, setup, teardown),
        cmocka_unit_test(spreads),
        cmocka_unit_test_setup_teardown(options_that_lie, setup, teardown),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
