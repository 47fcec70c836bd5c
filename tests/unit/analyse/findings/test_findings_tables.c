/*
 * test_findings_tables.c - DS602, mnesia waits for tables: which node starts, what is loaded, which
 * node is missing.
 */
#include "findings_world.h"

static const char alice[] = "alice@127.0.0.1", bob[] = "bob@127.0.0.1", carol[] = "carol@127.0.0.1";

static const char *bob_runs = "bob@127.0.0.1", *also_runs = "alice@127.0.0.1"; /* where mnesia runs */

/* tab is a row of the schema. */
struct tab {
    const char *name;
    const char *on[3]; /* nodes with a copy on disc */
    bool is_local;
};

static void put_cstruct(const struct tab *tab)
{
    put_tuple(13);
    put_atom("cstruct");
    put_atom(tab->name);
    put_atom("set");
    put_nil();
    uint8_t num = 0;
    while (num < 3 && tab->on[num] != NULL)
        num++;
    put_list(num);
    for (uint8_t i = 0; i < num; i++)
        put_atom(tab->on[i]);
    put_nil();
    put_nil();
    put_nil();
    put_small(0);
    put_atom("read_write");
    put_atom("false");
    put_nil();
    put_nil();
    put_atom(tab->is_local ? "true" : "false");
}

static void ask(const char *mod, const char *fun, const struct tab *tabs, uint8_t num)
{
    struct call call = {.number = ++w.frame, .conn = w.conn.number, .label = "erpc:call", .group = "otp",
                        .caller = {.node = text(alice)}, .callee = {.node = text(bob)},
                        .start_ns = w.now_ns, .end_ns = w.now_ns + MS, .start_frame = w.frame,
                        .end_frame = w.frame + 1, .outcome = CALL_OK};
    begin_terms();
    ds_buffer_reserve(&term_bytes, 65536);
    put_atom(mod);
    call.mod = term_since(0);
    size_t at = term_bytes.len;
    put_atom(fun);
    call.fun = term_since(at);
    at = term_bytes.len;
    put_tuple(3);
    put_atom("cstructs");
    put_list(num);
    for (uint8_t i = 0; i < num; i++)
        put_cstruct(&tabs[i]);
    put_nil();
    put_list(2);
    put_atom(bob_runs);
    put_atom(also_runs);
    put_nil();
    call.result = term_since(at);
    w.now_ns += MS;
    findings_record(w.findings, &(struct record){.call = &call});
}

static void reads_schema(const struct tab *tabs, uint8_t num)
{
    ask("mnesia_controller", "get_remote_cstructs", tabs, num);
}

static void controller_says(int dir, const char *what, const char *node, const char *tab, bool is_unknown)
{
    struct ds_event event = event_of(DS_EVENT_MESSAGE, dir);
    begin_terms();
    put_tuple(3);
    put_atom(what);
    if (strcmp(what, "send_table") != 0) {
        put_atom(node);
        put_list(1);
        put_atom(tab);
        put_nil();
    } else {
        put_atom(tab);
        put_pid(node, 7);
    }
    event.message.payload = term_since(0);
    event.unknown_atoms = is_unknown;
    const struct record record = {
        .event = &event, .note = {.group = "mnesia", .label = "mnesia_controller", .role = NOTE_CAST}};
    findings_record(w.findings, &record);
}

/* carol_is_refused: EPMD does not know her. */
static void carol_is_refused(void)
{
    const struct ds_conn link = w.conn;
    w.conn.number += 100;
    epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, "carol", 0, 0);
    epmd(DS_EPMD_PORT2_RESP, 1, "carol", 0, 1);
    w.conn = link;
}

static const struct tab stock = {"stock", {"alice@127.0.0.1", "bob@127.0.0.1", "carol@127.0.0.1"}, false};

static void begin_tables(void)
{
    leaves_out = "DS401 DS105 DS107 DS201 DS204 DS501 DS211";
    begin();
    up();
    carol_is_refused();
}

static void later(int64_t ns)
{
    w.now_ns += ns;
    findings_time(w.findings, w.now_ns);
}

static void waits_tables(void **state)
{
    (void)state;
    const struct tab tabs[] = {stock, {"crates", {alice, carol, NULL}, false}};
    begin_tables();
    reads_schema(tabs, 2);
    later(9 * SECOND);
    assert_int_equal(w.num, 0);
    later(SECOND);
    assert_int_equal(w.num, 1);
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    sentence_is("mnesia on alice@127.0.0.1 has started and waits for tables");
    detail_has("no running node has loaded stock, crates for 10.00 s; carol@127.0.0.1 has a copy, and mnesia does not run there");
    later(5 * SECOND);
    assert_false(w.last.is_over);
    controller_says(0, "send_table", alice, "crates", false);
    findings_sum_up(w.findings);
    assert_true(w.last.is_over);
    found("DS602");
    begin_tables(); /* many of them */
    static char name[20][20];
    struct tab many[20];
    for (int i = 0; i < 20; i++) {
        snprintf(name[i], sizeof name[i], "t%d", i);
        many[i] = (struct tab){name[i], {alice, carol, NULL}, false};
    }
    reads_schema(many, 20);
    later(10 * SECOND);
    detail_has("t0, t1, t2, t3, t4 and 15 more");
    found("DS602");
}

