/* Names of global and groups of pg: which processes have them and which have lost them, at the cap,
 * and when memory runs out. */
#include "analyse/calls/process_names.h"
#include "core/term_show.h"
#include "etf_maker.h"
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
    uint32_t a, b, num_dropped;
};

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static void on_drop(void *context, struct process *process)
{
    (void)process;
    ((struct world *)context)->num_dropped++;
}

static void start(struct world *w, uint64_t max)
{
    etf_reset();
    *w = (struct world){0};
    intern_init(&w->intern, 1000);
    processes_init(&w->p, &w->intern, max, on_drop, w);
    process_names_init(&w->p, max);
    w->a = intern_add(&w->intern, text("a@h"));
    w->b = intern_add(&w->intern, text("b@h"));
}

static void stop(struct world *w)
{
    process_names_free(&w->p);
    processes_free(&w->p);
    intern_free(&w->intern);
}

static struct pid_key pid(uint32_t node, uint32_t id)
{
    return (struct pid_key){node, 7, id, 0};
}

/* The names of a process, the newest first. */
static void assert_called(const struct world *w, struct pid_key key, const char *expected)
{
    struct titles room;
    struct ds_buffer all = {0};
    titles_print(process_names_list(&w->p, processes_find(&w->p, &key), &room), &all);
    ds_buffer_add(&all, "", 1);
    assert_string_equal(all.data, expected);
    ds_buffer_free(&all);
}

static void name(struct world *w, const char *atom, struct pid_key key)
{
    const struct ds_term term = etf_atom(atom);
    process_names_register(&w->p, &term, &key);
}

static void join(struct world *w, struct pid_key scope, const char *atom, struct pid_key key)
{
    const struct ds_term term = etf_atom(atom);
    process_names_join(&w->p, &scope, &term, &key);
}

static void leave(struct world *w, struct pid_key scope, const char *atom, struct pid_key key)
{
    const struct ds_term term = etf_atom(atom);
    process_names_leave(&w->p, &scope, &term, &key);
}

static void global_names(void **state)
{
    struct world w;
    const struct ds_term lab = etf_atom("lab");
    (void)state;
    start(&w, 100);
    name(&w, "lab", pid(w.a, 1));
    name(&w, "lab", pid(w.a, 1));
    name(&w, "Two Words", pid(w.a, 1));
    assert_called(&w, pid(w.a, 1), "global:'Two Words' global:lab ");
    assert_called(&w, pid(w.b, 1), "");
    assert_called(&w, (struct pid_key){w.a, 8, 1, 0}, ""); /* another incarnation */
    name(&w, "lab", pid(w.b, 1));
    assert_called(&w, pid(w.a, 1), "global:'Two Words' ");
    assert_called(&w, pid(w.b, 1), "global:lab ");
    process_names_unregister(&w.p, &lab);
    process_names_unregister(&w.p, &lab);
    assert_called(&w, pid(w.b, 1), "");
    /* Too long to be kept; and text of a peer cannot leave its quotes. */
    char many[200];
    memset(many, 'x', sizeof many);
    many[sizeof many - 1] = '\0';
    const struct ds_term list = etf_list(1, etf_atom(many), etf_atom(many));
    process_names_register(&w.p, &list, &(struct pid_key){w.b, 7, 2, 0});
    assert_called(&w, pid(w.b, 2), "");
    name(&w, "a' \33", pid(w.b, 2));
    assert_called(&w, pid(w.b, 2), "global:'a\\' \\e' ");
    stop(&w);
    assert_int_equal(w.num_dropped, 0);
}

