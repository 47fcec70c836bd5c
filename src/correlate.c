/*
 * correlate.c - which message answers which, see correlate.h.
 *
 * A request opens a call under the key of its tag. The call ends by the first of these:
 * a message that carries the tag; the DOWN of the monitor with the same reference (or of
 * the monitor that was set up just before, where the tag is another); the removal of that
 * monitor, when the caller gives up; the end of the connection or of the capture. A spawn
 * request is a call too: its answer is the spawn reply, or, for erpc, the exit reason.
 */
#include "correlate.h"

#include "calls.h"

#include <stdlib.h>

/* The codes of the control messages, from ops.def. */
enum op_code {
#define OP(code, id, ...) OP_##id = code,
#include <distsniff/ops.def>
#undef OP
};

/* Flags of ALTACT_SIG_SEND and of SPAWN_REPLY. */
enum { ALTACT_NAME = 8, ALTACT_EXIT = 16, SPAWN_LINK = 1, SPAWN_MONITOR = 2 };

/* watch is a monitor whose call has another tag than the monitor's reference. */
struct watch {
    struct table_entry entry;
    struct ref_key monitor, call;
};

/* early_down is a monitor whose DOWN overtook the request that it was to watch over: no such
 * process, said by the node at the other end before the request had left. */
struct early_down {
    struct table_entry entry;
    struct ref_key key;
    enum call_outcome outcome;
};

enum { MAX_EARLY_DOWNS = 1024 };

struct correlate {
    struct correlate_config config;
    struct table early_downs, watches;
    struct ds_otp *otp;
    struct intern intern;
    struct calls calls;
    struct monitors monitors;
    struct ref_key last_monitor; /* the monitor that was set up last, to whom and by whom */
    struct pid_key last_watcher, last_target;
    int64_t now_ns;
    uint64_t num_flushed; /* times all was forgotten because of too many names */
};

/* step is one message on its way through: its note, and the call it ends, if any. */
struct step {
    const struct ds_event *event;
    const struct ds_message *message;
    struct record record;
    struct note *note; /* of record */
    struct pid_key from, to; /* once asked for: know_from, know_to */
    enum { UNASKED, KNOWN, UNKNOWN } from_state, to_state;
    struct open_call *ending;
    struct call_end end;
};

struct correlate *correlate_new(const struct correlate_config *config)
{
    struct correlate *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->config = *config;
    c->otp = ds_otp_new();
    intern_init(&c->intern, config->limits[DS_LIMIT_NAMES]);
    calls_init(&c->calls, &c->intern, config->limits[DS_LIMIT_CALLS],
               config->limits[DS_LIMIT_NAMES]);
    table_init(&c->early_downs, sizeof(struct early_down), MAX_EARLY_DOWNS);
    table_init(&c->watches, sizeof(struct watch), config->limits[DS_LIMIT_MONITORS]);
    monitors_init(&c->monitors, config->limits[DS_LIMIT_MONITORS]);
    c->calls.keep = config->keep;
    c->calls.emit = config->emit;
    c->calls.context = config->context;
    c->monitors.on_end = config->on_monitor;
    c->monitors.context = config->context;
    if (c->otp == NULL) {
        correlate_free(c);
        return NULL;
    }
    return c;
}

void correlate_free(struct correlate *c)
{
    if (c == NULL)
        return;
    ds_otp_free(c->otp);
    calls_free(&c->calls);
    monitors_free(&c->monitors);
    table_free(&c->early_downs);
    table_free(&c->watches);
    intern_free(&c->intern);
    free(c);
}

void correlate_fill_party(const struct correlate *c, const struct pid_key *key, struct party *out)
{
    calls_fill_party(&c->calls, key, out);
}

void correlate_add_stats(const struct correlate *c, struct ds_stats *stats)
{
    stats->limits_hit[DS_LIMIT_CALLS] += c->calls.num_dropped;
    stats->limits_hit[DS_LIMIT_MONITORS] += c->monitors.num_dropped;
    stats->limits_hit[DS_LIMIT_NAMES] += c->calls.processes.num_dropped + c->num_flushed;
    stats->no_memory += c->calls.no_memory + c->monitors.no_memory;
}

/* Who */

static bool find_pid(struct correlate *c, const struct step *s, const struct ds_term *term,
                     struct pid_key *out)
{
    return term->data != NULL && keys_find_pid(&c->intern, term, s->event->conn->number, out);
}

