/*
 * test_findings_registry.c - DS607, a registry goes in circles; DS608, builds that call
 * differently; DS407, cookies are guessed.
 */
#include "findings_world.h"

static void begin_quiet(void)
{
    leaves_out = "DS101 DS302 DS310 DS401 DS105 DS116 DS209";
    begin();
    w.conn.end[0].node = text("alice@a");
    w.conn.end[1].node = text("bob@b");
}

static void says(const char *label, int dir)
{
    struct ds_event event = event_of(DS_EVENT_MESSAGE, dir);
    event.message.payload = term_since(0);
    const struct record record = {
        .event = &event, .note = {.group = label[0] == 's' ? "syn" : "elixir", .label = label, .role = NOTE_INFO}};
    findings_record(w.findings, &record);
}

static void asks_for_all(int dir, const char *what)
{
    begin_terms();
    put_tuple(4);
    put_atom("forward_to_local");
    put_binary("phx_presence:app");
    put_tuple(5);
    put_atom("pub");
    put_atom(what);
    put_small(1);
    put_atom("name");
    put_small(2);
    put_atom("dispatcher");
    says("Phoenix.Tracker", dir);
}

static void registers(const char *name, const char *node)
{
    begin_terms();
    put_tuple(7);
    put_atom("3.0");
    put_atom("sync_register");
    put_atom(name);
    put_pid(node, node[0] == 'a' ? 7 : 9);
    put_small(0);
    put_small(0);
    put_atom("normal");
    says("syn", 0);
}

static void circles(void **state)
{
    (void)state;
    begin_quiet();
    for (int i = 0; i < 20; i++) {
        asks_for_all(0, "transfer_req");
        w.now_ns += 1500 * MS;
    }
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    sentence_is("alice@a repeatedly asks bob@b for the state of Phoenix.Tracker in phx_presence:app");
    detail_has("15 times within 21.00 s");
    found("DS607");
    begin_quiet();
    for (int i = 0; i < 8; i++) {
        registers("cart", i % 2 == 0 ? "alice@a" : "bob@b");
        w.now_ns += SECOND;
    }
    sentence_is("syn gives the name cart to one process after the other");
    found("DS607");
}

static void settled(void **state)
{
    (void)state;
    begin_quiet();
    for (int i = 0; i < 40; i++) {
        if (i < 9) /* a node joins, and asks for each topic again and again */
            asks_for_all(0, "transfer_req");
        asks_for_all(1, "transfer_ack");
        registers("cart", "alice@a"); /* one process keeps its name */
        w.now_ns += 3 * SECOND;
    }
    found("");
    begin_quiet(); /* seldom: each time another matter */
    for (int i = 0; i < 40; i++) {
        asks_for_all(0, "transfer_req");
        registers("cart", i % 2 == 0 ? "alice@a" : "bob@b");
        w.now_ns += 16 * SECOND;
    }
    found("");
    begin_quiet(); /* many at once: from shards that start */
    for (int i = 0; i < 40; i++)
        asks_for_all(0, "transfer_req");
    found("");
    begin_quiet(); /* other names, each to another process, more than there is room for */
    static char name[100][8];
    for (int i = 0; i < 200; i++) {
        snprintf(name[i % 100], sizeof name[0], "n%d", i % 100);
        registers(name[i % 100], i % 2 == 0 ? "alice@a" : "bob@b");
        w.now_ns += 10 * MS;
    }
    found("");
    begin_quiet();
    failing_alloc_at(1);
    asks_for_all(0, "transfer_req");
    failing_alloc_at(0);
    struct ds_stats stats = {0};
    findings_add_stats(w.findings, &stats);
    assert_true(stats.no_memory != 0);
    found("");
}

static void lack_packets(void)
{
    struct ds_event event = event_of(DS_EVENT_GAP, 1);
    event.gap = (struct ds_gap){.bytes = 100, .messages = -1};
    put(&event);
}

static void gap_circles(void **state)
{
    (void)state;
    begin_quiet();
    for (int i = 0; i < 20; i++) {
        asks_for_all(0, "transfer_req");
        w.now_ns += 1500 * MS;
        if (i == 4)
            lack_packets();
    }
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    found("DS607");
}

/* --- DS608 --- */

static struct call calls_with(const char *from, const char *to, uint8_t arity, bool is_ok)
{
    const bool is_other = arity > 9; /* another function */
    struct call call = {.number = ++w.frame, .conn = w.conn.number, .label = "erpc:call", .group = "otp",
                        .caller = {.node = text(from)}, .callee = {.node = text(to)},
                        .start_ns = w.now_ns, .end_ns = w.now_ns + MS, .start_frame = w.frame,
                        .end_frame = w.frame + 1, .outcome = is_ok ? CALL_OK : CALL_ERROR};
    begin_terms();
    put_atom("m");
    call.mod = term_since(0);
    size_t at = term_bytes.len;
    put_atom(is_other ? "g" : "f");
    call.fun = term_since(at);
    at = term_bytes.len;
    if (arity != 0)
        put_list(arity);
    for (uint8_t i = 0; i < arity; i++)
        put_small(i);
    put_nil();
    call.args = term_since(at);
    at = term_bytes.len;
    if (!is_ok) {
        put_reason("undef", "f");
        call.reason = term_since(at);
        call.error_class = "error";
    }
    w.now_ns += SECOND;
    return call;
}