/* The same as Elixir writes it, scope and name; if that is too long, as Erlang does. */
static void in_elixir(void **state)
{
    struct world w;
    (void)state;
    start(&w, 100);
    const struct pid_key scope = pid(w.a, 50);
    const struct ds_term pair = etf_tuple(2, etf_atom("room"), etf_binary("a b"));
    char longest[TITLE_LEN_MAX - 8]; /* global:'...' has the greatest length, global::"..." is longer */
    memset(longest, ' ', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    process_names_open_scope(&w.p, &scope);
    processes_learn(&w.p, intern_add(&w.intern, text("Elixir.Lab.Scope")), &scope);
    name(&w, "lab", pid(w.a, 1));
    name(&w, "Elixir.Lab.Store", pid(w.a, 1));
    process_names_join(&w.p, &scope, &pair, &(struct pid_key){w.a, 7, 1, 0});
    name(&w, longest, pid(w.a, 2));
    term_show_use(DS_SYNTAX_ELIXIR);
    assert_called(&w, pid(w.a, 1), "pg:Lab.Scope:{:room, \"a b\"} global:Lab.Store global::lab ");
    struct titles room;
    const struct titles *long_one =
        process_names_list(&w.p, processes_find(&w.p, &(struct pid_key){w.a, 7, 2, 0}), &room);
    assert_non_null(long_one);
    assert_null(long_one->elixir[0].data);
    assert_true(titles_text(long_one, 0, DS_SYNTAX_ELIXIR).data == long_one->text[0].data);
    term_show_use(DS_SYNTAX_ERLANG);
    assert_called(&w, pid(w.a, 1),
                  "pg:'Elixir.Lab.Scope':{room,<<\"a b\">>} global:'Elixir.Lab.Store' global:lab ");
    stop(&w);
}

/* A group may be any term: one that is too long is cut, and this is shown. */
static void too_long(void **state)
{
    enum { LEN = 1000000 };
    static uint8_t bytes[5 + LEN] = {109, 0, LEN >> 16, (LEN >> 8) & 0xff, LEN & 0xff};
    struct world w;
    (void)state;
    start(&w, 100);
    const struct pid_key scope = pid(w.a, 50);
    process_names_open_scope(&w.p, &scope);
    processes_learn(&w.p, intern_add(&w.intern, text("lab")), &scope);
    for (int i = 0; i < 3; i++) {
        /* Fewer than TITLE_LEN_MAX bytes, one more, and very many; the last as text, the others as
         * numbers. */
        const uint32_t len = i == 0 ? TITLE_LEN_MAX - 16 : i == 1 ? TITLE_LEN_MAX + 1 : LEN;
        const uint8_t head[] = {109, 0, (uint8_t)(len >> 16), (uint8_t)(len >> 8), (uint8_t)len};
        memcpy(bytes, head, sizeof head);
        memset(bytes + sizeof head, i == 2 ? 0xff : 'x', len);
        const struct ds_term group = {.data = bytes, .len = sizeof head + len};
        process_names_join(&w.p, &scope, &group, &(struct pid_key){w.a, 7, (uint32_t)i + 1, 0});
        struct titles room;
        const struct titles *titles =
            process_names_list(&w.p, processes_find(&w.p, &(struct pid_key){w.a, 7, (uint32_t)i + 1,
                                                                            0}), &room);
        assert_int_equal(titles != NULL, i == 0);
        assert_in_range(w.p.scratch.cap, 1, 4096);
    }
    stop(&w);
}

static void groups(void **state)
{
    struct world w;
    (void)state;
    start(&w, 100);
    const struct pid_key pg = pid(w.a, 50), own = pid(w.a, 51), other = pid(w.b, 50);
    join(&w, pg, "early", pid(w.a, 1)); /* not known to be a scope */
    assert_called(&w, pid(w.a, 1), "");
    process_names_open_scope(&w.p, &pg);
    process_names_open_scope(&w.p, &own);
    process_names_open_scope(&w.p, &other);
    processes_learn(&w.p, intern_add(&w.intern, text("pg")), &pg);
    processes_learn(&w.p, intern_add(&w.intern, text("my scope")), &own);
    join(&w, pg, "g", pid(w.a, 1));
    join(&w, pg, "g", pid(w.a, 2));
    join(&w, own, "g", pid(w.a, 1));
    join(&w, other, "g", pid(w.b, 1));
    assert_called(&w, pid(w.a, 1), "pg:'my scope':g pg:g ");
    assert_called(&w, pid(w.a, 2), "pg:g ");
    leave(&w, own, "nothing", pid(w.a, 1));
    leave(&w, pg, "g", pid(w.a, 1));
    assert_called(&w, pid(w.a, 1), "pg:'my scope':g ");
    join(&w, pg, "h", pid(w.a, 1));
    process_names_leave_all(&w.p, &pg);
    assert_called(&w, pid(w.a, 1), "pg:'my scope':g ");
    assert_called(&w, pid(w.a, 2), "");
    /* The end of a member, a scope, a node */
    join(&w, own, "g", pid(w.a, 3));
    processes_ended(&w.p, &(struct pid_key){w.a, 7, 3, 0});
    assert_called(&w, pid(w.a, 3), "");
    processes_ended(&w.p, &own);
    assert_called(&w, pid(w.a, 1), "");
    assert_false(process_names_is_scope(&w.p, &own));
    assert_called(&w, pid(w.b, 1), "pg:g ");
    processes_conn_up(&w.p, 1, (const uint32_t[]){w.a, w.b});
    processes_conn_up(&w.p, 2, (const uint32_t[]){w.b, w.a});
    process_names_conn_ended(&w.p, 2);
    processes_conn_ended(&w.p, 2, (const uint32_t[]){w.b, w.a});
    assert_called(&w, pid(w.b, 1), "pg:g ");
    process_names_conn_ended(&w.p, 1);
    processes_conn_ended(&w.p, 1, (const uint32_t[]){w.a, w.b});
    assert_called(&w, pid(w.b, 1), "");
    assert_int_equal(w.p.table.num, 0);
    assert_int_equal(w.p.titles.num, 0);
    assert_int_equal(w.p.bindings.num, 0);
    assert_int_equal(w.p.nodes.table.num, 0);
    assert_int_equal(w.p.nodes.conns.num, 0);
    stop(&w);
}

/* A change that a scope reports to all its peers counts once, whichever peer it reaches first. */
static void each_change_counts_once(void **state)
{
    struct world w;
    (void)state;
    start(&w, 3);
    const struct pid_key pg = pid(w.a, 50), other = pid(w.b, 50);
    assert_false(process_names_heed(&w.p, &pg, 1, true)); /* not known to be a scope */
    process_names_open_scope(&w.p, &pg);
    process_names_open_scope(&w.p, &other);
    assert_true(process_names_heed(&w.p, &pg, 1, false)); /* the first */
    assert_false(process_names_heed(&w.p, &pg, 2, false));
    assert_true(process_names_heed(&w.p, &pg, 1, false));
    assert_true(process_names_heed(&w.p, &other, 2, false)); /* another's peers are its own */
    assert_true(process_names_heed(&w.p, &pg, 2, true)); /* it has reported to all peers */
    assert_false(process_names_heed(&w.p, &pg, 1, false));
    process_names_conn_ended(&w.p, 1);
    assert_false(process_names_heed(&w.p, &pg, 3, false));
    process_names_conn_ended(&w.p, 2);
    assert_true(process_names_heed(&w.p, &pg, 3, false));
    assert_false(process_names_heed(&w.p, &pg, 4, false));
    for (uint64_t conn = 10; conn < 13; conn++) /* at the cap the oldest is considered ended */
        assert_true(process_names_heed(&w.p, &other, conn, true));
    assert_true(process_names_heed(&w.p, &pg, 4, false));
    assert_int_equal(w.p.told.num, 3);
    stop(&w);
}

/* A scope that is a member of its own group, and more titles than are shown. */
static void many_titles(void **state)
{
    struct world w;
    struct titles room;
    (void)state;
    start(&w, 100);
    const struct pid_key pg = pid(w.a, 50);
    process_names_open_scope(&w.p, &pg);
    for (int i = 0; i < 20; i++) {
        char group[16];
        snprintf(group, sizeof group, "g%d", i);
        join(&w, pg, group, pg);
    }
    assert_int_equal(process_names_list(&w.p, processes_find(&w.p, &pg), &room)->num, TITLES_MAX);
    processes_ended(&w.p, &pg);
    assert_int_equal(w.p.table.num, 0);
    stop(&w);
}

static void caps(void **state)
{
    struct world w;
    (void)state;
    start(&w, 5);
    const struct pid_key pg = pid(w.a, 50);
    process_names_open_scope(&w.p, &pg);
    for (uint32_t i = 0; i < 1000; i++) {
        char atom[8];
        snprintf(atom, sizeof atom, "n%u", i);
        name(&w, atom, pid(w.a, i % 50));
        join(&w, pg, atom, pid(w.a, i % 49));
        process_names_open_scope(&w.p, &pg);
        assert_in_range(w.p.table.num, 0, 5);
        assert_in_range(w.p.titles.num, 0, 5);
    }
    assert_true(w.p.num_dropped > 900);
    assert_int_equal(w.p.no_memory, 0);
    stop(&w);
}

static void use_all(void *context)
{
    struct world w;
    (void)context;
    start(&w, 3);
    if (w.a == 0 || w.b == 0) {
        assert_true(failing_alloc_failed());
        stop(&w);
        return;
    }
    const struct pid_key pg = pid(w.a, 50);
    processes_conn_up(&w.p, 1, (const uint32_t[]){w.a, w.b});
    process_names_open_scope(&w.p, &pg);
    name(&w, "lab", pid(w.a, 1));
    process_names_heed(&w.p, &pg, 1, false);
    join(&w, pg, "g", pid(w.a, 1));
    name(&w, "lab", pid(w.b, 1));
    join(&w, pg, "h", pid(w.a, 1));
    join(&w, pg, "i", pid(w.a, 3));
    processes_learn(&w.p, w.b, &pg);
    leave(&w, pg, "g", pid(w.a, 1));
    process_names_conn_ended(&w.p, 1);
    processes_conn_ended(&w.p, 1, (const uint32_t[]){w.a, w.b});
    stop(&w);
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(use_all, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_names),    cmocka_unit_test(in_elixir),
        cmocka_unit_test(too_long),
        cmocka_unit_test(groups),          cmocka_unit_test(many_titles),
        cmocka_unit_test(caps),            cmocka_unit_test(each_change_counts_once),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
