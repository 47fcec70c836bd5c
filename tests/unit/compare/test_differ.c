/* test_differ.c - which differences are shown, and which may be chance. Profiles are made of events
 * at regular intervals that vary in a pattern. */
#include "compare/differ.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000000)
#define BEGIN (1700000000 * SECOND)
#define MILLISECOND (SECOND / 1000)

/* what is a kind of event that happens rate times a second, between two times. */
struct what {
    enum profile_kind kind;
    const char *key;
    unsigned rate;
    double from, until; /* shares of the capture */
    uint64_t bytes;
    int64_t span_ns;    /* duration of a call */
    unsigned fail_each; /* each n-th call fails; 0: none */
    int64_t slow_ns;    /* each 25th call takes that long; 0: none */
};

static struct ds_text text(const char *s)
{
    return (struct ds_text){s, strlen(s)};
}

static void add(struct profile *p, const struct what *w, int64_t ts_ns, unsigned i)
{
    struct profile_entry *e = profile_entry_get(p, w->kind, text(w->key));
    if (e == NULL)
        return;
    struct profile_part *part = profile_count(e, profile_at(p, ts_ns), w->bytes);
    if (w->kind != PROFILE_CALL)
        return;
    const bool fails = w->fail_each != 0 && i % w->fail_each == 0;
    part->failed += fails;
    if (!fails)
        (void)histogram_add(&part->spans, (uint64_t)(w->slow_ns != 0 && i % 25 == 0 ? w->slow_ns
                                                                                   : w->span_ns + i % 7));
}

/* make fills a profile with the events of that many seconds. */
static void make(struct profile *p, double seconds, const struct what *what, size_t num)
{
    profile_init(p, 1000);
    (void)profile_at(p, BEGIN);
    for (int64_t ms = 0; ms < (int64_t)(seconds * 1000); ms++) {
        const int64_t ts_ns = BEGIN + ms * MILLISECOND;
        const double share = (double)ms / (seconds * 1000);
        (void)profile_at(p, ts_ns);
        for (size_t i = 0; i < num; i++) {
            if (share >= what[i].from && share < what[i].until &&
                ms * what[i].rate / 1000 != (ms + 1) * what[i].rate / 1000)
                add(p, &what[i], ts_ns, (unsigned)(ms * what[i].rate / 1000));
        }
    }
}

static void compare(struct profile *before, struct profile *after, struct differences *out)
{
    double thresholds[THRESHOLD_COUNT_OF];
    thresholds_init(thresholds);
    differ(before, after, thresholds, out);
    assert_false(out->no_memory);
}

/* one compares one kind of event in two captures, and compares the only difference with the
 * expected one. */
static void one(const struct what *before, double seconds_before, const struct what *after, double seconds_after,
                const char *wanted)
{
    struct profile a, b;
    struct differences out;
    char is[100] = "none";
    make(&a, seconds_before, before, before != NULL);
    make(&b, seconds_after, after, after != NULL);
    compare(&a, &b, &out);
    if (out.num != 0)
        snprintf(is, sizeof is, "%s %s%s%s", change_name(out.rows[0].change), measure_name(out.rows[0].measure),
                 out.rows[0].is_worse ? " worse" : "", out.num > 1 ? ", more" : "");
    assert_string_equal(is, wanted);
    differences_free(&out);
    profile_free(&a);
    profile_free(&b);
}

