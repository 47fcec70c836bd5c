/* Conversations: every way a call can end, names, parents; and traffic meant to confuse. */
#include "calls.h"
#include "correlate.h"
#include "habits.h"
#include "held_calls.h"
#include "etf_maker.h"
#include "failing_alloc.h"
#include "keys.h"
#include "processes.h"

#include <distsniff/otp.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* The last call that ended and the last note, as the sinks saw them. */
enum { MAX_ENDED = 64 };

struct seen {
    struct correlate *correlate;
    struct ds_conn conn;
    struct note note;
    uint64_t num_records, num_ended;
    struct {
        uint64_t number, parent;
        enum call_outcome outcome;
        char class[16], label[32], callee[64], mfa[64];
        bool ambiguous, inferred, has_request, has_result;
        int64_t latency_ns;
        size_t num_children;
    } ended[MAX_ENDED];
    uint64_t num_monitors_ended;
    bool monitor_is_link, monitor_of_call;
    char monitor_how[16], monitor_ref[64];
    int64_t now_ns;
};

static void on_record(void *context, const struct record *record)
{
    struct seen *seen = context;
    seen->num_records++;
    if (record->monitor != NULL) {
        seen->num_monitors_ended++;
        seen->monitor_is_link = record->monitor->is_link;
        seen->monitor_of_call = record->monitor->of_call;
        snprintf(seen->monitor_how, sizeof seen->monitor_how, "%s",
                 monitor_outcome_name(record->monitor->outcome));
        struct ds_buffer ref = {0};
        monitor_print_ref(record->monitor, &ref);
        snprintf(seen->monitor_ref, sizeof seen->monitor_ref, "%.*s", (int)ref.len,
                 ref.data != NULL ? ref.data : "");
        ds_buffer_free(&ref);
        return;
    }
    if (record->call == NULL) {
        seen->note = record->note;
        return;
    }
    const struct call *call = record->call;
    size_t i = seen->num_ended++ % MAX_ENDED;
    struct ds_buffer callee = {0};
    party_print(&call->callee, &callee);
    seen->ended[i].number = call->number;
    seen->ended[i].parent = call->parent;
    seen->ended[i].outcome = call->outcome;
    seen->ended[i].ambiguous = call->parent_ambiguous;
    seen->ended[i].inferred = call->parent_inferred;
    seen->ended[i].has_request = call->request.data != NULL;
    seen->ended[i].has_result = call->result.data != NULL;
    seen->ended[i].latency_ns = call->end_ns - call->start_ns;
    seen->ended[i].num_children = call->num_children;
    snprintf(seen->ended[i].class, 16, "%s", call->error_class != NULL ? call->error_class : "");
    snprintf(seen->ended[i].label, 32, "%s", call->label);
    snprintf(seen->ended[i].callee, 64, "%.*s", (int)callee.len,
             callee.data != NULL ? callee.data : "");
    snprintf(seen->ended[i].mfa, 64, "%.*s", (int)call->mfa.len,
             call->mfa.data != NULL ? call->mfa.data : "");
    ds_buffer_free(&callee);
}

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static struct correlate *start_with(struct seen *seen, uint64_t max_calls, uint64_t max_names)
{
    struct correlate_config config = {.emit = on_record, .monitors = true,
                                      .context = seen, .names = true, .keep = 1000};
    config.limits[DS_LIMIT_CALLS] = max_calls;
    config.limits[DS_LIMIT_MONITORS] = 1000;
    config.limits[DS_LIMIT_NAMES] = max_names;
    memset(seen, 0, sizeof *seen);
    seen->conn.number = 1;
    seen->conn.end[0].node = text("a@h");
    seen->conn.end[1].node = text("b@h");
    seen->now_ns = 1000000;
    seen->correlate = correlate_new(&config);
    return seen->correlate;
}

static void start(struct seen *seen)
{
    etf_reset();
    assert_non_null(start_with(seen, 1000, 1000));
}

