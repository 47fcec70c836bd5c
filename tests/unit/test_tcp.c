/*
 * test_tcp.c - TCP reassembly: what is reported of segments in and out of order, and what
 * must never be held, lost or said twice.
 *
 * Most tests write what is reported as one line of text and compare it as a whole:
 *   open  0:bytes (data of direction 0)  1!5L (gap of 5 in direction 1, Lost, Cut or caP)
 *   0. (end of direction 0)  close=FIN
 */
#include "failing_alloc.h"
#include "tcp.h"
#include "tcp_conn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define MS INT64_C(1000000)

enum { A, B }; /* directions: A opens the connection */

struct world {
    struct tcp_table *table;
    struct meter meter;
    struct ds_stats stats;
    uint64_t limits[DS_LIMIT_COUNT];
    int64_t now_ns;
    uint64_t frame;
    int64_t fed_ns;
    bool is_quiet; /* no packets of others while time goes by */
    uint16_t client_port;
    int cut;        /* of the next segment */
    char forget_at; /* the event in which to forget: o(pen) d(ata) g(ap) e(nd) */
    char log[4096];
    size_t log_len;
};

static const struct ds_addr addr_a = {4, {10, 0, 0, 1}};
static const struct ds_addr addr_b = {4, {10, 0, 0, 2}};

static void say(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct world *w, const char *format, ...)
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

static void maybe_forget(struct world *w, struct tcp_conn_view *view, char event)
{
    if (w->forget_at == event)
        tcp_table_forget(view);
}

static void on_open(void *context, struct tcp_conn_view *view)
{
    struct world *w = context;
    assert_null(view->user);
    view->user = w;
    say(w, "open");
    maybe_forget(w, view, 'o');
}

static void on_data(void *context, struct tcp_conn_view *view, int dir, struct cursor data)
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

static void on_gap(void *context, struct tcp_conn_view *view, int dir, uint64_t len,
                   enum tcp_gap why)
{
    struct world *w = context;
    assert_true(view->now_ns <= w->now_ns);
    say(w, "%d!%llu%c", dir, (unsigned long long)len, "LCP"[why]);
    maybe_forget(w, view, 'g');
}

static void on_end(void *context, struct tcp_conn_view *view, int dir)
{
    struct world *w = context;
    say(w, "%d.", dir);
    maybe_forget(w, view, 'e');
}

static void on_close(void *context, struct tcp_conn_view *view, enum tcp_close why)
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

static void on_icmp(void *context, struct tcp_conn_view *view, int dir)
{
    struct world *w = context;
    say(w, "%d?%s", dir, view->icmp.what);
}

static const struct tcp_events events = {on_open, on_data, on_gap, on_end, on_icmp, on_close,
                                         NULL, NULL};

static void world_init(struct world *w)
{
    static const uint64_t defaults[DS_LIMIT_COUNT] = {
#define LIMIT(id, name, value, what) value,
#include <distsniff/limits.def>
#undef LIMIT
    };
    memset(w, 0, sizeof *w);
    memcpy(w->limits, defaults, sizeof defaults);
    w->meter.max = w->limits[DS_LIMIT_MEMORY];
    w->client_port = 40000;
    w->now_ns = 1700000000 * INT64_C(1000000000);
    w->table = tcp_table_new(&events, w, &w->meter, w->limits, &w->stats);
}

static int setup(void **state)
{
    struct world *w = malloc(sizeof *w);
    if (w == NULL)
        return -1;
    world_init(w);
    *state = w;
    return w->table != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    struct world *w = *state;
    tcp_table_free(w->table);
    int leaked = w->meter.used != 0;
    free(w);
    return leaked ? -1 : 0;
}

static void feed_bytes(struct world *w, int dir, uint8_t flags, uint32_t seq, uint32_t ack,
                       const void *bytes, size_t len)
{
    /* A copy that ends where the array ends: the sanitizer sees who reads past it. */
    static uint8_t room[400000];
    uint8_t *copy = room + sizeof room - len;
    memcpy(copy, bytes, len);
    if (!w->is_quiet && w->fed_ns != 0 && w->now_ns != w->fed_ns)
        w->frame += 100;
    w->fed_ns = w->now_ns;
    struct segment segment = {
        .ts_ns = w->now_ns,
        .frame = ++w->frame,
        .src = dir == A ? addr_a : addr_b,
        .dst = dir == A ? addr_b : addr_a,
        .src_port = dir == A ? w->client_port : 4369,
        .dst_port = dir == A ? 4369 : w->client_port,
        .seq = seq,
        .ack = ack,
        .window = 1000,
        .flags = flags,
        .payload = cursor_make(copy, len),
        .cut_len = (uint32_t)w->cut,
    };
    tcp_table_feed(w->table, &segment);
}

static void feed(struct world *w, int dir, uint8_t flags, uint32_t seq, uint32_t ack,
                 const char *text)
{
    feed_bytes(w, dir, flags, seq, ack, text, strlen(text));
}

/* shake opens a connection: A's stream begins at isn_a + 1, B's at isn_b + 1. */
static void shake(struct world *w, uint32_t isn_a, uint32_t isn_b)
{
    feed(w, A, TCP_SYN, isn_a, 0, "");
    feed(w, B, TCP_SYN | TCP_ACK, isn_b, isn_a + 1, "");
    feed(w, A, TCP_ACK, isn_a + 1, isn_b + 1, "");
}

