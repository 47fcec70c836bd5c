/* test_novelty.c - what is new compared with a baseline, and what is not reported as new. */
#include "compare/novelty.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000000)
#define BEGIN (1700000000 * SECOND)

static struct profile before, now;
static struct novelty novelty;
static double thresholds[THRESHOLD_COUNT_OF];
static int64_t now_ns;

static struct ds_text text(const char *s)
{
    return (struct ds_text){s, strlen(s)};
}

/* had counts an event in the baseline, at a second of it. */
static struct profile_entry *had(enum profile_kind kind, const char *key, int second)
{
    const unsigned slice = profile_at(&before, BEGIN + second * SECOND);
    struct profile_entry *e = profile_entry_get(&before, kind, text(key));
    assert_non_null(e);
    profile_count(e, slice, 10);
    return e;
}

/* begin makes a baseline of a minute, with two nodes, their link, a function and a name. */
static void begin(void)
{
    profile_free(&before);
    profile_free(&now);
    profile_init(&before, 100);
    profile_init(&now, 100);
    thresholds_init(thresholds);
    for (int second = 0; second <= 60; second++) {
        had(PROFILE_NODE, "a@h", second);
        had(PROFILE_NODE, "b@h", second);
        had(PROFILE_LINK, "a@h - b@h", second);
        had(PROFILE_FUNCTION, "lists:seq/2", second);
        had(PROFILE_NAME, "db", second);
    }
    now_ns = BEGIN + 100 * SECOND;
}

static void compare(void)
{
    novelty_begin(&novelty, &before, &now, thresholds, false);
}

static struct novelty_source source(void)
{
    return (struct novelty_source){.node = {text("a@h"), text("b@h")}, .ts_ns = now_ns, .frame = 3, .conn = 1};
}

/* told returns what was reported: "function os:cmd/1"; "": nothing. */
static const char *told(void)
{
    static const char *const names[UNUSUAL_KIND_COUNT] = {
        [UNUSUAL_NODE] = "node",           [UNUSUAL_LINK] = "link",       [UNUSUAL_NAME] = "name",
        [UNUSUAL_FUNCTION] = "function",   [UNUSUAL_SHAPE] = "shape",     [UNUSUAL_SIZE] = "size",
        [UNUSUAL_LATENCY] = "latency"};
    static char out[400];
    size_t len = 0;
    const struct unusual *unusual;
    out[0] = '\0';
    while ((unusual = novelty_next(&novelty)) != NULL)
        len += (size_t)snprintf(out + len, sizeof out - len, "%s%s %.*s", len != 0 ? ", " : "",
                                names[unusual->kind], (int)unusual->what.len, unusual->what.data);
    return out;
}

static struct profile_entry *count(enum profile_kind kind, const char *key)
{
    const unsigned slice = profile_at(&now, now_ns);
    struct profile_entry *e = profile_entry_get(&now, kind, text(key));
    assert_non_null(e);
    profile_count(e, slice, 10);
    return e;
}

static const char *has(enum profile_kind kind, const char *key)
{
    const struct novelty_source from = source();
    novelty_look(&novelty, count(kind, key), &from);
    return told();
}

/* What is new is reported with its first message, and once. */
static void told_once(void **state)
{
    (void)state;
    begin();
    compare();
    assert_string_equal(has(PROFILE_NODE, "a@h"), "");
    assert_string_equal(has(PROFILE_FUNCTION, "lists:seq/2"), "");
    assert_string_equal(has(PROFILE_NAME, "db"), "");
    assert_string_equal(has(PROFILE_FUNCTION, "os:cmd/1"), "function os:cmd/1");
    assert_string_equal(has(PROFILE_FUNCTION, "os:cmd/1"), "");
    assert_string_equal(has(PROFILE_NAME, "till"), "name till");
    assert_string_equal(has(PROFILE_SHAPE, "cast {order,_}"), "shape cast {order,_}");
    assert_string_equal(has(PROFILE_NODE, "c@h"), "node c@h");
    assert_int_equal(novelty_check(&novelty).num_told, 4);
}

/* A node whose name is unknown may be any node. */
static void without_a_name(void **state)
{
    const struct novelty_source from = source();
    (void)state;
    begin();
    compare();
    struct profile_entry *e = count(PROFILE_NODE, "10.0.0.1:4711");
    e->is_unnamed = true;
    novelty_look(&novelty, e, &from);
    assert_string_equal(told(), "");
}

