/*
 * test_correlate_answers.c - which answer belongs to which call, for every form of call: with a
 * tag, a reference or an alias, or without a tag; and messages that resemble answers but are not.
 */
#include "correlate_world.h"

/* multi_call of OTP 25: the tag is {Ref, Node}, and the monitor has another reference. */
static void multi_call(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    for (uint32_t i = 0; i < 2; i++) {
        monitor(&seen, 10 + i, etf_atom("echo"));
        ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("echo"),
               etf_tuple(2, etf_ref("a@h", 9), etf_atom(i == 0 ? "b@h" : "c@h")), etf_atom("x"));
    }
    down(&seen, 11, etf_atom("noproc"));
    assert_last(&seen, 2, CALL_NOPROC);
    message(&seen, &(struct message){
        .code = 22, .dir = 1, .from = etf_pid("b@h", 50), .to = etf_pid("a@h", 1),
        .payload = etf_tuple(2, etf_tuple(2, etf_ref("a@h", 9), etf_cached("b@h")),
                             etf_atom("ok"))});
    assert_last(&seen, 1, CALL_OK);
    stop(&seen);
}

/* The same between nodes whose names were never seen, and an answer that contains the answerer. */
static void nodes_by_address(void **state)
{
    static const char *const nodes[] = {"~10.0.0.1:9000", "~10.0.0.2:9000"};
    struct seen seen;
    (void)state;
    for (unsigned from = 0; from < 2; from++) {
        start(&seen);
        seen.conn.end[0].node = seen.conn.end[1].node = (struct ds_text){NULL, 0};
        ask_as(&seen, 0, etf_pid_of(etf_addressed(nodes[0]), 1, 7), etf_atom("echo"),
               etf_tuple(2, etf_ref_of(etf_addressed(nodes[0]), 7, 3, 9), etf_addressed(nodes[1])),
               etf_atom("x"));
        message(&seen, &(struct message){
            .code = 22, .dir = 1, .from = etf_pid_of(etf_addressed(nodes[1]), 50, 7),
            .to = etf_pid_of(etf_addressed(nodes[0]), 1, 7), .address_atoms = 5,
            .payload = etf_tuple(2, etf_tuple(2, etf_ref_of(etf_addressed(nodes[0]), 7, 3, 9),
                                              etf_addressed(nodes[from])),
                                 etf_atom("ok"))});
        assert_int_equal(seen.num_ended, from);
        stop(&seen);

        start(&seen);
        seen.conn.end[0].node = seen.conn.end[1].node = (struct ds_text){NULL, 0};
        message(&seen, &(struct message){
            .code = 22, .dir = 1, .from = etf_pid_of(etf_addressed(nodes[1]), 50, 7),
            .to = etf_pid_of(etf_addressed(nodes[0]), 1, 7), .address_atoms = 3,
            .payload = etf_tuple(3, etf_atom("features_reply"), etf_addressed(nodes[from]), etf_nil())});
        assert_int_equal(seen.note.role, from == 1 ? NOTE_REPLY : NOTE_SEND);
        stop(&seen);
    }
}

/* The same reference in another encoding, and the same numbers of another node. */
static void references(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("echo"),
           etf_ref_of(etf_cached("a@h"), 7, 3, 5), etf_atom("x"));
    const struct ds_term others[] = {
        etf_ref_of(etf_atom("c@h"), 7, 3, 5), etf_ref_of(etf_atom("a@h"), 8, 3, 5),
        etf_ref_of(etf_atom("a@h"), 7, 4, 5), etf_ref_of(etf_atom("a@h"), 7, 3, 6),
        etf_ref_of(etf_cached(NULL), 7, 3, 5),
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        message(&seen, &(struct message){
            .code = 22, .dir = 1, .from = etf_pid("b@h", 50), .to = etf_pid("a@h", 1),
            .payload = etf_tuple(2, others[i], etf_atom("no"))});
        assert_int_equal(seen.note.role, NOTE_SEND);
        assert_int_equal(seen.num_ended, 0);
    }
    /* the right tag, but not sent to the caller's node */
    message(&seen, &(struct message){
        .code = 22, .dir = 0, .from = etf_pid("a@h", 50), .to = etf_pid("b@h", 1),
        .payload = etf_tuple(2, etf_ref("a@h", 5), etf_atom("no"))});
    assert_int_equal(seen.num_ended, 0);
    message(&seen, &(struct message){
        .code = 22, .dir = 1, .from = etf_pid("b@h", 50), .to = etf_pid("a@h", 1),
        .payload = etf_tuple(2, etf_ref("a@h", 5), etf_atom("yes"))});
    assert_last(&seen, 1, CALL_OK);
    /* equal references of two nodes are two calls */
    ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("echo"), etf_ref("a@h", 6), etf_atom("x"));
    ask_as(&seen, 1, etf_pid("b@h", 1), etf_atom("echo"), etf_ref("b@h", 6), etf_atom("x"));
    message(&seen, &(struct message){
        .code = 22, .dir = 0, .from = etf_pid("a@h", 50), .to = etf_pid("b@h", 1),
        .payload = etf_tuple(2, etf_ref("b@h", 6), etf_atom("yes"))});
    assert_last(&seen, 3, CALL_OK);
    stop(&seen);
}

