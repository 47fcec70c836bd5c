/*
 * test_correlate_ends.c - every way a call can end: by an answer, by its monitor, with its
 * connection or the capture, or because its caller gave up or ended.
 */
#include "analyse/calls/pending_calls.h"
#include "correlate_world.h"

static void answered(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    monitor(&seen, 5, etf_atom("echo"));
    assert_int_equal(seen.note.role, NOTE_MONITOR);
    ask(&seen, 5);
    assert_int_equal(seen.note.role, NOTE_REQUEST);
    assert_int_equal(seen.note.call, 1);
    assert_string_equal(seen.note.label, "gen:call");
    answer(&seen, 5);
    assert_int_equal(seen.note.role, NOTE_REPLY);
    assert_int_equal(seen.note.call, 1);
    assert_true(seen.note.has_latency);
    assert_int_equal(seen.note.latency_ns, 1000);
    assert_last(&seen, 1, CALL_OK);
    assert_true(seen.ended[0].has_result);
    assert_int_equal(seen.ended[0].latency_ns, 1000);
    assert_string_equal(seen.ended[0].callee, "echo <b@h.50.0>");
    demonitor(&seen, 5);
    assert_int_equal(seen.note.role, NOTE_DEMONITOR);
    assert_int_equal(seen.note.call, 0);
    answer(&seen, 5); /* again: it belongs to no call, but has the form of a reply */
    assert_int_equal(seen.note.role, NOTE_REPLY);
    assert_int_equal(seen.note.call, 0);
    stop(&seen);
    assert_int_equal(seen.num_ended, 1);
}

/* If no stage uses the ends of calls that messages ended, only these are not reported. */
static void answered_unseen_by(enum ends_seen_by who)
{
    const struct correlate_config config = {
        .ends_seen_by = who,
        .limits = {[DS_LIMIT_CALLS] = 1000, [DS_LIMIT_NAMES] = 1000},
    };
    struct seen seen;
    etf_reset();
    assert_non_null(start_as(&seen, config));
    monitor(&seen, 1, etf_atom("echo"));
    ask(&seen, 1);
    answer(&seen, 1);
    assert_int_equal(seen.note.role, NOTE_REPLY);
    assert_int_equal(seen.note.call, 1);
    assert_int_equal(seen.note.latency_ns, 1000);
    monitor(&seen, 2, etf_atom("echo"));
    ask(&seen, 2);
    down(&seen, 2, etf_atom("noproc"));
    assert_int_equal(seen.note.outcome, CALL_NOPROC);
    assert_int_equal(seen.num_ended, 0);

    /* a call that has to wait is reported in time */
    monitor(&seen, 3, etf_atom("echo"));
    ask(&seen, 3);
    seen.now_ns += 4000000;
    demonitor(&seen, 3);
    assert_int_equal(seen.num_ended, 0);
    answer(&seen, 3);
    assert_last(&seen, 3, CALL_TIMEOUT);

    ask(&seen, 4);
    conn_ends(&seen, false);
    assert_last(&seen, 4, CALL_NOCONNECTION);
    ask(&seen, 5);
    stop(&seen);
    assert_last(&seen, 5, CALL_UNANSWERED);
    assert_int_equal(seen.num_ended, 3);
}

static void answered_unseen(void **state)
{
    (void)state;
    answered_unseen_by(ENDS_SEEN_BY_OUTPUTS);
    answered_unseen_by(ENDS_SEEN_BY_NOBODY);
}