#define expect_log(w, text)                                                                        \
    do {                                                                                           \
        assert_string_equal((w)->log, text);                                                       \
        (w)->log_len = 0;                                                                          \
        (w)->log[0] = '\0';                                                                        \
    } while (0)

static void test_conversation(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    expect_log(w, "open");
    feed(w, A, TCP_ACK | TCP_PSH, 1001, 5001, "hello");
    feed(w, B, TCP_ACK, 5001, 1006, "");
    feed(w, B, TCP_ACK | TCP_PSH, 5001, 1006, "world!");
    feed(w, A, TCP_ACK, 1006, 5007, "");
    expect_log(w, "0:hello 1:world!");
    feed(w, A, TCP_ACK | TCP_FIN, 1006, 5007, "bye");
    expect_log(w, "0:bye 0.");
    feed(w, B, TCP_ACK | TCP_FIN, 5007, 1010, "");
    expect_log(w, "1. close=FIN");
    feed(w, A, TCP_ACK, 1010, 5008, ""); /* opens nothing */
    tcp_table_end(w->table);
    expect_log(w, "");
    assert_int_equal(w->stats.tcp_connections, 1);
    assert_int_equal(w->stats.segments, 10);
    assert_int_equal(w->stats.retransmitted + w->stats.reordered, 0);
}

static void test_view_says_who_opened(void **state)
{
    struct world *w = *state;
    feed(w, B, TCP_SYN | TCP_ACK, 5000, 1001, ""); /* the SYN-ACK first: A opened it */
    feed(w, A, TCP_SYN, 1000, 0, "");
    feed(w, A, TCP_ACK, 1001, 5001, "a");
    feed(w, B, TCP_ACK, 5001, 1002, "b");
    expect_log(w, "open 0:a 1:b");
    assert_int_equal(w->stats.tcp_connections, 1);
}

static void test_retransmission(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "abcdef");
    feed(w, A, TCP_ACK, 1, 1, "abcdef");
    feed(w, A, TCP_ACK, 1, 1, "abc");
    expect_log(w, "open 0:abcdef");
    assert_int_equal(w->stats.retransmitted, 2);
    feed(w, A, TCP_ACK, 4, 1, "defgh"); /* partly new */
    expect_log(w, "0:gh");
    assert_int_equal(w->stats.retransmitted, 3);
    assert_int_equal(w->stats.overlaps_differing, 0);
}

/* The same packets captured at two interfaces. */
static void test_everything_twice(void **state)
{
    struct world *w = *state;
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_SYN, 1000, 0, "");
    for (int i = 0; i < 2; i++)
        feed(w, B, TCP_SYN | TCP_ACK, 5000, 1001, "");
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_ACK, 1001, 5001, "hello");
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_ACK, 1010, 5001, "later");
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_ACK, 1006, 5001, "fill");
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_ACK | TCP_FIN, 1015, 5001, "");
    for (int i = 0; i < 2; i++)
        feed(w, B, TCP_ACK | TCP_FIN, 5001, 1016, "");
    for (int i = 0; i < 2; i++)
        feed(w, A, TCP_ACK, 1016, 5002, "");
    expect_log(w, "open 0:hello 0:fill 0:later 0. 1. close=FIN");
    assert_int_equal(w->stats.retransmitted, 5);
    assert_int_equal(w->stats.reordered, 1);
    assert_int_equal(w->stats.tcp_connections, 1);
}

static void test_keep_alive(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "abc");
    feed(w, A, TCP_ACK, 3, 1, "");
    feed(w, A, TCP_ACK, 3, 1, "x");
    feed(w, A, TCP_ACK, 4, 1, "def");
    expect_log(w, "open 0:abc 0:def");
    assert_int_equal(w->stats.retransmitted, 0);
}

static void test_reordered(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 7, 1, "gh");
    feed(w, A, TCP_ACK, 3, 1, "cd");
    feed(w, A, TCP_ACK, 5, 1, "ef");
    expect_log(w, "open");
    assert_true(w->meter.used > 0);
    feed(w, A, TCP_ACK, 1, 1, "ab");
    expect_log(w, "0:ab 0:cd 0:ef 0:gh");
    assert_int_equal(w->meter.used, 0);
    assert_int_equal(w->stats.reordered, 1);
    assert_int_equal(w->stats.retransmitted, 0);
}

static void test_first_copy_wins(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 4, 1, "def");
    feed(w, A, TCP_ACK, 9, 1, "ij");
    feed(w, A, TCP_ACK, 4, 1, "def"); /* the same again */
    assert_int_equal(w->stats.retransmitted, 1);
    assert_int_equal(w->stats.overlaps_differing, 0);
    feed(w, A, TCP_ACK, 3, 1, "cXXXghYY"); /* 3 to 10: only c, g and h are new */
    assert_int_equal(w->stats.overlaps_differing, 1);
    feed(w, A, TCP_ACK, 1, 1, "abZ");
    expect_log(w, "open 0:ab 0:c 0:def 0:gh 0:ij");
    assert_int_equal(w->stats.overlaps_differing, 2);
}

static void test_in_order_segment_over_held_ones(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 3, 1, "cd");
    feed(w, A, TCP_ACK, 7, 1, "gh");
    feed(w, A, TCP_ACK, 1, 1, "abcdefghij");
    expect_log(w, "open 0:ab 0:cd 0:ef 0:gh 0:ij");
    assert_int_equal(w->stats.overlaps_differing, 0);
    feed(w, A, TCP_ACK, 13, 1, "mn");
    feed(w, A, TCP_ACK, 11, 1, "klM"); /* ends inside a held one */
    expect_log(w, "0:kl 0:mn");
    assert_int_equal(w->stats.overlaps_differing, 1);
}

