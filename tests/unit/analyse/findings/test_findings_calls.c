/*
 * test_findings_calls.c - findings about calls: which callees are known well enough, how many calls
 * must fail and how they are counted, and what a reason says about missing code.
 */
#include "findings_world.h"

/* A call that hangs: something must be known about its callee. */
static void hung(void **state)
{
    static const struct {
        bool has_node, has_name, has_pid;
        const char *codes;
    } cases[] = {{true, false, false, "DS305"},
                 {false, true, false, "DS305"},
                 {false, false, true, "DS305"},
                 {false, false, false, ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        struct call call = call_of(CALL_UNANSWERED);
        call.end_ns = call.start_ns + 5 * SECOND;
        call.callee = (struct party){.has_pid = cases[i].has_pid, .id = 7};
        if (cases[i].has_node)
            call.callee.node = text("bob@b");
        if (cases[i].has_name)
            call.callee.name = text("calc");
        put_call(&call);
        found(cases[i].codes);
    }
    for (int types = 0; types < 2; types++) { /* a user who types may think first */
        begin();
        struct call call = call_of(CALL_UNANSWERED);
        call.end_ns = call.start_ns + 5 * SECOND;
        call.awaits_input = types;
        put_call(&call);
        found(types ? "" : "DS305");
    }
    for (int began_later = 0; began_later < 2; began_later++) { /* overdue calls have been reported */
        int64_t until_ns;
        begin();
        findings_overdue_after(w.findings, w.now_ns, &until_ns);
        struct call call = call_of(CALL_UNANSWERED);
        call.label = "erpc:call";
        call.start_ns = until_ns + began_later;
        call.end_ns = call.start_ns + 5 * SECOND;
        put_call(&call);
        found(began_later ? "DS305" : "");
        if (began_later)
            sentence_is("an erpc:call to calc of bob@b is not answered");
    }
}

/* A finding that rests on likely atoms is at most likely; a less certain one stays so. */
static void rests_on_likely_atoms(void **state)
{
    (void)state;
    for (int likely_at = -1; likely_at < 5; likely_at++) { /* one of five that fail */
        begin();
        for (int i = 0; i < 5; i++) {
            struct call call = call_of(CALL_ERROR);
            call.likely_atoms = i == likely_at ? 2 : 0;
            put_call(&call);
        }
        found("DS310");
        assert_int_equal(w.last.certainty, likely_at >= 0 ? CERTAINTY_LIKELY : CERTAINTY_SURE);
        assert_int_equal(w.last.proof != NULL, likely_at >= 0);
    }
    begin(); /* about an answered call, the others do not matter */
    for (int i = 0; i < 5; i++) {
        struct call call = call_of(i == 0 ? CALL_OK : CALL_ERROR);
        call.likely_atoms = i == 0;
        put_call(&call);
    }
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    begin(); /* the message of a late reply */
    for (int i = 0; i < 2; i++) {
        struct ds_event event = message(1, "", 0);
        event.likely_atoms = (uint32_t)i;
        findings_record(w.findings, &(struct record){.event = &event, .note = {.late = true, .role = NOTE_REPLY,
                                                                              .label = i == 0 ? "a" : "b"}});
        found(i == 0 ? "DS301" : "DS301 DS301");
        assert_int_equal(w.last.certainty, i == 0 ? CERTAINTY_SURE : CERTAINTY_LIKELY);
    }
}

static void says(int dir, uint32_t unknown, uint32_t likely, enum ds_fault_kind fault)
{
    struct ds_event event = message(dir, "", 0);
    event.unknown_atoms = unknown;
    event.likely_atoms = likely;
    event.fault.kind = fault;
    put(&event);
}

/* The answer may be among unreadable messages since then. */
static void hung_on_what_is_not_read(void **state)
{
    enum { UNKNOWN, LIKELY, MALFORMED, READ, BEFORE, OTHER_WAY, OTHER_LINK, NO_NODE, EPMD_NAME, NO_CALLEE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        struct call call = call_of(CALL_UNANSWERED);
        call.conn = w.conn.number;
        call.callee.node = text(i == NO_CALLEE ? "" : "bob@b");
        if (i == NO_CALLEE)
            call.callee.node.data = NULL;
        call.end_ns = call.start_ns + 5 * SECOND;
        w.conn.end[0].node = text("alice@a");
        w.conn.end[1].node = text(i == EPMD_NAME ? "bob" : "bob@b");
        if (i == NO_NODE)
            w.conn.end[1].node.data = NULL;
        w.now_ns -= i == BEFORE;
        if (i == OTHER_LINK)
            next_conn();
        says(i != OTHER_WAY, i != READ && i != LIKELY && i != MALFORMED, i == LIKELY,
             i == MALFORMED ? DS_FAULT_JOINED_LATE : DS_FAULT_NONE);
        put_call(&call);
        const bool is_hung = i == READ || i == BEFORE || i == OTHER_WAY || i == OTHER_LINK;
        found(is_hung ? "DS305" : "");
        assert_int_equal(strstr(w.unchecked, "1 call without an answer, which may be among messages") != NULL, !is_hung);
    }
}

/* Failures are counted on: at each doubling, and at the end. */
static void failures_go_on(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 13; i++) {
        static const char *const details[] = {[4] = "5 of 5 calls failed so far",
                                              [9] = "10 of 10 calls failed so far"};
        struct call call = call_of(CALL_NOPROC);
        put_call(&call);
        if (i >= 4)
            detail_has(details[i >= 9 ? 9 : 4]);
    }
    found("DS310");
    detail_has("13 of 13 calls failed: 13 noproc; most recent: call #13");
    assert_int_equal(w.last.count, 1);
    begin(); /* those that succeed count as well */
    for (int i = 0; i < 8; i++) {
        struct call call = call_of(i < 5 ? CALL_NOPROC : CALL_OK);
        put_call(&call);
    }
    found("DS310");
    detail_has("5 of 8 calls failed: 5 noproc; most recent: call #5");
}

