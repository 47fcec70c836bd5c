/*
 * findings_world.h - a capture, event by event, for tests of the detectors: alice (end 0) and bob
 * (end 1), one connection at a time; terms are put together byte by byte.
 */
#ifndef TEST_FINDINGS_WORLD_H
#define TEST_FINDINGS_WORLD_H

#include "analyse/findings/findings.h"
#include "default_limits.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000000)
#define MS INT64_C(1000000)
#define FULL_FLAGS UINT64_C(0xd07df7fbd)

enum { EPMD = 4369, PORT = 5555 };

/* world is a capture, event by event: alice (end 0) and bob (end 1), one connection at a time. */
static struct world {
    struct findings *findings;
    struct ds_conn conn;
    struct ds_tcp_stats link;
    int64_t now_ns;
    uint64_t frame;
    char log[8192];
    size_t len;
    struct finding last;
    unsigned num;
    bool hidden; /* alice is a hidden node */
    char unchecked[4096]; /* what was not checked, line by line */
    size_t unchecked_len;
    unsigned limits[LIMITS_LINKS + 1]; /* lines that limit the verdict */
    uint64_t num_read, num_guessed, num_messages;
    char calls[400]; /* the line that counts calls, and its severity */
    enum severity calls_severity;
    int errors; /* findings that are errors now */
    uint64_t num_calls;
} w;

/* leaves_out lists the codes that a group of tests ignores. */
static const char *leaves_out = "";

static inline void say(const char *text)
{
    if (sizeof w.log - w.len > 16)
        w.len += (size_t)snprintf(w.log + w.len, sizeof w.log - w.len, "%s", text);
}

static inline void keep_unchecked(const struct finding *f)
{
    struct ds_buffer line = {0};
    wording_print(&f->sentence, &line);
    if (!line.failed && line.len + 2 < sizeof w.unchecked - w.unchecked_len)
        w.unchecked_len += (size_t)snprintf(w.unchecked + w.unchecked_len,
                                            sizeof w.unchecked - w.unchecked_len, "%.*s\n",
                                            (int)line.len, line.data);
    ds_buffer_free(&line);
}

static inline void keep_calls(const struct finding *f)
{
    struct ds_buffer line = {0};
    wording_print(&f->sentence, &line);
    ds_buffer_add(&line, "", 1);
    if (!line.failed && strstr(line.data, " call") != NULL) {
        snprintf(w.calls, sizeof w.calls, "%s", line.data);
        w.calls_severity = f->severity;
    }
    ds_buffer_free(&line);
}

static inline void take(void *context, const struct record *record)
{
    const struct finding *f = record->finding;
    (void)context;
    if (f->severity == SEVERITY_UNCHECKED) {
        keep_unchecked(f);
        w.limits[f->limits]++;
        if (f->limits == LIMITS_READ) {
            w.num_read = f->num_read;
            w.num_guessed = f->num_guessed;
            w.num_messages = f->num_messages;
        }
    } else if (f->kind == NULL) {
        keep_calls(f);
    }
    if (f->kind != NULL && strstr(leaves_out, f->kind->code) != NULL)
        return;
    w.errors += f->error_change;
    if (f->kind == NULL || f->is_update) {
        if (f->kind != NULL)
            w.last = *f;
        return;
    }
    w.last = *f;
    w.num++;
    say(w.len != 0 ? " " : "");
    say(f->kind->code);
}

static inline void begin_with(bool has_cookie)
{
    struct findings_config config = {.emit = take, .epmd_port = EPMD, .has_cookie = has_cookie};
    default_limits(config.limits);
    findings_free(w.findings);
    memset(&w, 0, sizeof w);
    w.findings = findings_new(&config);
    assert_non_null(w.findings);
    w.now_ns = 1000 * SECOND;
}

static inline void next_conn(void)
{
    static const struct ds_addr addr[2] = {{4, {10, 0, 0, 1}}, {4, {10, 0, 0, 2}}};
    const uint64_t number = w.conn.number + 1;
    memset(&w.conn, 0, sizeof w.conn);
    memset(&w.link, 0, sizeof w.link);
    w.conn.number = number;
    w.conn.link = &w.link;
    w.link.closed_by = -1;
    for (int end = 0; end < 2; end++)
        w.conn.end[end].addr = addr[end];
    w.conn.end[0].port = 40000;
    w.conn.end[1].port = PORT;
}

static inline void begin(void)
{
    begin_with(false);
    next_conn();
}

static inline struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static inline struct ds_event event_of(enum ds_event_type type, int dir)
{
    w.frame++;
    return (struct ds_event){.type = type, .dir = (uint8_t)dir, .frame = w.frame,
                             .ts_ns = w.now_ns, .conn = &w.conn};
}

static inline void put(const struct ds_event *event)
{
    const struct record record = {.event = event};
    findings_record(w.findings, &record);
}