static void erpc_and_spawn(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    static const struct {
        const char *what;
        enum call_outcome outcome;
        const char *class;
    } cases[] = {{"return", CALL_OK, ""},      {"throw", CALL_ERROR, "throw"},
                 {"exit", CALL_ERROR, "exit"}, {"error", CALL_ERROR, "error"}};
    uint32_t ref = 100;
    for (size_t i = 0; i < 4; i++, ref++) {
        struct ds_term args = etf_list(4, etf_ref("a@h", 1000 + ref), etf_atom("m"),
                                       etf_atom("f"), etf_list(1, etf_int(1), etf_nil()),
                                       etf_nil());
        spawn_request(&seen, ref, "erpc", "execute_call", args);
        assert_string_equal(seen.note.label, "erpc:call");
        spawn_reply(&seen, ref, 2, etf_pid("b@h", 60));
        assert_int_equal(seen.note.role, NOTE_SPAWNED);
        assert_int_equal(seen.num_ended, i);
        down(&seen, ref, etf_tuple(3, etf_ref("a@h", 1000 + ref), etf_atom(cases[i].what),
                                   etf_atom("x")));
        assert_last(&seen, i + 1, cases[i].outcome);
        assert_string_equal(seen.ended[i].class, cases[i].class);
        assert_string_equal(seen.ended[i].mfa, "m:f(1)");
        assert_string_equal(seen.ended[i].callee, "<b@h.60.0>");
    }
    /* killed */
    spawn_request(&seen, ref, "erpc", "execute_call",
                  etf_list(4, etf_ref("a@h", 1), etf_atom("m"), etf_atom("f"), etf_nil(),
                           etf_nil()));
    spawn_reply(&seen, ref, 2, etf_pid("b@h", 60));
    down(&seen, ref, etf_atom("killed"));
    assert_last(&seen, 5, CALL_ERROR);
    assert_string_equal(seen.ended[4].class, "exit");
    /* spawned, and not */
    spawn_request(&seen, ++ref, "m", "f", etf_nil());
    spawn_reply(&seen, ref, 1, etf_pid("b@h", 61));
    assert_last(&seen, 6, CALL_OK);
    spawn_request(&seen, ++ref, "m", "f", etf_nil());
    spawn_reply(&seen, ref, 0, etf_atom("badopt"));
    assert_last(&seen, 7, CALL_ERROR);
    assert_string_equal(seen.ended[6].class, "spawn");
    /* the link that came with it ends by its exit */
    message(&seen, &(struct message){.code = 24, .dir = 1, .from = etf_pid("b@h", 61),
                                     .to = etf_pid("a@h", 1), .payload = etf_atom("bye")});
    assert_string_equal(seen.monitor_how, "exit");
    stop(&seen);
}

/* Answers without a tag are matched by process, node and kind of call. */
static void without_tag(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    message(&seen, &(struct message){
        .code = 6, .from = etf_pid("a@h", 1), .to = etf_atom("rex"),
        .payload = etf_tuple(2, etf_pid("a@h", 1),
                             etf_tuple(5, etf_atom("call"), etf_atom("m"), etf_atom("f"),
                                       etf_nil(), etf_atom("user")))});
    assert_string_equal(seen.note.label, "rpc:call");
    message(&seen, &(struct message){
        .code = 22, .dir = 1, .from = etf_pid("b@h", 9), .to = etf_pid("a@h", 2),
        .payload = etf_tuple(2, etf_atom("rex"), etf_atom("not_for_us"))});
    assert_int_equal(seen.num_ended, 0);
    message(&seen, &(struct message){
        .code = 2, .dir = 1, .to = etf_pid("a@h", 1),
        .payload = etf_tuple(2, etf_atom("rex"),
                             etf_tuple(2, etf_atom("badrpc"), etf_atom("nodedown")))});
    assert_last(&seen, 1, CALL_ERROR);
    assert_string_equal(seen.ended[0].class, "badrpc");
    stop(&seen);
}