static void other_ends(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    monitor(&seen, 1, etf_atom("echo"));
    ask(&seen, 1);
    seen.now_ns += 5000000000;
    demonitor(&seen, 1);
    let_die(&seen);
    assert_last(&seen, 1, CALL_TIMEOUT);

    monitor(&seen, 2, etf_atom("echo"));
    ask(&seen, 2);
    down(&seen, 2, etf_atom("noproc"));
    assert_last(&seen, 2, CALL_NOPROC);
    assert_int_equal(seen.note.role, NOTE_DOWN);

    monitor(&seen, 3, etf_atom("echo"));
    ask(&seen, 3);
    down(&seen, 3, etf_tuple(2, etf_atom("boom"), etf_nil()));
    assert_last(&seen, 3, CALL_ERROR);
    assert_string_equal(seen.ended[2].class, "exit");

    /* DOWN overtakes the request */
    monitor(&seen, 4, etf_atom("echo"));
    down(&seen, 4, etf_atom("noproc"));
    ask(&seen, 4);
    assert_last(&seen, 4, CALL_NOPROC);

    /* a gap in the server's stream: it may have answered */
    monitor(&seen, 5, etf_atom("echo"));
    ask(&seen, 5);
    seen.conn.counters[1].gaps++;
    demonitor(&seen, 5);
    assert_last(&seen, 5, CALL_UNKNOWN);

    /* the same after a message that could not be decoded, but not after a gap on another connection */
    monitor(&seen, 15, etf_atom("echo"));
    ask(&seen, 15);
    seen.conn.counters[1].faults++;
    demonitor(&seen, 15);
    assert_last(&seen, 6, CALL_UNKNOWN);
    monitor(&seen, 16, etf_atom("echo"));
    ask(&seen, 16);
    seen.conn.number = 2;
    seen.conn.counters[1].gaps++;
    seen.now_ns += 5000000000;
    demonitor(&seen, 16);
    let_die(&seen);
    assert_last(&seen, 7, CALL_TIMEOUT);
    seen.conn.number = 1;

    ask(&seen, 6);
    conn_ends(&seen, false);
    assert_last(&seen, 8, CALL_NOCONNECTION);

    ask(&seen, 7);
    conn_ends(&seen, true);
    assert_last(&seen, 9, CALL_UNANSWERED);

    /* ended by the first FIN, even if the second never comes */
    ask(&seen, 8);
    conn_is_half_closed(&seen);
    assert_last(&seen, 10, CALL_NOCONNECTION);
    conn_ends(&seen, false);
    assert_int_equal(seen.num_ended, 10);

    ask(&seen, 9);
    const int64_t asked_ns = seen.now_ns;
    correlate_time(seen.correlate, asked_ns + INT64_C(3000000000));
    correlate_time(seen.correlate, asked_ns); /* ignored */
    struct seen open = {0};
    correlate_visit_open(seen.correlate, asked_ns + INT64_C(4000000000), on_record, &open);
    assert_int_equal(open.num_ended, 1); /* but neither ended calls nor those that were given up */
    assert_last(&open, 11, CALL_OPEN);
    assert_int_equal(open.ended[0].latency_ns, 4000000000);
    correlate_visit_open(seen.correlate, asked_ns, on_record, &open);
    assert_int_equal(open.ended[1].latency_ns, 3000000000); /* it is later than that */
    assert_int_equal(seen.num_ended, 10);
    stop(&seen);
    assert_last(&seen, 11, CALL_UNANSWERED);
    assert_int_equal(seen.ended[(seen.num_ended - 1) % MAX_ENDED].latency_ns, 3000000000);
    assert_int_equal(seen.num_ended, 11);
}

/* A caller that gives up: which messages show it, and what may follow. */
static void given_up(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    monitor(&seen, 1, etf_atom("echo"));
    ask(&seen, 1);
    seen.now_ns += 4000000;
    demonitor(&seen, 1);
    assert_int_equal(seen.note.outcome, CALL_ABANDONED);
    assert_int_equal(seen.num_ended, 0); /* the answer may still come */
    answer(&seen, 1);
    assert_true(seen.note.late);
    assert_int_equal(seen.note.call, 1);
    assert_int_equal(seen.note.outcome, CALL_OPEN);
    assert_last(&seen, 1, CALL_TIMEOUT);
    answer(&seen, 1); /* again */
    assert_false(seen.note.late);
    assert_int_equal(seen.note.call, 0);

    monitor(&seen, 2, etf_atom("echo"));
    ask(&seen, 2);
    seen.now_ns += 4000000;
    demonitor(&seen, 2);
    seen.now_ns += PENDING_CALLS_NS;
    monitor(&seen, 9, etf_atom("echo")); /* time passes */
    assert_last(&seen, 2, CALL_ABANDONED);
    answer(&seen, 2);
    assert_true(seen.note.late);
    assert_int_equal(seen.num_ended, 2);

    /* the caller ended: a process that monitors it is informed */
    ask(&seen, 3);
    message(&seen, &(struct message){.code = 28, .from = etf_pid("a@h", 1), .dir = 0,
                                     .to = etf_pid("b@h", 5), .ref = etf_ref("b@h", 77),
                                     .payload = etf_atom("killed")});
    answer(&seen, 3);
    assert_last(&seen, 3, CALL_ABANDONED);

    static const struct {
        int64_t waited_us;
        enum call_outcome outcome;
    } cases[] = {{0, CALL_ABANDONED},      {4999, CALL_ABANDONED},   {94999, CALL_ABANDONED}, {95000, CALL_TIMEOUT},
                 {99900, CALL_TIMEOUT},    {111111, CALL_TIMEOUT},  {111112, CALL_ABANDONED},
                 {194999, CALL_ABANDONED}, {195000, CALL_TIMEOUT},  {505000, CALL_TIMEOUT},
                 {450000, CALL_ABANDONED}, {1234000, CALL_TIMEOUT},
                 {1100000, CALL_TIMEOUT},  {1150000, CALL_TIMEOUT}, {1150001, CALL_ABANDONED},
                 {5500000, CALL_TIMEOUT},  {5501000, CALL_TIMEOUT}, {5550000, CALL_TIMEOUT},
                 {5550001, CALL_ABANDONED}, {10500000, CALL_TIMEOUT}, {10594999, CALL_ABANDONED}};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        monitor(&seen, 20 + i, etf_atom("echo"));
        ask(&seen, 20 + i);
        seen.now_ns += cases[i].waited_us * 1000 - 1000;
        demonitor(&seen, 20 + i);
        assert_int_equal(seen.note.outcome, cases[i].outcome);
    }
    /* no more than these are remembered */
    for (uint32_t i = 0; i < 2000; i++) {
        etf_reset();
        monitor(&seen, 100 + i, etf_atom("echo"));
        ask(&seen, 100 + i);
        demonitor(&seen, 100 + i);
    }
    answer(&seen, 100);
    assert_false(seen.note.late);
    answer(&seen, 2099);
    assert_true(seen.note.late);
    stop(&seen);
}