/* A process that is told to stop does not fail, nor do calls to it a moment later. */
static void stops_in_order(void **state)
{
    enum { NORMAL, SHUTDOWN, WITH_WHY, WITH_CALL, EXIT, CRASH, DEEP, SOON, LATE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        begin_terms();
        struct call call = call_of(CALL_ERROR);
        if (i == WITH_WHY || i == WITH_CALL || i == EXIT || i == DEEP)
            put_tuple(2);
        if (i == EXIT)
            put_atom("EXIT");
        if (i == DEEP) {
            put_tuple(2);
            put_tuple(2);
        }
        put_atom(i == NORMAL ? "normal" : i == CRASH ? "badarith" : "shutdown");
        for (int more = i == DEEP ? 3 : i == WITH_WHY || i == WITH_CALL; more > 0; more--)
            put_atom("why");
        call.reason = term_since(0);
        for (int n = 0; n < 5; n++) {
            if (n == 1 && i >= SOON) {
                call = call_of(CALL_NOPROC);
                call.end_ns = w.now_ns + MS + 10 * SECOND - (i == SOON);
            }
            call.number = (uint64_t)n + 1;
            put_call(&call);
        }
        found(i == CRASH || i == DEEP || i == LATE ? "DS310" : "");
    }
}

/* Outcomes that are failures, and their names. */
static void failures(void **state)
{
    static const struct {
        enum call_outcome outcome;
        const char *detail; /* NULL: no failure */
    } cases[] = {{CALL_NOPROC, "1 of 5 calls failed: 1 noproc; most recent: call #5"},
                 {CALL_ERROR, "1 of 5 calls failed: 1 with an error; "},
                 {CALL_TIMEOUT, "1 of 5 calls failed: 1 timed out; "},
                 {CALL_ABANDONED, "1 of 5 calls failed: 1 abandoned; "},
                 {CALL_UNANSWERED, NULL},
                 {CALL_NOCONNECTION, NULL},
                 {CALL_UNKNOWN, NULL}};
    static const enum call_outcome mixed[] = {CALL_OK, CALL_NOPROC, CALL_ERROR, CALL_TIMEOUT,
                                              CALL_ABANDONED, CALL_NOPROC};
    struct call call;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        for (int n = 0; n < 5; n++) {
            call = call_of(n < 4 ? CALL_OK : cases[i].outcome);
            put_call(&call);
        }
        found(cases[i].detail != NULL ? "DS310" : "");
        if (cases[i].detail == NULL)
            continue;
        detail_has(cases[i].detail);
        assert_int_equal(w.last.evidence[0].conn, 3);
        assert_int_equal(w.last.evidence[0].ts_ns, call.end_ns);
        assert_int_not_equal(w.last.severity, SEVERITY_NOTE);
    }
    begin(); /* all kinds; and later failures are not reported again */
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++) {
        call = call_of(mixed[i]);
        put_call(&call);
    }
    detail_has("4 of 5 calls failed so far: 1 noproc, 1 timed out, 1 abandoned, 1 with an error; ");
    found("DS310");
    assert_int_equal(w.last.count, 1);
    detail_has("5 of 6 calls failed: 2 noproc, 1 timed out, 1 abandoned, 1 with an error; most recent: call #6");
    for (int i = 0; i < 3; i++) { /* OTP's own are minor; those without a callee are not counted */
        begin();
        for (int n = 0; n < 5; n++) {
            call = call_of(CALL_NOPROC);
            call.group = "otp";
            if (i == 1)
                call.callee.node = (struct ds_text){NULL, 0};
            if (i == 2)
                call.callee.name = (struct ds_text){NULL, 0};
            put_call(&call);
        }
        found(i == 0 ? "DS310" : "");
        if (i == 0)
            assert_int_equal(w.last.severity, SEVERITY_NOTE);
    }
}

