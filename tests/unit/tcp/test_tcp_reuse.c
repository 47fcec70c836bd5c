/*
 * test_tcp_reuse.c - two consecutive connections on the same ports (tcp_reuse.h): captured in both
 * directions or in one, with their SYNs or without, ended by FIN, by RST or by nothing captured;
 * the numbers of the second one are near those of the first, far from them, or wrap around.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tcp_conversation.h"
#include "tcp_world.h"

#include "tcp/tcp_reuse.h"
#include "tcp/tcp_table.h"

enum { NUM_SECOND = 20, LEN = 4 };

enum end { BY_FIN, BY_RESET_OF_A, BY_RESET_OF_B, BY_NOTHING };

struct reuse {
    int only;             /* the direction that is captured; -1: both */
    bool has_syns[2];     /* of the first and the second connection */
    enum end end;
    uint32_t first_seq, after[2]; /* after: how far behind the end of the first one the second one begins */
    int num_first;        /* segments with data, each way */
    int64_t wait_ns;
};

/* side is the result of a capture for each direction. */
struct seen {
    int first[2], second[2];
    uint64_t gaps;
};

struct talk {
    struct world *w;
    const struct reuse *reuse;
    uint32_t seq[2];
    struct seen seen;
};

static void count_data(void *context, struct tcp_conn_view *view, int dir, struct cursor data)
{
    struct talk *talk = ((struct world *)context)->user;
    const int end = view->port[dir] == 4369;
    for (; cursor_left(&data) >= LEN; data.at += LEN)
        (data.at[0] == '1' ? talk->seen.first : talk->seen.second)[end]++;
}

static void count_gap(void *context, struct tcp_conn_view *view, int dir, uint64_t len, enum tcp_gap why)
{
    struct talk *talk = ((struct world *)context)->user;
    (void)view, (void)dir, (void)why;
    talk->seen.gaps += len;
}

static void on_nothing(void *context, struct tcp_conn_view *view)
{
    (void)context, (void)view;
}

static void close_nothing(void *context, struct tcp_conn_view *view, enum tcp_close why)
{
    (void)context, (void)view, (void)why;
}

static void end_nothing(void *context, struct tcp_conn_view *view, int dir)
{
    (void)context, (void)view, (void)dir;
}

static void resume_nothing(void *context, struct tcp_conn_view *view, bool was_closed)
{
    (void)context, (void)view, (void)was_closed;
}

static bool always(void *context, struct tcp_conn_view *view)
{
    (void)context, (void)view;
    return true;
}

static void say_one(struct talk *talk, int dir, uint8_t flags, uint32_t ack, const char *text, bool is_captured)
{
    talk->w->now_ns += MS / 2;
    const uint32_t len = (uint32_t)strlen(text) + ((flags & (TCP_SYN | TCP_FIN)) != 0);
    if (is_captured && talk->reuse->only != !dir)
        feed(talk->w, dir, flags, talk->seq[dir], ack, text);
    talk->seq[dir] += len;
}

static void say_all(struct talk *talk, int num, char which, bool has_syns)
{
    char text[LEN + 1] = {which, '.', '.', '\n', '\0'};
    say_one(talk, A, TCP_SYN, 0, "", has_syns);
    say_one(talk, B, TCP_SYN | TCP_ACK, talk->seq[A], "", has_syns);
    say_one(talk, A, TCP_ACK, talk->seq[B], "", has_syns);
    for (int i = 0; i < num; i++) {
        text[1] = (char)('a' + i % 26);
        say_one(talk, A, TCP_ACK, talk->seq[B], text, true);
        say_one(talk, B, TCP_ACK, talk->seq[A], "", true);
        say_one(talk, B, TCP_ACK, talk->seq[A], text, true);
        say_one(talk, A, TCP_ACK, talk->seq[B], "", true);
    }
}

