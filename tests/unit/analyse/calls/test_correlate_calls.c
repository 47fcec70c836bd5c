/*
 * test_correlate_calls.c - which of several calls is meant, what is kept of a request and for how long, and which calls
 * are open.
 */
#include "correlate_world.h"

static void give_up(struct seen *seen, uint32_t ref)
{
    monitor(seen, ref, etf_atom("echo"));
    ask(seen, ref);
    seen->now_ns += 4000000;
    demonitor(seen, ref);
}

/* An answer from another node than was asked is one, where it can be of no other call. */
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
    for (uint32_t callee = 50; callee <= 51; callee++) /* it could be of either */
        ask_as(&seen, 0, etf_pid("a@h", 1), etf_pid("b@h", callee), alias_tag("a@h", 3),
               etf_atom("hi"));
    seen.conn.end[1].node = text("c@h");
    answer_from(&seen, etf_pid("c@h", 50), 3);
    assert_int_equal(seen.num_ended, 1);
    stop(&seen);
}

/* Of two with the same tag it is the one that is still waited for. */
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

/* Those that were given up are remembered, so many of them, whatever has had their places. */
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
        give_up(&seen, 2); /* and has given its place to this one */
        for (uint32_t i = 0; i < more; i++) {
            etf_reset();
            give_up(&seen, 10 + i);
        }
        answer(&seen, 2);
        assert_int_equal(seen.note.late, more < MAX_GIVEN_UP);
        stop(&seen);
    }
}

/* At the cap of calls those that were given up go first, and no more of them than have to. */
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

/* The oldest of them first, though others stand in the places of some that are forgotten. */
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

/* A late answer is that of its own call, where its caller has given up others. */
static void late_of_several(void **state)
{
    struct seen seen;
    (void)state;
    for (uint32_t late = 1; late <= 2; late++) {
        start(&seen);
        give_up(&seen, 1);
        give_up(&seen, 2);
        answer(&seen, late);
        if (late == 2) /* after the first one it asked again */
            monitor(&seen, 9, etf_atom("echo"));
        assert_last(&seen, late, CALL_TIMEOUT);
        seen.now_ns += PENDING_CALLS_NS;
        monitor(&seen, 9, etf_atom("echo")); /* time goes by */
        assert_last(&seen, 3 - late, CALL_ABANDONED);
        ask(&seen, 3); /* what was kept of those is free again */
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

/* Without a tag a caller can have one such call at a time: the next one tells that it has left the last. */
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

/* What was missing before a call began says nothing of its answer. */
static void lost_before(void **state)
{
    struct seen seen;
    (void)state;
    for (int i = 0; i < 2; i++) {
        start(&seen);
        *(i == 0 ? &seen.conn.counters[1].gaps : &seen.conn.counters[1].faults) = 3;
        monitor(&seen, 1, etf_atom("echo"));
        ask(&seen, 1);
        seen.conn.counters[0].gaps++; /* nor what the caller says */
        seen.now_ns += 5000000000;
        demonitor(&seen, 1);
        let_die(&seen);
        assert_last(&seen, 1, CALL_TIMEOUT);
        stop(&seen);
    }
}

/* The clock goes back: nothing takes less than no time. */
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

/* A name stands for the process that had it in the node's life that is now. */
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

/* What is kept of requests: nothing where nobody asks for it, nor what is damaged. */
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

/* A node whose name is an atom that is not known has none. */
static void unknown_node(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    spawn_request(&seen, 1, "m", "f", etf_nil());
    spawn_reply(&seen, 1, 0, etf_pid_of(etf_cached(NULL), 61, 7));
    assert_last(&seen, 1, CALL_OK);
    assert_string_equal(seen.ended[0].callee, "<?.61.0>");
    /* One may call itself as it likes: it is shown, and is no node that nobody knows. */
    spawn_request(&seen, 2, "m", "f", etf_nil());
    spawn_reply(&seen, 2, 0, etf_pid("?1", 61));
    assert_last(&seen, 2, CALL_OK);
    assert_string_equal(seen.ended[1].callee, "<?1.61.0>");
    ask_as(&seen, 0, etf_pid_of(etf_cached(NULL), 9, 7), etf_atom("echo"), etf_ref("a@h", 3), etf_atom("hi"));
    message(&seen, &(struct message){.code = 2, .dir = 1, .to = etf_pid("?1", 9),
                                     .payload = etf_tuple(2, etf_ref("a@h", 3), etf_atom("ok"))});
    assert_int_equal(seen.num_ended, 2); /* that answers somebody else */
    stop(&seen);
}

/* Only what is a call for sure is open, and those that are waited for. */
static void open_calls(void **state)
{
    struct seen seen, open;
    (void)state;
    start(&seen);
    const struct ds_term me = etf_pid("a@h", 1), own = etf_atom("own");
    monitor(&seen, 1, own); /* only its answer would tell that it is one */
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
    conn_ends(&seen, false); /* ends those two; the second is out when nothing more can come */
    stop(&seen);
    assert_int_equal(seen.num_ended, 3);
}

/* So many with one tag that the oldest has to go: that is told. */
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

/* Who types may take any time. */
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

/* A pid may have any serial, the one that stands for names as well: its number is no name's then. */
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
    assert_string_equal(seen.ended[1].callee, "b@h"); /* which node was asked is known */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
