/*
 * test_findings_mnesia.c - DS601, mnesia is split: which node asks, which one starts, writes in
 * between, and when it is over.
 */
#include "findings_world.h"

static const char *name[] = {"alice@a", "bob@b", "carol@c"};

/* ask plays a call of a function of mnesia; bob is end 1 if alice asks. answer NULL: it fails. */
static void ask_of(int asker, int asked_node, const char *mod, const char *fun, const char *answer)
{
    struct call call = {.number = ++w.frame, .conn = w.conn.number, .label = "erpc:call", .group = "otp",
                        .caller = {.node = text(name[asker])}, .callee = {.node = text(name[asked_node])},
                        .start_ns = w.now_ns, .end_ns = w.now_ns + MS, .start_frame = w.frame,
                        .end_frame = w.frame + 1, .outcome = answer != NULL ? CALL_OK : CALL_ERROR};
    begin_terms();
    put_atom(mod);
    call.mod = term_since(0);
    size_t at = term_bytes.len;
    put_atom(fun);
    call.fun = term_since(at);
    at = term_bytes.len;
    put_tuple(2);
    put_atom(answer != NULL ? answer : "badarg");
    put_atom(name[asked_node]);
    if (answer != NULL)
        call.result = term_since(at);
    w.now_ns += MS;
    findings_record(w.findings, &(struct record){.call = &call});
}

/* ask_between does the same for nodes one of which is not known. */
static void ask_between(struct ds_text asker, struct ds_text asked_node)
{
    struct call call = {.number = 1, .conn = 1, .label = "erpc:call", .group = "otp", .outcome = CALL_OK,
                        .caller = {.node = asker}, .callee = {.node = asked_node}};
    begin_terms();
    put_atom("mnesia_monitor");
    call.mod = term_since(0);
    size_t at = term_bytes.len;
    put_atom("has_remote_mnesia_down");
    call.fun = term_since(at);
    at = term_bytes.len;
    put_tuple(2);
    put_atom("true");
    put_atom("x@y");
    call.result = term_since(at);
    findings_record(w.findings, &(struct record){.call = &call});
}

static void ask(int asker, int asked_node, const char *answer)
{
    ask_of(asker, asked_node, "mnesia_monitor", "has_remote_mnesia_down", answer);
}

static void negotiate(int asker, int asked_node)
{
    ask_of(asker, asked_node, "mnesia_monitor", "call", "accept");
}

static void begin_split(void)
{
    leaves_out = "DS401";
    begin();
}

static void say_message(int from, int to, const char *group, const char *label, enum note_role role)
{
    struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
    w.conn.end[0].node = text(name[from]);
    w.conn.end[1].node = text(name[to]);
    const struct record record = {.event = &event, .note = {.group = group, .label = label, .role = role}};
    findings_record(w.findings, &record);
}

static void detail_is(const char *wanted)
{
    detail_has(wanted);
    assert_int_equal(w.last.detail.len, strlen(wanted));
}

static void splits(void **state)
{
    (void)state;
    begin_split();
    ask(1, 0, "true");
    assert_int_equal(w.num, 0);
    ask(0, 1, "true");
    assert_int_equal(w.last.severity, SEVERITY_ERROR);
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    assert_int_equal(w.last.evidence[0].num, 4);
    sentence_is("alice@a and bob@b are connected again, and each counted the other's mnesia as down");
    assert_memory_equal(w.last.node[0].text, "alice@a", w.last.node[0].len);
    assert_memory_equal(w.last.node[1].text, "bob@b", w.last.node[1].len);
    detail_has("their tables may differ from now on");
    assert_non_null(strstr(finding_advice(&w.last), "mnesia:set_master_nodes/1"));
    found("DS601");
    begin_split(); /* the other one does not ask in the rest of the capture */
    ask(0, 1, "true");
    findings_time(w.findings, w.now_ns + SECOND);
    assert_int_equal(w.num, 0);
    findings_time(w.findings, w.now_ns + 2 * SECOND);
    assert_int_equal(w.num, 1);
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    found("DS601");
    begin_split(); /* nor does the capture continue */
    ask(0, 1, "true");
    found("DS601");
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    begin_split(); /* more of them than are kept: each is reported */
    static char many[20][20];
    for (int i = 0; i < 20; i++) {
        snprintf(many[i], sizeof many[i], "n%d@h", i);
        name[1] = many[i];
        ask(0, 1, "true");
        assert_int_equal(w.num, i < 8 ? 0 : i - 7); /* MAX_SPLITS */
        if (i == 8 || i == 9) /* the oldest is evicted */
            sentence_is(i == 8 ? "alice@a and n0@h are connected again, and each counted the other's mnesia as down"
                               : "alice@a and n1@h are connected again, and each counted the other's mnesia as down");
    }
    name[1] = "bob@b";
    findings_end(w.findings);
    assert_int_equal(w.num, 20);
}

