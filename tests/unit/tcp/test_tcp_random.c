/*
 * test_tcp_random.c - TCP reassembly of random streams, cut and shuffled in many ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tcp_world.h"

/* Random streams: however the segments are changed, the bytes come out in order and in their place. */

enum { STREAM_LEN = 4000, MAX_SEGMENTS = 4 * STREAM_LEN };

struct random_segment {
    int dir;
    uint32_t offset, len, cut;
    bool fin;
};

struct random_world {
    uint8_t bytes[2][STREAM_LEN];
    uint64_t at[2]; /* reported so far, of data and gaps */
    uint64_t lost, cut;
    int ends, closes;
    struct random_segment segments[MAX_SEGMENTS];
    size_t num_segments;
    uint32_t seed;
};

static uint32_t draw(struct random_world *w, uint32_t below)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)w->seed * below) >> 32);
}

static void random_open(void *context, struct tcp_conn_view *view)
{
    (void)context;
    (void)view;
}

static void random_data(void *context, struct tcp_conn_view *view, int dir, struct cursor data)
{
    struct random_world *w = context;
    (void)view;
    size_t len = cursor_left(&data);
    assert_true(w->at[dir] + len <= STREAM_LEN);
    assert_memory_equal(data.at, w->bytes[dir] + w->at[dir], len);
    w->at[dir] += len;
}

static void random_gap(void *context, struct tcp_conn_view *view, int dir, uint64_t len,
                       enum tcp_gap why)
{
    struct random_world *w = context;
    (void)view;
    assert_true(len > 0);
    w->at[dir] += len;
    *(why == TCP_GAP_SNAPLEN ? &w->cut : &w->lost) += len;
}

static void random_end(void *context, struct tcp_conn_view *view, int dir)
{
    struct random_world *w = context;
    (void)view;
    assert_int_equal(w->at[dir], STREAM_LEN);
    w->ends++;
}

static void random_close(void *context, struct tcp_conn_view *view, enum tcp_close why)
{
    struct random_world *w = context;
    (void)view;
    (void)why;
    w->closes++;
}

static void add_random(struct random_world *w, struct random_segment segment)
{
    if (w->num_segments < MAX_SEGMENTS)
        w->segments[w->num_segments++] = segment;
}

enum { LOSE = 1, CUT = 2, CAPS = 4 };

/* make_segments cuts both streams into overlapping, repeated, reordered segments. */
static void make_segments(struct random_world *w, int how)
{
    uint32_t next[2] = {0, 0};
    uint32_t max_len = 1 + draw(w, 300);
    while (next[0] < STREAM_LEN || next[1] < STREAM_LEN) {
        int dir = (int)draw(w, 2);
        if (next[dir] >= STREAM_LEN)
            continue;
        struct random_segment segment = {.dir = dir, .offset = next[dir]};
        uint32_t back = draw(w, 4) == 0 ? draw(w, 2 * max_len) : 0;
        segment.offset -= back < segment.offset ? back : segment.offset;
        segment.len = 1 + next[dir] - segment.offset + draw(w, max_len);
        if (segment.len > STREAM_LEN - segment.offset)
            segment.len = STREAM_LEN - segment.offset;
        next[dir] = segment.offset + segment.len;
        segment.fin = next[dir] == STREAM_LEN;
        if ((how & CUT) != 0 && draw(w, 10) == 0)
            segment.cut = draw(w, segment.len);
        if ((how & LOSE) != 0 && draw(w, 20) == 0 && !segment.fin)
            continue;
        add_random(w, segment);
        if (draw(w, 10) == 0)
            add_random(w, w->segments[draw(w, (uint32_t)w->num_segments)]);
    }
    for (size_t i = 0; i + 1 < w->num_segments; i++) {
        size_t other = i + draw(w, 8);
        if (other >= w->num_segments || draw(w, 3) != 0)
            continue;
        struct random_segment segment = w->segments[i];
        w->segments[i] = w->segments[other];
        w->segments[other] = segment;
    }
}

static void random_icmp(void *context, struct tcp_conn_view *view, int dir)
{
    (void)context;
    (void)view;
    (void)dir;
}

static void run_random(uint32_t seed, int how)
{
    static const struct tcp_events random_events = {random_open, random_data, random_gap,
                                                    random_end, random_icmp, random_close, NULL, NULL,
                                                    NULL, NULL, NULL, NULL, NULL};
    static struct random_world w;
    struct memcap memcap = {.max = 1 << 24};
    struct ds_stats stats = {0};
    uint64_t limits[DS_LIMIT_COUNT] = {[DS_LIMIT_CONNECTIONS] = 10, [DS_LIMIT_BUFFER] = 1 << 20};

    memset(&w, 0, sizeof w);
    w.seed = seed;
    for (size_t i = 0; i < 2 * STREAM_LEN; i++)
        w.bytes[i / STREAM_LEN][i % STREAM_LEN] = (uint8_t)draw(&w, 256);
    if ((how & CAPS) != 0) {
        limits[DS_LIMIT_BUFFER] = draw(&w, 1000);
        memcap.max = 500 + draw(&w, 1000);
    }
    make_segments(&w, how);
    uint32_t isn[2] = {0u - draw(&w, STREAM_LEN), draw(&w, UINT32_MAX)};
    struct tcp_table *table = tcp_table_new(&random_events, &w, &memcap, limits, &stats);
    assert_non_null(table);
    struct segment segment = {.window = 1};
    for (size_t i = 0; i < w.num_segments + 2; i++) {
        int dir = i < 2 ? (int)i : w.segments[i - 2].dir;
        segment.ts_ns += (how & LOSE) != 0 ? draw(&w, 100) * MS : 0;
        segment.frame++;
        segment.src = dir == A ? addr_a : addr_b;
        segment.dst = dir == A ? addr_b : addr_a;
        segment.src_port = dir == A ? 4000 : 5000;
        segment.dst_port = dir == A ? 5000 : 4000;
        segment.flags = TCP_ACK;
        segment.ack = isn[!dir];
        if ((how & LOSE) != 0 && i >= 2) /* a SYN-ACK that answers no SYN belongs to no connection */
            segment.ack += (uint32_t)w.at[!dir] + draw(&w, 1000);
        if (i < 2) {
            segment.seq = isn[dir] - 1;
            segment.flags = dir == A ? TCP_SYN : TCP_SYN | TCP_ACK;
        } else {
            const struct random_segment *from = &w.segments[i - 2];
            segment.seq = isn[dir] + from->offset;
            segment.payload = cursor_make(w.bytes[dir] + from->offset, from->len - from->cut);
            segment.truncated_len = from->cut;
            segment.flags |= from->fin ? TCP_FIN : 0;
        }
        tcp_table_feed(table, &segment);
    }
    tcp_table_end(table);
    tcp_table_free(table);
    assert_int_equal(memcap.used, 0);
    assert_int_equal(w.at[0], STREAM_LEN);
    assert_int_equal(w.at[1], STREAM_LEN);
    assert_int_equal(w.ends, 2);
    assert_int_equal(w.closes, 1);
    assert_int_equal(stats.overlaps_differing, 0);
    assert_int_equal(stats.tcp_connections, 1);
    if ((how & (LOSE | CAPS)) == 0)
        assert_int_equal(w.lost, 0);
    if ((how & CUT) == 0)
        assert_int_equal(w.cut, 0);
}

static void test_random(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 100; seed++) {
        for (int how = 0; how < 8; how++)
            run_random(seed, how);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
