/*
 * analysis_world.h - segments of two ends, A (0) and B (1), fed to the TCP analysis by hand
 * (tcp_analysis.h). at() sets the time. Include it after cmocka.h.
 */
#ifndef TESTS_ANALYSIS_WORLD_H
#define TESTS_ANALYSIS_WORLD_H

#include "tcp/tcp_analysis.h"
#include "tcp/tcp_conn.h"

#define MS INT64_C(1000000)

enum { MSS = 1460, SCALE = 7 };

struct world {
    struct tcp_analysis *facts;
    int64_t now_ns;
    uint32_t next[2]; /* next sequence number of an end's stream */
    uint32_t window[2];
    uint16_t ip_id;
    struct ds_stall stall;
    int ended;
};

/* renew starts again with empty statistics. */
static inline void renew(struct world *w)
{
    free(w->facts);
    *w = (struct world){.facts = tcp_analysis_new(), .now_ns = 1000 * MS, .window = {512, 512}};
    assert_non_null(w->facts);
}

static inline int setup(void **state)
{
    static struct world w;
    renew(&w);
    *state = &w;
    return 0;
}

static inline int teardown(void **state)
{
    struct world *w = *state;
    free(w->facts);
    w->facts = NULL;
    return 0;
}

static inline void at(struct world *w, int64_t ms)
{
    w->now_ns = (1000 + ms) * MS;
}

static inline void put(struct world *w, int dir, uint8_t flags, uint32_t seq, uint32_t ack, uint32_t len,
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
    w->ended = tcp_analyse_segment(w->facts, dir, &segment, len, true, w->next[dir], &w->stall);
    if (seq + len - w->next[dir] < 1u << 30)
        w->next[dir] = seq + len;
}

static inline void open_up(struct world *w)
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

static inline void data(struct world *w, int dir, uint32_t seq, uint32_t len)
{
    put(w, dir, TCP_ACK, seq, w->facts->dir[!dir].high_seq, len, ++w->ip_id);
}

static inline void ack(struct world *w, int dir, uint32_t number)
{
    put(w, dir, TCP_ACK, w->facts->dir[dir].high_seq, number, 0, ++w->ip_id);
}

static inline const struct ds_tcp_side *side(const struct world *w, int dir)
{
    return &w->facts->link.side[dir];
}

#endif