static void loads(void **state)
{
    (void)state;
    const struct tab own = {"own", {alice, carol, NULL}, true}, others = {"others", {bob, carol, NULL}, false},
                     alone = {"alone", {alice, NULL, NULL}, false}, schema = {"schema", {alice, carol, NULL}, false};
    const struct tab none[] = {own, others, alone, schema};
    begin_tables(); /* tables that wait for no node */
    reads_schema(none, 4);
    later(20 * SECOND);
    found("");
    begin_tables(); /* bob has it */
    reads_schema(&stock, 1);
    controller_says(1, "adopt_orphans", bob, "stock", false);
    reads_schema(&stock, 1); /* from another node: it is known by now */
    later(20 * SECOND);
    found("");
    begin_tables(); /* alice has it */
    reads_schema(&stock, 1);
    controller_says(0, "adopt_orphans", alice, "stock", false);
    later(20 * SECOND);
    found("");
    begin_tables(); /* she has it sent */
    reads_schema(&stock, 1);
    controller_says(0, "send_table", alice, "stock", false);
    later(20 * SECOND);
    found("");
    begin_tables(); /* mnesia is restarted, and has loaded it by then */
    reads_schema(&stock, 1);
    ask("mnesia_monitor", "call", NULL, 0);
    later(20 * SECOND);
    found("");
    begin_tables(); /* another answer, another function */
    ask("mnesia_controller", "call", &stock, 1);
    ask("mnesia_lib", "get_remote_cstructs", &stock, 1);
    later(20 * SECOND);
    found("");
    begin_tables(); /* she leaves */
    reads_schema(&stock, 1);
    close_by(0, SECOND, DS_CLOSE_FIN);
    later(20 * SECOND);
    found("");
}

/* The nodes that it waits for are missing, as far as was seen, and all others are seen. */
static void missing(void **state)
{
    (void)state;
    const struct tab two = {"stock", {alice, bob, NULL}, false};
    begin_tables(); /* bob's mnesia runs */
    reads_schema(&two, 1);
    later(20 * SECOND);
    found("");
    begin_tables(); /* his node is up, and his mnesia is not */
    bob_runs = "erin@h";
    reads_schema(&two, 1);
    bob_runs = bob;
    later(20 * SECOND);
    found("DS602");
    leaves_out = "DS401 DS105 DS107 DS201 DS204 DS501 DS211";
    begin(); /* carol was never heard of */
    up();
    reads_schema(&stock, 1);
    later(20 * SECOND);
    found("");
    begin_tables(); /* she was refused long ago */
    later(61 * SECOND);
    reads_schema(&stock, 1);
    later(20 * SECOND);
    found("");
    begin_tables(); /* her mnesia runs */
    also_runs = carol;
    reads_schema(&stock, 1);
    also_runs = alice;
    later(20 * SECOND);
    found("");
    begin_tables(); /* it has started in between */
    reads_schema(&stock, 1);
    controller_says(0, "im_running", carol, "", false);
    later(20 * SECOND);
    found("");
    const struct tab dave = {"stock", {alice, "dave@127.0.0.1", carol}, false};
    begin_tables(); /* dave may have it: no link with him was seen */
    reads_schema(&dave, 1);
    later(20 * SECOND);
    found("");
}

/* An unknown atom may be the name of the table; on a link that was joined late there are such. */
static void unread_tables(void **state)
{
    (void)state;
    begin_tables();
    reads_schema(&stock, 1);
    controller_says(1, "adopt_orphans", bob, "another", true);
    later(20 * SECOND);
    found("");
}

static void gap_tables(void **state)
{
    (void)state;
    begin_tables();
    reads_schema(&stock, 1);
    struct ds_event event = event_of(DS_EVENT_GAP, 1);
    event.gap = (struct ds_gap){.bytes = 100, .messages = -1};
    put(&event);
    later(20 * SECOND);
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    detail_has("packets are missing in that time");
    found("DS602");
}

static void caps(void **state)
{
    (void)state;
    static char name[100][20];
    struct tab many[100];
    for (int i = 0; i < 100; i++) {
        snprintf(name[i], sizeof name[i], "t%d", i);
        many[i] = (struct tab){name[i], {alice, carol, NULL}, false};
    }
    begin_tables(); /* more tables than are kept */
    reads_schema(many, 100);
    later(10 * SECOND);
    detail_has("and 59 more");
    found("DS602");
    begin();
    up();
    failing_alloc_at(1);
    reads_schema(&stock, 1);
    failing_alloc_at(0);
    struct ds_stats stats = {0};
    findings_add_stats(w.findings, &stats);
    assert_int_equal(stats.no_memory, 1);
    found("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waits_tables), cmocka_unit_test(loads),
                                       cmocka_unit_test(missing), cmocka_unit_test(unread_tables),
                                       cmocka_unit_test(gap_tables), cmocka_unit_test(caps)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    findings_free(w.findings);
    ds_buffer_free(&term_bytes);
    return failed;
}