static void stop(struct seen *seen)
{
    correlate_end(seen->correlate);
    correlate_free(seen->correlate);
    seen->correlate = NULL;
}

/* message sends one control message over the connection, a microsecond after the last. */
struct message {
    int code;
    unsigned dir;
    struct ds_term from, to, ref, flags, mfa, result, reason, payload;
};

static void message(struct seen *seen, const struct message *m)
{
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .dir = (uint8_t)m->dir,
                             .ts_ns = seen->now_ns += 1000, .frame = 1, .conn = &seen->conn};
    event.message.code = m->code;
    event.message.op = ds_op_find(m->code);
    event.message.role[DS_ROLE_FROM] = m->from;
    event.message.role[DS_ROLE_TO] = m->to;
    event.message.role[DS_ROLE_REF] = m->ref;
    event.message.role[DS_ROLE_FLAGS] = m->flags;
    event.message.role[DS_ROLE_MFA] = m->mfa;
    event.message.role[DS_ROLE_RESULT] = m->result;
    event.message.role[DS_ROLE_REASON] = m->reason;
    event.message.payload = m->payload;
    correlate_event(seen->correlate, &event);
}

static void conn_ends(struct seen *seen, bool unfollowed)
{
    struct ds_event event = {.type = DS_EVENT_CONN, .ts_ns = seen->now_ns += 1000,
                             .conn = &seen->conn};
    event.change.state = DS_CONN_CLOSED;
    event.change.final = true;
    event.change.unfollowed = unfollowed;
    correlate_event(seen->correlate, &event);
}

static void conn_is_half_closed(struct seen *seen)
{
    struct ds_event event = {.type = DS_EVENT_CONN, .ts_ns = seen->now_ns += 1000,
                             .conn = &seen->conn};
    event.change.state = DS_CONN_HALF_CLOSED;
    correlate_event(seen->correlate, &event);
}

/* The messages of a gen_server call from <a.1> to echo on b, whose pid is <b.50>. */

static void monitor(struct seen *seen, uint32_t ref, struct ds_term to)
{
    message(seen, &(struct message){.code = 19, .from = etf_pid("a@h", 1), .to = to,
                                    .ref = etf_ref("a@h", ref)});
}

static struct ds_term alias_tag(const char *node, uint32_t ref)
{
    return etf_list(1, etf_atom("alias"), etf_ref(node, ref));
}

static void ask_as(struct seen *seen, unsigned dir, struct ds_term from, struct ds_term to,
                   struct ds_term tag, struct ds_term request)
{
    const bool named = to.data[0] == 119;
    message(seen, &(struct message){.code = named ? 6 : 22, .dir = dir, .from = from, .to = to,
                                    .payload = etf_tuple(3, etf_atom("$gen_call"),
                                                         etf_tuple(2, from, tag), request)});
}

static void ask(struct seen *seen, uint32_t ref)
{
    ask_as(seen, 0, etf_pid("a@h", 1), etf_atom("echo"), alias_tag("a@h", ref), etf_atom("hi"));
}

static void answer_from(struct seen *seen, struct ds_term from, uint32_t ref)
{
    message(seen, &(struct message){.code = 33, .dir = 1, .from = from,
                                    .to = etf_ref("a@h", ref),
                                    .payload = etf_tuple(2, alias_tag("a@h", ref),
                                                         etf_atom("ok"))});
}

static void answer(struct seen *seen, uint32_t ref)
{
    answer_from(seen, etf_pid("b@h", 50), ref);
}

static void demonitor(struct seen *seen, uint32_t ref)
{
    message(seen, &(struct message){.code = 20, .from = etf_pid("a@h", 1), .to = etf_atom("echo"),
                                    .ref = etf_ref("a@h", ref)});
}

static void down(struct seen *seen, uint32_t ref, struct ds_term reason)
{
    message(seen, &(struct message){.code = 28, .dir = 1, .from = etf_atom("echo"),
                                    .to = etf_pid("a@h", 1), .ref = etf_ref("a@h", ref),
                                    .payload = reason});
}

