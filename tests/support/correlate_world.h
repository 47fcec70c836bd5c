/*
 * correlate_world.h - conversations told message by message, for tests of what is made of them.
 *
 * start() sets up a connection between nodes a@h (end 0, direction 0 is what it sends) and b@h.
 * seen.note is what the last message was taken for, seen.ended are the calls that have ended, of
 * which assert_last() looks at the last. ask, answer, demonitor and down are the steps of a
 * gen_server call; message() sends whatever else there is. Each takes a microsecond; let_die() lets
 * more time pass.
 */
#ifndef TESTS_CORRELATE_WORLD_H
#define TESTS_CORRELATE_WORLD_H

#include "analyse/calls/calls.h"
#include "analyse/calls/correlate.h"
#include "analyse/calls/processes.h"
#include "etf_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The last ended call and the last note that the sinks received. */
enum { MAX_ENDED = 64 };

struct seen {
    struct correlate *correlate;
    struct ds_conn conn;
    struct note note;
    char to_titles[128]; /* of the last note */
    uint64_t num_records, num_ended;
    struct {
        uint64_t number, parent;
        enum call_outcome outcome;
        enum certainty certainty;
        enum call_doubt doubt;
        uint32_t likely_atoms;
        char class[16], label[32], callee[64], mfa[64], span[32];
        bool ambiguous, inferred, has_request, has_args, has_result, is_for, awaits_input;
        int64_t latency_ns;
        size_t num_children;
    } ended[MAX_ENDED];
    uint64_t num_monitors_ended;
    bool monitor_is_link, monitor_of_call;
    char monitor_how[16], monitor_ref[64];
    int64_t now_ns;
};

static inline void on_record(void *context, const struct record *record)
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
        struct ds_buffer titles = {0};
        titles_print(record->note.to_titles, &titles);
        snprintf(seen->to_titles, sizeof seen->to_titles, "%.*s", (int)titles.len,
                 titles.data != NULL ? titles.data : "");
        ds_buffer_free(&titles);
        return;
    }
    const struct call *call = record->call;
    size_t i = seen->num_ended++ % MAX_ENDED;
    struct ds_buffer callee = {0};
    party_print(&call->callee, &callee);
    seen->ended[i].number = call->number;
    seen->ended[i].parent = call->parent;
    seen->ended[i].outcome = call->outcome;
    seen->ended[i].certainty = call->certainty;
    seen->ended[i].doubt = call->doubt;
    seen->ended[i].likely_atoms = call->likely_atoms;
    seen->ended[i].ambiguous = call->parent_ambiguous;
    seen->ended[i].inferred = call->parent_inferred;
    seen->ended[i].has_request = call->request.data != NULL;
    seen->ended[i].is_for = call->callee.is_for;
    seen->ended[i].awaits_input = call->awaits_input;
    seen->ended[i].has_args = call->args.data != NULL;
    seen->ended[i].has_result = call->result.data != NULL;
    seen->ended[i].latency_ns = call->end_ns - call->start_ns;
    seen->ended[i].num_children = call->num_children;
    snprintf(seen->ended[i].class, 16, "%s", call->error_class != NULL ? call->error_class : "");
    snprintf(seen->ended[i].label, 32, "%s", call->label);
    snprintf(seen->ended[i].callee, 64, "%.*s", (int)callee.len,
             callee.data != NULL ? callee.data : "");
    snprintf(seen->ended[i].mfa, 64, "%.*s", (int)call->mfa.len,
             call->mfa.data != NULL ? call->mfa.data : "");
    callee.len = 0;
    call_print_span(call, &callee);
    snprintf(seen->ended[i].span, sizeof seen->ended[i].span, "%.*s", (int)callee.len, callee.data);
    ds_buffer_free(&callee);
}

static inline struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

/* start_as sets the part of config that all tests share. */
static inline struct correlate *start_as(struct seen *seen, struct correlate_config config)
{
    config.emit = on_record;
    config.context = seen;
    config.monitors = config.names = true;
    config.limits[DS_LIMIT_MONITORS] = 1000;
    memset(seen, 0, sizeof *seen);
    seen->conn.number = 1;
    seen->conn.end[0].node = text("a@h");
    seen->conn.end[1].node = text("b@h");
    seen->now_ns = 1000000;
    seen->correlate = correlate_new(&config);
    return seen->correlate;
}

static inline struct correlate *start_keeping(struct seen *seen, uint64_t max_calls,
                                              uint64_t max_names, size_t keep)
{
    const struct correlate_config config = {
        .keep = keep,
        .limits = {[DS_LIMIT_CALLS] = max_calls, [DS_LIMIT_NAMES] = max_names},
    };
    return start_as(seen, config);
}

static inline struct correlate *start_with(struct seen *seen, uint64_t max_calls, uint64_t max_names)
{
    return start_keeping(seen, max_calls, max_names, 1000);
}

static inline void start(struct seen *seen)
{
    etf_reset();
    assert_non_null(start_with(seen, 1000, 1000));
}