/* The cap on callees, and the greatest length of names. */
static void caps(void **state)
{
    enum { MAX_CALLEES = 1024 };
    struct call call;
    (void)state;
    for (int num = MAX_CALLEES - 1; num <= MAX_CALLEES; num++) {
        begin();
        for (int i = 0; i < 4; i++) {
            call = call_of(CALL_NOPROC);
            put_call(&call);
        }
        for (int i = 0; i < num; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%d", i);
            call = call_of(CALL_OK);
            call.callee.name = text(name);
            put_call(&call);
        }
        call = call_of(CALL_NOPROC);
        put_call(&call);
        found(num < MAX_CALLEES ? "DS310" : "");
    }
    char node[FINDING_NODE_LEN + 1];
    memset(node, 'n', sizeof node);
    for (size_t len = FINDING_NODE_LEN; len <= sizeof node; len++) {
        begin();
        call = call_of(CALL_UNANSWERED);
        call.end_ns = call.start_ns + 5 * SECOND;
        call.callee.node = (struct ds_text){node, len};
        put_call(&call);
        found("DS305");
        assert_int_equal(w.last.node[1].len, len == FINDING_NODE_LEN ? len : 0);
    }
}

static void late_replies(void **state)
{
    (void)state;
    for (int is_known = 0; is_known < 2; is_known++) {
        begin();
        struct ds_event event = event_of(DS_EVENT_MESSAGE, 1);
        findings_record(w.findings,
                        &(struct record){.event = &event,
                                         .note = {.late = true, .has_latency = is_known,
                                                  .latency_ns = 6 * SECOND, .call = 9}});
        found("DS301");
        if (is_known)
            detail_has("after 6.00 s, call #9");
        else
            assert_int_equal(w.last.detail.len, 0);
    }
}

/* Code that is not there. */

/* put_entry is the top of a stack: {Module, Function, Arity or arguments, Place}. */
static void put_entry(const char *mod, const char *fun, int num_args, bool as_list)
{
    put_list(1);
    put_tuple(4);
    put_atom(mod);
    put_atom(fun);
    if (as_list && num_args != 0)
        put_list((uint8_t)num_args);
    for (int i = 0; as_list && i < num_args; i++)
        put_small(7);
    if (as_list)
        put_nil();
    else
        put_small((uint8_t)num_args);
    put_nil();
    put_nil();
}

/* fails_with plays a call of m:f(7) that ends with the reason in term_bytes. */
static void fails_with(bool has_names)
{
    const struct ds_term reason = term_since(0);
    struct call call = call_of(CALL_ERROR);
    call.reason = reason;
    if (has_names) {
        size_t at = term_bytes.len;
        put_atom("m");
        call.mod = term_since(at);
        at = term_bytes.len;
        put_atom("f");
        call.fun = term_since(at);
        at = term_bytes.len;
        put_list(1);
        put_small(7);
        put_nil();
        call.args = term_since(at);
    }
    call.label = "rpc:call";
    put_call(&call);
}