/* A late answer shows that its caller had given up, unless the caller's end was seen and no message
 * of it followed. If no other message of a caller is seen, nothing shows that it was killed. */
static void answers_to_the_dead(void **state)
{
    enum { SILENT, DIES, GOES_ON, WENT_ON, WENT_ON_AND_DIES, ENDS_SO, NOT_ANSWERED, CASES };
    for (int i = 0; i < CASES; i++) {
        struct seen seen;
        (void)state;
        start(&seen);
        monitor(&seen, 1, etf_atom("echo"));
        ask(&seen, 1);
        seen.now_ns += 37000000;
        demonitor(&seen, 1);
        if (i == WENT_ON || i == WENT_ON_AND_DIES)
            monitor(&seen, 2, etf_atom("echo"));
        if (i == DIES || i == WENT_ON_AND_DIES || i == ENDS_SO)
            message(&seen, &(struct message){.code = 28, .from = etf_pid("a@h", 1),
                                             .to = etf_pid("b@h", 5), .ref = etf_ref("b@h", 77),
                                             .payload = etf_atom(i == ENDS_SO ? "normal" : "killed")});
        if (i != NOT_ANSWERED)
            answer(&seen, 1);
        if (i == GOES_ON || i == NOT_ANSWERED)
            monitor(&seen, 2, etf_atom("echo"));
        assert_int_equal(seen.num_ended, i == NOT_ANSWERED ? 0 : 1);
        seen.now_ns += PENDING_CALLS_NS;
        correlate_time(seen.correlate, seen.now_ns);
        assert_last(&seen, 1, i == DIES || i == NOT_ANSWERED ? CALL_ABANDONED : CALL_TIMEOUT);
        stop(&seen);
    }
}

/* A caller that gives up while the DOWN of its callee is on its way ends the monitor, whose DOWN it
 * has not received yet. After that DOWN it would not end it. */
static void gives_up_as_the_callee_ends(void **state)
{
    enum { CROSSED, NOT_ROUND, KILLED, NOT_CROSSED, OTHER_MONITOR, OTHER_CALLER, TOO_SOON, LEAST, LATE, NOPROC, CASES };
    static const enum call_outcome outcomes[CASES] = {
        [CROSSED] = CALL_TIMEOUT,    [NOT_ROUND] = CALL_ABANDONED, [KILLED] = CALL_ABANDONED,
        [NOT_CROSSED] = CALL_ERROR,  [OTHER_MONITOR] = CALL_ERROR, [OTHER_CALLER] = CALL_ERROR,
        [TOO_SOON] = CALL_ERROR,     [LATE] = CALL_ERROR,          [NOPROC] = CALL_TIMEOUT,
        [LEAST] = CALL_TIMEOUT};
    for (int i = 0; i < CASES; i++) {
        struct seen seen;
        (void)state;
        start(&seen);
        monitor(&seen, 1, etf_atom("echo"));
        ask(&seen, 1);
        seen.now_ns += i == TOO_SOON ? 998000 : i == LEAST ? 999000 : i == NOT_ROUND ? 250000000 : 500000000;
        down(&seen, 1, etf_atom(i == NOPROC ? "noproc" : "killed"));
        assert_int_equal(seen.note.outcome, i == NOPROC ? CALL_NOPROC : CALL_ERROR);
        assert_int_equal(seen.num_ended, i == TOO_SOON ? 1 : 0);
        const int64_t since_ns = seen.now_ns;
        seen.now_ns += i == LATE ? CROSSED_NS : CROSSED_NS - 2000;
        if (i == LATE)
            correlate_time(seen.correlate, seen.now_ns + 1);
        if (i != NOT_CROSSED)
            message(&seen, &(struct message){
                .code = 20, .from = etf_pid("a@h", i == OTHER_CALLER ? 2 : 1), .to = etf_atom("echo"),
                .ref = etf_ref("a@h", i == OTHER_MONITOR ? 2 : 1)});
        if (i == CROSSED) {
            assert_int_equal(seen.note.call, 1);
            assert_int_equal(seen.note.outcome, CALL_TIMEOUT);
            assert_int_equal(seen.num_ended, 0); /* whether the caller ends is not known yet */
        }
        if (i == KILLED)
            message(&seen, &(struct message){.code = 28, .from = etf_pid("a@h", 1),
                                             .to = etf_pid("b@h", 5), .ref = etf_ref("b@h", 77),
                                             .payload = etf_atom("killed")});
        stop(&seen);
        assert_last(&seen, 1, outcomes[i]);
        const int64_t crossed_ns = outcomes[i] == CALL_TIMEOUT ? since_ns + CROSSED_NS - 1000 : since_ns;
        if (i == CROSSED || i == NOT_CROSSED)
            assert_int_equal(seen.ended[0].latency_ns, crossed_ns - (since_ns - 500001000));
        if (outcomes[i] != CALL_ERROR)
            assert_string_equal(seen.ended[0].class, "");
    }
}