static inline void epmd(enum ds_epmd_op op, int dir, const char *name, uint16_t port, uint8_t result)
{
    struct ds_event event = event_of(DS_EVENT_EPMD, dir);
    w.conn.end[1].port = EPMD;
    event.epmd = (struct ds_epmd){.op = op, .name = text(name), .port = port, .result = result};
    if (result != 0)
        event.epmd.name = (struct ds_text){NULL, 0};
    put(&event);
}

static inline void asked(const char *name)
{
    epmd(DS_EPMD_PORT_PLEASE2_REQ, 0, name, 0, 0);
    epmd(DS_EPMD_PORT2_RESP, 1, name, PORT, 0);
    next_conn();
}

static inline void step(enum ds_handshake_step which, int dir, const char *name)
{
    struct ds_event event = event_of(DS_EVENT_HANDSHAKE, dir);
    struct ds_handshake *h = &event.handshake;
    h->step = which;
    w.conn.counters[dir].bytes += 30;
    if (which == DS_STEP_STATUS || which == DS_STEP_STATUS_REPLY) {
        h->status = text(name);
    } else if (which == DS_STEP_SEND_NAME || which == DS_STEP_CHALLENGE) {
        h->name = text(name);
        h->version = 6;
        h->flags = w.hidden && dir == 0 ? FULL_FLAGS & ~UINT64_C(1) : FULL_FLAGS;
        h->has_flags = true;
        w.conn.end[dir].node = h->name;
        w.conn.end[dir].creation = 5;
    }
    if (which == DS_STEP_CHALLENGE) {
        h->challenge = 7;
        h->has_challenge = true;
    }
    put(&event);
}

/* event_of_alert returns the alert that a TLS end sends in answer to a handshake without TLS. */
static inline struct ds_event event_of_alert(void)
{
    static const uint8_t alert[] = {21, 3, 3, 0, 2, 2, 40};
    struct ds_event event = event_of(DS_EVENT_HANDSHAKE, 1);
    event.handshake.step = DS_STEP_UNKNOWN;
    event.bytes = alert;
    event.bytes_len = sizeof alert;
    event.fault.kind = DS_FAULT_MALFORMED;
    return event;
}

/* shake plays a handshake up to a step. */
static inline void shake(enum ds_handshake_step last, const char *alice, const char *bob)
{
    step(DS_STEP_SEND_NAME, 0, alice);
    if (last >= DS_STEP_STATUS)
        step(DS_STEP_STATUS, 1, "ok");
    if (last >= DS_STEP_CHALLENGE)
        step(DS_STEP_CHALLENGE, 1, bob);
    if (last >= DS_STEP_CHALLENGE_REPLY)
        step(DS_STEP_CHALLENGE_REPLY, 0, "");
    if (last >= DS_STEP_CHALLENGE_ACK)
        step(DS_STEP_CHALLENGE_ACK, 1, "");
}

static inline void change(enum ds_conn_state state, int dir, bool final)
{
    struct ds_event event = event_of(DS_EVENT_CONN, dir);
    event.change = (struct ds_conn_change){.state = state, .final = final};
    put(&event);
}

static inline void close_by(int closed_by, int64_t after_ns, enum ds_close how)
{
    w.now_ns += after_ns;
    w.link.close = how;
    w.link.closed_by = (int8_t)closed_by;
    change(DS_CONN_FAILED, closed_by, true);
}

/* found ends the capture and compares what was found with codes. */
static inline void found(const char *codes)
{
    findings_end(w.findings);
    if (strcmp(w.log, codes) != 0)
        fail_msg("found '%s', not '%s'", w.log, codes);
}

static inline void sentence_is(const char *wanted)
{
    struct ds_buffer out = {0};
    wording_print(&w.last.sentence, &out);
    ds_buffer_add(&out, "", 1);
    assert_string_equal(out.data, wanted);
    ds_buffer_free(&out);
}

static inline void detail_has(const char *part)
{
    struct ds_buffer out = {0};
    wording_print(&w.last.detail, &out);
    ds_buffer_add(&out, "", 1);
    if (strstr(out.data, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, out.data);
    ds_buffer_free(&out);
}

/* Links. */

static inline void up_as(uint32_t creation)
{
    shake(DS_STEP_CHALLENGE_ACK, "alice@127.0.0.1", "bob@127.0.0.1");
    w.conn.end[0].creation = creation;
    w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
    w.link.side[0].last_data_ns = w.link.side[1].last_data_ns = w.now_ns;
    w.link.side[0].last_ns = w.link.side[1].last_ns = w.now_ns;
    change(DS_CONN_UP, 0, false);
}

static inline void up(void)
{
    up_as(5);
}

static inline void put_stall(enum ds_stall_why why, int64_t duration_ns, bool is_over, uint64_t in_flight)
{
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = why, .is_over = is_over, .in_flight = in_flight,
                                    .start_ns = w.now_ns - duration_ns, .duration_ns = duration_ns,
                                    .message_size = 8000000, .message_passed = 65000};
    put(&event);
}

