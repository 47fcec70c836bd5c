/*
 * test_correlate_parents.c - the parent of a call: what the record of a call says about it, and how
 * long the record waits for it. test_parents has more ways in which processes work.
 */
#include "analyse/calls/call_parent.h"
#include "analyse/calls/pending_calls.h"
#include "analyse/calls/process_activity.h"
#include "correlate_world.h"

/* a asks relay on b, which asks store on a; the process behind the name is not known yet. */
static void inner_call(struct seen *seen, uint32_t outer, uint32_t inner)
{
    ask_as(seen, 0, etf_pid("a@h", 1), etf_atom("relay"), alias_tag("a@h", outer), etf_atom("x"));
    ask_as(seen, 1, etf_pid("b@h", 70), etf_pid("a@h", 80), alias_tag("b@h", inner),
           etf_atom("y"));
    message(seen, &(struct message){
        .code = 33, .dir = 0, .from = etf_pid("a@h", 80), .to = etf_ref("b@h", inner),
        .payload = etf_tuple(2, alias_tag("b@h", inner), etf_atom("ok"))});
}

/* The record of an inner call waits for its parent no longer than necessary. */
static void pending_calls(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    inner_call(&seen, 1, 2);
    assert_int_equal(seen.num_ended, 0);
    seen.now_ns += PENDING_CALLS_NS;
    monitor(&seen, 3, etf_atom("echo")); /* time passes */
    assert_last(&seen, 2, CALL_OK);
    assert_int_equal(seen.ended[0].parent, 0);
    answer_from(&seen, etf_pid("b@h", 71), 1); /* it was another process */
    inner_call(&seen, 4, 5);
    assert_int_equal(seen.num_ended, 2 + 1); /* relay is known now, not to be <70> */
    stop(&seen);

    start(&seen);
    inner_call(&seen, 1, 2);
    down(&seen, 1, etf_atom("noproc")); /* no such process exists that could be the parent */
    assert_last(&seen, 1, CALL_NOPROC);
    monitor(&seen, 3, etf_atom("echo"));
    assert_last(&seen, 2, CALL_OK);
    stop(&seen);

    /* more than can be held: the others follow at the end */
    start(&seen);
    ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("relay"), alias_tag("a@h", 1), etf_atom("x"));
    enum { TOO_MANY = PENDING_CALLS_MAX + 100 };
    for (uint32_t i = 0; i < TOO_MANY; i++) {
        etf_reset();
        ask_as(&seen, 1, etf_pid("b@h", 70 + i), etf_pid("a@h", 80), alias_tag("b@h", i),
               etf_atom("y"));
        message(&seen, &(struct message){
            .code = 33, .dir = 0, .from = etf_pid("a@h", 80), .to = etf_ref("b@h", i),
            .payload = etf_tuple(2, alias_tag("b@h", i), etf_atom("ok"))});
    }
    assert_in_range(seen.num_ended, TOO_MANY - PENDING_CALLS_MAX, TOO_MANY);
    stop(&seen);
    assert_int_equal(seen.num_ended, TOO_MANY + 1);
}

/* A call remembers a limited number of calls that were made for it; all of these know their parent. */
static void too_many_children(void **state)
{
    const uint32_t num = MAX_CHILDREN + 10;
    struct seen seen;
    (void)state;
    start(&seen);
    ask_as(&seen, 0, etf_pid("a@h", 1), etf_pid("b@h", 70), alias_tag("a@h", 1), etf_atom("x"));
    for (uint32_t i = 0; i < num; i++) {
        etf_reset();
        ask_as(&seen, 1, etf_pid("b@h", 70), etf_pid("a@h", 80), alias_tag("b@h", 2 + i),
               etf_atom("y"));
        message(&seen, &(struct message){
            .code = 33, .dir = 0, .from = etf_pid("a@h", 80), .to = etf_ref("b@h", 2 + i),
            .payload = etf_tuple(2, alias_tag("b@h", 2 + i), etf_atom("ok"))});
        assert_int_equal(seen.num_ended, i + 1);
        assert_int_equal(seen.ended[i % MAX_ENDED].parent, 1);
    }
    answer_from(&seen, etf_pid("b@h", 70), 1);
    assert_int_equal(seen.ended[num % MAX_ENDED].number, 1);
    assert_int_equal(seen.ended[num % MAX_ENDED].num_children, MAX_CHILDREN);
    stop(&seen);
}