/* rpc:server_call: the form alone proves nothing. */
static void server_call(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term me = etf_pid("a@h", 1), other = etf_pid("a@h", 2);
    const struct ds_term own = etf_atom("own");
    const struct message ask = {.code = 6, .from = me, .to = own,
                                .payload = etf_tuple(2, me, etf_atom("hi"))};
    const struct message answer = {.code = 22, .dir = 1, .from = etf_pid("b@h", 9), .to = me,
                                   .payload = etf_tuple(3, own, etf_atom("b@h"), own)};
    message(&seen, &ask);
    assert_int_equal(seen.note.role, NOTE_SEND); /* no monitor */
    assert_null(seen.note.label);
    message(&seen, &answer);
    assert_int_equal(seen.note.role, NOTE_SEND);
    monitor(&seen, 1, own);
    message(&seen, &(struct message){.code = 6, .from = me, .to = own,
                                     .payload = etf_tuple(2, other, etf_atom("hi"))});
    assert_int_equal(seen.note.role, NOTE_SEND); /* the process that asks is not the sender */
    message(&seen, &(struct message){.code = 19, .from = other, .to = own, .ref = etf_ref("a@h", 9)});
    message(&seen, &(struct message){.code = 6, .from = me, .to = own,
                                     .payload = etf_tuple(2, other, etf_atom("hi"))});
    message(&seen, &(struct message){.code = 22, .dir = 1, .from = etf_pid("b@h", 9), .to = other,
                                     .payload = etf_tuple(3, own, etf_atom("b@h"), own)});
    assert_int_equal(seen.num_ended, 0); /* nor if the sender has the monitor */
    message(&seen, &ask);
    assert_int_equal(seen.note.role, NOTE_SEND); /* it is not known yet */
    demonitor(&seen, 1);
    assert_int_equal(seen.num_ended, 0); /* still unknown: it was a message with a monitor */
    monitor(&seen, 1, own);
    message(&seen, &ask);
    message(&seen, &(struct message){.code = 22, .dir = 1, .to = me,
                                     .payload = etf_tuple(3, own, etf_atom("c@h"), own)});
    assert_int_equal(seen.num_ended, 0); /* not from there */
    message(&seen, &answer);
    assert_last(&seen, 2, CALL_OK);
    assert_string_equal(seen.ended[0].callee, "own <b@h.9.0>");
    demonitor(&seen, 1);
    message(&seen, &ask);
    assert_int_equal(seen.note.role, NOTE_SEND); /* that monitor has had its call */
    monitor(&seen, 2, own);
    message(&seen, &ask);
    assert_int_equal(seen.note.role, NOTE_REQUEST); /* that name was seen to speak this protocol */
    assert_string_equal(seen.note.label, "rpc:server_call");
    seen.now_ns += 5000000000;
    demonitor(&seen, 2);
    let_die(&seen);
    assert_last(&seen, 3, CALL_TIMEOUT);
    monitor(&seen, 3, own);
    message(&seen, &ask);
    down(&seen, 3, etf_atom("noproc"));
    assert_last(&seen, 4, CALL_NOPROC);
    monitor(&seen, 4, own); /* the node's DOWN overtakes the request */
    down(&seen, 4, etf_atom("noproc"));
    message(&seen, &ask);
    assert_last(&seen, 5, CALL_NOPROC);
    /* The monitor is too old to belong to the request, or too many others followed. */
    monitor(&seen, 5, own);
    seen.now_ns += 100000000;
    message(&seen, &ask);
    assert_int_equal(seen.note.role, NOTE_SEND);
    monitor(&seen, 6, own);
    for (uint32_t i = 0; i < 1024; i++) {
        etf_reset();
        monitor(&seen, 10 + i, etf_atom("else"));
    }
    const struct ds_term again = etf_pid("a@h", 1);
    message(&seen, &(struct message){.code = 6, .from = again, .to = etf_atom("own"),
                                     .payload = etf_tuple(2, again, etf_atom("hi"))});
    assert_int_equal(seen.note.role, NOTE_SEND);
    stop(&seen);
}