/* know_from and know_to fill in s->from and s->to when they are pids; which costs something,
 * and most messages can do with one of them or none. */
static bool know_from(struct correlate *c, struct step *s)
{
    if (s->from_state == UNASKED)
        s->from_state =
            find_pid(c, s, &s->message->role[DS_ROLE_FROM], &s->from) ? KNOWN : UNKNOWN;
    return s->from_state == KNOWN;
}

static bool know_to(struct correlate *c, struct step *s)
{
    if (s->to_state == UNASKED)
        s->to_state = find_pid(c, s, &s->message->role[DS_ROLE_TO], &s->to) ? KNOWN : UNKNOWN;
    return s->to_state == KNOWN;
}

/* find_named makes the key of a name on the node at an end of the connection. */
static bool find_named(struct correlate *c, const struct step *s, unsigned end,
                       struct ds_text name, struct pid_key *out)
{
    *out = (struct pid_key){.node = intern_add(&c->intern, s->event->conn->end[end].node),
                            .id = intern_add(&c->intern, name),
                            .serial = PID_KEY_NAMED};
    return out->node != 0 && out->id != 0;
}

/* find_target and find_source: a pid or a name, where the message goes or comes from. */
static bool find_target(struct correlate *c, const struct step *s, const struct ds_term *term,
                        struct pid_key *out)
{
    struct ds_text name;
    return find_pid(c, s, term, out) ||
           (ds_term_get_atom(term, &name) && find_named(c, s, !s->event->dir, name, out));
}

static bool find_source(struct correlate *c, const struct step *s, const struct ds_term *term,
                        struct pid_key *out)
{
    struct ds_text name;
    return find_pid(c, s, term, out) ||
           (ds_term_get_atom(term, &name) && find_named(c, s, s->event->dir, name, out));
}

/* Ends of calls */

static void set_end(struct step *s, struct open_call *call, enum note_role role,
                    enum call_outcome outcome)
{
    s->ending = call;
    s->end = (struct call_end){
        .event = s->event, .end_ns = s->event->ts_ns, .outcome = outcome};
    s->note->role = role;
    s->note->label = call->line->label;
    s->note->group = call->line->group;
    s->note->call = call->number;
    s->note->outcome = outcome;
    s->note->has_latency = true;
    s->note->latency_ns =
        s->event->ts_ns > call->start_ns ? s->event->ts_ns - call->start_ns : 0;
}

static void set_error(struct step *s, const char *class, const struct ds_term *reason)
{
    s->end.outcome = s->note->outcome = CALL_ERROR;
    s->end.error_class = class;
    s->end.reason = *reason;
}

/* judge_result lets otp.def say whether the answer is a failure. False when it says nothing
 * about answers to such calls. */
static bool judge_result(struct correlate *c, struct step *s, const struct ds_otp_line *line,
                         const struct ds_term *reply)
{
    struct ds_otp_match result;
    s->end.result = *reply;
    if (!ds_otp_find_result(c->otp, line, reply, &result))
        return false;
    if (result.kind == DS_OTP_FAILURE) {
        const struct ds_term *reason = ds_otp_get(&result, DS_OTP_REASON);
        set_error(s, result.line->label, reason != NULL ? reason : reply);
        s->end.result = (struct ds_term){0};
    } else if (ds_otp_get(&result, DS_OTP_REPLY_TERM) != NULL) {
        s->end.result = *ds_otp_get(&result, DS_OTP_REPLY_TERM);
    }
    return true;
}

static void end_by_reply(struct correlate *c, struct step *s, struct open_call *call,
                         const struct ds_term *reply)
{
    if (know_from(c, s))
        calls_set_callee(&c->calls, call, &s->from, strcmp(call->line->to, "rex") != 0);
    set_end(s, call, NOTE_REPLY, CALL_OK);
    judge_result(c, s, call->line, reply);
}

