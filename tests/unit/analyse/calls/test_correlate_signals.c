/*
 * test_correlate_signals.c - what monitors, exits and spawn replies reveal about calls: reasons
 * that only look like others, entries that are removed after use, caps; and requests whose answer
 * goes to another process.
 */
#include "correlate_world.h"

/* Reasons for which the callee is gone. */
static void reasons(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct {
        struct ds_term reason;
        bool is_in_control; /* MONITOR_P_EXIT, without a payload */
        enum call_outcome outcome;
    } cases[] = {
        {etf_atom("noproc"), false, CALL_NOPROC},
        {etf_atom("noproc"), true, CALL_NOPROC},
        {etf_atom("noconnection"), false, CALL_NOCONNECTION},
        {etf_atom("no"), false, CALL_ERROR},
        {etf_atom("noprocs"), false, CALL_ERROR},
        {etf_atom("normal"), false, CALL_ERROR},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        monitor(&seen, 1 + i, etf_atom("echo"));
        ask(&seen, 1 + i);
        struct message m = {.code = 28, .dir = 1, .from = etf_atom("echo"), .to = etf_pid("a@h", 1),
                            .ref = etf_ref("a@h", 1 + i), .payload = cases[i].reason};
        if (cases[i].is_in_control) {
            m.code = 21;
            m.reason = m.payload;
            m.payload = (struct ds_term){0};
        }
        message(&seen, &m);
        assert_last(&seen, 1 + i, cases[i].outcome);
        assert_true(seen.monitor_of_call);
        assert_false(seen.ended[i].has_result);
    }
    assert_int_equal(seen.num_monitors_ended, sizeof cases / sizeof cases[0]);
    stop(&seen);
}

/* A caller that exits with a timeout, however often wrapped, had given up before. */
static void wrapped_timeouts(void **state)
{
    struct seen seen;
    (void)state;
    for (int depth = 1; depth <= 9; depth++) {
        start(&seen);
        monitor(&seen, 1, etf_atom("echo"));
        ask(&seen, 1);
        seen.now_ns += 5000000000;
        demonitor(&seen, 1);
        struct ds_term reason = etf_atom("timeout");
        for (int i = 0; i < depth; i++)
            reason = etf_tuple(2, reason, etf_atom("x"));
        message(&seen, &(struct message){.code = 28, .from = etf_pid("a@h", 1),
                                         .to = etf_pid("b@h", 5), .ref = etf_ref("b@h", 77),
                                         .payload = reason});
        assert_last(&seen, 1, depth <= 8 ? CALL_TIMEOUT : CALL_ABANDONED);
        stop(&seen);
    }
}

/* A DOWN that overtakes its request: its reason is reported, once. */
static void early_downs(void **state)
{
    enum { AT_MOST = 1024 }; /* MAX_EARLY_DOWNS */
    struct seen seen;
    (void)state;
    start(&seen);
    down(&seen, 1, etf_atom("noconnection"));
    ask(&seen, 1);
    assert_last(&seen, 1, CALL_NOCONNECTION);
    assert_false(seen.note.has_latency);
    ask(&seen, 1); /* it does not concern another call with that reference */
    assert_int_equal(seen.num_ended, 1);
    down(&seen, 2, etf_atom("boom")); /* nor a call that ended otherwise */
    ask(&seen, 2);
    assert_int_equal(seen.num_ended, 1);
    stop(&seen);
    for (uint32_t num = AT_MOST; num <= AT_MOST + 1; num++) {
        start(&seen);
        for (uint32_t i = 0; i < num; i++) {
            etf_reset();
            down(&seen, 1 + i, etf_atom("noproc"));
        }
        ask(&seen, 1);
        assert_int_equal(seen.num_ended, num == AT_MOST);
        ask(&seen, num);
        assert_int_equal(seen.num_ended, num == AT_MOST ? 2 : 1);
        stop(&seen);
    }
}

/* A call that was given up has been reported, whatever its monitor says then. */
static void given_up_before(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    ask(&seen, 1);
    seen.now_ns += 4000000;
    demonitor(&seen, 1);
    down(&seen, 1, etf_atom("noproc"));
    assert_int_equal(seen.note.call, 0);
    demonitor(&seen, 1);
    assert_int_equal(seen.note.call, 0);
    answer(&seen, 1);
    assert_true(seen.note.late);
    assert_string_equal(seen.note.label, "gen:call");
    stop(&seen);
    assert_int_equal(seen.num_ended, 1);
}

