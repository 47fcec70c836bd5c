/*
 * test_correlate_calls.c - which of several calls an answer belongs to, what is kept of a request
 * and for how long, and which calls are open.
 */
#include "correlate_world.h"

static void give_up(struct seen *seen, uint32_t ref)
{
    monitor(seen, ref, etf_atom("echo"));
    ask(seen, ref);
    seen->now_ns += 4000000;
    demonitor(seen, ref);
}

/* An answer may come from a node that was not asked, if it can belong to no other call. */
static void from_elsewhere(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    ask(&seen, 1);
    seen.conn.end[1].node = text("c@h");
    ask(&seen, 2); /* a node that is known */
    answer_from(&seen, etf_pid("c@h", 50), 1);
    assert_last(&seen, 1, CALL_OK);
    seen.conn.end[1].node = text("b@h");
    for (uint32_t callee = 50; callee <= 51; callee++) /* it could belong to either call */
        ask_as(&seen, 0, etf_pid("a@h", 1), etf_pid("b@h", callee), alias_tag("a@h", 3),
               etf_atom("hi"));
    seen.conn.end[1].node = text("c@h");
    answer_from(&seen, etf_pid("c@h", 50), 3);
    assert_int_equal(seen.num_ended, 1);
    stop(&seen);
}

/* Of two calls with the same tag, the answer belongs to the one that is not given up. */
static void open_rather_than_given_up(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    give_up(&seen, 1);
    ask(&seen, 1);
    answer(&seen, 1);
    assert_false(seen.note.late);
    assert_last(&seen, 2, CALL_OK);
    answer(&seen, 1);
    assert_true(seen.note.late);
    stop(&seen);
    assert_int_equal(seen.num_ended, 2);
}

/* A limited number of calls that were given up is remembered, even if their entries were reused. */
static void given_up_at_the_cap(void **state)
{
    struct seen seen;
    (void)state;
    for (uint32_t more = MAX_GIVEN_UP - 1; more <= MAX_GIVEN_UP; more++) {
        etf_reset();
        assert_non_null(start_with(&seen, 3000, 1000));
        give_up(&seen, 1);
        answer(&seen, 1); /* it is forgotten */
        assert_true(seen.note.late);
        give_up(&seen, 2); /* and this call has its entry */
        for (uint32_t i = 0; i < more; i++) {
            etf_reset();
            give_up(&seen, 10 + i);
        }
        answer(&seen, 2);
        assert_int_equal(seen.note.late, more < MAX_GIVEN_UP);
        stop(&seen);
    }
}

/* If the table of calls is full, calls that were given up are evicted first, and no more than
 * necessary. */
static void full_of_given_up(void **state)
{
    struct seen seen;
    (void)state;
    etf_reset();
    assert_non_null(start_with(&seen, 4, 1000));
    for (uint32_t ref = 1; ref <= 3; ref++)
        give_up(&seen, ref);
    ask(&seen, 4);
    ask(&seen, 5); /* takes the place of the first */
    answer(&seen, 1);
    assert_false(seen.note.late);
    answer(&seen, 2);
    assert_true(seen.note.late);
    answer(&seen, 4);
    assert_last(&seen, 4, CALL_OK);
    struct ds_stats stats = {0};
    correlate_add_stats(seen.correlate, &stats);
    assert_int_equal(stats.limits_hit[DS_LIMIT_CALLS], 0);
    stop(&seen);
}

/* The oldest of them are evicted first, even if other calls have the entries of forgotten ones. */
static void oldest_of_given_up(void **state)
{
    struct seen seen;
    (void)state;
    etf_reset();
    assert_non_null(start_with(&seen, MAX_GIVEN_UP + 1, 1000));
    for (uint32_t ref = 1; ref <= MAX_GIVEN_UP + 2; ref++) {
        etf_reset();
        give_up(&seen, ref);
    }
    ask(&seen, 5001);
    ask(&seen, 5002); /* takes the place of the third */
    answer(&seen, 3);
    assert_false(seen.note.late);
    answer(&seen, MAX_GIVEN_UP + 1);
    assert_true(seen.note.late);
    answer(&seen, 4);
    assert_true(seen.note.late);
    stop(&seen);
}