static void parents(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term relay = etf_pid("b@h", 70), store = etf_pid("a@h", 80);
    for (int round = 0; round < 2; round++) {
        const uint32_t outer = 20 + 10 * (uint32_t)round, inner = outer + 1;
        seen.now_ns += MAY_GO_ON_NS; /* so that it is at nothing else */
        ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("relay"), alias_tag("a@h", outer),
               etf_atom("x"));
        ask_as(&seen, 1, relay, store, alias_tag("b@h", inner), etf_atom("y"));
        message(&seen, &(struct message){
            .code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", inner),
            .payload = etf_tuple(2, alias_tag("b@h", inner), etf_atom("ok"))});
        answer_from(&seen, relay, outer);
        const size_t in = (size_t)round * 2, out = in + 1;
        assert_int_equal(seen.ended[out].num_children, 1);
        /* the first time, too, when the inner call ended before the pid of relay was known */
        assert_int_equal(seen.ended[in].number, seen.ended[out].number + 1);
        assert_int_equal(seen.ended[in].parent, seen.ended[out].number);
    }
    /* two at once: the parent is ambiguous */
    ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("relay"), alias_tag("a@h", 40), etf_atom("x"));
    ask_as(&seen, 0, etf_pid("a@h", 2), etf_atom("relay"), alias_tag("a@h", 41), etf_atom("x"));
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 42), etf_atom("y"));
    message(&seen, &(struct message){
        .code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", 42),
        .payload = etf_tuple(2, alias_tag("b@h", 42), etf_atom("ok"))});
    assert_last(&seen, 7, CALL_OK);
    assert_true(seen.ended[4].ambiguous);
    assert_int_equal(seen.ended[4].parent, 0);
    stop(&seen);
}