/* An exit signal shows that its sender has ended and waits no longer. */
static void callers_exit(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    ask(&seen, 1);
    message(&seen, &(struct message){.code = 3, .from = etf_pid("a@h", 1), .to = etf_pid("b@h", 5),
                                     .reason = etf_atom("killed")});
    answer(&seen, 1);
    assert_last(&seen, 1, CALL_ABANDONED);
    assert_true(seen.note.late);
    stop(&seen);
}

/* Processes that are spawned with a monitor, with a link, with neither, or not at all. */
static void spawned(void **state)
{
    struct seen seen;
    (void)state;
    for (int flags = 0; flags < 4; flags++) {
        start(&seen);
        spawn_request(&seen, 1, "m", "f", etf_nil());
        spawn_reply(&seen, 1, flags, etf_pid("b@h", 61));
        assert_last(&seen, 1, CALL_OK);
        stop(&seen);
        assert_int_equal(seen.num_monitors_ended, (flags & 1) + (flags >> 1));
        if (flags == 1 || flags == 2)
            assert_int_equal(seen.monitor_is_link, flags == 1);
    }
    start(&seen); /* the link ends with the process */
    spawn_request(&seen, 1, "m", "f", etf_nil());
    spawn_reply(&seen, 1, 1, etf_pid("b@h", 61));
    message(&seen, &(struct message){.code = 24, .dir = 1, .from = etf_pid("b@h", 61),
                                     .to = etf_pid("a@h", 1), .payload = etf_atom("bye")});
    assert_int_equal(seen.num_monitors_ended, 1);
    assert_string_equal(seen.monitor_how, "exit");
    stop(&seen);
    start(&seen);
    spawn_request(&seen, 1, "erpc", "execute_call",
                  etf_list(4, etf_ref("a@h", 100), etf_atom("m"), etf_atom("f"), etf_nil(),
                           etf_nil()));
    message(&seen, &(struct message){ /* in the form of an answer, but erpc's is an exit */
        .code = 22, .dir = 1, .from = etf_pid("b@h", 60), .to = etf_pid("a@h", 1),
        .payload = etf_tuple(2, etf_ref("a@h", 1), etf_atom("x"))});
    assert_int_equal(seen.num_ended, 0);
    spawn_reply(&seen, 1, 2, etf_atom("system_limit"));
    assert_last(&seen, 1, CALL_ERROR);
    assert_string_equal(seen.ended[0].class, "spawn");
    spawn_request(&seen, 2, "erpc", "execute_call",
                  etf_list(4, etf_ref("a@h", 101), etf_atom("m"), etf_atom("f"), etf_nil(),
                           etf_nil()));
    spawn_reply(&seen, 2, 2, etf_pid("b@h", 60));
    down(&seen, 2, etf_atom("killed"));
    assert_last(&seen, 2, CALL_ERROR);
    assert_true(seen.monitor_of_call);
    stop(&seen);
}

/* The monitors of a multi_call have other references than its tag: each is used once. */
static void watches(void **state)
{
    enum { AT_MOST = 1000 }; /* monitors, see start_with */
    struct seen seen;
    (void)state;
    for (uint32_t num = 1; num <= AT_MOST + 1; num += AT_MOST) {
        etf_reset();
        assert_non_null(start_with(&seen, 2000, 2000));
        for (uint32_t i = 0; i < num; i++) {
            etf_reset();
            const struct ds_term me = etf_pid("a@h", 1);
            const struct ds_term tag = etf_tuple(2, etf_ref("a@h", 5000 + i), etf_atom("b@h"));
            monitor(&seen, 1 + i, etf_atom("echo"));
            ask_as(&seen, 0, me, etf_atom("echo"), tag, etf_atom("x"));
        }
        etf_reset();
        down(&seen, num, etf_atom("noproc"));
        assert_last(&seen, num, CALL_NOPROC);
        ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("echo"),
               etf_tuple(2, etf_ref("a@h", 5000 + num - 1), etf_atom("b@h")), etf_atom("x"));
        down(&seen, num, etf_atom("noproc")); /* it was used already, and this is another call */
        assert_int_equal(seen.num_ended, 1);
        if (num > 1) { /* one too many: the first is forgotten */
            down(&seen, 1, etf_atom("noproc"));
            assert_int_equal(seen.num_ended, 1);
        }
        stop(&seen);
    }
}

/* A name in the form of rpc:server_call: its own node has to answer, and the request follows the
 * monitor quickly. */