static bool is_text(struct ds_text text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

/* end_by_exit: the process that should have answered ended. */
static void end_by_exit(struct correlate *c, struct step *s, struct open_call *call,
                        const struct ds_term *reason)
{
    struct ds_text atom;
    set_end(s, call, NOTE_DOWN, CALL_OK);
    if (call->answer_is_exit && judge_result(c, s, call->line, reason))
        return;
    s->end.result = (struct ds_term){0};
    if (ds_term_get_atom(reason, &atom) && is_text(atom, "noproc"))
        s->end.outcome = s->note->outcome = CALL_NOPROC;
    else if (ds_term_get_atom(reason, &atom) && is_text(atom, "noconnection"))
        s->end.outcome = s->note->outcome = CALL_NOCONNECTION;
    else
        set_error(s, "exit", reason);
}

static const char *how_ended(const struct ds_term *reason)
{
    struct ds_text atom;
    const bool is_atom = ds_term_get_atom(reason, &atom);
    return is_atom && is_text(atom, "noproc")         ? "noproc"
           : is_atom && is_text(atom, "noconnection") ? "noconnection"
                                                      : "exit";
}

static void note_early_down(struct correlate *c, const struct ref_key *key, const char *how)
{
    if (table_is_full(&c->early_downs))
        table_remove(&c->early_downs, table_oldest(&c->early_downs));
    struct early_down *e = table_add(&c->early_downs, key_hash(key, sizeof *key));
    if (e == NULL)
        return;
    e->key = *key;
    e->outcome = strcmp(how, "noproc") == 0 ? CALL_NOPROC : CALL_NOCONNECTION;
}

/* take_early_down ends a call that has just been opened in vain. */
static void take_early_down(struct correlate *c, struct step *s, struct open_call *call)
{
    if (c->early_downs.num == 0)
        return;
    struct early_down *e = table_first(&c->early_downs, call->entry.hash);
    while (e != NULL && !ref_key_equal(&e->key, &call->key))
        e = table_next(&c->early_downs, e);
    if (e == NULL)
        return;
    set_end(s, call, NOTE_REQUEST, e->outcome);
    s->note->has_latency = false;
    table_remove(&c->early_downs, e);
}

/* Messages */

/* find_waiting makes the key of a call without a tag: the process that waits, the node that
 * will answer, and the label stand for it. */
static bool find_waiting(struct correlate *c, const struct step *s, const struct pid_key *waits,
                         unsigned answering_end, const char *label, struct ref_key *out)
{
    const uint32_t node = intern_add(&c->intern, s->event->conn->end[answering_end].node);
    const uint32_t what =
        intern_add(&c->intern, (struct ds_text){label, strlen(label)});
    *out = (struct ref_key){.node = waits->node,
                            .creation = waits->creation,
                            .word = {waits->id, waits->serial, node, what},
                            .more = 7}; /* no reference has seven words */
    return node != 0 && what != 0;
}

static void set_function(struct note *note, const struct ds_otp_match *match)
{
    const struct ds_term *mod = ds_otp_get(match, DS_OTP_M);
    const struct ds_term *fun = ds_otp_get(match, DS_OTP_F);
    const struct ds_term *args = ds_otp_get(match, DS_OTP_A);
    if (mod == NULL || fun == NULL)
        return;
    note->mod = *mod;
    note->fun = *fun;
    if (args != NULL)
        note->args = *args;
}

static struct watch *find_watch(const struct correlate *c, const struct ref_key *monitor)
{
    struct watch *w = table_first(&c->watches, key_hash(monitor, sizeof *monitor));
    while (w != NULL && !ref_key_equal(&w->monitor, monitor))
        w = table_next(&c->watches, w);
    return w;
}

/* note_watch: the monitor that was set up just before a call, by the same process and to the
 * same one, is there for it. In a multi_call the call's tag is another reference. */
static void note_watch(struct correlate *c, const struct ref_key *call)
{
    struct monitor *monitor =
        c->config.on_monitor != NULL ? monitors_find(&c->monitors, &c->last_monitor) : NULL;
    if (monitor != NULL)
        monitor->of_call = true;
    if (ref_key_equal(call, &c->last_monitor) || find_watch(c, &c->last_monitor) != NULL)
        return;
    if (table_is_full(&c->watches))
        table_remove(&c->watches, table_oldest(&c->watches));
    struct watch *w =
        table_add(&c->watches, key_hash(&c->last_monitor, sizeof c->last_monitor));
    if (w == NULL) {
        c->calls.no_memory++;
        return;
    }
    w->monitor = c->last_monitor;
    w->call = *call;
}

static void open_call(struct correlate *c, struct step *s, const struct ds_otp_match *match)
{
    const struct ds_term *from = ds_otp_get(match, DS_OTP_FROM);
    const struct ds_term *tag = ds_otp_get(match, DS_OTP_TAG);
    const struct ds_term *request = ds_otp_get(match, DS_OTP_REQUEST);
    struct call_start start = {
        .event = s->event,
        .line = match->line,
        .request = request != NULL ? request : &s->message->payload,
        .note = s->note,
    };
    bool is_alias;
    s->note->role = NOTE_REQUEST;
    if ((from == NULL || !find_pid(c, s, from, &start.caller)) && know_from(c, s))
        start.caller = s->from;
    if (know_to(c, s))
        start.callee = s->to;
    if (tag != NULL
            ? !keys_find_tag(&c->intern, tag, s->event->conn->number, &start.key, &is_alias)
            : !find_waiting(c, s, &start.caller, !s->event->dir, match->line->label, &start.key))
        return;
    if (pid_key_equal(&c->last_watcher, &start.caller) &&
        pid_key_equal(&c->last_target, &start.callee))
        note_watch(c, &start.key);
    struct open_call *call = calls_open(&c->calls, &start);
    if (call == NULL)
        return;
    s->note->call = call->number;
    take_early_down(c, s, call);
}

/* take_reply ends the call that a message answers. False when there is none: then it is
 * only a reply when its form leaves no doubt. */
static bool take_reply(struct correlate *c, struct step *s, const struct ds_otp_match *match)
{
    const struct ds_term *tag = ds_otp_get(match, DS_OTP_TAG);
    const struct ds_term *reply = ds_otp_get(match, DS_OTP_REPLY_TERM);
    struct ref_key key;
    bool is_alias = false;
    const bool has_key =
        tag != NULL
            ? keys_find_tag(&c->intern, tag, s->event->conn->number, &key, &is_alias)
            : know_to(c, s) &&
                  find_waiting(c, s, &s->to, s->event->dir, match->line->label, &key);
    struct open_call *call = has_key ? calls_find(&c->calls, &key) : NULL;
    /* Only what goes to the caller's node answers the caller. */
    const struct ds_text to_node = s->event->conn->end[!s->event->dir].node;
    if (call != NULL && to_node.data != NULL &&
        intern_find(&c->intern, to_node) != call->caller.node)
        call = NULL;
    if (call != NULL && call->answer_is_exit)
        call = NULL;
    if (call == NULL)
        return is_alias || strcmp(match->line->label, "gen:reply") != 0;
    end_by_reply(c, s, call, reply != NULL ? reply : &s->message->payload);
    return true;
}

static void take_send(struct correlate *c, struct step *s)
{
    const struct ds_message *m = s->message;
    struct ds_text name = {0};
    struct ds_otp_match match;
    const bool by_name = m->code == OP_REG_SEND || m->code == OP_REG_SEND_TT ||
                         m->code == OP_ALTACT_SIG_SEND;
    if (by_name && ds_term_get_atom(&m->role[DS_ROLE_TO], &name))
        s->to_state = find_named(c, s, !s->event->dir, name, &s->to) ? KNOWN : UNKNOWN;
    s->note->role = NOTE_SEND;
    if (!ds_otp_find_message(c->otp, name, &m->payload, &match))
        return;
    if (match.kind == DS_OTP_REPLY && !take_reply(c, s, &match))
        return;
    if (s->ending != NULL)
        return;
    s->note->label = match.line->label;
    s->note->group = match.line->group;
    const struct ds_term *body =
        ds_otp_get(&match, match.kind == DS_OTP_REPLY ? DS_OTP_REPLY_TERM : DS_OTP_REQUEST);
    if (body != NULL)
        s->note->body = *body;
    set_function(s->note, &match);
    switch (match.kind) {
    case DS_OTP_CALL:
        open_call(c, s, &match);
        break;
    case DS_OTP_REPLY:
        s->note->role = NOTE_REPLY;
        break;
    case DS_OTP_CAST:
        s->note->role = NOTE_CAST;
        break;
    case DS_OTP_PEER:
        if (name.data != NULL && s->to_state == KNOWN && know_from(c, s))
            processes_learn(&c->calls.processes, s->to.id, &s->from);
        s->note->role = NOTE_INFO;
        break;
    default:
        s->note->role = NOTE_INFO;
        break;
    }
}

/* Spawns */

static void take_spawn_request(struct correlate *c, struct step *s)
{
    const struct ds_message *m = s->message;
    struct ds_otp_match match;
    struct call_start start = {
        .event = s->event, .request = &m->payload, .note = s->note};
    s->note->role = NOTE_REQUEST;
    if (know_from(c, s))
        start.caller = s->from;
    if (!ds_otp_find_spawn(c->otp, &m->role[DS_ROLE_MFA], &m->payload, &match))
        return;
    s->note->label = match.line->label;
    s->note->group = match.line->group;
    set_function(s->note, &match);
    if (!keys_find_ref(&c->intern, &m->role[DS_ROLE_REF], s->event->conn->number, &start.key))
        return;
    start.line = match.line;
    start.answer_is_exit = match.kind == DS_OTP_SPAWN_CALL;
    const struct open_call *call = calls_open(&c->calls, &start);
    if (call != NULL)
        s->note->call = call->number;
}

static void open_link(struct correlate *c, const struct step *s, const struct pid_key *from,
                      const struct pid_key *to)
{
    struct ref_key key;
    if (c->config.on_monitor == NULL)
        return;
    monitors_key_link(from, to, &key);
    struct monitor *link = monitors_open(&c->monitors, &key, true, s->event);
    if (link == NULL)
        return;
    link->watcher = *from;
    link->target = *to;
}

static void open_monitor(struct correlate *c, const struct step *s, const struct ref_key *key,
                         const struct pid_key *from, const struct pid_key *to)
{
    struct monitor *monitor =
        c->config.on_monitor != NULL ? monitors_open(&c->monitors, key, false, s->event) : NULL;
    if (monitor == NULL)
        return;
    monitor->watcher = *from;
    monitor->target = *to;
}

static void take_spawn_reply(struct correlate *c, struct step *s)
{
    const struct ds_message *m = s->message;
    const struct ds_term *result = &m->role[DS_ROLE_RESULT];
    struct ref_key key;
    struct pid_key child;
    int64_t flags = 0;
    s->note->role = NOTE_SPAWNED;
    s->note->label = "spawn";
    s->note->group = "";
    if (!keys_find_ref(&c->intern, &m->role[DS_ROLE_REF], s->event->conn->number, &key))
        return;
    const bool spawned = find_pid(c, s, result, &child);
    if (spawned && know_to(c, s)) {
        ds_term_get_integer(&m->role[DS_ROLE_FLAGS], &flags);
        if ((flags & SPAWN_MONITOR) != 0)
            open_monitor(c, s, &key, &s->to, &child);
        if ((flags & SPAWN_LINK) != 0)
            open_link(c, s, &s->to, &child);
    }
    struct open_call *call = calls_find(&c->calls, &key);
    if (call == NULL)
        return;
    if (spawned)
        calls_set_callee(&c->calls, call, &child, false);
    if (spawned && call->answer_is_exit) {
        struct monitor *monitor = monitors_find(&c->monitors, &key);
        if (monitor != NULL)
            monitor->of_call = true;
        s->note->label = call->line->label;
        s->note->group = call->line->group;
        s->note->call = call->number;
        return;
    }
    set_end(s, call, NOTE_SPAWNED, CALL_OK);
    if (spawned)
        s->end.result = *result;
    else
        set_error(s, "spawn", result);
}

/* Monitors, links, exits */

static void take_monitor(struct correlate *c, struct step *s)
{
    const struct ds_message *m = s->message;
    struct ref_key key;
    struct pid_key target;
    s->note->role = NOTE_MONITOR;
    if (!know_from(c, s) || !find_target(c, s, &m->role[DS_ROLE_TO], &target) ||
        !keys_find_ref(&c->intern, &m->role[DS_ROLE_REF], s->event->conn->number, &key))
        return;
    open_monitor(c, s, &key, &s->from, &target);
    c->last_monitor = key;
    c->last_watcher = s->from;
    c->last_target = target;
}

/* end_watch finds the monitor with the reference of a message, which ends with it, and the
 * call it was there for. */
static struct open_call *end_watch(struct correlate *c, const struct step *s,
                                   struct ref_key *key, const char *how,
                                   const struct ds_term *reason)
{
    if (!keys_find_ref(&c->intern, &s->message->role[DS_ROLE_REF], s->event->conn->number, key))
        return NULL;
    struct monitor *monitor = monitors_find(&c->monitors, key);
    if (monitor != NULL)
        monitors_end(&c->monitors, monitor, how, reason, s->event->ts_ns);
    struct watch *watch = find_watch(c, key);
    if (watch != NULL) {
        *key = watch->call;
        table_remove(&c->watches, watch);
    }
    return calls_find(&c->calls, key);
}

static void take_demonitor(struct correlate *c, struct step *s)
{
    struct ref_key key;
    struct open_call *call = end_watch(c, s, &key, "demonitor", NULL);
    s->note->role = NOTE_DEMONITOR;
    if (call != NULL)
        set_end(s, call, NOTE_DEMONITOR,
                calls_lost_answer(call, s->event->conn) ? CALL_UNKNOWN : CALL_TIMEOUT);
}

static const struct ds_term *reason_of(const struct ds_message *m)
{
    return m->payload.data != NULL ? &m->payload : &m->role[DS_ROLE_REASON];
}

static void take_down(struct correlate *c, struct step *s)
{
    const struct ds_term *reason = reason_of(s->message);
    const char *how = how_ended(reason);
    struct ref_key key = {0};
    struct pid_key target;
    struct open_call *call = end_watch(c, s, &key, how, reason);
    s->note->role = NOTE_DOWN;
    if (find_source(c, s, &s->message->role[DS_ROLE_FROM], &target))
        processes_ended(&c->calls.processes, &target);
    if (call != NULL)
        end_by_exit(c, s, call, reason);
    else if (key.node != 0 && strcmp(how, "exit") != 0)
        note_early_down(c, &key, how);
}

static void take_link(struct correlate *c, struct step *s)
{
    s->note->role = NOTE_LINK;
    if (know_from(c, s) && know_to(c, s))
        open_link(c, s, &s->from, &s->to);
}

static void end_link(struct correlate *c, struct step *s, const char *how,
                     const struct ds_term *reason)
{
    struct ref_key key;
    if (!know_from(c, s) || !know_to(c, s))
        return;
    monitors_key_link(&s->from, &s->to, &key);
    struct monitor *link = monitors_find(&c->monitors, &key);
    if (link != NULL)
        monitors_end(&c->monitors, link, how, reason, s->event->ts_ns);
}

static void take_unlink(struct correlate *c, struct step *s)
{
    s->note->role = NOTE_UNLINK;
    if (s->message->code != OP_UNLINK_ID_ACK)
        end_link(c, s, "unlink", NULL);
}

static void take_exit(struct correlate *c, struct step *s)
{
    const struct ds_term *reason = reason_of(s->message);
    s->note->role = NOTE_EXIT;
    end_link(c, s, how_ended(reason), reason);
    if (know_from(c, s))
        processes_ended(&c->calls.processes, &s->from);
}

static void take_exit2(struct correlate *c, struct step *s)
{
    (void)c;
    s->note->role = NOTE_EXIT;
}

static void take_leader(struct correlate *c, struct step *s)
{
    (void)c;
    s->note->role = NOTE_LEADER;
}

static void take_altact(struct correlate *c, struct step *s)
{
    int64_t flags = 0;
    ds_term_get_integer(&s->message->role[DS_ROLE_FLAGS], &flags);
    if ((flags & ALTACT_EXIT) != 0)
        take_exit2(c, s);
    else
        take_send(c, s);
}

static void (*const take[])(struct correlate *, struct step *) = {
    [OP_LINK] = take_link,
    [OP_SEND] = take_send,
    [OP_EXIT] = take_exit,
    [OP_UNLINK] = take_unlink,
    [OP_REG_SEND] = take_send,
    [OP_GROUP_LEADER] = take_leader,
    [OP_EXIT2] = take_exit2,
    [OP_SEND_TT] = take_send,
    [OP_EXIT_TT] = take_exit,
    [OP_REG_SEND_TT] = take_send,
    [OP_EXIT2_TT] = take_exit2,
    [OP_MONITOR_P] = take_monitor,
    [OP_DEMONITOR_P] = take_demonitor,
    [OP_MONITOR_P_EXIT] = take_down,
    [OP_SEND_SENDER] = take_send,
    [OP_SEND_SENDER_TT] = take_send,
    [OP_PAYLOAD_EXIT] = take_exit,
    [OP_PAYLOAD_EXIT_TT] = take_exit,
    [OP_PAYLOAD_EXIT2] = take_exit2,
    [OP_PAYLOAD_EXIT2_TT] = take_exit2,
    [OP_PAYLOAD_MONITOR_P_EXIT] = take_down,
    [OP_SPAWN_REQUEST] = take_spawn_request,
    [OP_SPAWN_REQUEST_TT] = take_spawn_request,
    [OP_SPAWN_REPLY] = take_spawn_reply,
    [OP_SPAWN_REPLY_TT] = take_spawn_reply,
    [OP_ALIAS_SEND] = take_send,
    [OP_ALIAS_SEND_TT] = take_send,
    [OP_UNLINK_ID] = take_unlink,
    [OP_UNLINK_ID_ACK] = take_unlink,
    [OP_ALTACT_SIG_SEND] = take_altact,
};

static struct ds_text name_of(const struct correlate *c, bool known, const struct pid_key *key)
{
    if (!known || key->serial == PID_KEY_NAMED)
        return (struct ds_text){NULL, 0};
    return intern_text(&c->intern, processes_name(&c->calls.processes, key));
}

static void take_message(struct correlate *c, struct step *s)
{
    const struct ds_message *m = s->message;
    if (m->code < 0 || (size_t)m->code >= sizeof take / sizeof take[0] || take[m->code] == NULL)
        return;
    take[m->code](c, s);
    if (s->ending != NULL)
        s->note->body = s->end.result.data != NULL ? s->end.result : s->end.reason;
    if (!c->config.names)
        return;
    s->note->from_name = name_of(c, know_from(c, s), &s->from);
    s->note->to_name = name_of(c, know_to(c, s), &s->to);
}

/* forget_all: more nodes and names than the cap. Rather than to favour those that came
 * first for ever, begin anew. */
static void forget_all(struct correlate *c)
{
    const struct correlate_config *config = &c->config;
    const struct calls old = c->calls;
    calls_end_all(&c->calls, c->now_ns, CALL_UNKNOWN);
    monitors_end_all(&c->monitors, "dropped", c->now_ns);
    while (table_oldest(&c->watches) != NULL)
        table_remove(&c->watches, table_oldest(&c->watches));
    while (table_oldest(&c->early_downs) != NULL)
        table_remove(&c->early_downs, table_oldest(&c->early_downs));
    calls_free(&c->calls);
    intern_free(&c->intern);
    intern_init(&c->intern, config->limits[DS_LIMIT_NAMES]);
    calls_init(&c->calls, &c->intern, config->limits[DS_LIMIT_CALLS],
               config->limits[DS_LIMIT_NAMES]);
    c->calls.keep = old.keep;
    c->calls.emit = old.emit;
    c->calls.context = old.context;
    c->calls.num_started = old.num_started;
    c->calls.num_dropped = old.num_dropped;
    c->calls.no_memory = old.no_memory;
    c->calls.processes.num_dropped = old.processes.num_dropped;
    memset(&c->last_monitor, 0, sizeof c->last_monitor);
    c->last_watcher = c->last_target = (struct pid_key){0};
    c->num_flushed++;
}

/* A message adds a handful of names at most. */
enum { NAMES_PER_MESSAGE = 16 };

void correlate_event(struct correlate *c, const struct ds_event *event)
{
    struct step s; /* end is only filled in when a call ends */
    s.event = event;
    s.record = (struct record){.event = event};
    s.note = &s.record.note;
    s.from_state = s.to_state = UNASKED;
    s.ending = NULL;
    c->now_ns = event->ts_ns;
    if (event->type == DS_EVENT_MESSAGE) {
        if (c->intern.table.num + NAMES_PER_MESSAGE > c->intern.table.max)
            forget_all(c);
        s.message = &event->message;
        take_message(c, &s);
    }
    c->config.emit(c->config.context, &s.record);
    if (s.ending != NULL)
        calls_end(&c->calls, s.ending, &s.end);
    if (event->type == DS_EVENT_CONN && event->change.final) {
        const bool lost = !event->change.unfollowed;
        calls_end_conn(&c->calls, event, lost ? CALL_NOCONNECTION : CALL_OPEN);
        monitors_end_conn(&c->monitors, event->conn->number, lost ? "noconnection" : "open",
                          event->ts_ns);
    }
}

void correlate_end(struct correlate *c)
{
    calls_end_all(&c->calls, c->now_ns, CALL_UNANSWERED);
    monitors_end_all(&c->monitors, "open", c->now_ns);
}
