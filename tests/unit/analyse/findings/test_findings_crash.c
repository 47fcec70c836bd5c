/*
 * test_findings_crash.c - DS312, a request crashed its callee: which reasons are those of a crash, what is
 * counted once, a crash loop, and whether it came back; DS313, calls that time out.
 * test_findings_crash_watched.c has the crashes that monitors and links report.
 */
#include "crash_world.h"

static void reasons(void **state)
{
    static const struct {
        const char *why, *callback; /* callback NULL: an atom alone */
        enum certainty certainty;
        bool is_crash;
    } cases[] = {{"badarith", "handle_call", CERTAINTY_SURE, true},
                 {"badarith", "loop", CERTAINTY_LIKELY, true},
                 {"badarith", "handle_info", CERTAINTY_POSSIBLE, true},
                 {"badarith", "handle_cast", CERTAINTY_POSSIBLE, true},
                 {"boom", NULL, CERTAINTY_LIKELY, true},
                 {"normal", NULL, 0, false},
                 {"shutdown", NULL, 0, false},
                 {"killed", NULL, 0, false},
                 {"kill", NULL, 0, false},
                 {"noproc", NULL, 0, false},
                 {"noconnection", NULL, 0, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_calls();
        if (cases[i].callback != NULL)
            put_stack(cases[i].why, cases[i].callback);
        else
            put_atom(cases[i].why);
        const struct call call = ended();
        put_call(&call);
        found(cases[i].is_crash ? "DS312" : "");
        if (!cases[i].is_crash)
            continue;
        assert_int_equal(w.last.severity, SEVERITY_WARNING);
        assert_int_equal(w.last.certainty, cases[i].certainty);
        sentence_is("a request crashed calc of bob@b");
        detail_has(cases[i].callback != NULL ? "its exit reason was badarith in calc:divide/2; "
                                              : "its exit reason was boom; ");
    }
    begin_calls(); /* {shutdown, _} */
    put_tuple(2);
    put_atom("shutdown");
    put_atom("upgrade");
    struct call call = ended();
    put_call(&call);
    found("");
    begin_calls(); /* {{badarith, Stack}, {gen_server, call, _}}: it died of a call of its own */
    put_tuple(2);
    put_stack("badarith", "handle_call");
    put_tuple(2);
    put_atom("gen_server");
    put_atom("call");
    call = ended();
    put_call(&call);
    found("DS312");
    detail_has("its exit reason was badarith in calc:divide/2; ");
    for (int i = 0; i < 3; i++) { /* an answer that is an error; a class of another kind; erpc */
        begin_calls();
        put_stack("badarith", "handle_call");
        call = ended();
        if (i == 0)
            call.error_class = "error";
        if (i == 1)
            call.outcome = CALL_OK;
        if (i == 2)
            call.label = "erpc:call";
        put_call(&call);
        found("");
    }
}

/* put_exception is %RuntimeError{message: "out of stock"}, or not an exception. */
static void put_exception(const char *is_one)
{
    static const uint8_t head[] = {116, 0, 0, 0, 3};
    put_bytes(head, sizeof head);
    put_atom("__exception__");
    put_atom(is_one);
    put_atom("__struct__");
    put_atom("Elixir.RuntimeError");
    put_atom("message");
    put_binary("out of stock");
}

static void put_elixir_stack(void)
{
    put_list(1);
    put_tuple(4);
    put_atom("Elixir.Shop");
    put_atom("handle_call");
    put_small(3);
    put_nil();
    put_nil();
}

/* {%RuntimeError{}, Stack}, alone, within what called it, or without a stack. */
static void exceptions(void **state)
{
    enum { WITH_STACK, WITHIN_CALL, ALONE, NONE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_calls();
        if (i == WITHIN_CALL)
            put_tuple(2);
        if (i < ALONE)
            put_tuple(2);
        put_exception(i == NONE ? "false" : "true");
        if (i < ALONE)
            put_elixir_stack();
        if (i == WITHIN_CALL) {
            put_tuple(2);
            put_atom("Elixir.GenServer");
            put_atom("call");
        }
        const struct call call = ended();
        put_call(&call);
        found(i == NONE ? "" : "DS312");
        if (i == NONE)
            continue;
        detail_has(i == ALONE ? "its exit reason was Elixir.RuntimeError; "
                              : "its exit reason was Elixir.RuntimeError in Elixir.Shop:handle_call/3; ");
        assert_int_equal(w.last.certainty, i == ALONE ? CERTAINTY_LIKELY : CERTAINTY_SURE);
    }
}

/* Atoms that are not known: what has a stack is a crash; what may be shutdown is none. */
static void unknown_reasons(void **state)
{
    enum { ALONE, WITH_STACK, WITH_DETAIL, FUNCTION, CASES };
    static const struct ds_atom unknown = {.slot = 1, .state = DS_ATOM_UNKNOWN};
    static const uint8_t ref[] = {82, 0};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_calls();
        if (i != ALONE)
            put_tuple(2);
        if (i == FUNCTION)
            put_atom("badarith");
        else
            put_bytes(ref, sizeof ref);
        if (i == WITH_DETAIL)
            put_atom("upgrade");
        if (i == WITH_STACK)
            put_elixir_stack();
        if (i == FUNCTION) {
            put_list(1);
            put_tuple(4);
            put_bytes(ref, sizeof ref);
            put_bytes(ref, sizeof ref);
            put_small(3);
            put_nil();
            put_nil();
        }
        struct call call = ended();
        call.reason.atoms = &unknown;
        call.reason.num_atoms = 1;
        put_call(&call);
        found(i == WITH_STACK || i == FUNCTION ? "DS312" : "");
        if (i == WITH_STACK)
            detail_has("its exit reason was an unknown atom in Elixir.Shop:handle_call/3; ");
    }
}