static void server_calls(void **state)
{
    struct seen seen;
    (void)state;
    for (int i = 0; i < 4; i++) {
        start(&seen);
        const struct ds_term me = etf_pid("a@h", 1), own = etf_atom("own");
        monitor(&seen, 1, own);
        seen.now_ns += i == 3 ? 100000000 - 999 : 100000000 - 1000; /* a message takes 1000 itself */
        message(&seen, &(struct message){.code = 6, .from = me, .to = own,
                                         .payload = etf_tuple(2, me, etf_atom("hi"))});
        message(&seen, &(struct message){
            .code = 22, .dir = 1, .from = etf_pid("b@h", 9), .to = me,
            .payload = etf_tuple(3, own, etf_atom(i == 1 ? "b@hx" : i == 2 ? "b@" : "b@h"), own)});
        assert_int_equal(seen.num_ended, i == 0);
        stop(&seen);
    }
    start(&seen); /* the exit of a process that nothing is known of */
    const struct ds_term me = etf_pid("a@h", 1), own = etf_atom("own");
    monitor(&seen, 1, own);
    message(&seen, &(struct message){.code = 6, .from = me, .to = own,
                                     .payload = etf_tuple(2, me, etf_atom("hi"))});
    message(&seen, &(struct message){.code = 28, .dir = 1, .from = own, .to = me,
                                     .ref = etf_ref("a@h", 1), .payload = etf_atom("boom")});
    assert_int_equal(seen.note.call, 0);
    assert_int_equal(seen.num_ended, 0);
    stop(&seen);
    assert_int_equal(seen.num_ended, 0);
}

/* rex lets other processes do the work: the process that answers does not have its name. */
static void rex_does_not_answer(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    for (int i = 0; i < 2; i++) {
        const struct ds_term me = etf_pid("a@h", 1);
        message(&seen, &(struct message){
            .code = 6, .from = me, .to = etf_atom("rex"),
            .payload = etf_tuple(2, me, etf_tuple(5, etf_atom("call"), etf_atom("m"), etf_atom("f"),
                                                  etf_nil(), etf_atom("user")))});
        if (i == 0)
            message(&seen, &(struct message){
                .code = 22, .dir = 1, .from = etf_pid("b@h", 9), .to = me,
                .payload = etf_tuple(2, etf_atom("rex"),
                                     etf_tuple(2, etf_atom("badrpc"), etf_atom("nodedown")))});
    }
    assert_last(&seen, 1, CALL_ERROR);
    assert_false(seen.ended[0].has_result);
    conn_ends(&seen, false);
    assert_string_equal(seen.ended[1].callee, "rex@b@h");
    stop(&seen);
}

/* A call that was forwarded is answered over another connection: losses on its first connection do
 * not matter. */
static void handed_on(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term me = etf_pid("a@h", 1);
    monitor(&seen, 8, etf_atom("front"));
    ask_as(&seen, 0, me, etf_atom("front"), alias_tag("a@h", 8), etf_atom("x"));
    seen.conn.end[0].node = text("b@h");
    seen.conn.end[1].node = text("c@h");
    ask_as(&seen, 0, me, etf_atom("back"), alias_tag("a@h", 8), etf_atom("x"));
    assert_int_equal(seen.note.role, NOTE_FORWARD);
    seen.conn.end[0].node = text("a@h");
    seen.conn.end[1].node = text("b@h");
    seen.conn.counters[1].gaps++;
    seen.now_ns += 5000000000;
    demonitor(&seen, 8);
    assert_int_equal(seen.note.outcome, CALL_TIMEOUT);
    stop(&seen);
}

/* A message in the form of a call without names, with the tag of its monitor or of another one. */
static void tagged_calls(void **state)
{
    struct seen seen;
    (void)state;
    for (uint32_t ref = 1; ref <= 2; ref++) {
        start(&seen);
        const struct ds_term me = etf_pid("a@h", 1), manager = etf_pid("b@h", 9);
        monitor(&seen, 1, manager);
        message(&seen, &(struct message){
            .code = 22, .from = me, .to = manager,
            .payload = etf_tuple(3, manager, etf_tuple(2, me, etf_ref("a@h", ref)), etf_atom("x"))});
        assert_int_equal(seen.note.role, ref == 1 ? NOTE_REQUEST : NOTE_SEND);
        stop(&seen);
        assert_int_equal(seen.num_ended, ref == 1);
    }
}

/* A command to ra, whose options say which member answers. */
static struct ds_term command(struct ds_term head, struct ds_term usr, struct ds_term options)
{
    return etf_tuple(2, head,
                     etf_tuple(3, etf_atom("command"), etf_atom("normal"),
                               etf_tuple(3, usr, etf_atom("x"),
                                         etf_tuple(2, etf_atom("await_consensus"), options))));
}

static struct ds_term reply_from(struct ds_term who)
{
    return command(etf_atom("leader_call"), etf_atom("$usr"), etf_map(1, etf_atom("reply_from"), who));
}