static void send_unread(struct seen *seen, unsigned dir, struct ds_term to)
{
    message(seen, &(struct message){.code = 2, .dir = dir, .to = to, .unknown_atoms = 1,
                                    .payload = etf_tuple(2, etf_cached(NULL), etf_atom("x"))});
}

/* A message with unknown atoms that seems to answer nothing may be the answer. The outcome of the
 * call is unknown then, unless an answer follows. */
static void may_be_answered(void **state)
{
    enum { TO_CALLER, BY_ADDRESS, TO_ALIAS, TO_UNKNOWN, TO_OTHER_ALIAS, DOWN_OF_UNKNOWN, SPAWNED_UNKNOWN, TO_OTHER_CALLER,
           OTHER_WAY, READ, BEFORE, CAST, CASES };
    enum { GIVES_UP, CONN_ENDS, CAPTURE_ENDS, CALLER_ENDS, ANSWERED, WAYS };
    static const enum call_outcome outcomes[WAYS] = {CALL_TIMEOUT, CALL_NOCONNECTION, CALL_UNANSWERED,
                                                     CALL_ABANDONED, CALL_OK};
    for (int i = 0; i < CASES * WAYS; i++) {
        const int what = i / WAYS, way = i % WAYS;
        const bool is_told = what <= SPAWNED_UNKNOWN;
        struct seen seen;
        (void)state;
        start(&seen);
        if (what == TO_OTHER_CALLER)
            ask_as(&seen, 0, etf_pid("a@h", 2), etf_atom("echo"), alias_tag("a@h", 7), etf_atom("hi"));
        if (what == BEFORE) {
            ask_as(&seen, 0, etf_pid("a@h", 2), etf_atom("echo"), alias_tag("a@h", 7), etf_atom("hi"));
            send_unread(&seen, 1, etf_ref("a@h", 66));
        }
        monitor(&seen, 1, etf_atom("echo"));
        ask(&seen, 1);
        if (what == TO_CALLER || what == OTHER_WAY)
            send_unread(&seen, what == OTHER_WAY ? 0 : 1, etf_pid("a@h", 1));
        else if (what == BY_ADDRESS) /* the request may have had the node as an unknown atom */
            message(&seen, &(struct message){
                .code = 2, .dir = 1, .to = etf_pid("a@h", 1), .address_atoms = 1,
                .payload = etf_tuple(2, etf_addressed("~10.0.0.2:9000"), etf_atom("x"))});
        else if (what == TO_ALIAS || what == TO_OTHER_ALIAS)
            send_unread(&seen, 1, etf_ref("a@h", what == TO_ALIAS ? 1 : 66));
        else if (what == TO_UNKNOWN)
            send_unread(&seen, 1, etf_pid_of(etf_cached(NULL), 1, 7));
        else if (what == TO_OTHER_CALLER)
            send_unread(&seen, 1, etf_pid("a@h", 2));
        else if (what == DOWN_OF_UNKNOWN)
            message(&seen, &(struct message){.code = 21, .dir = 1, .from = etf_atom("echo"), .unknown_atoms = 1,
                                             .to = etf_pid("a@h", 1), .ref = etf_ref("?", 1),
                                             .reason = etf_atom("x")});
        else if (what == SPAWNED_UNKNOWN)
            message(&seen, &(struct message){.code = 31, .dir = 1, .ref = etf_ref("?", 1), .unknown_atoms = 1,
                                             .to = etf_pid("a@h", 1), .flags = etf_int(0),
                                             .result = etf_cached(NULL)});
        else if (what == READ)
            message(&seen, &(struct message){.code = 2, .dir = 1, .to = etf_pid("a@h", 1),
                                             .payload = etf_atom("x")});
        else if (what == CAST)
            message(&seen, &(struct message){
                .code = 2, .dir = 1, .to = etf_pid("a@h", 1), .unknown_atoms = 1,
                .payload = etf_tuple(2, etf_atom("$gen_cast"), etf_cached(NULL))});
        seen.now_ns += 5000000000;
        if (way == GIVES_UP)
            demonitor(&seen, 1);
        else if (way == CONN_ENDS)
            conn_ends(&seen, false);
        else if (way == CALLER_ENDS)
            message(&seen, &(struct message){.code = 28, .from = etf_pid("a@h", 1),
                                             .to = etf_pid("b@h", 5), .ref = etf_ref("b@h", 77),
                                             .payload = etf_atom("killed")});
        else if (way == ANSWERED)
            answer(&seen, 1);
        stop(&seen);
        const uint64_t number = what == TO_OTHER_CALLER || what == BEFORE ? 2 : 1;
        bool is_found = false;
        for (size_t k = 0; k < seen.num_ended; k++) {
            if (seen.ended[k].number != number)
                continue;
            is_found = true;
            assert_int_equal(seen.ended[k].outcome,
                             is_told && way != ANSWERED ? CALL_UNKNOWN : outcomes[way]);
        }
        assert_true(is_found);
    }
}