static void test_wrap(void **state)
{
    struct world *w = *state;
    shake(w, 0xfffffff9, 0xffffffff);
    feed(w, A, TCP_ACK, 0xfffffffa, 0, "abcd");
    feed(w, A, TCP_ACK, 0xfffffffe, 0, "efgh"); /* over the edge */
    feed(w, A, TCP_ACK, 6, 0, "mn");            /* early */
    feed(w, A, TCP_ACK, 0xfffffffe, 0, "efghij");
    feed(w, A, TCP_ACK, 4, 0, "kl");
    feed(w, B, TCP_ACK, 0, 8, "xyz");
    expect_log(w, "open 0:abcd 0:efgh 0:ij 0:kl 0:mn 1:xyz");
}

static void test_hole_at_wrap(void **state)
{
    struct world *w = *state;
    shake(w, 0xfffffff9, 0);
    feed(w, A, TCP_ACK, 0xfffffffa, 1, "abcd");
    feed(w, A, TCP_ACK, 4, 1, "late");
    feed(w, B, TCP_ACK, 1, 8, "");
    w->now_ns += 300 * MS;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "open 0:abcd 0!6L 0:late");
}

static void test_lost_when_acked(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "ab");
    feed(w, A, TCP_ACK, 6, 1, "fg");
    feed(w, B, TCP_ACK, 1, 8, ""); /* B has it all */
    w->now_ns += 199 * MS;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "open 0:ab");
    w->now_ns += 1 * MS;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "0!3L 0:fg");
    assert_int_equal(w->meter.used, 0);
    feed(w, A, TCP_ACK, 3, 1, "cde"); /* too late */
    feed(w, A, TCP_ACK, 8, 1, "hi");
    expect_log(w, "0:hi");
}

/* What is acknowledged up to the end of the hole is lost; with a byte less it may still come. */
static void test_lost_when_just_acked(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "ab");
    feed(w, A, TCP_ACK, 6, 1, "fg");
    feed(w, B, TCP_ACK, 1, 5, "");
    w->now_ns += 300 * MS;
    feed(w, B, TCP_ACK, 1, 5, "");
    expect_log(w, "open 0:ab");
    feed(w, B, TCP_ACK, 1, 6, "");
    expect_log(w, "0!3L 0:fg");
}

static void test_not_lost_while_peer_waits(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 1, 1, "ab");
    feed(w, A, TCP_ACK, 6, 1, "fg");
    for (int i = 0; i < 100; i++) {
        w->now_ns += 1000 * MS;
        feed(w, B, TCP_ACK, 1, 3, ""); /* asks for what is missing */
    }
    expect_log(w, "open 0:ab");
    feed(w, A, TCP_ACK, 3, 1, "cde");
    expect_log(w, "0:cde 0:fg");
}

static void test_several_holes_at_once(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 3, 1, "c");
    feed(w, A, TCP_ACK, 5, 1, "e");
    w->now_ns += 300 * MS;
    feed(w, A, TCP_ACK, 7, 1, "g");
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "open 0!2L 0:c 0!1L 0:e"); /* g has not waited yet */
    w->now_ns += 200 * MS;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "0!1L 0:g");
}

static void test_lost_by_number_of_segments(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, B, TCP_ACK, 1, 2000, "");
    for (uint32_t i = 0; i < 63; i++)
        feed(w, A, TCP_ACK, 10 + i, 1, "x");
    expect_log(w, "open");
    feed(w, A, TCP_ACK, 10 + 63, 1, "x");
    assert_memory_equal(w->log, "0!9L 0:x", 8);
}

static void test_sweep_without_packets_of_the_connection(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 6, 1, "fg");
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "open");
    w->client_port = 40001;
    w->now_ns += 250 * MS;
    feed(w, A, TCP_SYN, 1, 0, "");
    expect_log(w, "open 0!5L 0:fg");
}

static void test_sweep_reaches_all(void **state)
{
    struct world *w = *state;
    enum { NUM = 500 };
    for (int i = 0; i < NUM; i++) {
        w->client_port = (uint16_t)(1000 + i);
        shake(w, 0, 0);
        feed(w, A, TCP_ACK, 6, 1, "fg");
    }
    assert_true(w->meter.used > 0);
    w->client_port = 999;
    for (int i = 0; i < 30; i++) {
        w->now_ns += 200 * MS;
        feed(w, A, TCP_ACK, 0, 0, "");
    }
    assert_int_equal(w->meter.used, 0);
}

static void test_clock_going_back(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 6, 1, "fg");
    feed(w, B, TCP_ACK, 1, 8, "");
    w->now_ns = INT64_MIN;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "open");
    w->now_ns = INT64_MAX;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "0!5L 0:fg");
    feed(w, B, TCP_ACK | TCP_RST, 1, 8, "");
    w->now_ns = INT64_MIN;
    feed(w, B, TCP_ACK, 1, 8, "");
    expect_log(w, "close=RESET1");
}

static void test_half_seen(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 0, 0, "");
    feed(w, A, TCP_ACK, 1, 1, "ab");
    feed(w, A, TCP_ACK, 6, 1, "fg");
    tcp_table_settle(w->table); /* no SYN-ACK comes */
    w->now_ns += 900 * MS;
    feed(w, A, TCP_ACK, 8, 1, "hi");
    expect_log(w, "open 0:ab");
    w->now_ns += 200 * MS;
    feed(w, A, TCP_ACK, 10, 1, "jk");
    expect_log(w, "0!3L 0:fg 0:hi 0:jk");
    feed(w, A, TCP_ACK | TCP_FIN, 12, 1, "");
    expect_log(w, "0.");
    tcp_table_end(w->table);
    expect_log(w, "close=CAPTURE");
}