static void say_fins(struct talk *talk)
{
    say_one(talk, A, TCP_FIN | TCP_ACK, talk->seq[B], "", true);
    say_one(talk, B, TCP_FIN | TCP_ACK, talk->seq[A], "", true);
    say_one(talk, A, TCP_ACK, talk->seq[B], "", true);
}

static struct seen play(struct world *w, const struct reuse *reuse)
{
    struct talk talk = {.w = w, .reuse = reuse, .seq = {reuse->first_seq, reuse->first_seq + 7000}};
    w->user = &talk;
    w->is_quiet = true;
    w->client_port++;
    memset(&w->stats, 0, sizeof w->stats);
    say_all(&talk, reuse->num_first, '1', reuse->has_syns[0]);
    if (reuse->end == BY_FIN)
        say_fins(&talk);
    else if (reuse->end != BY_NOTHING)
        say_one(&talk, reuse->end == BY_RESET_OF_A ? A : B, TCP_RST | TCP_ACK,
                talk.seq[reuse->end == BY_RESET_OF_A ? B : A], "", true);
    w->now_ns += reuse->wait_ns;
    talk.seq[A] += reuse->after[A];
    talk.seq[B] += reuse->after[B];
    say_all(&talk, NUM_SECOND, '2', reuse->has_syns[1]);
    say_fins(&talk);
    tcp_table_end(w->table);
    assert_int_equal(w->memcap.used, 0);
    return talk.seen;
}

static bool is_a_little_before(const struct reuse *reuse)
{
    return (int32_t)reuse->after[A] == -3000 || (int32_t)reuse->after[B] == -3000;
}

/* is_like_late returns whether a SYN of the second connection looks like a late SYN of the first:
 * its number is a little before the few captured segments of that. */
static bool is_like_late(const struct reuse *reuse)
{
    return !reuse->has_syns[0] && reuse->num_first < TCP_DISORDER / 4 && is_a_little_before(reuse);
}

/* is_like_repeated returns whether the second connection, or the segments after its SYN
 * (is_like_late), look like retransmissions of bytes from before the capture. */
static bool is_like_repeated(const struct reuse *reuse)
{
    return !reuse->has_syns[0] && (int32_t)reuse->after[A] == -3000 && (int32_t)reuse->after[B] == -3000;
}

/* leaps: both numbers of the second connection are beyond the end of the first, and both directions
 * are captured. */
static bool leaps(const struct reuse *reuse)
{
    return reuse->only == -1 && reuse->end != BY_NOTHING && (int32_t)reuse->after[A] > 0 &&
           (int32_t)reuse->after[B] > 0;
}

/* check_reuse: the data of the second connection is passed on, or a gap is reported; with its SYNs,
 * or if its numbers leap, all of it is passed on, and nothing else is reported. */
static void check_reuse(struct world *w, const struct reuse *reuse)
{
    const struct seen seen = play(w, reuse);
    bool is_whole = true;
    for (int dir = 0; dir < 2; dir++) {
        const bool is_captured = reuse->only != !dir;
        is_whole = is_whole && seen.first[dir] == (is_captured ? reuse->num_first : 0) &&
                   seen.second[dir] == (is_captured ? NUM_SECOND : 0);
    }
    const bool is_said = seen.gaps != 0 || w->stats.ignored != 0 || w->stats.overlaps_differing != 0;
    const bool is_certain = (reuse->has_syns[1] && !is_like_late(reuse)) || leaps(reuse);
    if (is_certain ? !is_whole || is_said : !is_whole && !is_said && !is_like_repeated(reuse))
        fail_msg("only %d, SYNs %d%d, end %d, from %u, after %d %d, %d segments, %d s: "
                 "%d %d of the first and %d %d of the second, gaps of %llu, %llu ignored",
                 reuse->only, reuse->has_syns[0], reuse->has_syns[1], reuse->end, reuse->first_seq,
                 (int32_t)reuse->after[A], (int32_t)reuse->after[B], reuse->num_first,
                 (int)(reuse->wait_ns / (1000 * MS)), seen.first[A], seen.first[B], seen.second[A],
                 seen.second[B], (unsigned long long)seen.gaps, (unsigned long long)w->stats.ignored);
}