static void rates(void **state)
{
    const struct what base = {PROFILE_MESSAGE, "m", 20, 0, 1, 100, 0, 0, 0};
    struct what other = base;
    (void)state;
    one(&base, 30, &base, 30, "none");
    one(&base, 30, &base, 11, "none");
    other.rate = 39;
    one(&base, 30, &other, 30, "none"); /* not twice as many */
    other.rate = 50;
    one(&base, 30, &other, 30, "grown rate");
    one(&other, 30, &base, 30, "shrunk rate"); /* and in the other direction */
    one(&base, 300, &other, 10, "grown rate"); /* one capture is too short for slices of that width */
    one(&other, 10, &base, 300, "shrunk rate");
    other = (struct what){PROFILE_MESSAGE, "m", 400, 0.9, 1, 100, 0, 0, 0};
    one(&base, 30, &other, 30, "none"); /* more in total, but all at once: a burst */
    other = (struct what){PROFILE_MESSAGE, "m", 200, 0, 1, 100, 0, 0, 0};
    one(&base, 0.4, &other, 0.4, "grown rate");
}

static void what_one_side_alone_has(void **state)
{
    const struct what node = {PROFILE_NODE, "a@h", 5, 0, 1, 100, 0, 0, 0};
    const struct what brief = {PROFILE_NODE, "a@h", 200, 0.5, 0.55, 100, 0, 0, 0};
    const struct what late = {PROFILE_NODE, "a@h", 20, 0.75, 1, 100, 0, 0, 0};
    const struct what few = {PROFILE_NODE, "a@h", 1, 0, 0.2, 100, 0, 0, 0};
    const struct what tool = {PROFILE_NODE, "cli-*-a@h", 20, 0.75, 1, 100, 0, 0, 0};
    const struct what finding = {PROFILE_FINDING, "DS205 a@h", 1, 0, 0.04, 0, 0, 0, 0};
    const struct what message = {PROFILE_MESSAGE, "m", 20, 0.75, 1, 100, 0, 0, 0};
    (void)state;
    one(NULL, 30, &node, 30, "appeared presence");
    one(&node, 30, NULL, 30, "vanished presence worse");
    one(NULL, 30, &brief, 30, "none"); /* it is in one part alone */
    one(NULL, 30, &late, 30, "appeared presence");
    one(NULL, 30, &few, 30, "none"); /* fewer than --threshold count */
    one(NULL, 30, &tool, 30, "none");
    one(NULL, 30, &message, 30, "none"); /* in eight slices of 32 */
    one(NULL, 30, &finding, 30, "appeared presence worse");
    one(&finding, 30, NULL, 30, "vanished presence");
    one(&finding, 30, &finding, 60, "none");
}

static void calls(void **state)
{
    const struct what base = {PROFILE_CALL, "c", 50, 0, 1, 100, MILLISECOND, 0, 20 * MILLISECOND};
    struct what other = base;
    (void)state;
    one(&base, 30, &base, 30, "none");
    other.span_ns = 3 * MILLISECOND;
    one(&base, 30, &other, 30, "grown p50 worse");
    one(&other, 30, &base, 30, "shrunk p50");
    other = base;
    other.slow_ns = 45 * MILLISECOND;
    one(&base, 30, &other, 30, "grown p99 worse");
    other.slow_ns = 30 * MILLISECOND;
    one(&base, 30, &other, 30, "none"); /* not 1.7 times as long */
    other = base;
    other.fail_each = 20;
    one(&base, 30, &other, 30, "appeared failed worse");
    one(&other, 30, &base, 30, "vanished failed");
    other.fail_each = 500; /* three of 1500 */
    one(&base, 30, &other, 30, "none");
    struct what failing = base;
    failing.fail_each = 40;
    other.fail_each = 5;
    failing.slow_ns = other.slow_ns = 0;
    one(&failing, 30, &other, 30, "grown failed worse");
    one(&failing, 30, &failing, 15, "none");
}

/* Some 60 calls a part, one of which is slow, have it as their 99th percentile, in all parts at
 * once. That may be chance. */
