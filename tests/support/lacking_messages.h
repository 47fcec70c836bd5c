/*
 * lacking_messages.h - the same as lacking_links.h for findings about calls and messages.
 */
#ifndef TESTS_LACKING_MESSAGES_H
#define TESTS_LACKING_MESSAGES_H

#include "lacking_links.h"

static inline struct call asked_call(enum call_outcome outcome)
{
    return (struct call){.number = 7, .conn = w.conn.number, .label = "gen:call", .group = "",
                         .caller = {.node = text("alice@127.0.0.1"), .has_pid = true, .id = 5},
                         .callee = {.node = text("bob@127.0.0.1"), .name = text("calc")},
                         .start_ns = w.now_ns, .start_frame = 3, .end_frame = 4, .outcome = outcome};
}

static inline void ends(struct call *call, int64_t after_ns)
{
    w.now_ns += after_ns;
    call->end_ns = w.now_ns;
    findings_record(w.findings, &(struct record){.call = call});
}

static inline void is_not_answered(void)
{
    up();
    struct call call = asked_call(CALL_UNANSWERED);
    within();
    ends(&call, 6 * SECOND);
}

static inline void lacks_a_fun(void)
{
    up();
    struct call call = asked_call(CALL_ERROR);
    within();
    begin_terms();
    put_tuple(2);
    put_atom("badfun");
    put_atom("f");
    call.reason = term_since(0);
    ends(&call, MS);
}

static inline void is_answered_late(void)
{
    up();
    within();
    w.now_ns += 6 * SECOND;
    struct ds_event event = event_of(DS_EVENT_MESSAGE, 1);
    findings_record(w.findings, &(struct record){.event = &event,
                                                 .note = {.late = true, .has_latency = true,
                                                          .latency_ns = 6 * SECOND + MS, .call = 7}});
}

static inline void runs_out_of_time(void)
{
    up();
    struct call call = asked_call(CALL_TIMEOUT);
    within();
    ends(&call, 5 * SECOND);
}

static inline void fails_always(void)
{
    up();
    for (int i = 0; i < 5; i++) {
        struct call call = asked_call(CALL_NOPROC);
        if (i == 4)
            within();
        ends(&call, MS);
    }
}

/* is_held_down: an end asks whether the other's mnesia considers its own as down, and it does. */
static inline void is_held_down(int asker)
{
    static const char *const name[] = {"alice@127.0.0.1", "bob@127.0.0.1"};
    struct call call = asked_call(CALL_OK);
    begin_terms();
    put_atom("mnesia_monitor");
    call.mod = term_since(0);
    size_t at = term_bytes.len;
    put_atom("has_remote_mnesia_down");
    call.fun = term_since(at);
    at = term_bytes.len;
    put_tuple(2);
    put_atom("true");
    put_atom(name[!asker]);
    call.result = term_since(at);
    call.label = "erpc:call";
    call.caller.node = text(name[asker]);
    call.callee.node = text(name[!asker]);
    ends(&call, MS);
}

static inline void is_split(void)
{
    up();
    is_held_down(0);
    within();
    is_held_down(1);
}

static inline void answers_at_once(void)
{
    static const uint8_t payload[] = {106};
    up();
    const int64_t zero_ns = w.now_ns;
    struct ds_tcp_side *side = &w.link.side[1];
    side->pause_from_ns = zero_ns;
    w.now_ns += SECOND;
    within();
    side->pause_heard_ns = zero_ns + 900 * MS;
    side->pause_to_ns = w.now_ns = zero_ns + 9 * SECOND;
    const struct ds_event event = message(1, payload, sizeof payload);
    put(&event);
    for (uint32_t i = 1; i <= 2; i++) {
        struct call call = asked_call(CALL_OK);
        call.callee = (struct party){.node = text("bob@127.0.0.1"), .has_pid = true, .id = i};
        call.start_ns = zero_ns + i * 300 * MS;
        call.end_ns = w.now_ns;
        put_call(&call);
    }
}

static inline void sends_nonsense(void)
{
    up();
    within();
    struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
    event.fault = (struct ds_fault){DS_FAULT_MALFORMED, 9, "no term begins like this"};
    event.message.control = (struct ds_term){.data = (const uint8_t *)"j", .len = 1};
    put(&event);
}

static inline void sends_to_many(void)
{
    static uint8_t payload[30000];
    up();
    for (uint8_t n = 0; n < 5; n++) {
        const uint8_t name[] = {119, 1, (uint8_t)('a' + n)};
        if (n == 3)
            within();
        struct ds_event event = message(0, payload, sizeof payload);
        event.message.role[DS_ROLE_TO] = (struct ds_term){.data = name, .len = sizeof name};
        w.now_ns += MS;
        event.ts_ns = w.now_ns;
        put(&event);
    }
}

static inline void makes_atoms(void)
{
    up();
    for (int n = 0; n < 300; n++) {
        char name[40];
        snprintf(name, sizeof name, "user_%x", n);
        const struct ds_atom atom = {
            .text = (const uint8_t *)name, .len = (uint16_t)strlen(name), .state = DS_ATOM_KNOWN, .is_new = true};
        if (n == 100)
            within();
        struct ds_event event = message(0, NULL, 0);
        event.message.control = (struct ds_term){.atoms = &atom, .num_atoms = 1};
        put(&event);
    }
}

static inline void does_not_get_a_lock(void)
{
    up();
    lock_call("global:set_lock", "carol@c", "true");
    for (int n = 0; n < 6; n++) {
        if (n == 3)
            within();
        lock_call("global:set_lock", "alice@a", "false");
    }
}

static inline void crashes_by_itself(void)
{
    up();
    within();
    begin_terms();
    put_reason("badarith", "handle_cast");
    struct ds_event event = message(1, "j", 1);
    event.message.op = ds_op_find(21); /* monitor_p_exit */
    event.message.payload = (struct ds_term){0};
    event.message.role[DS_ROLE_REASON] = term_since(0);
    findings_record(w.findings, &(struct record){.event = &event, .note.from_name = text("calc")});
}

static inline void is_parted_by_global(void)
{
    shake(DS_STEP_CHALLENGE_ACK, "alice@a", "carol@c");
    change(DS_CONN_UP, 0, false);
    half_close(0, DS_CLOSE_FIN);
    next_conn();
    up();
    begin_terms();
    for (int i = 0; i < 2; i++) {
        const size_t at = term_bytes.len;
        put_tuple(5);
        put_atom(i == 0 ? "lost_connection" : "remove_connection");
        put_atom("alice@a");
        put_small(1);
        put_small(1);
        put_atom("carol@c");
        struct ds_event event = message(0, NULL, 0);
        event.message.payload = term_since(at);
        findings_record(w.findings, &(struct record){.event = &event,
                                                     .note.label = i == 0 ? "global:lost_connection"
                                                                          : "global:remove_connection"});
        within();
    }
}

/* joins makes a link of two nodes on hosts of their own. */
static inline void joins(const char *one, uint8_t host_one, const char *two, uint8_t host_two)
{
    shake(DS_STEP_CHALLENGE_ACK, one, two);
    w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, host_one}};
    w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, host_two}};
    change(DS_CONN_UP, 0, false);
    next_conn();
}

static inline void lacks_a_link(void)
{
    joins("alice@a", 1, "bob@b", 2);
    joins("bob@b", 2, "carol@c", 3);
    w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 3}};
    w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 1}};
    within();
    close_by(-1, MS, DS_CLOSE_SYN_TIMEOUT);
    findings_time(w.findings, w.now_ns + 10 * SECOND);
}

#endif