static void missing_functions(void **state)
{
    static const struct {
        const char *why, *mod, *fun;
        int num_args;
        bool as_list, has_names;
        const char *sentence; /* NULL: no finding */
        enum certainty certainty;
    } cases[] = {
        {"undef", "m", "f", 1, false, true, "bob@b does not have m:f/1", CERTAINTY_LIKELY},
        {"undef", "m", "g", 0, false, true, "bob@b does not have m:g/0", CERTAINTY_POSSIBLE},
        {"undef", "m", "g", 0, true, true, "bob@b does not have m:g/0", CERTAINTY_POSSIBLE},
        {"undef", "m", "g", 2, true, true, "bob@b does not have m:g/2", CERTAINTY_POSSIBLE},
        {"undef", "n", "f", 1, false, true, "bob@b does not have n:f/1", CERTAINTY_POSSIBLE},
        {"undef", "n", "f", 1, false, false, "bob@b does not have n:f/1", CERTAINTY_POSSIBLE},
        {"function_clause", "m", "f", 1, false, true, "bob@b has another version of m:f/1", CERTAINTY_LIKELY},
        {"function_clause", "n", "f", 1, false, true, NULL, CERTAINTY_SURE},
        {"function_clause", "m", "f", 1, false, false, NULL, CERTAINTY_SURE},
        {"undef", NULL, NULL, 0, false, true, "bob@b does not have m:f/1", CERTAINTY_LIKELY},
        {"undef", NULL, NULL, 0, false, false, NULL, CERTAINTY_SURE},
        {"function_clause", NULL, NULL, 0, false, true, NULL, CERTAINTY_SURE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        begin_terms();
        if (cases[i].mod != NULL)
            put_tuple(2);
        put_atom(cases[i].why);
        if (cases[i].mod != NULL)
            put_entry(cases[i].mod, cases[i].fun, cases[i].num_args, cases[i].as_list);
        fails_with(cases[i].has_names);
        found(cases[i].sentence != NULL ? "DS302" : "");
        if (cases[i].sentence == NULL)
            continue;
        sentence_is(cases[i].sentence);
        assert_int_equal(w.last.certainty, cases[i].certainty);
    }
    begin();
    begin_terms();
    put_tuple(2);
    put_tuple(2);
    put_atom("badfun");
    put_atom("f");
    put_nil();
    fails_with(false);
    found("DS302");
    sentence_is("bob@b does not have the code of a fun that it was sent");
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
}

/* {'EXIT', {{undef, Stack}, {m, f, [7]}}} is the deepest nesting that is searched. */
static void wrapped_reasons(void **state)
{
    (void)state;
    for (int exits = 1; exits <= 2; exits++) {
        begin();
        begin_terms();
        for (int i = 0; i < exits; i++) {
            put_tuple(2);
            put_atom("EXIT");
        }
        put_tuple(2);
        put_tuple(2);
        put_atom("undef");
        put_entry("m", "f", 1, false);
        put_tuple(3);
        put_atom("m");
        put_atom("f");
        put_nil();
        fails_with(true);
        found(exits == 1 ? "DS302" : "");
    }
}

/* Outcomes are counted separately, and only ok ones are called fine. */
static void outcomes(void **state)
{
    static const struct {
        unsigned num[CALL_OUTCOME_COUNT];
        const char *line;
        enum severity severity;
    } cases[] = {
        {{[CALL_OK] = 1}, "1 call: 1 ok, none still open", SEVERITY_FINE},
        {{[CALL_OK] = 2, [CALL_ANSWERED_ELSEWHERE] = 1},
         "3 calls: 2 ok, 1 answered elsewhere, none still open",
         SEVERITY_FINE},
        {{[CALL_OK] = 9, [CALL_TIMEOUT] = 3, [CALL_ERROR] = 3, [CALL_NOPROC] = 1},
         "16 calls: 9 ok, 3 timed out, 3 failed (error), 1 noproc, none still open",
         SEVERITY_COUNTED},
        {{[CALL_ABANDONED] = 1}, "1 call: 1 abandoned, none still open", SEVERITY_COUNTED},
        {{[CALL_NOCONNECTION] = 1}, "1 call: 1 noconnection, none still open", SEVERITY_COUNTED},
        {{[CALL_UNKNOWN] = 1}, "1 call: 1 unknown, none still open", SEVERITY_COUNTED},
        {{[CALL_UNANSWERED] = 2}, "2 calls: 2 unanswered", SEVERITY_COUNTED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        for (int outcome = 0; outcome < CALL_OUTCOME_COUNT; outcome++) {
            for (unsigned n = 0; n < cases[i].num[outcome]; n++) {
                const struct call call = call_of((enum call_outcome)outcome);
                put_call(&call);
            }
        }
        findings_sum_up(w.findings);
        assert_null(strstr(w.calls, "none still open")); /* that is not known yet */
        findings_end(w.findings);
        assert_string_equal(w.calls, cases[i].line);
        assert_int_equal(w.calls_severity, cases[i].severity);
    }
    begin();
    findings_end(w.findings);
    assert_string_equal(w.calls, "");
}

/* A call that the capture leaves without an answer, for longer than its callee takes: the verdict says so. */
static void overdue(void **state)
{
    static const struct {
        int answers; /* each took 10 ms */
        int64_t open_ns;
        const char *name; /* of whom it asks */
        bool awaits_input;
        enum call_outcome outcome;
        bool is_told;
    } cases[] = {{3, 20 * MS + 2, "calc", false, CALL_UNANSWERED, true},
                 {3, 20 * MS + 1, "calc", false, CALL_UNANSWERED, false},
                 {3, 20 * MS + 2, "calc", true, CALL_UNANSWERED, false},
                 {3, 20 * MS + 2, "calc", false, CALL_UNKNOWN, false},
                 {3, 20 * MS + 2, "shop", false, CALL_UNANSWERED, true}, /* another one: what all take */
                 {3, 20 * MS + 1, "shop", false, CALL_UNANSWERED, false},
                 {3, 20 * MS + 2, NULL, false, CALL_UNANSWERED, true},
                 {2, 20 * MS + 2, "calc", false, CALL_UNANSWERED, false}, /* too few are known */
                 {2, SECOND - 1, "calc", false, CALL_UNANSWERED, false},
                 {2, SECOND, "calc", false, CALL_UNANSWERED, true},
                 {0, SECOND, NULL, false, CALL_UNANSWERED, true},
                 {0, 5 * SECOND - 1, NULL, false, CALL_UNANSWERED, true},
                 {0, 5 * SECOND, NULL, false, CALL_UNANSWERED, false}}; /* DS305 */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        for (int j = 0; j < cases[i].answers; j++) {
            struct call answered = call_of(CALL_OK);
            answered.end_ns = answered.start_ns + (j == 0 ? 10 : 5) * MS;
            put_call(&answered);
        }
        struct call call = call_of(cases[i].outcome);
        call.end_ns = call.start_ns + cases[i].open_ns;
        call.awaits_input = cases[i].awaits_input;
        call.callee.name = cases[i].name != NULL ? text(cases[i].name) : (struct ds_text){0};
        put_call(&call);
        findings_end(w.findings);
        assert_int_equal(w.limits[LIMITS_ANSWERS], cases[i].is_told);
        assert_int_equal(strstr(w.unchecked, "1 call without an answer when the capture ended") != NULL,
                         cases[i].is_told);
        assert_int_equal(w.num, cases[i].open_ns == 5 * SECOND);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overdue),
        cmocka_unit_test(hung),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(rests_on_likely_atoms),
        cmocka_unit_test(hung_on_what_is_not_read),
        cmocka_unit_test(failures_go_on),
        cmocka_unit_test(stops_in_order),
        cmocka_unit_test(failures),
        cmocka_unit_test(caps),
        cmocka_unit_test(late_replies),
        cmocka_unit_test(missing_functions),
        cmocka_unit_test(wrapped_reasons),
    };
    leaves_out = "DS313"; /* test_findings_crash.c has them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