static void tell(struct call call)
{
    findings_record(w.findings, &(struct record){.call = &call});
}

static void builds(void **state)
{
    (void)state;
    begin_quiet();
    tell(calls_with("carol@c", "bob@b", 2, true));
    tell(calls_with("alice@a", "bob@b", 3, false));
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    sentence_is("alice@a calls m:f with another number of arguments than other nodes");
    detail_has("with 3 arguments on bob@b, which fails (undef); carol@c calls it there with 2");
    found("DS608");
    begin_quiet();
    tell(calls_with("alice@a", "bob@b", 2, true));
    tell(calls_with("alice@a", "carol@c", 10, true)); /* it has the module */
    tell(calls_with("alice@a", "carol@c", 2, false));
    sentence_is("carol@c does not take a call of m:f/2 that another node takes");
    detail_has("it fails there (undef), and succeeds on bob@b");
    found("DS608");
}

static void same_build(void **state)
{
    (void)state;
    begin_quiet(); /* no node has that function */
    tell(calls_with("alice@a", "bob@b", 2, false));
    tell(calls_with("carol@c", "bob@b", 2, false));
    found("");
    begin_quiet(); /* one node calls it in both ways: its own mistake */
    tell(calls_with("alice@a", "bob@b", 2, true));
    tell(calls_with("alice@a", "bob@b", 3, false));
    found("");
    begin_quiet(); /* a node without the module has another task */
    tell(calls_with("alice@a", "bob@b", 2, true));
    tell(calls_with("alice@a", "carol@c", 2, false));
    found("");
    begin_quiet(); /* likely atoms are not compared */
    struct call call = calls_with("carol@c", "bob@b", 2, true);
    call.likely_atoms = 1;
    tell(call);
    tell(calls_with("alice@a", "bob@b", 3, false));
    found("");
    begin_quiet();
    failing_alloc_at(1);
    tell(calls_with("carol@c", "bob@b", 2, true));
    failing_alloc_at(0);
    found("");
}

static void gap_builds(void **state)
{
    (void)state;
    begin_quiet();
    up();
    tell(calls_with("carol@c", "bob@b", 2, true));
    lack_packets();
    tell(calls_with("alice@a", "bob@b", 3, false));
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    found("DS608");
}

/* --- DS407 --- */

static void is_refused(int i, bool is_named_anew)
{
    static char name[16];
    snprintf(name, sizeof name, "n%d@h", is_named_anew ? i : 0);
    shake(DS_STEP_CHALLENGE_REPLY, name, "bob@b");
    close_by(1, MS, DS_CLOSE_FIN);
    next_conn();
}

static void guesses(void **state)
{
    (void)state;
    begin_quiet();
    for (int i = 0; i < 150; i++) {
        is_refused(i, true);
        w.now_ns += 300 * MS;
    }
    assert_int_equal(w.last.severity, SEVERITY_ERROR);
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    sentence_is("10.0.0.1 tries one cookie after the other");
    detail_has("100 handshakes with a wrong digest within ");
    found("DS407");
}

static void no_guesses(void **state)
{
    (void)state;
    begin_quiet(); /* a node with a wrong cookie, that tries without end */
    for (int i = 0; i < 500; i++) {
        is_refused(i, false);
        w.now_ns += 50 * MS;
    }
    found("");
    begin_quiet(); /* tools that a script runs every second */
    for (int i = 0; i < 300; i++) {
        is_refused(i, true);
        w.now_ns += SECOND;
    }
    found("");
}

static void gap_guesses(void **state)
{
    (void)state;
    begin_quiet();
    for (int i = 0; i < 150; i++) {
        if (i == 50)
            findings_lost(w.findings, &(struct loss){.first_ns = w.now_ns, .last_ns = w.now_ns});
        is_refused(i, true);
        w.now_ns += 300 * MS;
    }
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    found("DS407");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles), cmocka_unit_test(settled),    cmocka_unit_test(gap_circles),
        cmocka_unit_test(builds),  cmocka_unit_test(same_build), cmocka_unit_test(gap_builds),
        cmocka_unit_test(guesses), cmocka_unit_test(no_guesses), cmocka_unit_test(gap_guesses)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    findings_free(w.findings);
    ds_buffer_free(&term_bytes);
    return failed;
}