static inline void stop(struct seen *seen)
{
    correlate_end(seen->correlate);
    correlate_free(seen->correlate);
    seen->correlate = NULL;
}

/* message sends one control message over the connection, a microsecond after the last one. */
struct message {
    int code;
    unsigned dir;
    uint32_t unknown_atoms, likely_atoms, address_atoms;
    int64_t stalled_ns;
    struct ds_term from, to, ref, flags, mfa, result, reason, payload;
};

static inline void message(struct seen *seen, const struct message *m)
{
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .dir = (uint8_t)m->dir,
                             .ts_ns = seen->now_ns += 1000, .frame = 1, .conn = &seen->conn};
    event.unknown_atoms = m->unknown_atoms;
    event.likely_atoms = m->likely_atoms;
    event.address_atoms = m->address_atoms;
    event.message.stalled_ns = m->stalled_ns;
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

static inline void conn_ends(struct seen *seen, bool unfollowed)
{
    struct ds_event event = {.type = DS_EVENT_CONN, .ts_ns = seen->now_ns += 1000,
                             .conn = &seen->conn};
    event.change.state = DS_CONN_CLOSED;
    event.change.final = true;
    event.change.unfollowed = unfollowed;
    correlate_event(seen->correlate, &event);
}

static inline void conn_is_half_closed(struct seen *seen)
{
    struct ds_event event = {.type = DS_EVENT_CONN, .ts_ns = seen->now_ns += 1000,
                             .conn = &seen->conn};
    event.change.state = DS_CONN_HALF_CLOSED;
    correlate_event(seen->correlate, &event);
}

/* The messages of a gen_server call from <a.1> to echo on b, whose pid is <b.50>. */

static inline void monitor(struct seen *seen, uint32_t ref, struct ds_term to)
{
    message(seen, &(struct message){.code = 19, .from = etf_pid("a@h", 1), .to = to,
                                    .ref = etf_ref("a@h", ref)});
}

static inline struct ds_term alias_tag(const char *node, uint32_t ref)
{
    return etf_list(1, etf_atom("alias"), etf_ref(node, ref));
}

static inline void ask_as(struct seen *seen, unsigned dir, struct ds_term from, struct ds_term to,
                          struct ds_term tag, struct ds_term request)
{
    const bool named = to.data[0] == 119;
    message(seen, &(struct message){.code = named ? 6 : 22, .dir = dir, .from = from, .to = to,
                                    .payload = etf_tuple(3, etf_atom("$gen_call"),
                                                         etf_tuple(2, from, tag), request)});
}

static inline void ask(struct seen *seen, uint32_t ref)
{
    ask_as(seen, 0, etf_pid("a@h", 1), etf_atom("echo"), alias_tag("a@h", ref), etf_atom("hi"));
}

static inline void answer_from(struct seen *seen, struct ds_term from, uint32_t ref)
{
    message(seen, &(struct message){.code = 33, .dir = 1, .from = from,
                                    .to = etf_ref("a@h", ref),
                                    .payload = etf_tuple(2, alias_tag("a@h", ref),
                                                         etf_atom("ok"))});
}

static inline void answer(struct seen *seen, uint32_t ref)
{
    answer_from(seen, etf_pid("b@h", 50), ref);
}

static inline void demonitor(struct seen *seen, uint32_t ref)
{
    message(seen, &(struct message){.code = 20, .from = etf_pid("a@h", 1), .to = etf_atom("echo"),
                                    .ref = etf_ref("a@h", ref)});
}

static inline void down(struct seen *seen, uint32_t ref, struct ds_term reason)
{
    message(seen, &(struct message){.code = 28, .dir = 1, .from = etf_atom("echo"),
                                    .to = etf_pid("a@h", 1), .ref = etf_ref("a@h", ref),
                                    .payload = reason});
}

static inline void spawn_request(struct seen *seen, uint32_t ref, const char *m, const char *f,
                                 struct ds_term args)
{
    message(seen, &(struct message){.code = 29, .from = etf_pid("a@h", 1),
                                    .ref = etf_ref("a@h", ref),
                                    .mfa = etf_tuple(3, etf_atom(m), etf_atom(f), etf_int(4)),
                                    .payload = args});
}

static inline void spawn_reply(struct seen *seen, uint32_t ref, int flags, struct ds_term result)
{
    message(seen, &(struct message){.code = 31, .dir = 1, .ref = etf_ref("a@h", ref),
                                    .to = etf_pid("a@h", 1), .flags = etf_int(flags),
                                    .result = result});
}

/* let_die waits until the end of a caller would have been noticed. */
static inline void let_die(struct seen *seen)
{
    seen->now_ns += DEATH_NS + 1;
    correlate_time(seen->correlate, seen->now_ns);
}

static inline void assert_last(const struct seen *seen, uint64_t number, enum call_outcome outcome)
{
    assert_int_not_equal(seen->num_ended, 0);
    const size_t i = (seen->num_ended - 1) % MAX_ENDED;
    assert_int_equal(seen->ended[i].number, number);
    assert_int_equal(seen->ended[i].outcome, outcome);
}

#endif