/* Parents of calls: a call before the pid was known, a retry, a call for no other. */
static void whose_child(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term store = etf_pid("a@h", 80), worker = etf_pid("b@h", 60);
    /* before the spawn reply */
    spawn_request(&seen, 1, "erpc", "execute_call",
                  etf_list(4, etf_ref("a@h", 1), etf_atom("m"), etf_atom("f"), etf_nil(),
                           etf_nil()));
    ask_as(&seen, 1, worker, store, alias_tag("b@h", 1), etf_atom("y"));
    spawn_reply(&seen, 1, 2, worker);
    message(&seen, &(struct message){.code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", 1),
                                     .payload = etf_tuple(2, alias_tag("b@h", 1), etf_atom("k"))});
    assert_last(&seen, 2, CALL_OK);
    assert_int_equal(seen.ended[0].parent, 1);
    assert_false(seen.ended[0].inferred); /* that process exists for nothing else */
    down(&seen, 1, etf_tuple(3, etf_ref("a@h", 1), etf_atom("return"), etf_atom("x")));

    /* a request that timed out is still being served, by a process that keeps working for no caller
     * after its answers */
    const struct ds_term relay = etf_pid("b@h", 70);
    for (uint32_t i = 20; i < 28; i++) {
        ask_as(&seen, 0, etf_pid("a@h", 1), relay, alias_tag("a@h", i), etf_atom("x"));
        ask_as(&seen, 1, relay, store, alias_tag("b@h", i), etf_atom("y"));
        message(&seen,
                &(struct message){.code = 33,
                                  .dir = 0,
                                  .from = store,
                                  .to = etf_ref("b@h", i),
                                  .payload = etf_tuple(2, alias_tag("b@h", i), etf_atom("k"))});
        answer_from(&seen, relay, i);
    }
    const uint64_t before = seen.ended[seen.num_ended - 2].number; /* of the last request */
    monitor(&seen, 2, relay);
    ask_as(&seen, 0, etf_pid("a@h", 1), relay, alias_tag("a@h", 2), etf_atom("x"));
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 5), etf_atom("y")); /* which takes some time */
    seen.now_ns += 5000000000;
    demonitor(&seen, 2);
    let_die(&seen);
    assert_last(&seen, before + 1, CALL_TIMEOUT);
    message(&seen, &(struct message){.code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", 5),
                                     .payload = etf_tuple(2, alias_tag("b@h", 5), etf_atom("k"))});
    assert_last(&seen, before + 2, CALL_OK);
    assert_int_equal(seen.ended[seen.num_ended - 1].parent, before + 1);
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 2), etf_atom("y"));
    ask_as(&seen, 0, etf_pid("a@h", 1), relay, alias_tag("a@h", 3), etf_atom("x"));
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 3), etf_atom("y")); /* for either request */
    seen.now_ns += 200000000;
    answer_from(&seen, relay, 2);
    assert_true(seen.note.late);
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 4), etf_atom("y")); /* for the retry */
    for (uint32_t i = 2; i < 5; i++)
        message(&seen, &(struct message){
            .code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", i),
            .payload = etf_tuple(2, alias_tag("b@h", i), etf_atom("k"))});
    const size_t at = seen.num_ended - 3;
    assert_int_equal(seen.ended[at].parent, before + 1);
    assert_true(seen.ended[at].inferred);
    assert_true(seen.ended[at + 1].ambiguous);
    assert_int_equal(seen.ended[at + 2].parent, before + 4);

    /* still open when its parent is answered: perhaps made afterwards */
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 5), etf_atom("y"));
    answer_from(&seen, relay, 3);
    assert_int_equal(seen.ended[seen.num_ended - 1].num_children, 1);
    /* and the relay is busy with it when the next request comes */
    ask_as(&seen, 0, etf_pid("a@h", 1), relay, alias_tag("a@h", 6), etf_atom("x"));
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 6), etf_atom("y"));
    for (uint32_t i = 5; i < 7; i++) {
        message(&seen, &(struct message){
            .code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", i),
            .payload = etf_tuple(2, alias_tag("b@h", i), etf_atom("k"))});
        assert_int_equal(seen.ended[seen.num_ended - 1].parent, 0);
        assert_true(seen.ended[seen.num_ended - 1].ambiguous);
    }
    stop(&seen);
}

/* Two requests are served. The later one is given up, and still served when the earlier one is
 * answered: a call may then be made for it. */
static void a_later_one_is_served_on(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term relay = etf_pid("b@h", 70), store = etf_pid("a@h", 80);
    ask_as(&seen, 0, etf_pid("a@h", 2), relay, alias_tag("a@h", 1), etf_atom("x"));
    monitor(&seen, 2, relay);
    ask_as(&seen, 0, etf_pid("a@h", 1), relay, alias_tag("a@h", 2), etf_atom("x"));
    seen.now_ns += 5000000000;
    demonitor(&seen, 2);
    let_die(&seen);
    assert_last(&seen, 2, CALL_TIMEOUT);
    answer_from(&seen, relay, 1);
    seen.now_ns += MAY_GO_ON_NS;
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 9), etf_atom("y"));
    message(&seen, &(struct message){.code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", 9),
                                     .payload = etf_tuple(2, alias_tag("b@h", 9), etf_atom("k"))});
    assert_last(&seen, 3, CALL_OK);
    assert_true(seen.ended[seen.num_ended - 1].ambiguous);
    stop(&seen);
}

/* A process that was spawned for a call exists for nothing else, even if it answers others in
 * between, and even if, by another clock, it asked something before that call. */