/* A reference as tag, and messages to processes that are not the caller. */
static void not_the_answer(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    ask(&seen, 1);
    const struct ds_term noise = etf_tuple(2, alias_tag("a@h", 1), etf_atom("noise"));
    message(&seen, &(struct message){.code = 22, .dir = 1, .from = etf_pid("b@h", 50),
                                     .to = etf_pid("a@h", 2), .payload = noise});
    message(&seen, &(struct message){.code = 6, .dir = 1, .from = etf_pid("b@h", 50),
                                     .to = etf_atom("someone"), .payload = noise});
    message(&seen, &(struct message){.code = 33, .dir = 1, .from = etf_pid("b@h", 50),
                                     .to = etf_ref("a@h", 2), .payload = noise});
    assert_int_equal(seen.num_ended, 0);
    message(&seen, &(struct message){.code = 22, .dir = 1, .from = etf_pid("b@h", 50),
                                     .to = etf_pid("a@h", 1), .payload = noise});
    assert_last(&seen, 1, CALL_OK);
    /* the monitor of one process is not that of a call with another reference */
    monitor(&seen, 5, etf_atom("echo"));
    ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("echo"), etf_ref("a@h", 6), etf_atom("x"));
    demonitor(&seen, 5);
    assert_int_equal(seen.num_ended, 1);
    stop(&seen);
}

static void reply_to_ref(struct seen *seen, unsigned dir, struct ds_term from, uint32_t ref)
{
    message(seen, &(struct message){.code = 22, .dir = dir, .from = from, .to = etf_pid("a@h", 1),
                                    .payload = etf_tuple(2, etf_ref("a@h", ref), etf_atom("ok"))});
}

/* One tag for several calls, and a call that is forwarded. */
static void twins_and_forwards(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term me = etf_pid("a@h", 1), tag = etf_ref("a@h", 7);
    ask_as(&seen, 0, me, etf_pid("b@h", 50), tag, etf_atom("x"));
    ask_as(&seen, 0, me, etf_pid("b@h", 51), tag, etf_atom("x"));
    seen.conn.end[1].node = text("c@h");
    ask_as(&seen, 0, me, etf_pid("c@h", 60), tag, etf_atom("x"));
    reply_to_ref(&seen, 1, etf_pid("c@h", 60), 7);
    assert_last(&seen, 3, CALL_OK);
    reply_to_ref(&seen, 1, etf_pid("c@h", 60), 7); /* again: it answers no call */
    assert_int_equal(seen.num_ended, 1);
    seen.conn.end[1].node = text("b@h");
    reply_to_ref(&seen, 1, etf_pid("b@h", 51), 7);
    assert_last(&seen, 2, CALL_OK);
    reply_to_ref(&seen, 1, etf_pid("b@h", 50), 7);
    assert_last(&seen, 1, CALL_OK);

    /* if an answer fits two calls, it belongs to the first */
    ask_as(&seen, 0, me, etf_atom("left"), etf_ref("a@h", 11), etf_atom("x"));
    ask_as(&seen, 0, me, etf_atom("right"), etf_ref("a@h", 11), etf_atom("x"));
    reply_to_ref(&seen, 1, etf_pid("b@h", 52), 11);
    assert_last(&seen, 4, CALL_OK);
    reply_to_ref(&seen, 1, etf_pid("b@h", 53), 11);
    assert_last(&seen, 5, CALL_OK);

    /* forwarded from b to c, which answers */
    ask_as(&seen, 0, me, etf_atom("front"), etf_ref("a@h", 8), etf_atom("x"));
    seen.conn.end[0].node = text("b@h");
    seen.conn.end[1].node = text("c@h");
    message(&seen, &(struct message){.code = 6, .from = etf_pid("b@h", 50), .to = etf_atom("back"),
                                     .payload = etf_tuple(3, etf_atom("$gen_call"),
                                                          etf_tuple(2, me, etf_ref("a@h", 8)),
                                                          etf_atom("x"))});
    assert_int_equal(seen.note.role, NOTE_FORWARD);
    assert_int_equal(seen.note.call, 6);
    seen.conn.end[0].node = text("a@h");
    reply_to_ref(&seen, 1, etf_pid("c@h", 61), 8);
    assert_last(&seen, 6, CALL_OK);
    assert_string_equal(seen.ended[5].callee, "back <c@h.61.0>");

    /* forwarded back to its own node: that answer is not captured */
    ask_as(&seen, 0, me, etf_atom("back"), alias_tag("a@h", 9), etf_atom("x"));
    message(&seen, &(struct message){.code = 6, .dir = 1, .from = etf_pid("c@h", 61),
                                     .to = etf_atom("home"),
                                     .payload = etf_tuple(3, etf_atom("$gen_call"),
                                                          etf_tuple(2, me, alias_tag("a@h", 9)),
                                                          etf_atom("x"))});
    assert_int_equal(seen.note.role, NOTE_FORWARD);
    demonitor(&seen, 9);
    assert_last(&seen, 7, CALL_ANSWERED_ELSEWHERE);
    assert_int_equal(seen.num_ended, 7);

    /* so many calls with one tag that the oldest is removed */
    for (uint32_t i = 0; i < 65; i++) {
        etf_reset();
        ask_as(&seen, 0, etf_pid("a@h", 1), etf_pid("c@h", i), etf_ref("a@h", 10), etf_atom("x"));
    }
    assert_last(&seen, 8, CALL_UNKNOWN);
    stop(&seen);
}