static void few_that_take_long(void **state)
{
    const struct what base = {PROFILE_CALL, "c", 10, 0, 1, 100, MILLISECOND, 0, 0};
    (void)state;
    for (unsigned num_slow = 1; num_slow <= 5; num_slow++) {
        struct profile a, b;
        struct differences out;
        make(&a, 25, &base, 1);
        make(&b, 25, &base, 1);
        struct profile_entry *e = profile_find(&b, PROFILE_CALL, text("c"));
        for (int i = 0; i < PROFILE_PARTS; i++)
            assert_true(histogram_add_many(&e->parts[i].spans, 50 * MILLISECOND, num_slow));
        compare(&a, &b, &out);
        assert_int_equal(out.num, num_slow >= 3); /* 12 of 262 and none of 250 are not chance */
        differences_free(&out);
        compare(&b, &a, &out);
        assert_int_equal(out.num, num_slow >= 3);
        differences_free(&out);
        profile_free(&a);
        profile_free(&b);
    }
}

static void sizes(void **state)
{
    const struct what base = {PROFILE_MESSAGE, "m", 20, 0, 1, 100, 0, 0, 0};
    struct what other = base;
    (void)state;
    other.bytes = 200;
    one(&base, 30, &other, 30, "grown size worse");
    one(&other, 30, &base, 30, "shrunk size");
    other.bytes = 149;
    one(&base, 30, &other, 30, "none");
    other.bytes = 150;
    one(&base, 30, &other, 30, "grown size worse");
    const struct what small = {PROFILE_MESSAGE, "m", 20, 0, 1, 10, 0, 0, 0};
    other.bytes = 25;
    one(&small, 30, &other, 30, "none"); /* fewer than 16 bytes */
    other.bytes = 26;
    one(&small, 30, &other, 30, "grown size worse");
}

/* A value that varies within a capture as much as between the two is no difference. */
static void what_varies_anyway(void **state)
{
    struct profile a, b;
    struct differences out;
    const struct what before[] = {{PROFILE_MESSAGE, "m", 20, 0, 1, 100, 0, 0, 0}};
    const struct what after[] = {{PROFILE_MESSAGE, "m", 20, 0, 1, 300, 0, 0, 0}};
    (void)state;
    make(&a, 30, before, 1);
    make(&b, 30, after, 1);
    struct profile_entry *e = profile_find(&b, PROFILE_MESSAGE, text("m"));
    e->parts[2].bytes = e->parts[2].count * 90; /* one part is as before */
    compare(&a, &b, &out);
    assert_int_equal(out.num, 0);
    profile_free(&a);
    profile_free(&b);
    differences_free(&out);
}

static void the_release(void **state)
{
    const struct what node = {PROFILE_NODE, "a@h", 20, 0, 1, 100, 0, 0, 0};
    struct profile a, b;
    struct differences out;
    (void)state;
    make(&a, 30, &node, 1);
    make(&b, 30, &node, 1);
    strcpy(profile_find(&b, PROFILE_NODE, text("a@h"))->value, "OTP 27");
    compare(&a, &b, &out);
    assert_int_equal(out.num, 0); /* it was not known before */
    differences_free(&out);
    strcpy(profile_find(&a, PROFILE_NODE, text("a@h"))->value, "OTP 25");
    compare(&a, &b, &out);
    assert_int_equal(out.num, 1);
    assert_int_equal(out.rows[0].measure, MEASURE_RELEASE);
    assert_false(out.is_worse);
    differences_free(&out);
    profile_free(&a);
    profile_free(&b);
}

/* Messages that could not be read, or are from nodes without names, are not missing. */
static void what_was_not_read_is_not_missing(void **state)
{
    const struct what message = {PROFILE_MESSAGE, "m", 20, 0, 1, 100, 0, 0, 0};
    const struct what node = {PROFILE_NODE, "a@h", 20, 0, 1, 100, 0, 0, 0};
    const struct what *const all[] = {&message, &node};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct profile a, b;
        struct differences out;
        make(&a, 30, all[i], 1);
        make(&b, 30, NULL, 0);
        b.num_unread = i == 0 ? 300 : 0; /* 600 are expected: twice as many are no difference */
        b.num_unnamed = i == 1 ? 301 : 0;
        compare(&a, &b, &out);
        assert_int_equal(out.num, i == 0);
        assert_int_equal(out.num_not_judged, i == 1);
        differences_free(&out);
        b.num_unread = i == 0 ? 301 : 0;
        b.num_unnamed = i == 1 ? 250 : 0;
        compare(&a, &b, &out);
        assert_int_equal(out.num, i == 1);
        assert_int_equal(out.num_not_judged, i == 0);
        differences_free(&out);
        profile_free(&a);
        profile_free(&b);
    }
}