/* The name of who was asked may be an atom that is not known: where it crashed says whether it did so again. */
static void unknown_callees(void **state)
{
    enum { ALIKE, OTHER_PLACE, OTHER_CONN, TOGETHER, NAMED, NAMED_OTHERS, NAMED_ELSEWHERE, ROLE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_calls();
        struct ds_event event = message(1, "j", 1);
        event.message.op = ds_op_find(28); /* payload_monitor_p_exit */
        for (int j = 0; j < 3; j++) {
            put_stack((i == OTHER_PLACE || i == NAMED) && j == 1 ? "badmatch" : "badarith", "handle_call");
            struct call call = ended();
            const size_t at = term_bytes.len;
            put_atom(i == NAMED_OTHERS && j == 1 ? "shop" : "bank");
            if (i >= NAMED && i <= NAMED_ELSEWHERE)
                event.message.role[DS_ROLE_FROM] = term_since(at);
            call.callee = (struct party){0};
            call.conn = (i == OTHER_CONN || i == NAMED_ELSEWHERE) && j == 1 ? 4 : 3;
            if (i == TOGETHER && j == 2)
                call.start_ns = w.now_ns - 2 * SECOND;
            struct record record = {.event = &event, .call = &call};
            if (i == ROLE)
                record.note.from_name = text("bank");
            findings_record(w.findings, &record);
            w.now_ns += SECOND;
            begin_terms();
        }
        found(i == TOGETHER ? "DS312 DS312" : "DS312 DS312 DS312");
        /* Its name is told by its exit, where the request does not have it. */
        sentence_is(i >= NAMED ? "a request crashed bank of 10.0.0.2:5555"
                               : "a request crashed a process of 10.0.0.2:5555");
        assert_int_equal(w.last.severity, i == ALIKE || i == NAMED || i == ROLE ? SEVERITY_ERROR : SEVERITY_WARNING);
    }
}

static void gap(void **state)
{
    (void)state;
    begin_calls();
    w.conn.number = 3;
    const struct ds_event event = event_of(DS_EVENT_GAP, 0);
    put(&event);
    put_stack("badarith", "handle_call");
    const struct call call = ended();
    put_call(&call);
    found("DS312");
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
}

