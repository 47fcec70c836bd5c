/*
 * test_findings_messages.c - findings about messages: calls, copies, new atoms, code that is missing; for each code
 * records that raise it, and near misses that do not.
 */
#include "findings_world.h"

static void calls(void **state)
{
    (void)state;
    begin();
    call(CALL_UNANSWERED, 5 * SECOND);
    found("DS305");
    sentence_is("a gen:call to calc of bob@b is not answered");
    begin();
    call(CALL_UNANSWERED, 5 * SECOND - 1);
    found("");
    begin(); /* the answer may be among the missing bytes */
    const struct ds_event gap = event_of(DS_EVENT_GAP, 1);
    put(&gap);
    call(CALL_UNANSWERED, 5 * SECOND);
    found("");
    begin(); /* the callee is unknown: so is the sender of the answer */
    const struct call unknown = {.number = 1, .conn = 1, .label = "gen:call", .group = "",
                                 .start_ns = w.now_ns, .end_ns = w.now_ns + 9 * SECOND,
                                 .outcome = CALL_UNANSWERED};
    findings_record(w.findings, &(struct record){.call = &unknown});
    found("");
    begin(); /* unless that was before the request */
    const struct ds_event before = event_of(DS_EVENT_GAP, 1);
    put(&before);
    w.now_ns += MS;
    call(CALL_UNANSWERED, 5 * SECOND);
    found("DS305");
    for (int good = 3; good < 6; good++) {
        begin();
        for (int i = 0; i < good; i++)
            call(CALL_OK, MS);
        call(CALL_NOPROC, MS);
        found(good == 4 ? "DS310" : "");
    }
    begin();
    struct ds_event event = event_of(DS_EVENT_MESSAGE, 1);
    w.conn.end[0].node = text("alice@a");
    w.conn.end[1].node = text("bob@b");
    struct record late = {.event = &event, .note = {.late = true, .label = "gen:call", .call = 9}};
    findings_record(w.findings, &late);
    late.note.late = false;
    findings_record(w.findings, &late);
    found("DS301");
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    begin(); /* global's, or similar */
    late.note.late = true;
    late.note.group = "otp";
    findings_record(w.findings, &late);
    found("DS301");
    assert_int_equal(w.last.severity, SEVERITY_NOTE);
    for (uint64_t gaps = 0; gaps < 2; gaps++) {
        begin();
        event = event_of(DS_EVENT_MESSAGE, 0);
        event.fault = (struct ds_fault){DS_FAULT_MALFORMED, 9, "no term begins like this"};
        w.conn.counters[0].gaps = gaps;
        put(&event);
        found(gaps ? "" : "DS306");
        if (gaps == 0)
            assert_int_equal(w.last.certainty, CERTAINTY_LIKELY); /* it was unreadable */
    }
    begin();
    event.message.control = (struct ds_term){.data = (const uint8_t *)"j", .len = 1};
    w.conn.counters[0].gaps = 0;
    put(&event);
    found("DS306");
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
}

static void kills(void **state)
{
    static const uint8_t atoms[2][6] = {{119, 4, 'k', 'i', 'l', 'l'}, {119, 4, 'k', 'i', 'l', 'n'}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin();
        struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
        event.message.op = ds_op_find(26);
        event.message.payload = (struct ds_term){.data = atoms[i], .len = sizeof atoms[i]};
        const struct record record = {.event = &event, .note = {.role = NOTE_EXIT}};
        findings_record(w.findings, &record);
        found(i == 0 ? "DS311" : "");
    }
}