/* If the atom that distinguishes an answer from a failure is unknown, so is the outcome. If it is
 * known, other atoms may be unknown. */
static void undecided(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term erpc = etf_list(4, etf_ref("a@h", 1), etf_atom("m"), etf_atom("f"), etf_nil(), etf_nil());
    const struct {
        struct ds_term reason;
        enum call_outcome outcome;
    } exits[] = {
        {etf_tuple(3, etf_ref("a@h", 1), etf_atom("return"), etf_cached(NULL)), CALL_OK},
        {etf_tuple(3, etf_ref("a@h", 1), etf_cached(NULL), etf_atom("x")), CALL_UNKNOWN},
        {etf_tuple(3, etf_ref("a@h", 1), etf_atom("throw"), etf_cached(NULL)), CALL_ERROR},
        {etf_cached(NULL), CALL_UNKNOWN},
        {etf_tuple(2, etf_atom("boom"), etf_cached(NULL)), CALL_ERROR},
    };
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof exits / sizeof exits[0]; i++) {
        spawn_request(&seen, 1, "erpc", "execute_call", erpc);
        spawn_reply(&seen, 1, 2, etf_pid("b@h", 60));
        down(&seen, 1, exits[i].reason);
        assert_last(&seen, ++number, exits[i].outcome);
    }
    /* erpc may be asking, so that the answer is still to come. */
    for (int i = 0; i < 4; i++) {
        message(&seen, &(struct message){
            .code = 29, .from = etf_pid("a@h", 1), .ref = etf_ref("a@h", 2), .payload = erpc,
            .mfa = etf_tuple(3, i == 1 ? etf_cached(NULL) : etf_atom("m"),
                             i == 2 ? etf_cached(NULL) : etf_atom("f"), etf_int(4))});
        spawn_reply(&seen, 2, 0, i == 3 ? etf_atom("notsup") : etf_pid("b@h", 60));
        assert_last(&seen, ++number, i == 0 ? CALL_OK : i == 3 ? CALL_ERROR : CALL_UNKNOWN);
    }
    /* A monitor that ends for an unknown reason: no process, no connection, or an exit. */
    for (int i = 0; i < 2; i++) {
        monitor(&seen, 9, etf_atom("echo"));
        ask(&seen, 9);
        down(&seen, 9, i == 0 ? etf_cached(NULL) : etf_tuple(2, etf_cached(NULL), etf_nil()));
        assert_last(&seen, ++number, i == 0 ? CALL_UNKNOWN : CALL_ERROR);
        assert_string_equal(seen.monitor_how, i == 0 ? "unknown" : "exit");
    }
    /* A pair that rpc returns may be {badrpc, _}; no other term may. */
    const struct {
        struct ds_term reply;
        enum call_outcome outcome;
    } replies[] = {
        {etf_tuple(2, etf_cached(NULL), etf_atom("x")), CALL_UNKNOWN},
        {etf_tuple(2, etf_atom("ok"), etf_cached(NULL)), CALL_OK},
        {etf_cached(NULL), CALL_OK},
        {etf_tuple(2, etf_cached("badrpc"), etf_cached(NULL)), CALL_ERROR},
    };
    for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++) {
        message(&seen, &(struct message){
            .code = 6, .from = etf_pid("a@h", 1), .to = etf_atom("rex"),
            .payload = etf_tuple(2, etf_pid("a@h", 1),
                                 etf_tuple(5, etf_atom("call"), etf_atom("m"), etf_atom("f"), etf_nil(),
                                           etf_atom("user")))});
        message(&seen, &(struct message){.code = 2, .dir = 1, .to = etf_pid("a@h", 1),
                                         .payload = etf_tuple(2, etf_atom("rex"), replies[i].reply)});
        assert_last(&seen, ++number, replies[i].outcome);
    }
    stop(&seen);
}