/* A late answer belongs to its own call if its caller has given up several. */
static void late_of_several(void **state)
{
    struct seen seen;
    (void)state;
    for (uint32_t late = 1; late <= 2; late++) {
        start(&seen);
        give_up(&seen, 1);
        give_up(&seen, 2);
        answer(&seen, late);
        if (late == 2) /* the caller asked again after the first call */
            monitor(&seen, 9, etf_atom("echo"));
        assert_last(&seen, late, CALL_TIMEOUT);
        seen.now_ns += PENDING_CALLS_NS;
        monitor(&seen, 9, etf_atom("echo")); /* time passes */
        assert_last(&seen, 3 - late, CALL_ABANDONED);
        ask(&seen, 3); /* the copies of those requests are freed */
        answer(&seen, 3);
        assert_last(&seen, 3, CALL_OK);
        assert_true(seen.ended[2].has_request);
        stop(&seen);
    }
}

static void ask_rex(struct seen *seen, const char *fun)
{
    message(seen, &(struct message){
        .code = 6, .from = etf_pid("a@h", 1), .to = etf_atom("rex"),
        .payload = etf_tuple(2, etf_pid("a@h", 1),
                             etf_tuple(5, etf_atom("call"), etf_atom("m"), etf_atom(fun),
                                       etf_nil(), etf_atom("user")))});
}

/* Without a tag a caller can have one such call at a time: the next call shows that it gave up the
 * last one. */
static void one_without_tag(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    ask_rex(&seen, "f");
    ask_rex(&seen, "g");
    assert_last(&seen, 1, CALL_ABANDONED);
    assert_int_equal(seen.ended[0].latency_ns, 1000);
    seen.conn.counters[1].gaps++; /* the answer may have been there */
    ask_rex(&seen, "h");
    assert_last(&seen, 2, CALL_UNKNOWN);
    message(&seen, &(struct message){.code = 2, .dir = 1, .to = etf_pid("a@h", 1),
                                     .payload = etf_tuple(2, etf_atom("rex"), etf_atom("ok"))});
    assert_last(&seen, 3, CALL_OK);
    assert_string_equal(seen.ended[2].mfa, "m:h()");
    stop(&seen);
    assert_int_equal(seen.num_ended, 3);
}

/* Bytes that were lost before a call began do not affect its answer. */
static void lost_before(void **state)
{
    struct seen seen;
    (void)state;
    for (int i = 0; i < 2; i++) {
        start(&seen);
        *(i == 0 ? &seen.conn.counters[1].gaps : &seen.conn.counters[1].faults) = 3;
        monitor(&seen, 1, etf_atom("echo"));
        ask(&seen, 1);
        seen.conn.counters[0].gaps++; /* nor do bytes that the caller sent */
        seen.now_ns += 5000000000;
        demonitor(&seen, 1);
        let_die(&seen);
        assert_last(&seen, 1, CALL_TIMEOUT);
        stop(&seen);
    }
}

/* The clock goes back: no duration is negative. */
static void clock_goes_back(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    ask(&seen, 1);
    seen.now_ns -= 500000;
    answer(&seen, 1);
    assert_last(&seen, 1, CALL_OK);
    assert_int_equal(seen.ended[0].latency_ns, 0);
    assert_int_equal(seen.note.latency_ns, 0);
    give_up(&seen, 2);
    seen.now_ns -= 500000000;
    answer(&seen, 2);
    assert_true(seen.note.late);
    assert_int_equal(seen.note.latency_ns, 0);
    stop(&seen);
}

/* A name belongs to the process that has it in the present incarnation of the node. */
static void names_of_this_life(void **state)
{
    struct seen seen;
    (void)state;
    for (uint32_t creation = 7; creation <= 8; creation++) {
        start(&seen);
        seen.conn.end[1].creation = 7; /* as pids have it here */
        ask(&seen, 1);
        answer(&seen, 1);
        seen.conn.end[1].creation = creation;
        ask(&seen, 2);
        conn_ends(&seen, false);
        assert_string_equal(seen.ended[1].callee, creation == 7 ? "echo <b@h.50.0>" : "echo@b@h");
        assert_false(seen.ended[1].is_for);
        stop(&seen);
    }
}