static void test_each_reuse(void **state)
{
    struct world *w = *state;
    static const struct tcp_events counting = {
        .open = on_nothing, .data = count_data, .gap = count_gap, .end = end_nothing,
        .close = close_nothing, .resume = resume_nothing, .can_resume = always,
    };
    tcp_table_free(w->table);
    w->table = tcp_table_new(&counting, w, &w->memcap, w->limits, &w->stats);
    static const uint32_t after[][2] = {
        {1, 1},                             /* just behind it */
        {3000, 3000},                       /* by a clock, as long after it */
        {65537, 0x30000000},                /* as Linux chooses where the last FIN was its own */
        {1000000, 1000000},                 /* at the edge of near numbers */
        {31250000, 31250000},               /* by a clock, two seconds later */
        {0x60000000, 0x30000000},           /* far */
        {0xa0000000, 0xb0000000},           /* far behind */
        {3000, 0x30000000}, {0x30000000, 3000}, /* only one end is near */
        {(uint32_t)-3000, 0x50000000}, {0x50000000, (uint32_t)-3000},
        {(uint32_t)-3000, (uint32_t)-3000},
    };
    static const uint32_t from[] = {1000, (uint32_t)-7100};
    static const int nums[] = {3, 40};
    static const int64_t waits[] = {0, 2, 70};
    for (unsigned i = 0; i < 3 * 4 * 4; i++) {
        for (unsigned j = 0; j < sizeof after / sizeof after[0] * 2 * 2 * 3; j++) {
            struct reuse reuse = {
                .only = (int)(i % 3) - 1,
                .has_syns = {i / 3 % 2 == 0, i / 6 % 2 == 0},
                .end = (enum end)(i / 12),
                .first_seq = from[j % 2],
                .num_first = nums[j / 2 % 2],
                .wait_ns = waits[j / 4 % 3] * 1000 * MS,
            };
            memcpy(reuse.after, after[j / 12], sizeof reuse.after);
            check_reuse(w, &reuse);
        }
    }
}

/* A single SYN-ACK that an attacker sends in the name of an end, with that end's next number,
 * begins no connection, as it is not answered by an acknowledgement of that end's data: data as
 * long as its own next ones, */
static struct conversation test_stray_syn_ack_with_data = {
    .begin = establish,
    .told = {{A, TCP_SYN | TCP_ACK, 101, 502, "spoof"},
             {A, TCP_ACK, 102, 502, "fives"},
             {B, TCP_ACK, 502, 107, "c"},
             {A, TCP_ACK, 107, 503, "d"}},
    .log = "0:fives 1:c 0:d",
    .ignored = 1,
};

static struct conversation test_stray_syn_ack_of_the_answering_end = {
    .begin = establish,
    .told = {{B, TCP_SYN | TCP_ACK, 501, 102, "spoof"},
             {B, TCP_ACK, 502, 102, "fives"},
             {A, TCP_ACK, 102, 507, "c"},
             {B, TCP_ACK, 507, 103, "d"}},
    .log = "1:fives 0:c 1:d",
    .ignored = 1,
};

/* or none, if data of both ends crosses, */
static struct conversation test_stray_syn_ack_and_crossing_data = {
    .begin = establish,
    .told = {{A, TCP_SYN | TCP_ACK, 101, 502, ""},
             {A, TCP_ACK, 102, 502, "aa"},
             {B, TCP_ACK, 502, 102, "bb"},
             {A, TCP_ACK, 104, 504, "c"},
             {B, TCP_ACK, 504, 105, "d"}},
    .log = "0:aa 1:bb 0:c 1:d",
    .ignored = 1,
};