/* A caller that ends during its call: the end of its monitor looks as if it had given up. */
static void ended_in_the_call(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term killed = etf_atom("killed");
    const struct {
        struct ds_term reason;
        int64_t after_ns;
        bool goes_on; /* it did something in between */
        enum call_outcome outcome;
    } cases[] = {
        {killed, 0, false, CALL_ABANDONED},
        {killed, DEATH_NS - 1000, false, CALL_ABANDONED}, /* a message takes 1000 itself */
        {killed, DEATH_NS - 999, false, CALL_TIMEOUT},
        {etf_tuple(2, etf_atom("shutdown"), etf_atom("timeout")), 1000, false, CALL_ABANDONED},
        {killed, 1000, true, CALL_TIMEOUT},
        {etf_atom("normal"), 1000, false, CALL_TIMEOUT},
        {etf_atom("timeout"), 1000, false, CALL_TIMEOUT},
        {etf_tuple(2, etf_atom("timeout"), etf_atom("gen_server")), 1000, false, CALL_TIMEOUT},
        {etf_tuple(2, etf_tuple(2, etf_atom("timeout"), etf_atom("x")), etf_nil()), 1000, false,
         CALL_TIMEOUT},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        monitor(&seen, 500 + i, etf_atom("echo"));
        ask(&seen, 500 + i);
        seen.now_ns += 5000000000;
        demonitor(&seen, 500 + i);
        assert_int_equal(seen.num_ended, i); /* whether the caller ends is not known yet */
        seen.now_ns += cases[i].after_ns;
        if (cases[i].goes_on)
            monitor(&seen, 600 + i, etf_atom("other"));
        message(&seen, &(struct message){.code = 28, .from = etf_pid("a@h", 1), .dir = 0,
                                         .to = etf_pid("b@h", 5), .ref = etf_ref("b@h", 77),
                                         .payload = cases[i].reason});
        assert_last(&seen, i + 1, cases[i].outcome);
    }
    stop(&seen);
}

/* How certain a timeout is: possible by the time alone; likely after the timeout of
 * gen_server:call, or if the caller goes on; certain if the caller exits with it. */
static void certain_timeouts(void **state)
{
    enum { NOTHING, GOES_ON, ENDS_SO, ENDS_OTHERWISE, ANSWERED };
    static const struct {
        int64_t waited_us;
        int what;
        enum call_outcome outcome;
        enum certainty certainty;
    } cases[] = {{1000000, NOTHING, CALL_TIMEOUT, CERTAINTY_POSSIBLE},
                 {4994999, NOTHING, CALL_ABANDONED, CERTAINTY_SURE},
                 {4995000, NOTHING, CALL_TIMEOUT, CERTAINTY_LIKELY},
                 {5100000, NOTHING, CALL_TIMEOUT, CERTAINTY_LIKELY},
                 {5100001, NOTHING, CALL_TIMEOUT, CERTAINTY_POSSIBLE},
                 {10000000, NOTHING, CALL_TIMEOUT, CERTAINTY_POSSIBLE},
                 {1000000, GOES_ON, CALL_TIMEOUT, CERTAINTY_LIKELY},
                 {1000000, ENDS_SO, CALL_TIMEOUT, CERTAINTY_SURE},
                 {5000000, ENDS_SO, CALL_TIMEOUT, CERTAINTY_SURE},
                 {5000000, ENDS_OTHERWISE, CALL_ABANDONED, CERTAINTY_SURE},
                 {237000, NOTHING, CALL_ABANDONED, CERTAINTY_SURE},
                 {237000, ANSWERED, CALL_TIMEOUT, CERTAINTY_LIKELY}};
    struct seen seen;
    (void)state;
    start(&seen);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        monitor(&seen, 10 + i, etf_atom("echo"));
        ask(&seen, 10 + i);
        seen.now_ns += cases[i].waited_us * 1000 - 1000;
        demonitor(&seen, 10 + i);
        if (cases[i].what == GOES_ON)
            monitor(&seen, 100 + i, etf_atom("other"));
        if (cases[i].what == ANSWERED)
            answer(&seen, 10 + i);
        if (cases[i].what == ENDS_SO || cases[i].what == ENDS_OTHERWISE)
            message(&seen, &(struct message){
                .code = 28, .from = etf_pid("a@h", 1), .to = etf_pid("b@h", 5), .ref = etf_ref("b@h", 77),
                .payload = etf_tuple(2, etf_atom(cases[i].what == ENDS_SO ? "timeout" : "killed"),
                                     etf_atom("x"))});
        seen.now_ns += PENDING_CALLS_NS + 1;
        correlate_time(seen.correlate, seen.now_ns);
        assert_last(&seen, 1 + i, cases[i].outcome);
        assert_int_equal(seen.ended[i].certainty, cases[i].certainty);
    }
    stop(&seen);
}

/* A request that waited behind a stall was made before it was captured: its caller may have waited
 * for a usual time. */
static void stalled_request(void **state)
{
    static const struct {
        int64_t waited_us, stalled_ns;
        enum call_outcome outcome;
        enum certainty certainty;
    } cases[] = {{1952000, 6000000000, CALL_TIMEOUT, CERTAINTY_POSSIBLE},
                 {237000, 63000000 - 1, CALL_ABANDONED, CERTAINTY_SURE},
                 {237000, 63000000, CALL_TIMEOUT, CERTAINTY_POSSIBLE},
                 {5000000, 63000000, CALL_TIMEOUT, CERTAINTY_LIKELY}, /* as without a stall */
                 {237000, INT64_MAX, CALL_ABANDONED, CERTAINTY_SURE}};
    struct seen seen;
    (void)state;
    start(&seen);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        monitor(&seen, 10 + i, etf_atom("echo"));
        message(&seen, &(struct message){.code = 6, .from = etf_pid("a@h", 1), .to = etf_atom("echo"),
                                         .stalled_ns = cases[i].stalled_ns,
                                         .payload = etf_tuple(3, etf_atom("$gen_call"),
                                                              etf_tuple(2, etf_pid("a@h", 1),
                                                                        alias_tag("a@h", 10 + i)),
                                                              etf_atom("hi"))});
        seen.now_ns += cases[i].waited_us * 1000 - 1000;
        demonitor(&seen, 10 + i);
        seen.now_ns += PENDING_CALLS_NS + 1;
        correlate_time(seen.correlate, seen.now_ns);
        assert_last(&seen, 1 + i, cases[i].outcome);
        assert_int_equal(seen.ended[i].certainty, cases[i].certainty);
    }
    stop(&seen);
}