static void loop(void **state)
{
    (void)state;
    for (int is_slow = 0; is_slow < 2; is_slow++) {
        begin_calls();
        put_stack("badarith", "handle_call");
        for (int i = 0; i < 3; i++) {
            struct call call = ended(), other = ended();
            call.end_ns = other.end_ns = call.start_ns + MS;
            put_call(&call);
            put_call(&other); /* it waited for the same process */
            w.now_ns += 30 * SECOND + is_slow;
        }
        found("DS312 DS312 DS312"); /* one, which counts */
        assert_int_equal(w.last.count, 3);
        assert_int_equal(w.last.severity, is_slow ? SEVERITY_WARNING : SEVERITY_ERROR);
        if (!is_slow)
            detail_has("a crash loop: 3 times within 1.0 min");
    }
}

/* A request that waits for long waits for the next process, which ends as well. */
static void together(void **state)
{
    (void)state;
    for (int is_later = 0; is_later < 2; is_later++) {
        begin_calls();
        put_stack("badarith", "handle_call");
        struct call call = ended(), other = ended();
        other.end_ns = call.end_ns + SECOND + is_later;
        put_call(&call);
        put_call(&other);
        found(is_later ? "DS312 DS312" : "DS312");
    }
}

/* Three times in a while, then in a loop: it is told anew, as an error. */
static void becomes_worse(void **state)
{
    (void)state;
    begin_calls();
    put_stack("badarith", "handle_call");
    for (int i = 0; i < 5; i++) {
        const struct call call = ended();
        put_call(&call);
        assert_int_equal(w.errors, i == 4);
        w.now_ns += i < 2 ? 100 * SECOND : SECOND;
    }
    found("DS312 DS312 DS312 DS312");
    assert_int_equal(w.last.severity, SEVERITY_ERROR);
}

/* What a message says is an answer, whatever class it has. */
static void told_by(void **state)
{
    static const uint8_t ops[] = {22 /* send_sender */, 28 /* payload_monitor_p_exit */};
    (void)state;
    for (size_t i = 0; i < sizeof ops; i++) {
        begin_calls();
        put_stack("badarith", "handle_call");
        struct ds_event event = message(1, "j", 1);
        event.message.op = ds_op_find(ops[i]);
        assert_non_null(event.message.op);
        const struct call call = ended();
        findings_record(w.findings, &(struct record){.event = &event, .call = &call});
        found(i == 0 ? "" : "DS312");
    }
}

static void comes_back(void **state)
{
    (void)state;
    for (int is_back = 0; is_back < 2; is_back++) {
        begin_calls();
        put_stack("badarith", "handle_call");
        struct call call = ended();
        put_call(&call);
        struct call waited = call_of(CALL_OK); /* began before: that says nothing */
        put_call(&waited);
        w.now_ns += 20 * MS;
        call = call_of(is_back ? CALL_OK : CALL_NOPROC);
        put_call(&call);
        detail_has(is_back ? "it came back under its name: call #3, 19" : "it did not come back: call #3, 19");
        assert_int_equal(w.num, 1);
    }
}