static void a_spawned_one_has_no_habits(void **state)
{
    struct seen seen;
    (void)state;
    for (uint64_t before = 0; before < 2; before++) {
        start(&seen);
        const struct ds_term store = etf_pid("a@h", 80), worker = etf_pid("b@h", 60);
        if (before != 0)
            ask_as(&seen, 1, worker, store, alias_tag("b@h", 8), etf_atom("y"));
        spawn_request(&seen, 1, "erpc", "execute_call",
                      etf_list(4, etf_ref("a@h", 1), etf_atom("m"), etf_atom("f"), etf_nil(), etf_nil()));
        spawn_reply(&seen, 1, 2, worker);
        ask_as(&seen, 0, etf_pid("a@h", 2), worker, alias_tag("a@h", 2), etf_atom("x"));
        answer_from(&seen, worker, 2);
        ask_as(&seen, 1, worker, store, alias_tag("b@h", 9), etf_atom("y"));
        message(&seen, &(struct message){.code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", 9),
                                         .payload = etf_tuple(2, alias_tag("b@h", 9), etf_atom("k"))});
        assert_last(&seen, before + 3, CALL_OK);
        assert_int_equal(seen.ended[seen.num_ended - 1].parent, before + 1);
        assert_false(seen.ended[seen.num_ended - 1].ambiguous);
        stop(&seen);
    }
}

/* A request that a server keeps until there is news is not the parent of calls that the server
 * makes for other requests, captured or not. */
static void put_aside(void **state)
{
    enum { AT_ONCE, ANSWERED_LATER_ONE, CAST_TO_NAME, CAST_TO_PID, INFO, BEFORE, REPLY_CAME, SOON, IDLE, BUSY, IDLE_AGAIN,
           ASKING, NAMED_ONE, CASES };
    for (int i = 0; i < CASES; i++) {
        struct seen seen;
        (void)state;
        start(&seen);
        const struct ds_term board = etf_pid("b@h", 70), store = etf_pid("a@h", 80);
        if (i == BEFORE)
            message(&seen, &(struct message){.code = 22, .from = etf_pid("a@h", 2), .to = board,
                                             .payload = etf_atom("news")});
        ask_as(&seen, 0, etf_pid("a@h", 1), i == CAST_TO_NAME || i == CAST_TO_PID ? etf_atom("board") : board,
               alias_tag("a@h", 1), etf_atom("poll"));
        if (i == ANSWERED_LATER_ONE) {
            ask_as(&seen, 0, etf_pid("a@h", 2), board, alias_tag("a@h", 2), etf_atom("x"));
            answer_from(&seen, board, 2);
            seen.now_ns += MAY_GO_ON_NS;
        } else if (i == NAMED_ONE) {
            ask_as(&seen, 0, etf_pid("a@h", 2), etf_atom("board"), alias_tag("a@h", 2), etf_atom("x"));
        } else if (i == CAST_TO_NAME) {
            message(&seen, &(struct message){.code = 6, .from = etf_pid("a@h", 2), .to = etf_atom("board"),
                                             .payload = etf_tuple(2, etf_atom("$gen_cast"), etf_atom("x"))});
        } else if (i == CAST_TO_PID) { /* its name is not known yet */
            message(&seen, &(struct message){.code = 22, .from = etf_pid("a@h", 2), .to = board,
                                             .payload = etf_tuple(2, etf_atom("$gen_cast"), etf_atom("x"))});
        } else if (i == INFO) {
            message(&seen, &(struct message){.code = 22, .from = etf_pid("a@h", 2), .to = board,
                                             .payload = etf_atom("news")});
        } else if (i == IDLE || i == SOON || i == ASKING) {
            if (i == ASKING)
                ask_as(&seen, 1, board, store, alias_tag("b@h", 7), etf_atom("y"));
            seen.now_ns += IDLE_NS - (i == SOON ? 1001 : 1000);
        } else if (i == REPLY_CAME || i == BUSY || i == IDLE_AGAIN) {
            if (i != REPLY_CAME)
                seen.now_ns += IDLE_NS / 2;
            ask_as(&seen, 1, board, store, alias_tag("b@h", 7), etf_atom("y"));
            seen.now_ns += i == REPLY_CAME ? 0 : IDLE_NS;
            message(&seen, &(struct message){.code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", 7),
                                             .payload = etf_tuple(2, alias_tag("b@h", 7), etf_atom("k"))});
            seen.now_ns += i == BUSY ? IDLE_NS / 2 : i == IDLE_AGAIN ? IDLE_NS : 0;
        }
        ask_as(&seen, 1, board, store, alias_tag("b@h", 9), etf_atom("y"));
        message(&seen, &(struct message){.code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", 9),
                                         .payload = etf_tuple(2, alias_tag("b@h", 9), etf_atom("k"))});
        if (i == NAMED_ONE)
            answer_from(&seen, board, 2);
        if (i == CAST_TO_NAME || i == CAST_TO_PID)
            answer_from(&seen, board, 1);
        stop(&seen);
        bool is_found = false;
        for (size_t k = 0; k < seen.num_ended; k++) {
            if (seen.ended[k].number != (i == ANSWERED_LATER_ONE || i == NAMED_ONE ? 3 : i == ASKING ||
                                         i == REPLY_CAME || i == BUSY || i == IDLE_AGAIN ? 3 : 2))
                continue;
            const bool has_parent = i == AT_ONCE || i == BEFORE || i == REPLY_CAME || i == SOON ||
                                    i == BUSY || i == ASKING;
            is_found = true;
            assert_int_equal(seen.ended[k].parent, has_parent ? 1 : 0);
            assert_int_equal(seen.ended[k].ambiguous, !has_parent);
        }
        assert_true(is_found);
    }
}