static void a_profile_with_a_part_left_out(void **state)
{
    const struct what node = {PROFILE_NODE, "a@h", 20, 0, 1, 100, 0, 0, 0};
    struct profile a, b;
    struct differences out;
    (void)state;
    make(&a, 30, &node, 1);
    make(&b, 30, NULL, 0);
    b.num_left_out = 1;
    compare(&a, &b, &out);
    assert_int_equal(out.num, 0);
    assert_true(out.is_incomplete);
    differences_free(&out);
    profile_free(&a);
    profile_free(&b);
}

/* The rows: by part, the worst first. Consequences of a missing node are left out; similar names
 * are not. */
static void the_order(void **state)
{
    const struct what before[] = {
        {PROFILE_CALL, "x", 50, 0, 1, 100, MILLISECOND, 0, 0},
        {PROFILE_MESSAGE, "big", 20, 0, 1, 100, 0, 0, 0},
        {PROFILE_MESSAGE, "rare", 20, 0, 1, 100, 0, 0, 0},
    };
    const struct what after[] = {
        {PROFILE_CALL, "x", 50, 0, 1, 100, MILLISECOND, 10, 0},
        {PROFILE_MESSAGE, "big", 20, 0, 1, 300, 0, 0, 0},
        {PROFILE_MESSAGE, "rare", 90, 0, 1, 100, 0, 0, 0},
        {PROFILE_NODE, "n@h", 20, 0, 1, 100, 0, 0, 0},
        {PROFILE_MESSAGE, "n@h > m@h send _", 20, 0, 1, 100, 0, 0, 0},
        {PROFILE_LINK, "m@h - n@h", 20, 0, 1, 100, 0, 0, 0},
        {PROFILE_MESSAGE, "nn@h > m@h send _", 20, 0, 1, 100, 0, 0, 0},
    };
    static const char *const wanted[] = {
        "appeared failed x",
        "appeared presence n@h",
        "appeared presence nn@h > m@h send _",
        "grown size big",
        "grown rate rare",
    };
    struct profile a, b;
    struct differences out;
    (void)state;
    make(&a, 30, before, sizeof before / sizeof before[0]);
    make(&b, 30, after, sizeof after / sizeof after[0]);
    compare(&a, &b, &out);
    assert_int_equal(out.num, sizeof wanted / sizeof wanted[0]);
    for (size_t i = 0; i < out.num; i++) {
        char is[100];
        snprintf(is, sizeof is, "%s %s %s", change_name(out.rows[i].change), measure_name(out.rows[i].measure),
                 out.rows[i].key.data);
        assert_string_equal(is, wanted[i]);
    }
    assert_int_equal(out.num_implied, 2);
    differences_free(&out);
    profile_free(&a);
    profile_free(&b);
}

/* of_call makes messages parts of calls, as profile_gather.c does. */
static void of_call(struct profile *p)
{
    for (struct profile_entry *e = table_oldest(&p->entries); e != NULL; e = table_newer(&p->entries, e))
        e->is_of_call = e->kind == PROFILE_MESSAGE;
}

#define CALLS {PROFILE_CALL, "a@h > b@h gen:call to db", 20, 0, 1, 100, MILLISECOND, 0, 0}
#define MESSAGES(key) {PROFILE_MESSAGE, key, 20, 0, 1, 100, 0, 0, 0}

