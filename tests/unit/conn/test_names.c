/* Registered names: which process has one, which only answers for it, and what removes it. */
#include "analyse/calls/processes.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct world {
    struct intern intern;
    struct processes p;
    uint32_t node, echo, store;
};

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static void start(struct world *w, uint64_t max)
{
    *w = (struct world){0};
    intern_init(&w->intern, 1000);
    processes_init(&w->p, &w->intern, max, NULL, NULL);
    w->node = intern_add(&w->intern, text("b@h"));
    w->echo = intern_add(&w->intern, text("echo"));
    w->store = intern_add(&w->intern, text("store"));
}

static void stop(struct world *w)
{
    processes_free(&w->p);
    intern_free(&w->intern);
}

static struct pid_key pid(const struct world *w, uint32_t id)
{
    return (struct pid_key){w->node, 7, id, 0};
}

static void answer(struct world *w, uint32_t name, uint32_t id)
{
    const struct pid_key key = pid(w, id);
    processes_learn(&w->p, name, &key);
}

/* The text of the process says that it has that name, or that it answers for it. */
static bool is_called(const struct world *w, uint32_t id, uint32_t name, bool is_for)
{
    const struct pid_key key = pid(w, id);
    bool shown_for;
    return processes_name(processes_find(&w->p, &key), &shown_for) == name && shown_for == is_for;
}

static bool has(const struct world *w, uint32_t id, uint32_t name)
{
    return is_called(w, id, name, false);
}

static bool is_for(const struct world *w, uint32_t id, uint32_t name)
{
    return is_called(w, id, name, true);
}

static bool is_whereis(const struct world *w, uint32_t name, uint32_t id)
{
    const struct pid_key key = pid(w, id);
    struct pid_key found;
    return processes_whereis(&w->p, w->node, name, 7, &found) && pid_key_equal(&found, &key);
}

static bool is_nowhere(const struct world *w, uint32_t name)
{
    struct pid_key found;
    return !processes_whereis(&w->p, w->node, name, 0, &found);
}

static void one_answer(void **state)
{
    struct world w;
    (void)state;
    start(&w, 100);
    answer(&w, w.echo, 1);
    assert_true(has(&w, 1, w.echo));
    assert_true(is_whereis(&w, w.echo, 1));
    answer(&w, w.echo, 2); /* it has moved, or this is a worker */
    assert_true(is_for(&w, 1, w.echo));
    assert_true(is_for(&w, 2, w.echo));
    assert_true(is_nowhere(&w, w.echo));
    answer(&w, w.echo, 2); /* it has moved */
    assert_true(has(&w, 2, w.echo));
    assert_true(is_for(&w, 1, w.echo));
    assert_true(is_whereis(&w, w.echo, 2));
    stop(&w);
}

/* A process for each request, as gen_server:reply allows: none of them has the name. */
static void workers(void **state)
{
    struct world w;
    (void)state;
    start(&w, 1000);
    for (uint32_t i = 1; i <= 80; i++) {
        answer(&w, w.echo, i);
        assert_int_equal(has(&w, i, w.echo), i == 1);
        assert_int_equal(is_for(&w, i, w.echo), i != 1);
    }
    /* The last eight are remembered. */
    assert_true(has(&w, 72, 0));
    assert_true(is_for(&w, 73, w.echo));
    assert_int_equal(w.p.table.num, 8);
    stop(&w);
}

/* The server answers some itself. */
static void server_and_workers(void **state)
{
    struct world w;
    (void)state;
    start(&w, 1000);
    for (uint32_t i = 100; i <= 180; i++) {
        answer(&w, w.echo, i);
        if (i != 100)
            assert_true(is_for(&w, i, w.echo));
        answer(&w, w.echo, 1);
        if (i != 100)
            assert_true(has(&w, 1, w.echo));
    }
    answer(&w, w.echo, 180); /* two processes that answer again */
    answer(&w, w.echo, 1);
    assert_true(is_for(&w, 1, w.echo));
    assert_true(is_for(&w, 180, w.echo));
    stop(&w);
}

static void pool(void **state)
{
    struct world w;
    (void)state;
    start(&w, 100);
    for (uint32_t i = 0; i < 60; i++) {
        answer(&w, w.echo, 1 + i / 2 % 3);
        if (i >= 10)
            for (uint32_t id = 1; id <= 3; id++)
                assert_true(is_for(&w, id, w.echo));
    }
    for (uint32_t i = 0; i < 32; i++) {
        assert_true(is_for(&w, 1, w.echo));
        answer(&w, w.echo, 1);
    }
    assert_true(has(&w, 1, w.echo)); /* for long it has answered alone */
    assert_true(has(&w, 2, 0));
    assert_true(is_whereis(&w, w.echo, 1));
    answer(&w, w.echo, 2);
    answer(&w, w.echo, 1);
    assert_true(has(&w, 1, w.echo)); /* 2 has not answered again since */
    for (uint32_t i = 1; i < 32; i++) {
        assert_true(is_nowhere(&w, w.echo)); /* but may serve the next request */
        answer(&w, w.echo, 1);
    }
    assert_true(is_whereis(&w, w.echo, 1));
    stop(&w);
}