/* A request that is sent when its caller waits no longer has waited behind a stall, and so has the caller: if
 * it goes on, it had timed out. If it ends because of a timeout, it had, however long that took. */
static void given_up_before(void **state)
{
    enum { NOTHING, GOES_ON, ENDS_SO, ENDS_OTHERWISE, ANSWERED, SO_AND_ANSWERED };
    static const struct {
        int64_t waited_ns, after_ns; /* after_ns: until it is known what becomes of the caller */
        int what;
        enum call_outcome outcome;
        enum certainty certainty;
    } cases[] = {{0, 1000, NOTHING, CALL_ABANDONED, CERTAINTY_SURE},
                 {0, 1000, GOES_ON, CALL_TIMEOUT, CERTAINTY_POSSIBLE},
                 {0, 1000000, GOES_ON, CALL_TIMEOUT, CERTAINTY_POSSIBLE},
                 {0, 0, GOES_ON, CALL_ABANDONED, CERTAINTY_SURE}, /* sent as early */
                 {LEAST_TIMEOUT_NS - 1, 1000, GOES_ON, CALL_TIMEOUT, CERTAINTY_POSSIBLE},
                 {LEAST_TIMEOUT_NS, 1000, GOES_ON, CALL_ABANDONED, CERTAINTY_SURE},
                 {0, 1000, ENDS_SO, CALL_TIMEOUT, CERTAINTY_SURE},
                 {1000, 1000, ENDS_OTHERWISE, CALL_ABANDONED, CERTAINTY_SURE},
                 {237000000, 1000, ENDS_SO, CALL_TIMEOUT, CERTAINTY_SURE},
                 {237000000, DEATH_NS, ENDS_SO, CALL_TIMEOUT, CERTAINTY_SURE},
                 {237000000, DEATH_NS + 1, ENDS_SO, CALL_ABANDONED, CERTAINTY_SURE},
                 {0, 1000, ENDS_OTHERWISE, CALL_ABANDONED, CERTAINTY_SURE},
                 {0, 1000, ANSWERED, CALL_TIMEOUT, CERTAINTY_LIKELY},
                 {0, 1000, SO_AND_ANSWERED, CALL_TIMEOUT, CERTAINTY_SURE}};
    struct seen seen;
    (void)state;
    start(&seen);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int what = cases[i].what;
        monitor(&seen, 10 + i, etf_atom("echo"));
        ask(&seen, 10 + i);
        seen.now_ns += cases[i].waited_ns - 1000; /* each message takes 1000 itself */
        demonitor(&seen, 10 + i);
        assert_int_equal(seen.note.has_latency, cases[i].waited_ns != 0);
        seen.now_ns += cases[i].after_ns - 1000;
        if (what == GOES_ON)
            monitor(&seen, 100 + i, etf_atom("other"));
        if (what == ENDS_SO || what == ENDS_OTHERWISE || what == SO_AND_ANSWERED)
            message(&seen, &(struct message){
                .code = 28, .from = etf_pid("a@h", 1), .to = etf_pid("b@h", 5), .ref = etf_ref("b@h", 77),
                .payload = etf_tuple(2, etf_atom(what == ENDS_OTHERWISE ? "killed" : "timeout"),
                                     etf_atom("x"))});
        if (what == ANSWERED || what == SO_AND_ANSWERED)
            answer(&seen, 10 + i);
        seen.now_ns += PENDING_CALLS_NS + 1;
        correlate_time(seen.correlate, seen.now_ns);
        assert_last(&seen, 1 + i, cases[i].outcome);
        assert_int_equal(seen.ended[i].certainty, cases[i].certainty);
        if (cases[i].waited_ns <= 1000)
            assert_string_equal(seen.ended[i].span,
                                cases[i].waited_ns == 0 ? "before it was sent" : "after 1 us");
    }
    stop(&seen);
}

/* A caller that receives another message and gives up at once may do so because of that message,
 * unless messages arrive all the time. */