static void test_syn_ack_missing(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 0, 0, "");
    feed(w, A, TCP_ACK, 1, 7001, "a");
    feed(w, B, TCP_ACK, 7003, 2, "cd");
    feed(w, B, TCP_ACK, 7001, 2, "ab");
    expect_log(w, "open"); /* it may yet come */
    tcp_table_settle(w->table);
    expect_log(w, "0:a 1:ab 1:cd");
}

static void test_joined_late(void **state)
{
    struct world *w = *state;
    feed(w, B, TCP_ACK, 900, 100, ""); /* tells nothing worth following */
    expect_log(w, "");
    feed(w, B, TCP_ACK, 900, 100, "xx"); /* the first packet: B is end 0 here */
    feed(w, A, TCP_ACK, 300, 902, "yy"); /* in flight when the capture began: no gap */
    feed(w, A, TCP_ACK, 302, 902, "zz");
    expect_log(w, ""); /* the SYN may yet come */
    tcp_table_settle(w->table);
    expect_log(w, "open 0:xx 1:yy 1:zz");
}

static void test_fin_out_of_order(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK | TCP_FIN, 3, 1, "cd");
    feed(w, B, TCP_ACK | TCP_FIN, 1, 1, "");
    expect_log(w, "open 1.");
    feed(w, A, TCP_ACK, 1, 2, "ab");
    expect_log(w, "0:ab 0:cd 0. close=FIN");
}

static void test_bare_fin_out_of_order(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK | TCP_FIN, 3, 1, "");
    expect_log(w, "open");
    feed(w, B, TCP_ACK | TCP_FIN, 1, 4, ""); /* the other had come there: it was the first */
    expect_log(w, "");
    w->now_ns += 300 * MS;
    feed(w, B, TCP_ACK | TCP_FIN, 1, 4, "");
    expect_log(w, "1. 0!2L 0. close=FIN");
}

static void test_fin_that_was_none(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK | TCP_FIN, 3, 1, ""); /* forged: the stream goes on */
    feed(w, A, TCP_ACK, 1, 1, "abcd");
    feed(w, A, TCP_ACK, 5, 1, "ef");
    expect_log(w, "open 0:abcd 0:ef");
    feed(w, A, TCP_ACK | TCP_FIN, 7, 1, "");
    expect_log(w, "0.");
    feed(w, A, TCP_ACK, 7, 1, "gh"); /* nothing comes after the end */
    feed(w, A, TCP_ACK, 9, 1, "ij");
    expect_log(w, "");
    assert_int_equal(w->meter.used, 0);
}

static void test_reset(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    feed(w, A, TCP_ACK, 1001, 5001, "a");
    feed(w, B, TCP_RST, 5001 + 0x40000000, 0, ""); /* blind */
    feed(w, B, TCP_RST, 5001 - 0x40000000, 0, "");
    feed(w, A, TCP_ACK, 1002, 5001, "b");
    expect_log(w, "open 0:a 0:b");
    feed(w, A, TCP_ACK, 1006, 5001, "late");
    feed(w, B, TCP_RST | TCP_ACK, 5001, 1003, "");
    expect_log(w, "0!3L 0:late close=RESET1");
    feed(w, A, TCP_ACK, 1010, 5001, "after");
    feed(w, A, TCP_ACK | TCP_FIN, 1015, 5001, "");
    tcp_table_end(w->table);
    expect_log(w, "");
    assert_int_equal(w->stats.tcp_connections, 1);
}

static void test_refused(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 1000, 0, "");
    feed(w, B, TCP_RST | TCP_ACK, 0, 0x50000000, ""); /* not an answer to that */
    expect_log(w, "open");
    feed(w, B, TCP_RST | TCP_ACK, 0, 1001, "");
    expect_log(w, "close=RESET1");
    feed(w, A, TCP_SYN, 1000, 0, "");
    expect_log(w, "");
    feed(w, A, TCP_SYN, 2000, 0, ""); /* tries again */
    feed(w, B, TCP_SYN | TCP_ACK, 7000, 2001, "");
    feed(w, A, TCP_ACK, 2001, 7001, "a");
    expect_log(w, "open 0:a");
}

static void test_reset_opens_nothing(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_RST, 1000, 0, "");
    feed(w, A, TCP_RST, 1000, 0, "reason");
    feed(w, A, TCP_ACK, 1000, 0, "");
    feed(w, A, TCP_FIN | TCP_ACK, 1000, 0, "");
    expect_log(w, "");
}

static void test_reuse(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    feed(w, A, TCP_ACK, 1001, 5001, "a");
    feed(w, A, TCP_SYN, 1000, 0, ""); /* a late copy */
    expect_log(w, "open 0:a");
    assert_int_equal(w->stats.retransmitted, 1);
    feed(w, A, TCP_ACK, 1005, 5001, "held");
    shake(w, 90000, 80000);
    expect_log(w, "0!3L 0:held close=REUSED open");
    feed(w, A, TCP_ACK, 90001, 80001, "b");
    feed(w, B, TCP_ACK, 80001, 90002, "c");
    expect_log(w, "0:b 1:c");
    assert_int_equal(w->meter.used, 0);
}