/* The time passes in which it would be seen that a caller has ended. */
static void let_die(struct seen *seen)
{
    seen->now_ns += DEATH_NS + 1;
    correlate_time(seen->correlate, seen->now_ns);
}

static void assert_last(const struct seen *seen, uint64_t number, enum call_outcome outcome)
{
    assert_int_not_equal(seen->num_ended, 0);
    const size_t i = (seen->num_ended - 1) % MAX_ENDED;
    assert_int_equal(seen->ended[i].number, number);
    assert_int_equal(seen->ended[i].outcome, outcome);
}

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
    answer(&seen, 5); /* once more: no call any more, but a reply by its form */
    assert_int_equal(seen.note.role, NOTE_REPLY);
    assert_int_equal(seen.note.call, 0);
    stop(&seen);
    assert_int_equal(seen.num_ended, 1);
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

    /* a gap in what the server says: it may have answered */
    monitor(&seen, 5, etf_atom("echo"));
    ask(&seen, 5);
    seen.conn.counters[1].gaps++;
    demonitor(&seen, 5);
    assert_last(&seen, 5, CALL_UNKNOWN);

    /* so after anything that was not understood; but not after what went on elsewhere */
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

    /* with the first FIN, though the second may never come */
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
    assert_int_equal(open.num_ended, 1); /* not those that ended, nor what was given up */
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

/* multi_call of OTP 25: the tag is {Ref, Node}, the monitor's reference another. */
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

/* The same reference in another encoding, and equal numbers of another node. */
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
    /* the right one, but not sent to the caller's node */
    message(&seen, &(struct message){
        .code = 22, .dir = 0, .from = etf_pid("a@h", 50), .to = etf_pid("b@h", 1),
        .payload = etf_tuple(2, etf_ref("a@h", 5), etf_atom("no"))});
    assert_int_equal(seen.num_ended, 0);
    message(&seen, &(struct message){
        .code = 22, .dir = 1, .from = etf_pid("b@h", 50), .to = etf_pid("a@h", 1),
        .payload = etf_tuple(2, etf_ref("a@h", 5), etf_atom("yes"))});
    assert_last(&seen, 1, CALL_OK);
    /* equal references of two nodes: two calls */
    ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("echo"), etf_ref("a@h", 6), etf_atom("x"));
    ask_as(&seen, 1, etf_pid("b@h", 1), etf_atom("echo"), etf_ref("b@h", 6), etf_atom("x"));
    message(&seen, &(struct message){
        .code = 22, .dir = 0, .from = etf_pid("a@h", 50), .to = etf_pid("b@h", 1),
        .payload = etf_tuple(2, etf_ref("b@h", 6), etf_atom("yes"))});
    assert_last(&seen, 3, CALL_OK);
    stop(&seen);
}

static void spawn_request(struct seen *seen, uint32_t ref, const char *m, const char *f,
                          struct ds_term args)
{
    message(seen, &(struct message){.code = 29, .from = etf_pid("a@h", 1),
                                    .ref = etf_ref("a@h", ref),
                                    .mfa = etf_tuple(3, etf_atom(m), etf_atom(f), etf_int(4)),
                                    .payload = args});
}