/* The same for a process that never worked on after an answer, and so is assumed to work on the
 * open request: an answer out of turn shows that it does not. */
static void put_aside_by_a_prompt_one(void **state)
{
    enum { ROUNDS = 8 };
    for (int is_aside = 0; is_aside < 2; is_aside++) {
        struct seen seen;
        (void)state;
        start(&seen);
        const struct ds_term board = etf_pid("b@h", 70), store = etf_pid("a@h", 80);
        for (uint32_t i = 0; i < ROUNDS; i++) {
            ask_as(&seen, 0, etf_pid("a@h", 1), board, alias_tag("a@h", 20 + i), etf_atom("x"));
            ask_as(&seen, 1, board, store, alias_tag("b@h", 20 + i), etf_atom("y"));
            message(&seen, &(struct message){.code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", 20 + i),
                                             .payload = etf_tuple(2, alias_tag("b@h", 20 + i), etf_atom("k"))});
            answer_from(&seen, board, 20 + i);
        }
        ask_as(&seen, 0, etf_pid("a@h", 1), board, alias_tag("a@h", 1), etf_atom("poll"));
        const uint64_t poll = 2 * ROUNDS + 1;
        if (is_aside) {
            ask_as(&seen, 0, etf_pid("a@h", 2), board, alias_tag("a@h", 2), etf_atom("x"));
            answer_from(&seen, board, 2);
        }
        ask_as(&seen, 1, board, store, alias_tag("b@h", 9), etf_atom("y"));
        message(&seen, &(struct message){.code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", 9),
                                         .payload = etf_tuple(2, alias_tag("b@h", 9), etf_atom("k"))});
        assert_int_equal(seen.ended[(seen.num_ended - 1) % MAX_ENDED].parent, is_aside ? 0 : poll);
        assert_int_equal(seen.ended[(seen.num_ended - 1) % MAX_ENDED].ambiguous, is_aside);
        stop(&seen);
    }
}

/* If only outputs use the ends of calls, unanswered calls still have parents. */
static void parents_of_what_is_not_answered(void **state)
{
    (void)state;
    for (int is_seen = 0; is_seen < 2; is_seen++) {
        struct seen seen;
        etf_reset();
        assert_non_null(start_as(&seen, (struct correlate_config){
            .ends_seen_by = is_seen != 0 ? ENDS_SEEN_BY_OUTPUTS : ENDS_SEEN_BY_NOBODY,
            .limits = {[DS_LIMIT_CALLS] = 100, [DS_LIMIT_NAMES] = 100},
        }));
        ask_as(&seen, 0, etf_pid("a@h", 1), etf_pid("b@h", 70), alias_tag("a@h", 1), etf_atom("x"));
        ask_as(&seen, 1, etf_pid("b@h", 70), etf_pid("a@h", 80), alias_tag("b@h", 2), etf_atom("y"));
        stop(&seen);
        assert_int_equal(seen.num_ended, 2);
        for (size_t i = 0; i < 2; i++)
            assert_int_equal(seen.ended[i].parent, seen.ended[i].number == 2 && is_seen ? 1 : 0);
    }
}