/* Where the other side alone has sent something, or has closed, the connection has been one. */
static void test_reuse_of_what_was_answered(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    feed(w, B, TCP_ACK, 5001, 1001, "b");
    feed(w, A, TCP_SYN, 90000, 0, "");
    expect_log(w, "open 1:b close=REUSED open");
    feed(w, B, TCP_SYN | TCP_ACK, 80000, 90001, "");
    feed(w, A, TCP_ACK, 90001, 80001, "");
    feed(w, B, TCP_ACK | TCP_FIN, 80001, 90001, "");
    feed(w, A, TCP_SYN, 170000, 0, "");
    expect_log(w, "1. close=REUSED open");
}

static void test_reuse_after_close(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    feed(w, A, TCP_ACK | TCP_FIN, 1001, 5001, "a");
    feed(w, B, TCP_ACK | TCP_FIN, 5001, 1003, "b");
    expect_log(w, "open 0:a 0. 1:b 1. close=FIN");
    feed(w, B, TCP_ACK | TCP_FIN, 5001, 1003, "b"); /* late */
    feed(w, A, TCP_ACK, 1003, 5003, "");
    expect_log(w, "");
    shake(w, 2000, 7000);
    feed(w, A, TCP_ACK, 2001, 7001, "c");
    expect_log(w, "open 0:c");
}

static void test_new_syn_before_data(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 1000, 0, "");
    shake(w, 2000, 7000); /* gave up on the first one: still nothing happened */
    feed(w, A, TCP_ACK, 2001, 7001, "c");
    expect_log(w, "open 0:c");
}

static void test_closed_is_forgotten_in_time(void **state)
{
    struct world *w = *state;
    shake(w, 1000, 5000);
    feed(w, B, TCP_RST | TCP_ACK, 5001, 1001, "");
    expect_log(w, "open close=RESET1");
    w->now_ns += 61000 * MS;
    feed(w, A, TCP_ACK, 77, 0, "new");
    tcp_table_settle(w->table);
    expect_log(w, "open 0:new");
}

static void test_reuse_unseen(void **state)
{
    struct world *w = *state;
    shake(w, 0x70000000, 5000);
    feed(w, A, TCP_ACK, 0x70000001, 5001, "a");
    expect_log(w, "open 0:a");
    /* Another connection on the same ports whose beginning nobody captured. */
    for (uint32_t i = 0; i < 6; i++)
        feed(w, A, TCP_ACK, 0x10000000 + 2 * i, 5001, "bc");
    expect_log(w, "close=REUSED open 0:bc 0:bc 0:bc");
}

static void test_cut(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    w->cut = 3;
    feed(w, A, TCP_ACK, 1, 1, "ab"); /* 1 to 5 */
    w->cut = 0;
    feed(w, A, TCP_ACK, 6, 1, "f");
    expect_log(w, "open 0:ab 0!3C 0:f");
    w->cut = 2;
    feed(w, A, TCP_ACK, 9, 1, "i"); /* early: 9 to 11 */
    w->cut = 5;
    feed(w, A, TCP_ACK, 7, 1, ""); /* nothing of it: 7 to 11, of which 7 and 8 are new */
    w->cut = 0;
    feed(w, A, TCP_ACK, 12, 1, "l");
    expect_log(w, "0!2C 0:i 0!2C 0:l");
    w->cut = 4;
    feed(w, A, TCP_ACK, 11, 1, "kl"); /* 11 to 16, begins in what is known */
    expect_log(w, "0!4C");
    feed(w, A, TCP_ACK | TCP_FIN, 17, 1, "x");
    expect_log(w, "0:x 0!4C 0.");
    w->cut = 0;
}

static void test_large_frames(void **state)
{
    struct world *w = *state;
    static uint8_t bytes[300000];
    shake(w, 0xfffff000, 0);
    feed_bytes(w, A, TCP_ACK, 0xfffff001, 1, bytes, 65483);
    feed_bytes(w, A, TCP_ACK, 0xfffff001 + 65483 + 300000, 1, bytes, 300000);
    feed_bytes(w, A, TCP_ACK, 0xfffff001 + 65483, 1, bytes, 300000);
    expect_log(w, "open 0:[65483] 0:[300000] 0:[300000]");
    w->cut = INT32_MAX;
    feed(w, A, TCP_ACK, 1, 1, "absurd");
    expect_log(w, "");
    w->cut = 0;
}

static void test_zero_window(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    struct segment segment = {
        .src = addr_a, .dst = addr_b, .src_port = 40000, .dst_port = 4369, .flags = TCP_ACK};
    tcp_table_feed(w->table, &segment);
    segment.flags = TCP_RST;
    tcp_table_feed(w->table, &segment);
    assert_int_equal(w->stats.zero_windows, 1);
}

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
    /* A closed one goes before any other, and without a word. */
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
    feed_bytes(w, A, TCP_ACK, 2031, 1, bytes, 1000); /* gives up the first hole only */
    expect_log(w, "0!10P 0:[1000]");
    assert_int_equal(w->stats.limits_hit[DS_LIMIT_BUFFER], 1);
    feed_bytes(w, A, TCP_ACK, 1011, 1, bytes, 10);
    assert_memory_equal(w->log, "0:", 2);
    assert_in_range(w->meter.used, 1000, 1100); /* the last one alone */
    w->log_len = 0;
    w->limits[DS_LIMIT_BUFFER] = 0;
    feed_bytes(w, A, TCP_ACK, 3050, 1, bytes, 1000); /* nothing can be held */
    expect_log(w, "0!10P 0:[1000] 0!19P 0:[1000]");
    assert_int_equal(w->meter.used, 0);
}