static inline void put_gap(void)
{
    struct ds_event gap = event_of(DS_EVENT_GAP, 1);
    gap.gap.bytes = 100;
    gap.gap.messages = -1;
    put(&gap);
}

static inline void half_close(int closed_by, enum ds_close how)
{
    w.link.closed_by = (int8_t)closed_by;
    w.link.close = how;
    change(how == DS_CLOSE_RESET ? DS_CONN_CLOSED : DS_CONN_HALF_CLOSED, closed_by, false);
}

/* Calls. */

static inline struct call call_of(enum call_outcome outcome)
{
    return (struct call){.number = ++w.num_calls, .conn = 3, .label = "gen:call", .group = "",
                         .caller = {.node = text("alice@a"), .has_pid = true, .id = 5},
                         .callee = {.node = text("bob@b"), .name = text("calc")},
                         .start_ns = w.now_ns, .end_ns = w.now_ns + MS,
                         .start_frame = 3, .end_frame = 4, .outcome = outcome};
}

static inline void put_call(const struct call *call)
{
    findings_record(w.findings, &(struct record){.call = call});
}

/* call plays an ended call on the connection that took ns. */
static inline void call(enum call_outcome outcome, int64_t ns)
{
    struct call call = call_of(outcome);
    call.conn = 1;
    call.end_ns = w.now_ns + ns;
    put_call(&call);
}

/* Messages. */

/* node_atom: here the names of nodes are atoms in the cache. */
static const uint8_t node_name[] = "bob@127.0.0.1";

static const struct ds_atom node_atoms[] = {
    {.text = node_name, .len = sizeof node_name - 1, .slot = 1, .state = DS_ATOM_KNOWN}};

static inline struct ds_event message(int dir, const void *payload, size_t len)
{
    struct ds_event event = event_of(DS_EVENT_MESSAGE, dir);
    event.message.op = ds_op_find(22);
    event.message.code = 22;
    event.message.size = len;
    event.message.payload = (struct ds_term){.data = payload, .len = len};
    return event;
}

/* Small terms: atoms of one letter or word, tuples, lists. */

static struct ds_buffer term_bytes;

static inline void put_bytes(const void *bytes, size_t len)
{
    ds_buffer_add(&term_bytes, bytes, len);
}

static inline void put_atom(const char *name)
{
    const uint8_t head[] = {119, (uint8_t)strlen(name)};
    put_bytes(head, sizeof head);
    put_bytes(name, strlen(name));
}

static inline void put_tuple(uint8_t arity)
{
    const uint8_t head[] = {104, arity};
    put_bytes(head, sizeof head);
}

static inline void put_list(uint8_t len) /* the elements follow, then put_nil */
{
    const uint8_t head[] = {108, 0, 0, 0, len};
    put_bytes(head, sizeof head);
}

static inline void put_nil(void)
{
    put_bytes("j", 1);
}

static inline void put_small(uint8_t value)
{
    const uint8_t bytes[] = {97, value};
    put_bytes(bytes, sizeof bytes);
}

static inline void put_binary(const char *string)
{
    const uint8_t head[] = {109, 0, 0, 0, (uint8_t)strlen(string)};
    put_bytes(head, sizeof head);
    put_bytes(string, strlen(string));
}

static inline void put_pid(const char *node, uint8_t id)
{
    const uint8_t rest[] = {0, 0, 0, id, 0, 0, 0, 0, 0, 0, 0, 5};
    put_bytes("X", 1);
    put_atom(node);
    put_bytes(rest, sizeof rest);
}

static inline struct ds_term term_since(size_t start)
{
    return (struct ds_term){.data = (const uint8_t *)term_bytes.data + start,
                            .len = term_bytes.len - start};
}

static inline void begin_terms(void)
{
    term_bytes.len = 0;
    ds_buffer_reserve(&term_bytes, 4096); /* the buffer does not move any more */
}

/* {undef, [{m, f, 1, []}]}, or with another reason and function. */
static inline void put_reason(const char *why, const char *fun)
{
    put_tuple(2);
    put_atom(why);
    put_list(1);
    put_tuple(4);
    put_atom("m");
    put_atom(fun);
    put_small(1);
    put_nil();
    put_nil();
}

/* lock_call: the caller sets or deletes the global lock until till; bob's global takes a second to
 * answer. */
static inline void lock_call(const char *label, const char *who, const char *answer)
{
    begin_terms();
    put_tuple(2);
    put_atom("set_lock");
    put_tuple(2);
    put_atom("till");
    put_atom("me");
    const struct ds_term request = term_since(0);
    const size_t at = term_bytes.len;
    put_atom(answer);
    const struct call call = {.label = label, .group = "otp", .caller = {.node = text(who)},
                              .callee = {.node = text("bob@b")}, .request = request,
                              .result = term_since(at), .outcome = CALL_OK, .conn = w.conn.number,
                              .start_ns = w.now_ns, .end_ns = w.now_ns + SECOND};
    w.now_ns += SECOND;
    put_call(&call);
}

#endif