/* Other shapes in known calls are differences. Messages of new calls are not, nor the way in which
 * failing calls end. */
static void messages_of_calls(void **state)
{
    static const char request[] = "a@h > b@h call {v2,_} (gen:call) to db";
    static const struct {
        struct what before[2], after[2];
        size_t num_before, num_after;
        const char *first;
        uint64_t num_implied;
    } cases[] = {
        {{CALLS}, {CALLS, MESSAGES(request)}, 1, 2, request, 0},
        {{CALLS}, {CALLS, MESSAGES("b@h > a@h reply {error,_} (gen:call) from db")}, 1, 2,
         "b@h > a@h reply {error,_} (gen:call) from db", 0},
        {{{0}}, {CALLS, MESSAGES(request)}, 0, 2, "a@h > b@h gen:call to db", 1},
        {{{0}}, {CALLS, MESSAGES("b@h > a@h reply ok (gen:call)")}, 0, 2, "a@h > b@h gen:call to db", 1},
        /* another name, another label, other nodes */
        {{{0}}, {CALLS, MESSAGES("a@h > b@h call {v2,_} (gen:call) to d")}, 0, 2, "a@h > b@h gen:call to db", 0},
        {{{0}}, {CALLS, MESSAGES("a@h > b@h call {v2,_} (gen:call2) to db")}, 0, 2, "a@h > b@h gen:call to db", 0},
        {{{0}}, {CALLS, MESSAGES("c@h > b@h call {v2,_} (gen:call) to db")}, 0, 2, "a@h > b@h gen:call to db", 0},
        /* by function: answers do not show which */
        {{{0}},
         {{PROFILE_CALL, "a@h > b@h erpc:call m:f/1", 20, 0, 1, 100, MILLISECOND, 0, 0},
          MESSAGES("b@h > a@h spawned _ (erpc:call)")},
         0, 2, "a@h > b@h erpc:call m:f/1", 1},
        {{CALLS},
         {{PROFILE_CALL, "a@h > b@h gen:call to db", 20, 0, 1, 100, MILLISECOND, 3, 0},
          MESSAGES("b@h > a@h down crash (gen:call)")},
         1, 2, "a@h > b@h gen:call to db", 1},
        /* a new request is not a way to fail, and may be the reason */
        {{{PROFILE_CALL, "a@h > b@h gen:call to db", 20, 0, 1, 100, MILLISECOND, 20, 0}},
         {{PROFILE_CALL, "a@h > b@h gen:call to db", 20, 0, 1, 100, MILLISECOND, 3, 0},
          MESSAGES(request)},
         1, 2, request, 0},
        /* more of the same calls, and of their answers */
        {{CALLS, {PROFILE_MESSAGE, "b@h > a@h reply ok (gen:call) from db", 20, 0, 1, 100, 0, 0, 0}},
         {{PROFILE_CALL, "a@h > b@h gen:call to db", 90, 0, 1, 100, MILLISECOND, 0, 0},
          {PROFILE_MESSAGE, "b@h > a@h reply ok (gen:call) from db", 90, 0, 1, 100, 0, 0, 0}},
         2, 2, "a@h > b@h gen:call to db", 1},
        /* more calls, by a new request */
        {{CALLS},
         {{PROFILE_CALL, "a@h > b@h gen:call to db", 90, 0, 1, 100, MILLISECOND, 0, 0},
          MESSAGES(request)},
         1, 2, request, 0},
        /* more refusals among as many calls */
        {{CALLS, {PROFILE_MESSAGE, "b@h > a@h reply {error,_} (gen:call) from db", 2, 0, 1, 100, 0, 0, 0}},
         {CALLS, {PROFILE_MESSAGE, "b@h > a@h reply {error,_} (gen:call) from db", 9, 0, 1, 100, 0, 0, 0}},
         2, 2, "b@h > a@h reply {error,_} (gen:call) from db", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct profile p[2];
        make(&p[0], 30, cases[i].before, cases[i].num_before);
        make(&p[1], 30, cases[i].after, cases[i].num_after);
        of_call(&p[0]);
        of_call(&p[1]);
        for (int swapped = 0; swapped < 2; swapped++) {
            struct differences out;
            compare(&p[swapped], &p[!swapped], &out);
            assert_true(out.num != 0);
            assert_string_equal(out.rows[0].key.data, cases[i].first);
            assert_int_equal(out.num_implied, cases[i].num_implied);
            differences_free(&out);
        }
        profile_free(&p[0]);
        profile_free(&p[1]);
    }
}

/* If the two captures share no node with a known name, nothing was compared. For nodes themselves, an
 * address is enough. */
static void what_was_compared(void **state)
{
    static const struct what kinds[] = {{PROFILE_CALL, "a@h > b@h rpc:call", 20, 0, 1, 100, 0, 0, 0},
                                        {PROFILE_NODE, "10.0.0.1:4711", 20, 0, 1, 100, 0, 0, 0}};
    (void)state;
    for (uint64_t kind = 0; kind < 2; kind++) {
        struct profile a, b;
        struct differences out;
        make(&a, 30, &kinds[kind], 1);
        make(&b, 30, &kinds[kind], 1);
        compare(&a, &b, &out);
        assert_int_equal(out.num_compared, 1);
        differences_free(&out);
        profile_find(&a, kinds[kind].kind, text(kinds[kind].key))->is_unnamed = true;
        profile_find(&b, kinds[kind].kind, text(kinds[kind].key))->is_unnamed = true;
        compare(&a, &b, &out);
        assert_int_equal(out.num_compared, kind);
        differences_free(&out);
        profile_free(&a);
        profile_free(&b);
    }
}

static struct profile made[2];

static void run(void *context)
{
    double thresholds[THRESHOLD_COUNT_OF];
    struct differences out;
    (void)context;
    thresholds_init(thresholds);
    differ(&made[0], &made[1], thresholds, &out);
    assert_true(!out.no_memory || failing_alloc_failed());
    differences_free(&out);
}

static void without_memory(void **state)
{
    const struct what base = {PROFILE_CALL, "c", 50, 0, 1, 100, MILLISECOND, 0, 0};
    struct what other = base;
    (void)state;
    other.span_ns *= 5;
    make(&made[0], 5, &base, 1);
    make(&made[1], 5, &other, 1);
    assert_true(failing_alloc_each(run, NULL) >= 2);
    profile_free(&made[0]);
    profile_free(&made[1]);
}

/* Without memory for joined profiles, they are compared as they are. */
static void joins_without_memory(void **state)
{
    const struct what named = {PROFILE_NODE, "a@h", 50, 0, 1, 100, 0, 0, 0},
                      address = {PROFILE_NODE, "10.0.0.1:4711", 50, 0, 1, 100, 0, 0, 0};
    (void)state;
    make(&made[0], 5, &named, 1);
    make(&made[1], 5, &address, 1);
    profile_find(&made[1], PROFILE_NODE, text(address.key))->is_unnamed = true;
    assert_true(failing_alloc_each(run, NULL) >= 8);
    profile_free(&made[0]);
    profile_free(&made[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates),
        cmocka_unit_test(what_one_side_alone_has),
        cmocka_unit_test(calls),
        cmocka_unit_test(few_that_take_long),
        cmocka_unit_test(sizes),
        cmocka_unit_test(what_varies_anyway),
        cmocka_unit_test(the_release),
        cmocka_unit_test(what_was_not_read_is_not_missing),
        cmocka_unit_test(a_profile_with_a_part_left_out),
        cmocka_unit_test(the_order),
        cmocka_unit_test(messages_of_calls),
        cmocka_unit_test(what_was_compared),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(joins_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