/* or if the answer is Linux's answer to any SYN (RFC 5961), captured after data, */
static struct conversation test_stray_syn_ack_and_challenge = {
    .begin = establish,
    .told = {{A, TCP_SYN | TCP_ACK, 101, 502, ""},
             {A, TCP_ACK, 102, 502, "aa"},
             {B, TCP_ACK, 502, 102, ""},
             {B, TCP_ACK, 502, 104, "b"},
             {A, TCP_ACK, 104, 503, "c"}},
    .log = "0:aa 1:b 0:c",
    .ignored = 1,
};

/* captured also after data of its own end, */
static struct conversation test_stray_syn_ack_and_late_challenge = {
    .begin = establish,
    .told = {{A, TCP_SYN | TCP_ACK, 101, 502, ""},
             {A, TCP_ACK, 102, 502, "aa"},
             {B, TCP_ACK, 502, 104, "b"},
             {B, TCP_ACK, 502, 102, ""},
             {A, TCP_ACK, 104, 503, "c"}},
    .log = "0:aa 1:b 0:c",
    .ignored = 1,
};

/* or if the answering end is heard for the first time, */
static struct conversation test_stray_syn_ack_and_first_answer = {
    .told = {{A, TCP_ACK, 101, 502, "a"},
             {A, TCP_SYN | TCP_ACK, 101, 502, ""},
             {A, TCP_ACK, 102, 502, "aa"},
             {B, TCP_ACK, 502, 102, "b"},
             {A, TCP_ACK, 104, 503, "c"}},
    .log = "open 0:a 0:aa 1:b 0:c",
    .ignored = 1,
};

/* or a number that the end reaches later. */
static struct conversation test_stray_syn_ack_ahead = {
    .begin = establish,
    .told = {{A, TCP_SYN | TCP_ACK, 103, 502, ""},
             {A, TCP_ACK, 102, 502, "aa"},
             {A, TCP_ACK, 104, 502, "bb"},
             {B, TCP_ACK, 502, 104, ""},
             {A, TCP_ACK, 106, 502, "cc"},
             {B, TCP_ACK, 502, 108, "d"}},
    .log = "0:aa 0:bb 0:cc 1:d",
    .ignored = 1,
};

/* Nor does it if the acknowledged data is captured late. */
static struct conversation test_stray_syn_ack_ahead_of_late_data = {
    .begin = establish,
    .told = {{A, TCP_SYN | TCP_ACK, 103, 502, ""},
             {B, TCP_ACK, 502, 104, ""},
             {A, TCP_ACK, 102, 502, "aa"},
             {A, TCP_ACK, 104, 502, "bb"},
             {B, TCP_ACK, 502, 106, "d"}},
    .log = "0:aa 0:bb 1:d",
    .ignored = 1,
};

/* In one direction alone, a SYN begins no connection if data continues the old stream. */
static struct conversation test_stray_syn_with_data_one_way = {
    .told = {{A, TCP_SYN, 100, 0, ""},
             {A, TCP_ACK, 101, 501, "a"},
             {A, TCP_SYN, 101, 0, "spoof"},
             {A, TCP_ACK, 102, 501, "fives"},
             {A, TCP_ACK, 107, 501, "b"}},
    .log = "open 0:a 0:fives 0:b",
    .ignored = 1,
};

static struct conversation test_stray_syn_and_repeated_data_one_way = {
    .told = {{A, TCP_SYN, 100, 0, ""},
             {A, TCP_ACK, 101, 501, "a"},
             {A, TCP_SYN, 101, 0, ""},
             {A, TCP_ACK, 102, 501, "aa"},
             {A, TCP_ACK, 102, 501, "aa"},
             {A, TCP_ACK, 104, 501, "b"}},
    .log = "open 0:a 0:aa 0:b",
    .ignored = 1,
};

/* A SYN after the old connection's FIN does. */
static struct conversation test_syn_of_next_after_fin_one_way = {
    .told = {{A, TCP_SYN, 100, 0, ""},
             {A, TCP_ACK, 101, 501, "abcdef"},
             {A, TCP_FIN | TCP_ACK, 107, 501, ""},
             {A, TCP_SYN, 103, 0, ""},
             {A, TCP_ACK, 104, 701, ""},
             {A, TCP_ACK, 104, 701, "next"}},
    .log = "open 0:abcdef 0. close=REUSED open 0:next",
};

