/*
 * step_spawn.c - spawn requests and their replies. A spawn request is a call: its answer is the
 * reply or, if erpc sent it, the exit reason of the process.
 */
#include "analyse/calls/call_parent.h"
#include "analyse/calls/step.h"

/* Flags of SPAWN_REPLY. */
enum { SPAWN_LINK = 1, SPAWN_MONITOR = 2 };

/* is_undecided says whether the function to be called is unknown: if it is erpc's, its return value
 * is the answer. */
static bool is_undecided(const struct ds_term *mfa)
{
    struct ds_term mod, fun;
    return ds_term_get_element(mfa, 0, &mod) && ds_term_get_element(mfa, 1, &fun) &&
           (ds_term_is_unknown_atom(&mod) || ds_term_is_unknown_atom(&fun));
}

void step_on_spawn_request(struct correlate *c, struct step *s)
{
    const struct ds_message *m = s->message;
    struct ds_otp_match match;
    struct call_start start = {.event = s->event, .request = &m->payload, .note = s->note};
    s->note->role = NOTE_REQUEST;
    if (step_know_from(c, s))
        start.caller = s->from;
    if (!ds_otp_find_spawn(c->otp, &m->role[DS_ROLE_MFA], &m->payload, &match))
        return;
    s->note->label = match.line->label;
    s->note->group = match.line->group;
    step_set_function(s->note, &match);
    if (!ref_key_find(&c->intern, &m->role[DS_ROLE_REF], s->event->conn->number, &start.key))
        return;
    start.line = match.line;
    start.node = intern_add(&c->intern, s->event->conn->end[!s->event->dir].node);
    start.answer_is_exit = match.kind == DS_OTP_SPAWN_CALL;
    start.is_undecided = match.kind == DS_OTP_SPAWN && is_undecided(&m->role[DS_ROLE_MFA]);
    const struct open_call *call = calls_open(&c->calls, &start);
    if (call != NULL)
        s->note->call = call->number;
}

void step_on_spawn_reply(struct correlate *c, struct step *s)
{
    const struct ds_message *m = s->message;
    const struct ds_term *result = &m->role[DS_ROLE_RESULT];
    struct ref_key key;
    struct pid_key child;
    int64_t flags = 0;
    s->note->role = NOTE_SPAWNED;
    s->note->label = "spawn";
    s->note->group = "";
    if (!ref_key_find(&c->intern, &m->role[DS_ROLE_REF], s->event->conn->number, &key))
        return;
    const bool spawned = step_find_pid(c, s, result, &child);
    if (spawned && step_know_to(c, s)) {
        ds_term_get_integer(&m->role[DS_ROLE_FLAGS], &flags);
        if ((flags & SPAWN_MONITOR) != 0)
            step_open_monitor(c, s, &key, &s->to, &child);
        if ((flags & SPAWN_LINK) != 0)
            step_open_link(c, s, &s->to, &child);
    }
    struct open_call *call = calls_find(&c->calls, &key, 0, NULL);
    if (call == NULL)
        return;
    if (spawned)
        call_parent_set_callee(&c->calls, call, &child, false);
    if ((spawned && call->answer_is_exit) || call->given_up) {
        struct monitor *monitor = monitors_find(&c->monitors, &key);
        if (monitor != NULL)
            monitor->of_call = true;
        s->note->label = call->line->label;
        s->note->group = call->line->group;
        s->note->call = call->number;
        return;
    }
    step_set_end(s, call, NOTE_SPAWNED, spawned && call->is_undecided ? CALL_UNKNOWN : CALL_OK);
    if (spawned)
        s->end.result = *result;
    else
        step_set_error(s, "spawn", result);
}