static void stops_for_a_message(void **state)
{
    enum { SENT, EXIT, DOWN, REPLY, TO_OTHER, MONITORED, BEFORE, WAYS };
    static const struct {
        int way;
        uint32_t num;
        int64_t before_us; /* time from the last message to the end of the monitor */
        enum call_outcome outcome;
    } cases[] = {{SENT, 1, 10000, CALL_ABANDONED}, {SENT, 1, 10001, CALL_TIMEOUT},
                 {SENT, 5, 1000, CALL_ABANDONED},  {SENT, 6, 1000, CALL_TIMEOUT},
                 {EXIT, 1, 1000, CALL_ABANDONED},  {DOWN, 1, 1000, CALL_ABANDONED},
                 {REPLY, 1, 1000, CALL_ABANDONED}, {TO_OTHER, 1, 1000, CALL_TIMEOUT},
                 {MONITORED, 1, 1000, CALL_TIMEOUT}, {BEFORE, 6, 1000, CALL_ABANDONED}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct seen seen;
        start(&seen);
        const struct ds_term me = etf_pid("a@h", 1), hello = etf_atom("hello");
        const struct message sent = {.code = 2, .dir = 1, .to = me, .payload = hello};
        const struct message messages[WAYS] = {
            [SENT] = sent,
            [BEFORE] = sent,
            [EXIT] = {.code = 26, .dir = 1, .from = etf_pid("b@h", 9), .to = me, .payload = hello},
            [DOWN] = {.code = 28, .dir = 1, .from = etf_pid("b@h", 9), .to = me, .ref = etf_ref("a@h", 3),
                      .payload = hello},
            [REPLY] = {.code = 33, .dir = 1, .from = etf_pid("b@h", 50), .to = etf_ref("a@h", 2),
                       .payload = etf_tuple(2, alias_tag("a@h", 2), etf_atom("ok"))},
            [TO_OTHER] = {.code = 2, .dir = 1, .to = etf_pid("a@h", 7), .payload = hello},
            [MONITORED] = {.code = 19, .dir = 1, .from = etf_pid("b@h", 9), .to = me,
                           .ref = etf_ref("b@h", 4)},
        };
        monitor(&seen, 2, etf_atom("echo"));
        ask(&seen, 2);
        for (uint32_t j = 1; cases[i].way == BEFORE && j < cases[i].num; j++)
            message(&seen, &messages[SENT]);
        monitor(&seen, 1, etf_atom("echo"));
        ask(&seen, 1);
        const int64_t since_ns = seen.now_ns;
        for (uint32_t j = cases[i].way == BEFORE ? cases[i].num : 1; j <= cases[i].num; j++) {
            if (j == cases[i].num)
                seen.now_ns = since_ns + 1000000000 - cases[i].before_us * 1000 - 1000;
            message(&seen, &messages[cases[i].way]);
        }
        seen.now_ns = since_ns + 1000000000 - 1000;
        demonitor(&seen, 1);
        assert_int_equal(seen.note.outcome, cases[i].outcome);
        stop(&seen);
    }
}

/* If the request or the message that ends a call has likely atoms, the outcome is at best likely. */
static void likely_atoms(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    message(&seen, &(struct message){.code = 6, .from = etf_pid("a@h", 1), .to = etf_atom("echo"),
                                     .likely_atoms = 3,
                                     .payload = etf_tuple(3, etf_atom("$gen_call"),
                                                          etf_tuple(2, etf_pid("a@h", 1),
                                                                    alias_tag("a@h", 1)),
                                                          etf_atom("x"))});
    correlate_visit_open(seen.correlate, seen.now_ns, on_record, &seen);
    assert_int_equal(seen.ended[0].likely_atoms, 3);
    message(&seen, &(struct message){.code = 33, .dir = 1, .from = etf_pid("b@h", 50), .to = etf_ref("a@h", 1),
                                     .likely_atoms = 2,
                                     .payload = etf_tuple(2, alias_tag("a@h", 1), etf_atom("ok"))});
    assert_int_equal(seen.ended[1].likely_atoms, 5);
    stop(&seen);
}

/* Monitors end with a connection that is lost, but not with one that is no longer followed. */
static void monitors_of_a_connection(void **state)
{
    (void)state;
    for (int unfollowed = 0; unfollowed < 2; unfollowed++) {
        struct seen seen;
        start(&seen);
        monitor(&seen, 1, etf_atom("echo"));
        conn_ends(&seen, unfollowed != 0);
        assert_int_equal(seen.num_monitors_ended, 1);
        assert_string_equal(seen.monitor_how, unfollowed != 0 ? "open" : "noconnection");
        stop(&seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answered),
        cmocka_unit_test(answered_unseen),
        cmocka_unit_test(other_ends),
        cmocka_unit_test(given_up),
        cmocka_unit_test(may_be_answered),
        cmocka_unit_test(undecided),
        cmocka_unit_test(answers_to_the_dead),
        cmocka_unit_test(gives_up_as_the_callee_ends),
        cmocka_unit_test(ended_in_the_call),
        cmocka_unit_test(certain_timeouts), cmocka_unit_test(stalled_request),
        cmocka_unit_test(given_up_before),
        cmocka_unit_test(stops_for_a_message),
        cmocka_unit_test(likely_atoms),
        cmocka_unit_test(monitors_of_a_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