/* A SYN before it does not, even if data is retransmitted after it. */
static struct conversation test_stray_syn_before_fin_one_way = {
    .told = {{A, TCP_SYN, 100, 0, ""},
             {A, TCP_ACK, 101, 501, "abc"},
             {A, TCP_SYN, 103, 0, ""},
             {A, TCP_ACK, 104, 501, "def"},
             {A, TCP_FIN | TCP_ACK, 107, 501, ""},
             {A, TCP_ACK, 104, 501, "def"}},
    .log = "open 0:abc 0:def 0.",
    .ignored = 1,
};

/* A SYN-ACK begins a connection whose SYN was not captured: with both numbers a little ahead, */
static struct conversation test_syn_ack_of_next = {
    .begin = establish,
    .told = {{B, TCP_SYN | TCP_ACK, 3000, 4000, ""},
             {A, TCP_ACK, 4000, 3001, ""},
             {A, TCP_ACK, 4000, 3001, "c"},
             {B, TCP_ACK, 3001, 4001, "d"}},
    .log = "close=REUSED open 0:c 1:d",
};

/* with its own number ahead and the other a little behind, */
static struct conversation test_syn_ack_of_next_that_answers_behind = {
    .begin = establish,
    .told = {{B, TCP_SYN | TCP_ACK, 3000, 100, ""},
             {A, TCP_ACK, 100, 3001, ""},
             {A, TCP_ACK, 100, 3001, "c"},
             {B, TCP_ACK, 3001, 101, "d"}},
    .log = "close=REUSED open 0:c 1:d",
};

/* with its own number before the first one that was captured, */
static struct conversation test_syn_ack_of_next_before_the_beginning = {
    .begin = establish,
    .told = {{B, TCP_SYN | TCP_ACK, 400, 4000, ""},
             {A, TCP_ACK, 4000, 401, ""},
             {A, TCP_ACK, 4000, 401, "c"},
             {B, TCP_ACK, 401, 4001, "d"}},
    .log = "close=REUSED open 0:c 1:d",
};

/* or with the other number far off. */
static struct conversation test_syn_ack_of_next_that_answers_far = {
    .begin = establish,
    .told = {{B, TCP_SYN | TCP_ACK, 501, 0x30000000, ""},
             {A, TCP_ACK, 0x30000000, 502, ""},
             {A, TCP_ACK, 0x30000000, 502, "c"},
             {B, TCP_ACK, 502, 0x30000001, "d"}},
    .log = "close=REUSED open 0:c 1:d",
};

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONVERSATION(test_stray_syn_ack_with_data),
        CONVERSATION(test_stray_syn_ack_of_the_answering_end),
        CONVERSATION(test_stray_syn_ack_and_crossing_data),
        CONVERSATION(test_stray_syn_ack_and_challenge),
        CONVERSATION(test_stray_syn_ack_and_late_challenge),
        CONVERSATION(test_stray_syn_ack_and_first_answer),
        CONVERSATION(test_stray_syn_ack_ahead),
        CONVERSATION(test_stray_syn_ack_ahead_of_late_data),
        CONVERSATION(test_stray_syn_with_data_one_way),
        CONVERSATION(test_stray_syn_and_repeated_data_one_way),
        CONVERSATION(test_syn_of_next_after_fin_one_way),
        CONVERSATION(test_stray_syn_before_fin_one_way),
        CONVERSATION(test_syn_ack_of_next),
        CONVERSATION(test_syn_ack_of_next_that_answers_behind),
        CONVERSATION(test_syn_ack_of_next_before_the_beginning),
        CONVERSATION(test_syn_ack_of_next_that_answers_far),
        cmocka_unit_test_setup_teardown(test_each_reuse, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