static void spawn_reply(struct seen *seen, uint32_t ref, int flags, struct ds_term result)
{
    message(seen, &(struct message){.code = 31, .dir = 1, .ref = etf_ref("a@h", ref),
                                    .to = etf_pid("a@h", 1), .flags = etf_int(flags),
                                    .result = result});
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

/* Answers without a tag: the process, the node and the kind of call tell. */
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
    assert_int_equal(seen.note.role, NOTE_SEND); /* who asks is not who sends */
    message(&seen, &ask);
    assert_int_equal(seen.note.role, NOTE_SEND); /* nobody knows yet */
    demonitor(&seen, 1);
    assert_int_equal(seen.num_ended, 0); /* nor has to: it was a message with a monitor */
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
    assert_int_equal(seen.note.role, NOTE_REQUEST); /* that name has shown what it speaks */
    assert_string_equal(seen.note.label, "rpc:server_call");
    seen.now_ns += 5000000000;
    demonitor(&seen, 2);
    let_die(&seen);
    assert_last(&seen, 3, CALL_TIMEOUT);
    monitor(&seen, 3, own);
    message(&seen, &ask);
    down(&seen, 3, etf_atom("noproc"));
    assert_last(&seen, 4, CALL_NOPROC);
    monitor(&seen, 4, own); /* the node says so before it has heard the request */
    down(&seen, 4, etf_atom("noproc"));
    message(&seen, &ask);
    assert_last(&seen, 5, CALL_NOPROC);
    /* So long ago that it is there for something else, or one of too many. */
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

/* a asks relay on b, which asks a's store; the process behind the name is not known yet. */
static void inner_call(struct seen *seen, uint32_t outer, uint32_t inner)
{
    ask_as(seen, 0, etf_pid("a@h", 1), etf_atom("relay"), alias_tag("a@h", outer), etf_atom("x"));
    ask_as(seen, 1, etf_pid("b@h", 70), etf_pid("a@h", 80), alias_tag("b@h", inner),
           etf_atom("y"));
    message(seen, &(struct message){
        .code = 33, .dir = 0, .from = etf_pid("a@h", 80), .to = etf_ref("b@h", inner),
        .payload = etf_tuple(2, alias_tag("b@h", inner), etf_atom("ok"))});
}

/* The record of an inner call waits for its parent no longer than it has to. */
static void held_calls(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    inner_call(&seen, 1, 2);
    assert_int_equal(seen.num_ended, 0);
    seen.now_ns += HELD_CALLS_NS;
    monitor(&seen, 3, etf_atom("echo")); /* time goes by */
    assert_last(&seen, 2, CALL_OK);
    assert_int_equal(seen.ended[0].parent, 0);
    answer_from(&seen, etf_pid("b@h", 71), 1); /* it was another process */
    inner_call(&seen, 4, 5);
    assert_int_equal(seen.num_ended, 2 + 1); /* relay is known now, not to be <70> */
    stop(&seen);

    start(&seen);
    inner_call(&seen, 1, 2);
    down(&seen, 1, etf_atom("noproc")); /* there is no such process that could be the parent */
    assert_last(&seen, 1, CALL_NOPROC);
    monitor(&seen, 3, etf_atom("echo"));
    assert_last(&seen, 2, CALL_OK);
    stop(&seen);

    /* more than can be held; and at the end all of them */
    start(&seen);
    ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("relay"), alias_tag("a@h", 1), etf_atom("x"));
    enum { TOO_MANY = HELD_CALLS_MAX + 100 };
    for (uint32_t i = 0; i < TOO_MANY; i++) {
        etf_reset();
        ask_as(&seen, 1, etf_pid("b@h", 70 + i), etf_pid("a@h", 80), alias_tag("b@h", i),
               etf_atom("y"));
        message(&seen, &(struct message){
            .code = 33, .dir = 0, .from = etf_pid("a@h", 80), .to = etf_ref("b@h", i),
            .payload = etf_tuple(2, alias_tag("b@h", i), etf_atom("ok"))});
    }
    assert_in_range(seen.num_ended, TOO_MANY - HELD_CALLS_MAX, TOO_MANY);
    stop(&seen);
    assert_int_equal(seen.num_ended, TOO_MANY + 1);
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
        /* the first time too, when the inner call ended before it was known who relay is */
        assert_int_equal(seen.ended[in].number, seen.ended[out].number + 1);
        assert_int_equal(seen.ended[in].parent, seen.ended[out].number);
    }
    /* two at once: it can't be told */
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