/* A message that is forwarded after the caller gave up is not a forward of the call. */
static void forwarded_too_late(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term me = etf_pid("a@h", 1);
    monitor(&seen, 12, etf_atom("front"));
    ask_as(&seen, 0, me, etf_atom("front"), alias_tag("a@h", 12), etf_atom("x"));
    demonitor(&seen, 12);
    seen.conn.end[0].node = text("b@h");
    seen.conn.end[1].node = text("c@h");
    ask_as(&seen, 0, etf_pid("b@h", 50), etf_atom("else"), alias_tag("b@h", 1), etf_atom("x"));
    message(&seen, &(struct message){.code = 6, .from = etf_pid("b@h", 50), .to = etf_atom("back"),
                                     .payload = etf_tuple(3, etf_atom("$gen_call"),
                                                          etf_tuple(2, me, alias_tag("a@h", 12)),
                                                          etf_atom("x"))});
    assert_int_equal(seen.note.role, NOTE_REQUEST);
    stop(&seen);
}

/* If the target of a multi_call is unknown, so is its monitor. A caller that ends a monitor may
 * then have given up, so the outcome is unknown. */
static void multi_call_unwatched(void **state)
{
    enum { UNWATCHED, WATCHED, PLAIN_TAG, OF_OTHER, NOT_ANSWERED, CASES };
    struct seen seen;
    (void)state;
    for (int i = 0; i < CASES; i++) {
        start(&seen);
        if (i == WATCHED)
            monitor(&seen, 3, etf_atom("slow"));
        ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("slow"),
               i == PLAIN_TAG ? etf_ref("a@h", 9) : etf_tuple(2, etf_ref("a@h", 9), etf_atom("b@h")),
               etf_atom("x"));
        seen.now_ns += 800 * INT64_C(1000000);
        message(&seen, &(struct message){.code = 20, .from = etf_pid("a@h", i == OF_OTHER ? 2 : 1),
                                         .to = etf_atom("slow"), .ref = etf_ref("a@h", 8)});
        if (i != NOT_ANSWERED)
            message(&seen, &(struct message){
                .code = 33, .dir = 1, .from = etf_pid("b@h", 50), .to = etf_pid("a@h", 1),
                .payload = etf_tuple(2, i == PLAIN_TAG ? etf_ref("a@h", 9)
                                                       : etf_tuple(2, etf_ref("a@h", 9), etf_atom("b@h")),
                                     etf_atom("yes"))});
        conn_ends(&seen, false);
        assert_last(&seen, 1, i == UNWATCHED || i == NOT_ANSWERED ? CALL_UNKNOWN : CALL_OK);
        stop(&seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multi_call), cmocka_unit_test(multi_call_unwatched), cmocka_unit_test(nodes_by_address),
        cmocka_unit_test(references),
        cmocka_unit_test(erpc_and_spawn),
        cmocka_unit_test(without_tag),
        cmocka_unit_test(server_call),
        cmocka_unit_test(not_the_answer),
        cmocka_unit_test(twins_and_forwards),
        cmocka_unit_test(forwarded_too_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