static void test_cap_pieces(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    for (uint32_t i = 0; i < 20000; i++)
        feed(w, A, TCP_ACK, 10 + 2 * i, 1, "x");
    assert_true(w->meter.used <= 4096 * 64);
    assert_int_equal(w->stats.limits_hit[DS_LIMIT_BUFFER], 20000 - 4096);
}

static void test_cap_memory(void **state)
{
    struct world *w = *state;
    static uint8_t bytes[1000];
    w->meter.max = 1500;
    shake(w, 0, 0);
    feed_bytes(w, A, TCP_ACK, 11, 1, bytes, 1000);
    w->client_port++;
    shake(w, 0, 0);
    feed_bytes(w, A, TCP_ACK, 11, 1, bytes, 1000); /* no room: what cannot be held is passed on */
    expect_log(w, "open open 0!10P 0:[1000]");
    assert_int_equal(w->meter.hits, 1);
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
        assert_int_equal(w->meter.used, 0);
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
        feed(w, A, TCP_ACK, 1002 + 3 * i, 1, "bc"); /* with holes: not held */
    assert_int_equal(w->meter.used, 0);
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

static void test_end_in_order_of_first_packets(void **state)
{
    struct world *w = *state;
    static const char *const texts[] = {"one", "two", "three"};
    for (int i = 0; i < 3; i++) {
        w->client_port = (uint16_t)(50000 - i);
        shake(w, 0, 0);
        feed(w, A, TCP_ACK, 4, 1, texts[i]);
    }
    w->client_port = 50000;
    feed(w, B, TCP_ACK, 1, 1, "x");
    expect_log(w, "open open open 1:x");
    tcp_table_end(w->table);
    expect_log(w, "0!3L 0:one close=CAPTURE 0!3L 0:two close=CAPTURE 0!3L 0:three close=CAPTURE");
    shake(w, 0, 0); /* the table can be used again */
    expect_log(w, "open");
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
    assert_int_equal(w.meter.used, 0);
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
    assert_int_equal(w->stats.no_memory, 2);
}

/* Random streams: whatever is done to the segments, the bytes come out in order and in
 * their place. */

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
    *(why == TCP_GAP_CUT ? &w->cut : &w->lost) += len;
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
                                                    random_end, random_icmp, random_close, NULL, NULL};
    static struct random_world w;
    struct meter meter = {.max = 1 << 24};
    struct ds_stats stats = {0};
    uint64_t limits[DS_LIMIT_COUNT] = {[DS_LIMIT_CONNECTIONS] = 10, [DS_LIMIT_BUFFER] = 1 << 20};

    memset(&w, 0, sizeof w);
    w.seed = seed;
    for (size_t i = 0; i < 2 * STREAM_LEN; i++)
        w.bytes[i / STREAM_LEN][i % STREAM_LEN] = (uint8_t)draw(&w, 256);
    if ((how & CAPS) != 0) {
        limits[DS_LIMIT_BUFFER] = draw(&w, 1000);
        meter.max = 500 + draw(&w, 1000);
    }
    make_segments(&w, how);
    uint32_t isn[2] = {0u - draw(&w, STREAM_LEN), draw(&w, UINT32_MAX)};
    struct tcp_table *table = tcp_table_new(&random_events, &w, &meter, limits, &stats);
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
        if ((how & LOSE) != 0)
            segment.ack += (uint32_t)w.at[!dir] + draw(&w, 1000);
        if (i < 2) {
            segment.seq = isn[dir] - 1;
            segment.flags = dir == A ? TCP_SYN : TCP_SYN | TCP_ACK;
        } else {
            const struct random_segment *from = &w.segments[i - 2];
            segment.seq = isn[dir] + from->offset;
            segment.payload = cursor_make(w.bytes[dir] + from->offset, from->len - from->cut);
            segment.cut_len = from->cut;
            segment.flags |= from->fin ? TCP_FIN : 0;
        }
        tcp_table_feed(table, &segment);
    }
    tcp_table_end(table);
    tcp_table_free(table);
    assert_int_equal(meter.used, 0);
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

/* A SYN is sent again after 1 s, then after 2 s; its sender gives up. */
static void test_syn_unanswered(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    w->now_ns += 1000 * MS;
    feed(w, A, TCP_SYN, 100, 0, "");
    w->now_ns += 2000 * MS;
    feed(w, A, TCP_SYN, 100, 0, "");
    expect_log(w, "open");
    tcp_table_time(w->table, w->now_ns + 4999 * MS);
    expect_log(w, "");
    tcp_table_time(w->table, w->now_ns + 5000 * MS);
    expect_log(w, "close=SILENT");
    /* The answer comes after all. */
    w->now_ns += 6000 * MS;
    feed(w, A, TCP_SYN, 100, 0, "");
    expect_log(w, "");
    feed(w, B, TCP_SYN | TCP_ACK, 500, 101, "");
    feed(w, A, TCP_ACK, 101, 501, "ab");
    expect_log(w, "open 0:ab");
    tcp_table_end(w->table);
    expect_log(w, "close=CAPTURE");
}