/* If only findings use the ends of calls, no parents are looked for, no record waits for one, and
 * only requests that name a function or come from OTP itself are kept. All else is the same. */
static void ends_that_nobody_is_shown(void **state)
{
    enum { MAX_NAMES = 40 };
    struct seen seen;
    (void)state;
    for (int unshown = 0; unshown < 2; unshown++) {
        etf_reset();
        const struct correlate_config config = {
            .keep = 1000,
            .ends_seen_by = unshown != 0 ? ENDS_SEEN_BY_FINDINGS : ENDS_SEEN_BY_ALL,
            .limits = {[DS_LIMIT_CALLS] = 100, [DS_LIMIT_NAMES] = MAX_NAMES},
        };
        assert_non_null(start_as(&seen, config));
        inner_call(&seen, 1, 2);
        assert_int_equal(seen.num_ended, unshown);
        answer_from(&seen, etf_pid("b@h", 70), 1);
        assert_int_equal(seen.num_ended, 2);
        for (size_t i = 0; i < 2; i++) {
            const bool is_inner = seen.ended[i].number == 2;
            assert_int_equal(seen.ended[i].outcome, CALL_OK);
            assert_string_equal(seen.ended[i].callee, is_inner ? "<a@h.80.0>" : "relay <b@h.70.0>");
            assert_int_equal(seen.ended[i].has_request, !unshown);
            assert_int_equal(seen.ended[i].parent, is_inner && !unshown ? 1 : 0);
            assert_int_equal(seen.ended[i].num_children, is_inner || unshown ? 0 : 1);
            assert_false(seen.ended[i].ambiguous);
        }
        ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("global_name_server"), alias_tag("a@h", 4),
               etf_tuple(2, etf_atom("set_lock"), etf_tuple(2, etf_atom("r"), etf_pid("a@h", 1))));
        answer_from(&seen, etf_pid("b@h", 72), 4);
        assert_string_equal(seen.ended[2].label, "global:set_lock");
        assert_true(seen.ended[2].has_request);
        for (int i = 0; i < MAX_NAMES; i++) { /* all names are forgotten, but not the kept requests */
            char name[16];
            snprintf(name, sizeof name, "n%d", i);
            monitor(&seen, 100 + (uint32_t)i, etf_atom(name));
        }
        ask_as(&seen, 0, etf_pid("a@h", 1), etf_pid("b@h", 74), alias_tag("a@h", 5), etf_atom("x"));
        ask_as(&seen, 1, etf_pid("b@h", 74), etf_pid("a@h", 80), alias_tag("b@h", 7), etf_atom("y"));
        answer_from(&seen, etf_pid("b@h", 74), 5);
        assert_int_equal(seen.ended[3].has_request, !unshown);
        message(&seen, &(struct message){
            .code = 33, .dir = 0, .from = etf_pid("a@h", 80), .to = etf_ref("b@h", 7),
            .payload = etf_tuple(2, alias_tag("b@h", 7), etf_atom("ok"))});
        assert_int_equal(seen.ended[4].parent, 0); /* it may have been made after the answer */
        assert_int_equal(seen.ended[4].ambiguous, !unshown);
        spawn_request(&seen, 6, "m", "f", etf_nil());
        spawn_reply(&seen, 6, 0, etf_pid("b@h", 61));
        assert_string_equal(seen.ended[5].mfa, "m:f()");
        assert_true(seen.ended[5].has_request);
        stop(&seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_children),
        cmocka_unit_test(parents_of_what_is_not_answered),
        cmocka_unit_test(ends_that_nobody_is_shown),
        cmocka_unit_test(a_later_one_is_served_on),
        cmocka_unit_test(a_spawned_one_has_no_habits),
        cmocka_unit_test(put_aside),
        cmocka_unit_test(put_aside_by_a_prompt_one),
        cmocka_unit_test(parents),
        cmocka_unit_test(pending_calls),
        cmocka_unit_test(whose_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