/* A caller that waits no longer: what it looks like, and what comes afterwards. */
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
    answer(&seen, 1); /* once more */
    assert_false(seen.note.late);
    assert_int_equal(seen.note.call, 0);

    monitor(&seen, 2, etf_atom("echo"));
    ask(&seen, 2);
    seen.now_ns += 4000000;
    demonitor(&seen, 2);
    seen.now_ns += HELD_CALLS_NS;
    monitor(&seen, 9, etf_atom("echo")); /* time goes by */
    assert_last(&seen, 2, CALL_ABANDONED);
    answer(&seen, 2);
    assert_true(seen.note.late);
    assert_int_equal(seen.num_ended, 2);

    /* the caller ended, as somebody is told who watches it */
    ask(&seen, 3);
    message(&seen, &(struct message){.code = 28, .from = etf_pid("a@h", 1), .dir = 0,
                                     .to = etf_pid("b@h", 5), .ref = etf_ref("b@h", 77),
                                     .payload = etf_atom("killed")});
    answer(&seen, 3);
    assert_last(&seen, 3, CALL_ABANDONED);

    static const struct {
        int64_t waited_us;
        enum call_outcome outcome;
    } cases[] = {{4999, CALL_ABANDONED},   {94999, CALL_ABANDONED}, {95000, CALL_TIMEOUT},
                 {99900, CALL_TIMEOUT},    {111111, CALL_TIMEOUT},  {111112, CALL_ABANDONED},
                 {194999, CALL_ABANDONED}, {195000, CALL_TIMEOUT},  {505000, CALL_TIMEOUT},
                 {450000, CALL_ABANDONED}, {1234000, CALL_TIMEOUT}};
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

/* A caller that ends with its call: the end of its monitor looks as if it had given up. */
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
        assert_int_equal(seen.num_ended, i); /* what becomes of the caller is not known yet */
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

/* A reference as tag, and what goes to others than the caller. */
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
    /* a monitor of one's own is not that of a call with another reference */
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

/* One tag, several calls; and one call that is handed on. */
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
    reply_to_ref(&seen, 1, etf_pid("c@h", 60), 7); /* once more: of none */
    assert_int_equal(seen.num_ended, 1);
    seen.conn.end[1].node = text("b@h");
    reply_to_ref(&seen, 1, etf_pid("b@h", 51), 7);
    assert_last(&seen, 2, CALL_OK);
    reply_to_ref(&seen, 1, etf_pid("b@h", 50), 7);
    assert_last(&seen, 1, CALL_OK);

    /* of two that an answer fits as well, it is the first one's */
    ask_as(&seen, 0, me, etf_atom("left"), etf_ref("a@h", 11), etf_atom("x"));
    ask_as(&seen, 0, me, etf_atom("right"), etf_ref("a@h", 11), etf_atom("x"));
    reply_to_ref(&seen, 1, etf_pid("b@h", 52), 11);
    assert_last(&seen, 4, CALL_OK);
    reply_to_ref(&seen, 1, etf_pid("b@h", 53), 11);
    assert_last(&seen, 5, CALL_OK);

    /* from b to c, which answers */
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

    /* and home again: nobody sees that answer */
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

    /* so many with one tag that the oldest has to go */
    for (uint32_t i = 0; i < 65; i++) {
        etf_reset();
        ask_as(&seen, 0, etf_pid("a@h", 1), etf_pid("c@h", i), etf_ref("a@h", 10), etf_atom("x"));
    }
    assert_last(&seen, 8, CALL_UNKNOWN);
    stop(&seen);
}