static void test_syn_unanswered_once(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    w->is_quiet = true; /* where packets are not quite in order, the answer may come next */
    w->client_port++;
    w->now_ns += 3600 * MS;
    feed(w, A, TCP_SYN, 700, 0, "");
    expect_log(w, "open open");
    w->is_quiet = false;
    w->now_ns += 100 * MS;
    w->client_port++;
    feed(w, A, TCP_SYN, 1, 1, "");
    expect_log(w, "open close=SILENT");
    tcp_table_end(w->table); /* the others may yet be answered */
    expect_log(w, "close=CAPTURE close=CAPTURE");
}

static void test_syn_at_the_end(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    w->now_ns += 1000 * MS;
    feed(w, A, TCP_SYN, 100, 0, "");
    w->client_port++;
    feed(w, A, TCP_SYN, 100, 0, "");
    tcp_table_end(w->table);
    expect_log(w, "open open close=SILENT close=CAPTURE");
}

/* An acknowledgement shows that an answer was there, captured or not. */
static void test_syn_answered_unseen(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    feed(w, A, TCP_ACK, 101, 501, "");
    tcp_table_time(w->table, w->now_ns + 60000 * MS);
    tcp_table_end(w->table);
    expect_log(w, "open close=CAPTURE");
}

static void tell_icmp(struct world *w, int dir, uint32_t seq, const struct icmp_error *error)
{
    struct segment segment = {
        .ts_ns = w->now_ns,
        .frame = ++w->frame,
        .src = dir == A ? addr_a : addr_b,
        .dst = dir == A ? addr_b : addr_a,
        .src_port = dir == A ? w->client_port : 4369,
        .dst_port = dir == A ? 4369 : w->client_port,
        .seq = seq,
    };
    tcp_table_icmp(w->table, &segment, error);
}

static const struct icmp_error unreachable = {.from = {4, {10, 0, 0, 9}}, .what = "unreachable"};
static const struct icmp_error too_big = {
    .from = {4, {10, 0, 0, 9}}, .what = "big", .too_big = true, .mtu = 1400};

static void test_icmp_of_a_syn(void **state)
{
    struct world *w = *state;
    feed(w, A, TCP_SYN, 100, 0, "");
    tell_icmp(w, A, 101, &unreachable); /* not of this SYN */
    tell_icmp(w, B, 100, &unreachable);
    w->client_port++;
    tell_icmp(w, A, 100, &unreachable);
    w->client_port--;
    expect_log(w, "open");
    tell_icmp(w, A, 100, &unreachable);
    expect_log(w, "close=ICMP");
    tell_icmp(w, A, 100, &unreachable);
    expect_log(w, "");
}

static void test_icmp_of_data(void **state)
{
    struct world *w = *state;
    shake(w, 100, 500);
    feed(w, B, TCP_ACK, 501, 101, "ab");
    tell_icmp(w, B, 501, &too_big);
    tell_icmp(w, B, 501, &too_big); /* said once */
    tell_icmp(w, A, 101 + (1 << 20) + 1, &unreachable); /* far off: nobody's */
    expect_log(w, "open 1:ab 1?big");
    tell_icmp(w, A, 101 + (1 << 20), &unreachable);
    expect_log(w, "0?unreachable");
    feed(w, B, TCP_ACK, 503, 101, "cd");
    expect_log(w, "1:cd");
}

/* A hole is given up by the clock, while nothing comes. */
static void test_time(void **state)
{
    struct world *w = *state;
    shake(w, 0, 0);
    feed(w, A, TCP_ACK, 3, 1, "cd");
    feed(w, B, TCP_ACK, 1, 5, "");
    expect_log(w, "open");
    tcp_table_time(w->table, w->now_ns + 199 * MS);
    tcp_table_time(w->table, w->now_ns - 1000 * MS); /* ignored */
    expect_log(w, "");
    w->now_ns += 200 * MS;
    tcp_table_time(w->table, w->now_ns);
    expect_log(w, "0!2L 0:cd");
}

/* Packets not quite in order, and far apart: what comes within a few packets is not lost. */
static void test_disorder(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    shake(w, 0, 0);
    feed(w, B, TCP_ACK, 1, 5, ""); /* of what comes later */
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

struct told {
    int dir;
    uint8_t flags;
    uint32_t seq, ack;
    const char *text;
};

static void tell(struct world *w, const struct told *told, const char *order)
{
    for (; *order != '\0'; order++) {
        const struct told *t = &told[*order - '0'];
        feed(w, t->dir, t->flags, t->seq, t->ack, t->text);
    }
}

/* A question, its answer, and the end that the one who answered began. */
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
        assert_int_equal(w->meter.used, 0);
        w->client_port++;
    }
}

/* What comes behind a segment that waits waits as well, of other connections too; it has its own
 * time then. */
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
    assert_int_equal(w->meter.used, 0);
}

/* Of a connection that was joined late the other side begins where what is there of it does, in
 * whatever order it came. */
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

/* A SYN that comes as the last of 32 is in time, one later is late: where the stream began is
 * known by then. */
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

/* Time alone does not end the waiting while packets come, but the clock does. */
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

/* Who waited in vain once does not wait again. */
static void test_waits_once(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    shake(w, 100, 500);
    feed(w, A, TCP_ACK, 101, 511, "one"); /* ten bytes of the other side are missing */
    expect_log(w, "open");
    tcp_table_settle(w->table);
    feed(w, A, TCP_ACK, 104, 531, "two");
    expect_log(w, "0:one 0:two");
}