/* No split: the answer no, a failure, a first start, another function, mnesia that starts. */
static void starts(void **state)
{
    (void)state;
    begin_split();
    ask(0, 1, "false");
    ask(1, 0, "false");
    ask(0, 1, NULL);
    ask_of(0, 1, "mnesia_monitor", "mnesia_down", "true");
    ask_of(0, 1, "mnesia_lib", "has_remote_mnesia_down", "true");
    found("");
    begin_split(); /* bob is started: alice's own question fails */
    negotiate(1, 0);
    ask(1, 0, "true");
    ask(0, 1, NULL);
    found("");
    begin_split(); /* and also if alice asked before it negotiated */
    ask(0, 1, "true");
    negotiate(1, 0);
    ask(1, 0, "true");
    found("");
    begin_split(); /* one that has run for a long time */
    negotiate(1, 0);
    w.now_ns += 20 * SECOND;
    ask(1, 0, "true");
    ask(0, 1, "true");
    found("DS601");
    for (int is_long = 0; is_long < 2; is_long++) { /* it starts for ten seconds */
        begin_split();
        w.now_ns += SECOND;
        const int64_t starts_ns = w.now_ns;
        negotiate(1, 0);
        w.now_ns = starts_ns + 10 * SECOND - 1 + is_long;
        ask(1, 0, "true");
        found(is_long ? "DS601" : "");
    }
    begin_split(); /* one that has just started, when it lost its link */
    negotiate(1, 0);
    next_conn();
    ask(1, 0, "true");
    ask(0, 1, "true");
    found("DS601");
    begin_split(); /* nodes that are not known */
    struct call call = {.number = 1, .conn = 1, .label = "erpc:call", .group = "otp", .outcome = CALL_OK};
    begin_terms();
    put_atom("mnesia_monitor");
    call.mod = term_since(0);
    findings_record(w.findings, &(struct record){.call = &call});
    found("");
    for (int known = 0; known < 2; known++) { /* one of the two */
        begin_split();
        ask_between(known == 0 ? text(name[0]) : (struct ds_text){0},
                    known == 1 ? text(name[1]) : (struct ds_text){0});
        found("");
    }
}

static void is_over(void **state)
{
    (void)state;
    begin_split();
    ask(0, 1, "true");
    ask(1, 0, "true");
    assert_int_equal(w.errors, 1);
    findings_sum_up(w.findings);
    assert_false(w.last.is_past);
    w.now_ns += 60 * SECOND;
    negotiate(1, 2); /* with another node */
    findings_sum_up(w.findings);
    assert_false(w.last.is_over || w.last.is_past);
    negotiate(1, 0);
    assert_true(w.last.is_over);
    findings_sum_up(w.findings);
    assert_true(w.last.is_past);
    w.now_ns += 60 * SECOND; /* and again */
    ask(0, 1, "true");
    ask(1, 0, "true");
    assert_int_equal(w.last.count, 2);
    assert_false(w.last.is_over);
    found("DS601 DS601");
}

static void applications(void **state)
{
    static const struct {
        const char *group, *label, *advice;
    } apps[] = {{"rabbit", "rabbit_node_monitor", "rabbitmqctl stop_app"},
                {"rabbit", "ra:append", "mnesia:set_master_nodes/1"}, /* other applications use that */
                {"ejabberd", "ejabberd:route", "ejabberdctl set_master"},
                {"elixir", "phoenix", "mnesia:set_master_nodes/1"}};
    (void)state;
    for (size_t i = 0; i < sizeof apps / sizeof apps[0]; i++) {
        begin_split();
        say_message(0, 1, apps[i].group, apps[i].label, NOTE_CAST);
        ask(0, 1, "true");
        ask(1, 0, "true");
        if (strstr(finding_advice(&w.last), apps[i].advice) == NULL)
            fail_msg("%s: %s", apps[i].label, finding_advice(&w.last));
        assert_true((w.last.advice == NULL) == (strncmp(apps[i].advice, "mnesia", 6) == 0));
    }
    static const struct {
        const char *name[2], *detail;
    } names[] = {{{"rabbit@a", "rabbit@b"}, "RabbitMQ runs on them"},
                 {{"ejabberd@a", "ejabberd@b"}, "ejabberd runs on them"},
                 {{"raccoon@a", "raccoon@b"}, "their tables may differ from now on"},
                 {{"embedded@a", "embedded@b"}, "their tables may differ from now on"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        begin_split(); /* by their names */
        name[0] = names[i].name[0];
        name[1] = names[i].name[1];
        ask(0, 1, "true");
        ask(1, 0, "true");
        detail_has(names[i].detail);
    }
    name[0] = "alice@a";
    name[1] = "bob@b";
}

/* Times of writes: two seconds after they heard each other last, and before they are connected again. */
static void written_when(void **state)
{
    enum { AT_TWO, BEHIND, AT_UP, BEFORE_UP, HEARD_LATER, HEARD_SOON, A_SECOND_APART, SAME_LENGTH, CASES };
    static const bool counts[CASES] = {
        [BEHIND] = true, [BEFORE_UP] = true, [HEARD_SOON] = true, [A_SECOND_APART] = true, [SAME_LENGTH] = true};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_split();
        name[2] = i == SAME_LENGTH ? "dan@b" : "carol@c";
        say_message(0, 1, "mnesia", "mnesia_tm", NOTE_INFO);
        const int64_t heard_ns = w.now_ns;
        if (i == HEARD_LATER || i == HEARD_SOON) { /* of what follows within a tenth of a second no note is taken */
            w.now_ns = heard_ns + 100 * MS - (i == HEARD_SOON);
            say_message(0, 1, "mnesia", "mnesia_tm", NOTE_INFO);
        }
        const uint64_t first = w.conn.number;
        const int64_t up_ns = heard_ns + 20 * SECOND;
        w.conn.number = first + 1;
        if (i == A_SECOND_APART) {
            w.now_ns = heard_ns + 3 * SECOND / 2;
            say_message(0, 2, "mnesia", "mnesia_tm:ask_commit", NOTE_REQUEST);
        }
        w.now_ns = i == AT_TWO           ? heard_ns + 2 * SECOND
                   : i == BEHIND         ? heard_ns + 2 * SECOND + 1
                   : i == AT_UP          ? up_ns
                   : i == BEFORE_UP      ? up_ns - 1
                   : i == A_SECOND_APART ? heard_ns + 5 * SECOND / 2
                   : i == SAME_LENGTH    ? heard_ns + 10 * SECOND
                                         : heard_ns + 2 * SECOND + 50 * MS;
        say_message(0, 2, "mnesia", "mnesia_tm:ask_commit", NOTE_REQUEST);
        w.conn.number = first + 3;
        w.now_ns = up_ns - 2 * MS;
        ask(0, 1, "true");
        ask(1, 0, "true");
        if (counts[i])
            detail_has("in that time alice@a wrote to tables with");
        else
            detail_is("their tables may differ from now on");
    }
    name[2] = "carol@c";
}

