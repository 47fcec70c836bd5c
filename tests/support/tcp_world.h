/*
 * tcp_world.h - a table of TCP connections fed by hand.
 *
 *     shake(w, 1000, 5000);                            a handshake: A's SYN has 1000, B's 5000
 *     feed(w, A, TCP_ACK, 1001, 5001, "hello");        a segment of A: flags, number, acknowledgement, data
 *     expect_log(w, "open 0:hello");                   all events since the last expect_log
 *
 * The events are one line of text:
 *   open  0:bytes (data of direction 0)  1!5L (gap of 5 in direction 1, Lost, Cut or caP)
 *   0. (end of direction 0)  close=FIN
 *
 * Include it after cmocka.h.
 */
#ifndef TESTS_TCP_WORLD_H
#define TESTS_TCP_WORLD_H

#include "tcp/tcp.h"
#include "tcp/tcp_conn.h"
#include "tcp/tcp_table.h"

#include <stdio.h>
#include <string.h>

#define MS INT64_C(1000000)

enum { A, B }; /* directions: A opens the connection */

struct world {
    struct tcp_table *table;
    struct memcap memcap;
    struct ds_stats stats;
    uint64_t limits[DS_LIMIT_COUNT];
    int64_t now_ns;
    uint64_t frame;
    int64_t fed_ns;
    bool is_quiet; /* no packets of other connections while time passes */
    uint16_t client_port;
    void *user;
    int cut;        /* of the next segment */
    char forget_at; /* the event at which to forget: o(pen) d(ata) g(ap) e(nd) */
    char log[4096];
    size_t log_len;
};

static const struct ds_addr addr_a = {4, {10, 0, 0, 1}};
static const struct ds_addr addr_b = {4, {10, 0, 0, 2}};