/* No request is kept if no stage wants it, or if it is damaged. */
static void kept(void **state)
{
    struct seen seen;
    (void)state;
    for (size_t keep = 0; keep <= 1000; keep += 1000) {
        etf_reset();
        assert_non_null(start_keeping(&seen, 10, 1000, keep));
        spawn_request(&seen, 1, "m", "f", etf_nil());
        spawn_reply(&seen, 1, 0, etf_pid("b@h", 61));
        assert_last(&seen, 1, CALL_OK);
        assert_string_equal(seen.ended[0].mfa, keep != 0 ? "m:f()" : "");
        assert_int_equal(seen.ended[0].has_request, keep != 0);
        stop(&seen);
    }
    for (int damaged = 0; damaged < 2; damaged++) {
        start(&seen);
        const struct ds_term from = etf_pid("a@h", 1);
        struct ds_term said = etf_tuple(3, etf_atom("$gen_call"),
                                        etf_tuple(2, from, alias_tag("a@h", 1)), etf_atom("hi"));
        said.damaged = damaged != 0;
        message(&seen, &(struct message){.code = 6, .from = from, .to = etf_atom("echo"),
                                         .payload = said});
        answer(&seen, 1);
        assert_int_equal(seen.ended[0].has_request, !damaged);
        stop(&seen);
    }
    start(&seen); /* arguments that end where the request does */
    ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("mnesia_rpc"), alias_tag("a@h", 1),
           etf_tuple(4, etf_atom("apply"), etf_atom("m"), etf_atom("f"),
                     etf_list(1, etf_int(7), etf_nil())));
    answer(&seen, 1);
    assert_string_equal(seen.ended[0].label, "mnesia_rpc");
    assert_string_equal(seen.ended[0].mfa, "m:f(7)");
    assert_true(seen.ended[0].has_args);
    stop(&seen);
}

/* A node whose name is an unknown atom has no name. */
static void unknown_node(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    spawn_request(&seen, 1, "m", "f", etf_nil());
    spawn_reply(&seen, 1, 0, etf_pid_of(etf_cached(NULL), 61, 7));
    assert_last(&seen, 1, CALL_OK);
    assert_string_equal(seen.ended[0].callee, "<?.61.0>");
    /* A node may have any name: it is shown, even if it is not a known node. */
    spawn_request(&seen, 2, "m", "f", etf_nil());
    spawn_reply(&seen, 2, 0, etf_pid("?1", 61));
    assert_last(&seen, 2, CALL_OK);
    assert_string_equal(seen.ended[1].callee, "<?1.61.0>");
    ask_as(&seen, 0, etf_pid_of(etf_cached(NULL), 9, 7), etf_atom("echo"), etf_ref("a@h", 3), etf_atom("hi"));
    message(&seen, &(struct message){.code = 2, .dir = 1, .to = etf_pid("?1", 9),
                                     .payload = etf_tuple(2, etf_ref("a@h", 3), etf_atom("ok"))});
    assert_int_equal(seen.num_ended, 2); /* that answers another process */
    stop(&seen);
}