static void earlier_life(void **state)
{
    static const struct {
        uint8_t creation;
        uint8_t op;
        const char *codes;
    } cases[] = {{5, 22, ""}, {7, 22, "DS308"}, {0, 22, ""}, {7, 20, ""}, {7, 19, "DS308"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t pid[] = {88, 82, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, cases[i].creation};
        begin();
        up();
        struct ds_event event = message(0, NULL, 0);
        event.message.op = ds_op_find(cases[i].op);
        event.message.role[DS_ROLE_TO] = (struct ds_term){
            .data = pid, .len = sizeof pid, .atoms = node_atoms, .num_atoms = 1};
        put(&event);
        found(cases[i].codes);
    }
}

static void fan_out(void **state)
{
    static uint8_t payload[30000];
    enum { SAME_NODE, OTHER_NODES, OTHER_PAYLOADS, ONE_PROCESS, LATER, FEW, CASES };
    static const char *const codes[CASES] = {"DS307", "DS307", "", "", "", ""};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        for (uint8_t n = 0; n < (i == FEW ? 3 : 5); n++) {
            const uint8_t name[] = {119, 1, i == ONE_PROCESS ? 'a' : (uint8_t)('a' + n)};
            struct ds_event event = message(0, payload, sizeof payload);
            event.message.role[DS_ROLE_TO] = (struct ds_term){.data = name, .len = sizeof name};
            payload[20000] = i == OTHER_PAYLOADS ? n : 0; /* between the samples */
            w.now_ns += i == LATER ? 2 * SECOND : MS;
            event.ts_ns = w.now_ns;
            put(&event);
            if (i == OTHER_NODES) {
                const struct ds_endpoint alice = w.conn.end[0];
                next_conn();
                w.conn.end[0] = alice;
            }
        }
        found(codes[i]);
        if (w.num != 0)
            assert_int_equal(w.last.severity, i == SAME_NODE ? SEVERITY_WARNING : SEVERITY_NOTE);
    }
}

static void new_atoms(void **state)
{
    enum { NUMBERED, KNOWN, NODES, THE_SAME, WORDS, CASES };
    static const char *const codes[CASES] = {"DS309", "", "", "", ""};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        for (int n = 0; n < 300; n++) {
            char name[40];
            snprintf(name, sizeof name, i == NODES ? "n%x@host" : "user_%x", i == THE_SAME ? 1 : n);
            if (i == WORDS)
                snprintf(name, sizeof name, "u%c%c", 'g' + n % 20, 'g' + n / 20);
            const struct ds_atom atom = {.text = (const uint8_t *)name,
                                         .len = (uint16_t)strlen(name),
                                         .state = DS_ATOM_KNOWN,
                                         .is_new = i != KNOWN};
            struct ds_event event = message(0, NULL, 0);
            event.message.control = (struct ds_term){.atoms = &atom, .num_atoms = 1};
            put(&event);
        }
        found(codes[i]);
    }
}

static void missing_code(void **state)
{
    static const struct {
        const char *why, *fun, *codes;
        enum certainty certainty;
    } cases[] = {{"undef", "f", "DS302", CERTAINTY_LIKELY},
                 {"undef", "g", "DS302", CERTAINTY_POSSIBLE},
                 {"function_clause", "f", "DS302", CERTAINTY_LIKELY},
                 {"function_clause", "g", "", CERTAINTY_SURE},
                 {"badarg", "f", "", CERTAINTY_SURE}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const bool wraps = i % 2 != 0; /* {'EXIT', ...} */
        begin();
        begin_terms();
        if (wraps) {
            put_tuple(2);
            put_atom("EXIT");
        }
        put_reason(cases[i / 2].why, cases[i / 2].fun);
        const struct ds_term reason = term_since(0);
        size_t at = term_bytes.len;
        put_atom("m");
        const struct ds_term mod = term_since(at);
        at = term_bytes.len;
        put_atom("f");
        const struct ds_term fun = term_since(at);
        at = term_bytes.len;
        put_list(1);
        put_small(7);
        put_nil();
        const struct call call = {.number = 1, .conn = 1, .label = "rpc:call", .group = "",
                                  .caller = {.node = text("alice@a")},
                                  .callee = {.node = text("bob@b")},
                                  .mod = mod, .fun = fun, .args = term_since(at),
                                  .outcome = CALL_ERROR, .error_class = "error",
                                  .reason = reason, .end_ns = w.now_ns};
        const struct record record = {.call = &call};
        findings_record(w.findings, &record);
        found(cases[i / 2].codes);
        if (w.num != 0)
            assert_int_equal(w.last.certainty, cases[i / 2].certainty);
    }
    begin(); /* a fun whose code is missing */
    begin_terms();
    put_tuple(2);
    put_tuple(2);
    put_atom("badfun");
    put_atom("f");
    put_nil();
    const struct call call = {.label = "erpc:call", .group = "", .outcome = CALL_ERROR,
                              .callee = {.node = text("bob@b")}, .reason = term_since(0)};
    const struct record record = {.call = &call};
    findings_record(w.findings, &record);
    found("DS302");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls), cmocka_unit_test(kills), cmocka_unit_test(earlier_life),
        cmocka_unit_test(fan_out), cmocka_unit_test(new_atoms), cmocka_unit_test(missing_code),
    };
    leaves_out = "DS214"; /* test_findings_stall.c has them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