/* A new node's links are not reported. A new link between nodes of the baseline is. */
static void links(void **state)
{
    const struct novelty_source from = source();
    (void)state;
    begin();
    had(PROFILE_NODE, "c@h", 0);
    compare();
    struct profile_entry *a = count(PROFILE_NODE, "a@h"), *b = count(PROFILE_NODE, "b@h");
    struct profile_entry *c = count(PROFILE_NODE, "c@h"), *d = count(PROFILE_NODE, "d@h");
    struct profile_entry *ends[] = {a, b, c, d};
    for (size_t i = 0; i < 4; i++)
        novelty_look(&novelty, ends[i], &from);
    assert_string_equal(told(), "node d@h");
    novelty_look_link(&novelty, count(PROFILE_LINK, "a@h - b@h"), a, b, &from);
    novelty_look_link(&novelty, count(PROFILE_LINK, "a@h - d@h"), a, d, &from);
    novelty_look_link(&novelty, NULL, a, b, &from);
    assert_string_equal(told(), "");
    novelty_look_link(&novelty, count(PROFILE_LINK, "a@h - c@h"), a, c, &from);
    assert_string_equal(told(), "link a@h - c@h");
}

/* If new kinds still appeared in the second half of the baseline, a further one is reported after
 * ten times. */
static void late_in_the_baseline(void **state)
{
    (void)state;
    begin();
    had(PROFILE_SHAPE, "cast early", 29);
    compare();
    assert_string_equal(has(PROFILE_SHAPE, "cast new"), "shape cast new");
    begin();
    had(PROFILE_SHAPE, "cast late", 40);
    compare();
    for (int i = 0; i < 9; i++)
        assert_string_equal(has(PROFILE_SHAPE, "cast new"), "");
    assert_string_equal(has(PROFILE_SHAPE, "cast new"), "shape cast new");
    assert_string_equal(has(PROFILE_FUNCTION, "os:cmd/1"), "function os:cmd/1"); /* another kind */
}

/* A kind that may be among unreadable messages of the baseline is counted until it is more frequent
 * than these. */
static void unread_before(void **state)
{
    (void)state;
    begin();
    before.num_unread = 2;
    compare();
    count(PROFILE_NODE, "a@h");
    for (int i = 0; i < 4; i++) /* as many in a minute, the length of the baseline */
        assert_string_equal(has(PROFILE_FUNCTION, "os:cmd/1"), "");
    assert_int_equal(novelty_check(&novelty).num_not_judged, 1);
    assert_string_equal(has(PROFILE_FUNCTION, "os:cmd/1"), "function os:cmd/1");
    assert_int_equal(novelty_check(&novelty).num_not_judged, 0);
    now_ns += 120 * SECOND; /* five in two minutes are less */
    for (int i = 0; i < 8; i++)
        assert_string_equal(has(PROFILE_FUNCTION, "os:cmd/2"), "");
    assert_string_equal(has(PROFILE_FUNCTION, "os:cmd/2"), "function os:cmd/2");
    assert_string_equal(has(PROFILE_NODE, "c@h"), "node c@h"); /* its name could be read */
}

/* A node without a name may be any node, unless all nodes of the baseline have names. */
static void unnamed_before(void **state)
{
    (void)state;
    for (int until = 30; until <= 60; until += 30) {
        begin();
        for (int second = 0; second <= until; second++)
            had(PROFILE_NODE, "10.0.0.1:4711", second)->is_unnamed = true;
        before.num_unnamed = 30;
        compare();
        assert_string_equal(has(PROFILE_NODE, "c@h"), until == 30 ? "node c@h" : "");
        assert_string_equal(has(PROFILE_FUNCTION, "os:cmd/1"), "function os:cmd/1"); /* that was read */
    }
}

/* Answers to requests from before the baseline may have any shape, but they call no function and go
 * to no name. */
static void answers_before(void **state)
{
    (void)state;
    for (uint64_t num_answers = 1; num_answers <= 2; num_answers++) {
        begin();
        before.num_unread = 2;
        before.num_answers = num_answers;
        compare();
        assert_string_equal(has(PROFILE_FUNCTION, "os:cmd/1"), num_answers == 2 ? "function os:cmd/1" : "");
        assert_string_equal(has(PROFILE_NAME, "till"), num_answers == 2 ? "name till" : "");
        assert_string_equal(has(PROFILE_SHAPE, "cast new"), "");
    }
}

/* A baseline that was full proves nothing about what it lacks. */
static void full_tables(void **state)
{
    (void)state;
    begin();
    before.num_left_out = 1;
    compare();
    assert_string_equal(has(PROFILE_FUNCTION, "os:cmd/1"), "");
    assert_true(novelty_check(&novelty).is_incomplete);
    begin();
    compare();
    assert_false(novelty_check(&novelty).is_incomplete);
    now.num_left_out = 1;
    assert_true(novelty_check(&novelty).is_incomplete);
}

/* More than NOVELTY_MOST of a kind are counted; so are new things of one record for which there is
 * no room. */