/* Only certain calls, and those that a caller waits for, are open. */
static void open_calls(void **state)
{
    struct seen seen, open;
    (void)state;
    start(&seen);
    const struct ds_term me = etf_pid("a@h", 1), own = etf_atom("own");
    monitor(&seen, 1, own); /* only its answer would show that it is a call */
    message(&seen, &(struct message){.code = 6, .from = me, .to = own,
                                     .payload = etf_tuple(2, me, etf_atom("hi"))});
    give_up(&seen, 2);
    ask(&seen, 3);
    const int64_t third_ns = seen.now_ns;
    ask(&seen, 4);
    const int64_t now_ns = seen.now_ns;
    open = (struct seen){0};
    correlate_visit_open(seen.correlate, now_ns, on_record, &open);
    assert_int_equal(open.num_ended, 2);
    const struct {
        int64_t after_ns, until_ns;
        uint64_t num;
    } cases[] = {{0, now_ns, 2},            {third_ns, now_ns, 1},        {third_ns - 1, now_ns, 2},
                 {0, now_ns - 1, 1},        {0, third_ns, 1},             {0, third_ns - 1, 0},
                 {now_ns, now_ns, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        open = (struct seen){0};
        correlate_visit_overdue(seen.correlate, cases[i].after_ns, cases[i].until_ns, now_ns,
                                on_record, &open);
        assert_int_equal(open.num_ended, cases[i].num);
    }
    conn_ends(&seen, false); /* ends those two; the second is reported when no more messages can come */
    stop(&seen);
    assert_int_equal(seen.num_ended, 3);
}

/* So many calls with one tag that the oldest is removed: this is reported. */
static void twins_at_the_cap(void **state)
{
    struct seen seen;
    (void)state;
    for (uint32_t num = MAX_TWINS; num <= MAX_TWINS + 1; num++) {
        start(&seen);
        for (uint32_t i = 0; i < num; i++) {
            etf_reset();
            ask_as(&seen, 0, etf_pid("a@h", 1), etf_pid("b@h", i), etf_ref("a@h", 10),
                   etf_atom("x"));
        }
        struct ds_stats stats = {0};
        correlate_add_stats(seen.correlate, &stats);
        assert_int_equal(stats.limits_hit[DS_LIMIT_CALLS], num > MAX_TWINS);
        assert_int_equal(seen.num_ended, num > MAX_TWINS);
        stop(&seen);
    }
}

static void io_request(struct seen *seen, uint32_t ref, struct ds_term request)
{
    message(seen, &(struct message){.code = 22, .from = etf_pid("a@h", 1), .to = etf_pid("b@h", 50),
                                    .payload = etf_tuple(4, etf_atom("io_request"), etf_pid("a@h", 1),
                                                         etf_ref("a@h", ref), request)});
}

/* A call that waits for keyboard input may take any time. */
static void waits_for_input(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct {
        struct ds_term request;
        bool awaits_input;
    } cases[] = {
        {etf_tuple(3, etf_atom("get_line"), etf_atom("unicode"), etf_atom("prompt")), true},
        {etf_tuple(2, etf_atom("get_password"), etf_atom("unicode")), true},
        {etf_tuple(2, etf_atom("get_geometry"), etf_atom("columns")), false},
        {etf_tuple(2, etf_atom("get_lines"), etf_atom("columns")), false},
        {etf_atom("getopts"), false},
        {etf_tuple(2, etf_atom("requests"),
                   etf_list(2, etf_tuple(2, etf_atom("put_chars"), etf_nil()),
                            etf_tuple(4, etf_atom("get_chars"), etf_atom("latin1"), etf_nil(),
                                      etf_int(1)), etf_nil())), true},
        {etf_tuple(2, etf_atom("requests"),
                   etf_list(1, etf_tuple(2, etf_atom("put_chars"), etf_nil()), etf_nil())), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        io_request(&seen, (uint32_t)i + 1, cases[i].request);
        assert_string_equal(seen.note.label, "io_request");
        message(&seen, &(struct message){.code = 22, .dir = 1, .from = etf_pid("b@h", 50),
                                         .to = etf_pid("a@h", 1),
                                         .payload = etf_tuple(3, etf_atom("io_reply"),
                                                              etf_ref("a@h", (uint32_t)i + 1),
                                                              etf_atom("ok"))});
        assert_last(&seen, i + 1, CALL_OK);
        assert_int_equal(seen.ended[i].awaits_input, cases[i].awaits_input);
    }
    stop(&seen);
}

/* A pid may have any serial, even the one that stands for names: its number is not that of a name. */
static void serial_of_names(void **state)
{
    const struct ds_term plain = etf_pid("a@h", 0x7ffffff1);
    uint8_t bytes[64];
    struct seen seen;
    (void)state;
    start(&seen);
    memcpy(bytes, plain.data, plain.len);
    memset(bytes + plain.len - 8, 0xff, 4);
    const struct ds_term caller = etf_raw(bytes, plain.len);
    ask_as(&seen, 0, caller, etf_atom("echo"), etf_ref("a@h", 1), etf_atom("hi"));
    ask_as(&seen, 0, etf_pid("a@h", 1), caller, etf_ref("a@h", 2), etf_atom("hi"));
    message(&seen, &(struct message){.code = 19, .from = caller, .to = etf_pid("b@h", 1),
                                     .ref = etf_ref("a@h", 3)});
    spawn_reply(&seen, 4, 3, caller);
    stop(&seen);
    assert_int_equal(seen.num_ended, 2);
    assert_string_equal(seen.ended[0].callee, "echo@b@h");
    assert_string_equal(seen.ended[1].callee, "b@h"); /* the node that was asked is known */
}

/* On a link that was joined late the names of the nodes are unknown, but that of the callee is in the request. */
static void called_on_an_unnamed_node(void **state)
{
    struct seen seen;
    (void)state;
    for (int is_named = 0; is_named < 2; is_named++) {
        start(&seen);
        if (!is_named)
            seen.conn.end[1].node = (struct ds_text){0};
        ask(&seen, 10);
        stop(&seen);
        assert_last(&seen, 1, CALL_UNANSWERED);
        assert_string_equal(seen.ended[0].callee, is_named ? "echo@b@h" : "echo");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(called_on_an_unnamed_node),
        cmocka_unit_test(from_elsewhere),
        cmocka_unit_test(open_rather_than_given_up),
        cmocka_unit_test(given_up_at_the_cap),
        cmocka_unit_test(full_of_given_up),
        cmocka_unit_test(oldest_of_given_up),
        cmocka_unit_test(late_of_several),
        cmocka_unit_test(one_without_tag),
        cmocka_unit_test(lost_before),
        cmocka_unit_test(clock_goes_back),
        cmocka_unit_test(names_of_this_life),
        cmocka_unit_test(kept),
        cmocka_unit_test(unknown_node),
        cmocka_unit_test(open_calls),
        cmocka_unit_test(twins_at_the_cap),
        cmocka_unit_test(waits_for_input),
        cmocka_unit_test(serial_of_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