static inline void say(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void say(struct world *w, const char *format, ...)
{
    va_list args;
    if (w->log_len > 0 && w->log_len + 1 < sizeof w->log)
        w->log[w->log_len++] = ' ';
    va_start(args, format);
    int len = vsnprintf(w->log + w->log_len, sizeof w->log - w->log_len, format, args);
    va_end(args);
    w->log_len += (size_t)len;
    if (w->log_len >= sizeof w->log)
        w->log_len = sizeof w->log - 1;
}

static inline void maybe_forget(struct world *w, struct tcp_conn_view *view, char event)
{
    if (w->forget_at == event)
        tcp_table_forget(view);
}

static inline void on_open(void *context, struct tcp_conn_view *view)
{
    struct world *w = context;
    assert_null(view->user);
    view->user = w;
    say(w, "open");
    maybe_forget(w, view, 'o');
}

static inline void on_data(void *context, struct tcp_conn_view *view, int dir, struct cursor data)
{
    struct world *w = context;
    assert_ptr_equal(view->user, w);
    assert_true(cursor_left(&data) > 0);
    assert_true(view->now_ns <= w->now_ns && view->frame <= w->frame);
    if (cursor_left(&data) <= 200) {
        say(w, "%d:%.*s", dir, (int)cursor_left(&data), (const char *)data.at);
    } else {
        say(w, "%d:[%zu]", dir, cursor_left(&data));
    }
    maybe_forget(w, view, 'd');
}

static inline void on_gap(void *context, struct tcp_conn_view *view, int dir, uint64_t len,
                   enum tcp_gap why)
{
    struct world *w = context;
    assert_true(view->now_ns <= w->now_ns);
    say(w, "%d!%llu%c", dir, (unsigned long long)len, "LCP"[why]);
    maybe_forget(w, view, 'g');
}

static inline void on_end(void *context, struct tcp_conn_view *view, int dir)
{
    struct world *w = context;
    say(w, "%d.", dir);
    maybe_forget(w, view, 'e');
}

static inline void on_close(void *context, struct tcp_conn_view *view, enum tcp_close why)
{
    static const char *const names[] = {"FIN",     "RESET",  "REUSED", "DROPPED",
                                        "CAPTURE", "SILENT", "ICMP"};
    struct world *w = context;
    assert_ptr_equal(view->user, w);
    if (why == TCP_CLOSE_RESET) {
        say(w, "close=RESET%d", view->reset_dir);
    } else {
        say(w, "close=%s", names[why]);
    }
}

static inline void on_icmp(void *context, struct tcp_conn_view *view, int dir)
{
    struct world *w = context;
    say(w, "%d?%s", dir, view->icmp.what);
}

static const struct tcp_events events = {on_open, on_data, on_gap, on_end, on_icmp, on_close,
                                         NULL, NULL, NULL, NULL, NULL, NULL, NULL};

static inline void world_init(struct world *w)
{
    static const uint64_t defaults[DS_LIMIT_COUNT] = {
#define LIMIT(id, name, value, what) value,
#include <distsniff/limits.def>
#undef LIMIT
    };
    memset(w, 0, sizeof *w);
    memcpy(w->limits, defaults, sizeof defaults);
    w->memcap.max = w->limits[DS_LIMIT_MEMORY];
    w->client_port = 40000;
    w->now_ns = 1700000000 * INT64_C(1000000000);
    w->table = tcp_table_new(&events, w, &w->memcap, w->limits, &w->stats);
}

static inline int setup(void **state)
{
    struct world *w = malloc(sizeof *w);
    if (w == NULL)
        return -1;
    world_init(w);
    *state = w;
    return w->table != NULL ? 0 : -1;
}

static inline int teardown(void **state)
{
    struct world *w = *state;
    tcp_table_free(w->table);
    int leaked = w->memcap.used != 0;
    free(w);
    return leaked ? -1 : 0;
}

/* held_len returns how much memory is reserved, without the rings of tcp_delivered.h. */
static inline uint64_t held_len(const struct world *w)
{
    return w->memcap.used - w->table->shared.delivered_len;
}

/* next_segment makes a segment of that end in the next frame; only its source is set. */
static inline struct segment next_segment(struct world *w, int dir)
{
    return (struct segment){
        .ts_ns = w->now_ns,
        .frame = ++w->frame,
        .src = dir == A ? addr_a : addr_b,
        .dst = dir == A ? addr_b : addr_a,
        .src_port = dir == A ? w->client_port : 4369,
        .dst_port = dir == A ? 4369 : w->client_port,
    };
}

static inline struct segment make_segment(struct world *w, int dir, uint8_t flags, uint32_t seq, uint32_t ack,
                                          const char *text)
{
    struct segment segment = next_segment(w, dir);
    segment.seq = seq;
    segment.ack = ack;
    segment.window = 1000;
    segment.flags = flags;
    segment.payload = cursor_make(text, strlen(text));
    return segment;
}

/* timed_segment adds a timestamp: in the layout of most senders if it is even, in a rare one if it
 * is odd. Its options are valid until the next call. */
static inline struct segment timed_segment(struct world *w, int dir, uint8_t flags, uint32_t seq, uint32_t ack,
                                           const char *text, uint32_t sent_time)
{
    static uint8_t usual[12] = {1, 1, 8, 10}, other[16] = {1, 5, 2, 8, 10};
    struct segment segment = make_segment(w, dir, flags, seq, ack, text);
    for (int byte = 0; byte < 4; byte++)
        usual[4 + byte] = other[5 + byte] = (uint8_t)(sent_time >> (24 - 8 * byte));
    segment.options = sent_time % 2 == 0 ? cursor_make(usual, sizeof usual)
                                         : cursor_make(other, sizeof other);
    return segment;
}

static inline void feed_time(struct world *w, int dir, uint32_t seq, uint32_t ack, const char *text,
                             uint32_t sent_time)
{
    struct segment segment = timed_segment(w, dir, TCP_ACK, seq, ack, text, sent_time);
    tcp_table_feed(w->table, &segment);
}

/* feed_summed feeds a segment with a checksum, or with one that is left to the network card: that
 * is good if it is the sum of the pseudo header, and bad if it is 0. */
static inline void feed_summed(struct world *w, int dir, uint32_t seq, uint32_t ack, const char *text,
                               bool is_good)
{
    static const uint8_t good[20] = {[16] = 0x14, 0x09}, bad[20];
    struct segment segment = make_segment(w, dir, TCP_ACK, seq, ack, text);
    segment.summed = cursor_make(is_good ? good : bad, sizeof good);
    tcp_table_feed(w->table, &segment);
}

static inline void feed_bytes(struct world *w, int dir, uint8_t flags, uint32_t seq, uint32_t ack,
                       const void *bytes, size_t len)
{
    /* A copy that ends where the array ends, so that the sanitizer notices a read beyond it. */
    static uint8_t room[400000];
    uint8_t *copy = room + sizeof room - len;
    memcpy(copy, bytes, len);
    if (!w->is_quiet && w->fed_ns != 0 && w->now_ns != w->fed_ns)
        w->frame += 100;
    w->fed_ns = w->now_ns;
    struct segment segment = next_segment(w, dir);
    segment.seq = seq;
    segment.ack = ack;
    segment.window = 1000;
    segment.flags = flags;
    segment.payload = cursor_make(copy, len);
    segment.truncated_len = (uint32_t)w->cut;
    tcp_table_feed(w->table, &segment);
}

static inline void feed(struct world *w, int dir, uint8_t flags, uint32_t seq, uint32_t ack,
                 const char *text)
{
    feed_bytes(w, dir, flags, seq, ack, text, strlen(text));
}

/* told is a segment without options. */
struct told {
    int dir;
    uint8_t flags;
    uint32_t seq, ack;
    const char *text;
};

static inline void feed_told(struct world *w, const struct told *told)
{
    feed(w, told->dir, told->flags, told->seq, told->ack, told->text);
}

/* shake opens a connection: A's stream begins at isn_a + 1, B's at isn_b + 1. */
static inline void shake(struct world *w, uint32_t isn_a, uint32_t isn_b)
{
    feed(w, A, TCP_SYN, isn_a, 0, "");
    feed(w, B, TCP_SYN | TCP_ACK, isn_b, isn_a + 1, "");
    feed(w, A, TCP_ACK, isn_a + 1, isn_b + 1, "");
}

/* begin_timed: A has sent "a" and "b" with timestamps up to 7005, and B has acknowledged both. */
static inline void begin_timed(struct world *w)
{
    shake(w, 100, 500);
    feed_time(w, A, 101, 501, "a", 7000);
    feed_time(w, B, 501, 102, "", 1);
    feed_time(w, A, 102, 501, "b", 7005);
    feed_time(w, B, 501, 103, "", 1);
}

#define expect_log(w, text)                                                                        \
    do {                                                                                           \
        if (strcmp((w)->log, text) != 0)                                                           \
            fail_msg("reported '%s', expected '%s'", (w)->log, text);                              \
        (w)->log_len = 0;                                                                          \
        (w)->log[0] = '\0';                                                                        \
    } while (0)

/* establish opens a connection on which both ends have sent a byte. */
static inline void establish(struct world *w)
{
    w->is_quiet = true;
    shake(w, 100, 500);
    for (uint32_t i = 0; i < TCP_DISORDER; i++)
        feed(w, B, TCP_ACK, 501, 101, "");
    feed(w, A, TCP_ACK, 101, 501, "a");
    feed(w, B, TCP_ACK, 501, 102, "b");
    expect_log(w, "open 0:a 1:b");
}

#endif