/* Two processes swap their names, again and again: one answer of each shows it. */
static void swap(void **state)
{
    struct world w;
    (void)state;
    start(&w, 100);
    for (uint32_t i = 0; i < 100; i++) {
        const uint32_t one = 1 + i % 2, other = 3 - one;
        answer(&w, w.echo, one);
        assert_true(has(&w, one, w.echo));
        assert_false(has(&w, other, w.echo));
        answer(&w, w.store, other);
        assert_true(has(&w, other, w.store));
        assert_true(has(&w, one, w.echo));
        assert_true(is_whereis(&w, w.echo, one));
        assert_true(is_whereis(&w, w.store, other));
    }
    stop(&w);
}

/* A process that has a name and answers for a pool keeps its own. */
static void lends_a_hand(void **state)
{
    struct world w;
    (void)state;
    start(&w, 100);
    for (uint32_t i = 0; i < 6; i++)
        answer(&w, w.echo, 1 + i % 2);
    answer(&w, w.store, 3);
    answer(&w, w.echo, 3);
    assert_true(has(&w, 3, w.store));
    assert_true(is_whereis(&w, w.store, 3));
    stop(&w);
}

static void ends(void **state)
{
    struct world w;
    (void)state;
    start(&w, 100);
    const struct pid_key one = pid(&w, 1), named = {w.node, 0, w.echo, PID_KEY_NAMED};
    answer(&w, w.echo, 1);
    processes_ended(&w.p, &one);
    assert_true(has(&w, 1, 0));
    answer(&w, w.echo, 2); /* no other process can have it */
    assert_true(has(&w, 2, w.echo));
    processes_ended(&w.p, &named);
    assert_true(has(&w, 2, 0));
    answer(&w, w.echo, 3);
    answer(&w, w.echo, 4);
    processes_ended(&w.p, &named); /* one of them */
    assert_true(has(&w, 3, 0) && has(&w, 4, 0));
    assert_int_equal(w.p.table.num, 0);
    answer(&w, w.echo, 5);
    assert_true(has(&w, 5, w.echo));
    /* Another incarnation of the node. */
    const struct pid_key later = {w.node, 8, 5, 0};
    bool shown_for;
    processes_learn(&w.p, w.echo, &later);
    assert_int_equal(processes_name(processes_find(&w.p, &later), &shown_for), w.echo);
    assert_false(shown_for);
    assert_true(has(&w, 5, 0));
    stop(&w);
}

/* More names and more processes than can be remembered. */
static void at_the_cap(void **state)
{
    struct world w;
    (void)state;
    start(&w, 3);
    for (uint32_t i = 0; i < 50; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        answer(&w, intern_add(&w.intern, text(name)), 100 + i);
        answer(&w, intern_add(&w.intern, text(name)), 200 + i);
        const struct pid_key other = pid(&w, 300 + i);
        processes_add(&w.p, &other);
        assert_in_range(w.p.table.num, 0, 3);
        assert_in_range(w.p.bindings.num, 0, 3);
    }
    assert_true(w.p.num_dropped != 0);
    stop(&w);
}

static void learn_all(void)
{
    struct world w;
    start(&w, 3);
    for (uint32_t i = 0; i < 40; i++) {
        answer(&w, i % 5 == 0 ? w.store : w.echo, 1 + i % 4);
        const struct pid_key key = pid(&w, 1 + i % 7);
        if (i % 9 == 0)
            processes_ended(&w.p, &key);
    }
    stop(&w);
}

static void memory_runs_out(void **state)
{
    (void)state;
    failing_alloc_at(0);
    learn_all();
    const unsigned long all = failing_alloc_count();
    assert_true(all > 5);
    for (unsigned long n = 1; n <= all; n++) {
        failing_alloc_at(n);
        learn_all();
        failing_alloc_from(n);
        learn_all();
    }
    failing_alloc_at(0);
}

/* Texts also have a cap in bytes: the greatest number of texts, all of the length of the longest
 * atoms, would take four times as much. */
static void texts_have_a_cap(void **state)
{
    enum { MAX = 300, FIT = MAX * INTERN_BYTES_EACH / INTERN_TEXT_MAX };
    char longest[INTERN_TEXT_MAX];
    struct intern intern;
    (void)state;
    intern_init(&intern, MAX);
    memset(longest, 'x', sizeof longest);
    const struct ds_text all = {longest, sizeof longest};
    for (uint32_t i = 0; i < FIT; i++) {
        memcpy(longest, &i, sizeof i);
        assert_true(intern_has_room(&intern, FIT - i));
        assert_false(intern_has_room(&intern, FIT - i + 1));
        assert_int_equal(intern_add(&intern, all), i + 1);
    }
    memcpy(longest, "more", 4);
    assert_int_equal(intern_add(&intern, all), 0);
    assert_int_equal(intern_find(&intern, all), 0);
    assert_int_not_equal(intern_add(&intern, text("short")), 0);
    assert_true(intern_has_room(&intern, 0));
    intern_free(&intern);

    intern_init(&intern, 3);
    assert_true(intern_has_room(&intern, 3));
    assert_false(intern_has_room(&intern, 4));
    intern_free(&intern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_a_cap),
        cmocka_unit_test(one_answer),   cmocka_unit_test(workers),
        cmocka_unit_test(server_and_workers), cmocka_unit_test(pool),
        cmocka_unit_test(swap),         cmocka_unit_test(lends_a_hand),
        cmocka_unit_test(ends),         cmocka_unit_test(at_the_cap),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