/* For whose sake: what was asked before it was known, a retry, work of one's own. */
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
    assert_false(seen.ended[0].inferred); /* that process is there for nothing else */
    down(&seen, 1, etf_tuple(3, etf_ref("a@h", 1), etf_atom("return"), etf_atom("x")));

    /* what timed out is still being served, by one that goes on for nobody after its answers */
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
    const uint64_t before = seen.ended[seen.num_ended - 2].number; /* of the last one */
    monitor(&seen, 2, relay);
    ask_as(&seen, 0, etf_pid("a@h", 1), relay, alias_tag("a@h", 2), etf_atom("x"));
    seen.now_ns += 5000000000;
    demonitor(&seen, 2);
    let_die(&seen);
    assert_last(&seen, before + 1, CALL_TIMEOUT);
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 2), etf_atom("y"));
    ask_as(&seen, 0, etf_pid("a@h", 1), relay, alias_tag("a@h", 3), etf_atom("x"));
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 3), etf_atom("y")); /* of either */
    seen.now_ns += 200000000;
    answer_from(&seen, relay, 2);
    assert_true(seen.note.late);
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 4), etf_atom("y")); /* of the retry */
    for (uint32_t i = 2; i < 5; i++)
        message(&seen, &(struct message){
            .code = 33, .dir = 0, .from = store, .to = etf_ref("b@h", i),
            .payload = etf_tuple(2, alias_tag("b@h", i), etf_atom("k"))});
    const size_t at = seen.num_ended - 3;
    assert_int_equal(seen.ended[at].parent, before + 1);
    assert_true(seen.ended[at].inferred);
    assert_true(seen.ended[at + 1].ambiguous);
    assert_int_equal(seen.ended[at + 2].parent, before + 3);

    /* still open when its parent is answered: made afterwards, perhaps */
    ask_as(&seen, 1, relay, store, alias_tag("b@h", 5), etf_atom("y"));
    answer_from(&seen, relay, 3);
    assert_int_equal(seen.ended[seen.num_ended - 1].num_children, 1);
    /* and the relay is at that work when the next one comes */
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

static struct ds_term string_of(uint16_t len)
{
    uint8_t bytes[1100] = {107, (uint8_t)(len >> 8), (uint8_t)len};
    memset(bytes + 3, 'x', len);
    return etf_raw(bytes, 3 + (size_t)len);
}

static void ask_at_length(struct seen *seen, uint32_t ref, uint16_t len)
{
    ask_as(seen, 0, etf_pid("a@h", 1), etf_pid("b@h", 50), alias_tag("a@h", ref), string_of(len));
}

/* Requests are kept up to a length, and as long as all of them are not too much. */
static void kept_requests(void **state)
{
    enum { KEPT = 1000, MANY = 6000 }; /* see start_with; more than there is room for */
    struct seen seen;
    (void)state;
    etf_reset();
    assert_non_null(start_with(&seen, MANY + 10, 1000));
    ask_at_length(&seen, 1, KEPT - 3);
    answer(&seen, 1);
    assert_true(seen.ended[0].has_request);
    ask_at_length(&seen, 2, KEPT - 2);
    answer(&seen, 2);
    assert_false(seen.ended[1].has_request);

    for (uint32_t round = 0; round < 2; round++) {
        uint32_t num_kept = 0;
        for (uint32_t i = 0; i < MANY; i++) {
            etf_reset();
            ask_at_length(&seen, 10 + i, KEPT - 3);
        }
        for (uint32_t i = 0; i < MANY; i++) {
            etf_reset();
            answer(&seen, 10 + i);
            num_kept += seen.ended[(seen.num_ended - 1) % MAX_ENDED].has_request;
        }
        assert_in_range(num_kept, CALLS_KEPT_MAX / (4 * KEPT), MANY - 1);
    }
    stop(&seen);
}