static void too_many(void **state)
{
    char key[20];
    const struct novelty_source from = source();
    (void)state;
    begin();
    compare();
    for (int i = 0; i < NOVELTY_MOST + 3; i++) {
        snprintf(key, sizeof key, "m:f%d/0", i);
        assert_int_equal(has(PROFILE_FUNCTION, key)[0] != '\0', i < NOVELTY_MOST);
    }
    assert_int_equal(novelty_check(&novelty).num_more, 3);
    assert_string_equal(has(PROFILE_NAME, "till"), "name till");
    begin();
    compare();
    for (int i = 0; i < NOVELTY_WAITING + 1; i++) {
        snprintf(key, sizeof key, "m:f%d/0", i);
        novelty_look(&novelty, count(PROFILE_FUNCTION, key), &from);
    }
    assert_int_equal(novelty_check(&novelty).num_told, NOVELTY_WAITING);
    assert_int_equal(novelty_check(&novelty).num_more, 1);
}

static struct profile_entry *windows_of(enum profile_kind kind, uint64_t most, uint64_t windows)
{
    struct profile_entry *e = had(kind, "a@h > b@h it", 0);
    e->most = most;
    e->windows = windows;
    return e;
}

static const char *window(enum profile_kind kind, uint64_t value)
{
    const struct novelty_source from = source();
    novelty_look_window(&novelty, count(kind, "a@h > b@h it"), value, &from);
    return told();
}

/* Without names of nodes, messages have addresses and are compared; all calls are one kind. */
static void beyond_without_names(void **state)
{
    (void)state;
    begin();
    windows_of(PROFILE_CALL, 1000000, 10);
    windows_of(PROFILE_MESSAGE, 100, 10);
    compare();
    count(PROFILE_CALL, "a@h > b@h it")->is_unnamed = true;
    count(PROFILE_MESSAGE, "a@h > b@h it")->is_unnamed = true;
    assert_string_equal(window(PROFILE_CALL, 9000000), "");
    assert_string_equal(window(PROFILE_MESSAGE, 149), "");
    assert_string_equal(window(PROFILE_MESSAGE, 150), "size a@h > b@h it");
}

/* Latencies and sizes: by a factor and a least difference; reported once until it is over. */
static void beyond(void **state)
{
    (void)state;
    begin();
    windows_of(PROFILE_CALL, 1000000, 10);
    compare();
    assert_string_equal(window(PROFILE_CALL, 2999999), "");
    assert_string_equal(window(PROFILE_CALL, 3000000), "latency a@h > b@h it");
    assert_string_equal(window(PROFILE_CALL, 9000000), "");
    assert_string_equal(window(PROFILE_CALL, 900000), "");
    assert_string_equal(window(PROFILE_CALL, 9000000), "latency a@h > b@h it");
    begin();
    windows_of(PROFILE_CALL, 100000, 10); /* ten times as long, but only by 0.9 ms */
    compare();
    assert_string_equal(window(PROFILE_CALL, 1000000), "");
    assert_string_equal(window(PROFILE_CALL, 1100000), "latency a@h > b@h it");
    begin();
    windows_of(PROFILE_MESSAGE, 100, 10);
    compare();
    assert_string_equal(window(PROFILE_MESSAGE, 149), "");
    assert_string_equal(window(PROFILE_MESSAGE, 150), "size a@h > b@h it");
    begin();
    windows_of(PROFILE_MESSAGE, 100, 9); /* too few to know how much they vary */
    compare();
    assert_string_equal(window(PROFILE_MESSAGE, 1000), "");
    begin();
    compare();
    assert_string_equal(window(PROFILE_MESSAGE, 1000), ""); /* the baseline had none */
    begin();
    windows_of(PROFILE_CALL, 1000000, 10);
    compare();
    count(PROFILE_CALL, "a@h > b@h it")->is_unnamed = true; /* it may be of any nodes */
    assert_string_equal(window(PROFILE_CALL, 9000000), "");
}

static int finish(void **state)
{
    (void)state;
    profile_free(&before);
    profile_free(&now);
    profile_init(&before, 1);
    profile_init(&now, 1);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(told_once, finish),
        cmocka_unit_test_teardown(without_a_name, finish),
        cmocka_unit_test_teardown(links, finish),
        cmocka_unit_test_teardown(late_in_the_baseline, finish),
        cmocka_unit_test_teardown(unread_before, finish),
        cmocka_unit_test_teardown(unnamed_before, finish),
        cmocka_unit_test_teardown(answers_before, finish),
        cmocka_unit_test_teardown(full_tables, finish),
        cmocka_unit_test_teardown(too_many, finish),
        cmocka_unit_test_teardown(beyond, finish),
        cmocka_unit_test_teardown(beyond_without_names, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