static void out_of_time(void **state)
{
    static const struct {
        int64_t waited_ns;
        enum certainty certainty, third; /* of the first two, and of the third */
    } cases[] = {{5000 * MS, CERTAINTY_LIKELY, CERTAINTY_LIKELY},
                 {1000 * MS, CERTAINTY_POSSIBLE, CERTAINTY_LIKELY}, /* several, after a usual time */
                 {1100 * MS, CERTAINTY_POSSIBLE, CERTAINTY_LIKELY},
                 {1101 * MS, CERTAINTY_POSSIBLE, CERTAINTY_POSSIBLE},
                 {300 * MS, CERTAINTY_POSSIBLE, CERTAINTY_POSSIBLE},
                 {1000 * MS, CERTAINTY_SURE, CERTAINTY_SURE}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_calls();
        up(); /* conn 1 */
        for (int j = 0; j < 3; j++) {
            struct call call = call_of(CALL_TIMEOUT);
            call.conn = 1;
            call.certainty = cases[i].certainty;
            call.end_ns = call.start_ns + cases[i].waited_ns;
            put_call(&call);
            assert_int_equal(w.last.count, j + 1); /* from the first on */
            assert_int_equal(w.last.certainty, j == 2 ? cases[i].third : cases[i].certainty);
            assert_int_equal(w.last.severity, SEVERITY_WARNING);
        }
        sentence_is("calls to calc of bob@b time out");
        found("DS313 DS313 DS313");
    }
    for (int i = 0; i < 3; i++) { /* on a link that was joined late the demonitor tells who was asked, or nothing */
        begin_calls();
        up();
        struct call call = call_of(CALL_TIMEOUT);
        call.callee = (struct party){0};
        call.conn = 1;
        struct ds_event event = message(0, "j", 1);
        event.message.op = ds_op_find(i == 2 ? 19 : 20); /* monitor_p, demonitor_p */
        put_atom("shop");
        event.message.role[DS_ROLE_TO] = term_since(0);
        if (i == 1)
            event.message.role[DS_ROLE_TO] = (struct ds_term){0};
        findings_record(w.findings, &(struct record){.event = &event, .call = &call});
        sentence_is(i == 0 ? "calls to shop of bob@127.0.0.1 time out" : "calls time out");
    }
    for (int is_sent = 0; is_sent < 2; is_sent++) { /* the same packet has the request and its end, or two */
        begin_calls();
        up();
        struct call call = call_of(CALL_TIMEOUT);
        call.conn = 1;
        call.certainty = CERTAINTY_POSSIBLE;
        call.end_ns = call.start_ns;
        call.end_frame = call.start_frame + (uint64_t)is_sent;
        put_call(&call);
        found("DS313");
        detail_has(is_sent ? "after 0 ns, asked by " : "before the request was sent: it waited behind a stall, asked");
    }
    begin_calls(); /* with a gap within it */
    up();
    struct call timeout = call_of(CALL_TIMEOUT);
    timeout.conn = 1;
    timeout.end_ns = timeout.start_ns + 5 * SECOND;
    const struct ds_event lost = event_of(DS_EVENT_GAP, 1);
    put(&lost);
    put_call(&timeout);
    found("DS313");
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    begin_calls(); /* of one direction */
    up();
    w.link.side[0].segments = 5;
    const struct ds_event tick = event_of(DS_EVENT_TICK, 0);
    put(&tick);
    timeout.start_ns = w.now_ns;
    put_call(&timeout);
    found("");
    for (int i = 0; i <= CERTAINTY_POSSIBLE; i++) { /* it rests on atoms that are no more than likely */
        begin_calls();
        struct call call = call_of(CALL_TIMEOUT);
        call.certainty = (enum certainty)i;
        call.likely_atoms = 1;
        put_call(&call);
        assert_int_equal(w.last.certainty, i == CERTAINTY_SURE ? CERTAINTY_LIKELY : i);
    }
    for (int is_vote = 0; is_vote < 2; is_vote++) { /* ra's candidates do not wait for votes */
        begin_calls();
        up();
        struct call call = call_of(CALL_TIMEOUT);
        call.conn = 1;
        call.label = is_vote ? "ra:vote" : "ra:append";
        call.group = "rabbit";
        call.end_ns = call.start_ns + 5 * SECOND;
        put_call(&call);
        found(is_vote ? "" : "DS313");
    }
    for (int i = 0; i < 4; i++) { /* OTP's own; who types; abandoned; joined late */
        begin_calls();
        if (i == 3)
            change(DS_CONN_JOINED_LATE, 0, false);
        struct call call = call_of(i == 2 ? CALL_ABANDONED : CALL_TIMEOUT);
        call.conn = 1;
        call.end_ns = call.start_ns + 5 * SECOND;
        call.group = i == 0 ? "otp" : "";
        call.awaits_input = i == 1;
        put_call(&call);
        found(i == 0 || i == 3 ? "DS313" : "");
        if (i == 0)
            assert_int_equal(w.last.severity, SEVERITY_NOTE);
        if (i == 3)
            assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons), cmocka_unit_test(exceptions), cmocka_unit_test(unknown_reasons),
        cmocka_unit_test(unknown_callees), cmocka_unit_test(gap), cmocka_unit_test(loop),
        cmocka_unit_test(together), cmocka_unit_test(becomes_worse), cmocka_unit_test(told_by),
        cmocka_unit_test(comes_back), cmocka_unit_test(out_of_time),
    };
    leaves_out = "DS310 DS401"; /* test_findings_calls.c has them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