/* Which member answers a command: the caller's own node, not captured; another; or an unknown atom
 * decides. */
static void answered_by_own_node(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term none = etf_cached(NULL), member = etf_atom("member");
    const struct ds_term plain = etf_map(1, etf_atom("reply_from"), etf_atom("leader"));
    const struct {
        struct ds_term request;
        uint32_t unknown;
        enum call_outcome outcome;
        bool has_no_name; /* the caller's node */
    } cases[] = {
        {reply_from(etf_atom("local")), 0, CALL_ANSWERED_ELSEWHERE, false},
        {reply_from(etf_atom("leader")), 0, CALL_ABANDONED, false},
        {reply_from(none), 1, CALL_UNKNOWN, false},
        {reply_from(etf_tuple(2, member, etf_tuple(2, etf_atom("x"), etf_atom("a@h")))), 0,
         CALL_ANSWERED_ELSEWHERE, false},
        {reply_from(etf_tuple(2, member, etf_tuple(2, etf_atom("x"), etf_atom("c@h")))), 0, CALL_ABANDONED,
         false},
        {reply_from(etf_tuple(2, member, etf_tuple(2, etf_atom("x"), none))), 1, CALL_UNKNOWN, false},
        {reply_from(etf_tuple(2, member, etf_tuple(2, etf_atom("x"), etf_atom("c@h")))), 0, CALL_UNKNOWN, true},
        {reply_from(etf_tuple(2, none, etf_tuple(2, etf_atom("x"), etf_atom("a@h")))), 1, CALL_UNKNOWN, false},
        /* the key */
        {command(etf_atom("leader_call"), etf_atom("$usr"), etf_map(1, none, etf_atom("local"))), 1, CALL_UNKNOWN,
         false},
        {command(etf_atom("leader_call"), etf_atom("$usr"), etf_map(1, etf_atom("x"), etf_atom("local"))), 0,
         CALL_ABANDONED, false},
        /* this makes it a command */
        {command(none, etf_atom("$usr"), plain), 1, CALL_UNKNOWN, false},
        {command(etf_atom("leader_call"), none, plain), 1, CALL_UNKNOWN, false},
        {command(etf_cached("other_call"), etf_atom("$usr"), plain), 1, CALL_ABANDONED, false},
        {command(etf_atom("leader_call"), etf_atom("$usr"), plain), 0, CALL_ABANDONED, false},
        {command(etf_atom("leader_call"), etf_atom("$other"), plain), 1, CALL_ABANDONED, false},
        {command(none, etf_atom("$usr"), plain), 0, CALL_ABANDONED, false}, /* no message shows it */
        {etf_tuple(2, none, none), 2, CALL_ABANDONED, false},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        /* Without success; and the server's DOWN crosses the end of the monitor. */
        for (uint32_t crosses = 0; crosses < 2; crosses++) {
            const uint32_t ref = 1 + 2 * i + crosses;
            seen.conn.end[0].node = cases[i].has_no_name ? (struct ds_text){NULL, 0} : text("a@h");
            monitor(&seen, ref, etf_atom("echo"));
            message(&seen, &(struct message){
                .code = 6, .from = etf_pid("a@h", 1), .to = etf_atom("echo"),
                .unknown_atoms = cases[i].unknown,
                .payload = etf_tuple(3, etf_atom("$gen_call"),
                                     etf_tuple(2, etf_pid("a@h", 1), alias_tag("a@h", ref)),
                                     cases[i].request)});
            seen.now_ns += 30000000;
            if (crosses != 0)
                down(&seen, ref, etf_atom("killed"));
            demonitor(&seen, ref);
            assert_int_equal(seen.note.outcome, cases[i].outcome);
        }
    }
    stop(&seen);
    assert_int_equal(seen.num_ended, 2 * sizeof cases / sizeof cases[0]);
    assert_true(seen.num_ended <= MAX_ENDED);
    for (size_t i = 0; i < seen.num_ended; i++)
        assert_int_equal(seen.ended[i].doubt,
                         seen.ended[i].outcome == CALL_UNKNOWN ? DOUBT_PLACE : DOUBT_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons),
        cmocka_unit_test(wrapped_timeouts),
        cmocka_unit_test(early_downs),
        cmocka_unit_test(given_up_before),
        cmocka_unit_test(callers_exit),
        cmocka_unit_test(spawned),
        cmocka_unit_test(watches),
        cmocka_unit_test(server_calls),
        cmocka_unit_test(rex_does_not_answer),
        cmocka_unit_test(handed_on),
        cmocka_unit_test(tagged_calls),
        cmocka_unit_test(answered_by_own_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