/* A connection that has had its beginning waits for nothing but an end. */
static void test_beginning_is_over(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    shake(w, 100, 500);
    for (int i = 3; i < TCP_DISORDER - 1; i++)
        feed(w, A, TCP_ACK, 101, 501, "");
    feed(w, A, TCP_ACK, 101, 502, "waits"); /* the last one that may */
    expect_log(w, "open");
    feed(w, B, TCP_ACK, 501, 101, "x");
    expect_log(w, "1:x 0:waits");
    feed(w, A, TCP_ACK, 106, 503, "does not");
    expect_log(w, "0:does not");
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
    feed(w, A, TCP_RST, 101, 0, ""); /* does not say what its sender had got */
    feed(w, B, TCP_ACK, 501, 101, "cd");
    expect_log(w, "open 1:cd");
    tcp_table_settle(w->table);
    expect_log(w, "close=RESET0");
    w->client_port++;
    shake(w, 100, 500);
    feed(w, A, TCP_RST, 101 + (1 << 20), 0, ""); /* blind: nobody waits for that */
    feed(w, B, TCP_ACK, 501, 101, "cd");
    expect_log(w, "open 1:cd");
    assert_int_equal(w->meter.used, 0);
}

/* The ports are used again at once, while the end of the connection before is still waited for. */
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
    /* Nothing is known of the one before but its last packets. */
    w->client_port++;
    feed(w, A, TCP_ACK, 5000000, 1, "rest");
    feed(w, A, TCP_SYN, 90000, 0, "");
    expect_log(w, "open 0:rest close=REUSED open");
    w->client_port++;
    feed(w, A, TCP_ACK, 90001 + (1 << 20), 1, "far"); /* as far off as may be */
    feed(w, A, TCP_SYN, 90000, 0, "");
    expect_log(w, "open");
    tcp_table_end(w->table);
}

/* A SYN that comes far too late is that of the connection when its number lies just before. */
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
        expect_log(w, off == 0 ? "open 0:ab 0:cd close=CAPTURE"
                               : "open 0:ab close=REUSED open 0!65539L 0:cd close=CAPTURE");
    }
}

/* Where nothing more can be kept, what waits is taken. */
static void test_cap_waiting(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    w->meter.max = 1000;
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
    assert_int_equal(w->meter.hits, 0);
}

/* Frames without a number: only so many wait. */
static void test_cap_queue(void **state)
{
    struct world *w = *state;
    w->is_quiet = true;
    for (int i = 0; i < TCP_DISORDER; i++) {
        w->frame = 0;
        feed(w, A, TCP_ACK, (uint32_t)(100 - i), 1, "x");
    }
    expect_log(w, "");
    w->frame = 0;
    feed(w, A, TCP_ACK, 101, 1, "y");
    w->frame = 0;
    char all[] = "open 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x "
                 "0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:x 0:y";
    expect_log(w, all);
}

static void test_random(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 100; seed++) {
        for (int how = 0; how < 8; how++)
            run_random(seed, how);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_conversation),
        TEST(test_view_says_who_opened),
        TEST(test_retransmission),
        TEST(test_everything_twice),
        TEST(test_keep_alive),
        TEST(test_reordered),
        TEST(test_first_copy_wins),
        TEST(test_in_order_segment_over_held_ones),
        TEST(test_wrap),
        TEST(test_hole_at_wrap),
        TEST(test_lost_when_acked),
        TEST(test_lost_when_just_acked),
        TEST(test_not_lost_while_peer_waits),
        TEST(test_several_holes_at_once),
        TEST(test_lost_by_number_of_segments),
        TEST(test_sweep_without_packets_of_the_connection),
        TEST(test_sweep_reaches_all),
        TEST(test_clock_going_back),
        TEST(test_half_seen),
        TEST(test_syn_ack_missing),
        TEST(test_joined_late),
        TEST(test_fin_out_of_order),
        TEST(test_bare_fin_out_of_order),
        TEST(test_fin_that_was_none),
        TEST(test_reset),
        TEST(test_refused),
        TEST(test_reset_opens_nothing),
        TEST(test_reuse),
        TEST(test_reuse_of_what_was_answered),
        TEST(test_reuse_after_close),
        TEST(test_new_syn_before_data),
        TEST(test_closed_is_forgotten_in_time),
        TEST(test_reuse_unseen),
        TEST(test_cut),
        TEST(test_large_frames),
        TEST(test_zero_window),
        TEST(test_cap_connections),
        TEST(test_cap_connections_zero),
        TEST(test_cap_buffer),
        TEST(test_cap_pieces),
        TEST(test_cap_memory),
        TEST(test_forget_in_callbacks),
        TEST(test_forgotten_ends),
        TEST(test_end_in_order_of_first_packets),
        TEST(test_many_connections),
        cmocka_unit_test(test_without_memory),
        TEST(test_no_memory_to_hold),
        cmocka_unit_test(test_random),
        TEST(test_syn_unanswered),
        TEST(test_syn_unanswered_once),
        TEST(test_syn_at_the_end),
        TEST(test_syn_answered_unseen),
        TEST(test_icmp_of_a_syn),
        TEST(test_icmp_of_data),
        TEST(test_time),
        TEST(test_disorder),
        TEST(test_any_order),
        TEST(test_order_among_connections),
        TEST(test_joined_late_in_disorder),
        TEST(test_syn_at_the_last_moment),
        TEST(test_turns_by_clock),
        TEST(test_waits_once),
        TEST(test_beginning_is_over),
        TEST(test_reset_before_data),
        TEST(test_reuse_while_waiting),
        TEST(test_very_late_syn),
        TEST(test_cap_waiting),
        TEST(test_cap_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