/* Messages on links with an unknown node, or two. */
static void nameless(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin_split();
        struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
        for (int end = 0; end < 2; end++)
            w.conn.end[end].node = i == end ? text(name[end]) : (struct ds_text){0};
        const struct record record = {
            .event = &event,
            .note = {.group = "mnesia", .label = "mnesia_tm:ask_commit", .role = NOTE_REQUEST}};
        findings_record(w.findings, &record);
        found("");
    }
}

/* Alice writes with carol while bob is away; their writes before and after do not count. */
static void writes(void **state)
{
    (void)state;
    for (int away = 0; away < 5; away++) { /* 0: before; 1: meanwhile; 2: with bob; 3: both sides; 4: as 1 */
        begin_split();
        say_message(0, 1, "mnesia", "mnesia_tm", NOTE_INFO);
        w.now_ns += away == 0 ? SECOND : 10 * SECOND;
        const uint64_t first = w.conn.number;
        w.conn.number = first + 1;
        say_message(0, away == 2 ? 1 : 2, "mnesia", "mnesia_tm:ask_commit", NOTE_REQUEST);
        if (away == 3) {
            w.conn.number = first + 2;
            name[0] = "dan@d";
            say_message(1, 0, "mnesia", "mnesia_tm:async_dirty", NOTE_CAST);
            name[0] = "alice@a";
        }
        w.now_ns += 10 * SECOND;
        w.conn.number = first + 3;
        if (away != 4)
            say_message(1, 0, "mnesia", "mnesia_monitor", NOTE_CAST); /* a new link */
        ask(0, 1, "true");
        ask(1, 0, "true");
        if (away == 0 || away == 2)
            detail_is("their tables may differ from now on");
        else if (away == 1 || away == 4)
            detail_is("their tables may differ from now on; in that time alice@a wrote to tables with carol@c "
                      "(what bob@b wrote by itself is in no packet)");
        else
            detail_is("their tables may differ from now on; in that time alice@a wrote to tables with carol@c, "
                      "and bob@b wrote to tables with dan@d");
    }
}

/* Each allocation may fail: a finding is complete, or the failure is counted. */
static void run_without_memory(void *context)
{
    struct ds_stats stats = {0};
    (void)context;
    if (w.findings == NULL)
        return;
    say_message(0, 1, "rabbit", "rabbit_node_monitor", NOTE_CAST);
    say_message(0, 1, "mnesia", "mnesia_tm:ask_commit", NOTE_REQUEST);
    ask(0, 1, "true");
    ask(1, 0, "true");
    findings_add_stats(w.findings, &stats);
    assert_true(w.num == 1 || stats.no_memory != 0);
}

static void no_memory(void **state)
{
    struct ds_stats stats = {0};
    (void)state;
    begin_split();
    run_without_memory(NULL);
    findings_add_stats(w.findings, &stats);
    assert_int_equal(stats.no_memory, 0);
    for (unsigned long nth = 1; nth <= 12; nth++) {
        begin_split();
        begin_terms();
        failing_alloc_from(nth);
        run_without_memory(NULL);
        failing_alloc_from(0);
        failing_alloc_at(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits), cmocka_unit_test(starts), cmocka_unit_test(is_over),
        cmocka_unit_test(applications), cmocka_unit_test(writes), cmocka_unit_test(written_when), cmocka_unit_test(nameless), cmocka_unit_test(no_memory),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    findings_free(w.findings);
    ds_buffer_free(&term_bytes);
    return failed;
}