/* More open than may be: the oldest is given up for each. */
static void more_open_than_allowed(void **state)
{
    enum { CAP = 1000, MORE = 20 }; /* see start */
    struct seen seen;
    (void)state;
    start(&seen);
    for (uint32_t i = 0; i < CAP + MORE; i++) {
        etf_reset();
        ask(&seen, i);
        assert_int_equal(seen.num_ended, i < CAP ? 0 : i + 1 - CAP);
    }
    assert_int_equal(seen.ended[0].number, 1);
    assert_int_equal(seen.ended[MORE - 1].number, MORE);
    struct ds_stats stats = {0};
    correlate_add_stats(seen.correlate, &stats);
    assert_int_equal(stats.limits_hit[DS_LIMIT_CALLS], MORE);
    answer(&seen, CAP + MORE - 1);
    assert_last(&seen, CAP + MORE, CALL_OK);
    answer(&seen, MORE - 1); /* the last that was given up */
    assert_int_equal(seen.num_ended, MORE + 1);
    answer(&seen, MORE); /* the oldest that was not */
    assert_last(&seen, MORE + 1, CALL_OK);
    stop(&seen);
    assert_int_equal(seen.num_ended, CAP + MORE);
}

/* More nodes than can be remembered: all is forgotten, nothing is confused. */
static void too_many_names(void **state)
{
    struct seen seen;
    (void)state;
    etf_reset();
    assert_non_null(start_with(&seen, 100, 40));
    for (uint32_t i = 0; i < 1000; i++) {
        char node[16];
        etf_reset();
        snprintf(node, sizeof node, "n%u@h", i);
        ask_as(&seen, 0, etf_pid(node, 1), etf_atom("echo"), alias_tag(node, 1), etf_atom("x"));
    }
    struct ds_stats stats = {0};
    correlate_add_stats(seen.correlate, &stats);
    assert_true(stats.limits_hit[DS_LIMIT_NAMES] > 10);
    stop(&seen);
    assert_int_equal(seen.num_ended, 1000);
}

/* One of each message, with every allocation failing in turn. */
static void converse(void *context)
{
    struct seen seen;
    (void)context;
    etf_reset();
    if (start_with(&seen, 10, 1000) == NULL) {
        assert_true(failing_alloc_failed());
        return;
    }
    monitor(&seen, 1, etf_atom("echo"));
    ask(&seen, 1);
    answer(&seen, 1);
    demonitor(&seen, 1);
    spawn_request(&seen, 2, "m", "f", etf_nil());
    spawn_reply(&seen, 2, 3, etf_pid("b@h", 61));
    ask_as(&seen, 0, etf_pid("a@h", 1), etf_atom("relay"), alias_tag("a@h", 3), etf_atom("x"));
    ask_as(&seen, 1, etf_pid("b@h", 70), etf_pid("a@h", 80), alias_tag("b@h", 4), etf_atom("y"));
    answer_from(&seen, etf_pid("b@h", 70), 3);
    monitor(&seen, 5, etf_atom("echo"));
    ask(&seen, 5);
    demonitor(&seen, 5);
    answer(&seen, 5);
    stop(&seen);
}

static void memory_runs_out(void **state)
{
    (void)state;
    /* The table of otp.def takes some hundreds: test_pattern looks at those. */
    failing_alloc_at(0);
    converse(NULL);
    const unsigned long all = failing_alloc_count();
    failing_alloc_at(0);
    ds_otp_free(ds_otp_new());
    const unsigned long table = failing_alloc_count();
    assert_true(all > table + 10);
    for (unsigned long n = table + 1; n <= all; n++) {
        failing_alloc_at(n);
        converse(NULL);
        failing_alloc_from(n);
        converse(NULL);
    }
    failing_alloc_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answered),
        cmocka_unit_test(other_ends),
        cmocka_unit_test(multi_call),
        cmocka_unit_test(references),
        cmocka_unit_test(erpc_and_spawn),
        cmocka_unit_test(without_tag),
        cmocka_unit_test(parents),
        cmocka_unit_test(kept_requests),
        cmocka_unit_test(more_open_than_allowed),
        cmocka_unit_test(too_many_names),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(server_call),
        cmocka_unit_test(held_calls),
        cmocka_unit_test(given_up),
        cmocka_unit_test(ended_in_the_call),
        cmocka_unit_test(not_the_answer),
        cmocka_unit_test(twins_and_forwards),
        cmocka_unit_test(whose_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
