/*
 * step_send.c - sends of all kinds: requests, their answers, casts, and what is none of these.
 */
#include "step.h"

/* find_waiting makes the key of a call without a tag: the process that waits, the node that
 * will answer, and the label stand for it. */
static bool find_waiting(struct correlate *c, const struct step *s, const struct pid_key *waits,
                         unsigned answering_end, const char *label, struct ref_key *out)
{
    const uint32_t node = intern_add(&c->intern, s->event->conn->end[answering_end].node);
    const uint32_t what = intern_add(&c->intern, (struct ds_text){label, strlen(label)});
    *out = (struct ref_key){.node = waits->node,
                            .creation = waits->creation,
                            .word = {waits->id, waits->serial, node, what},
                            .more = 7}; /* no reference has seven words */
    return node != 0 && what != 0;
}

void step_set_function(struct note *note, const struct ds_otp_match *match)
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

/* is_sender: where anybody could have said it, only who speaks for itself is believed. */
static bool is_sender(struct correlate *c, struct step *s, const struct pid_key *pid)
{
    return step_know_from(c, s) && pid_key_equal(&s->from, pid);
}

/* open_call opens the call that a message asks for. False when it turns out to be none. */
static bool open_call(struct correlate *c, struct step *s, const struct ds_otp_match *match)
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
    struct ref_key monitor;
    bool is_alias;
    if ((from == NULL || !step_find_pid(c, s, from, &start.caller)) && step_know_from(c, s))
        start.caller = s->from;
    if (step_know_to(c, s))
        start.callee = s->to;
    const bool is_watched = step_take_set_up(c, &start.caller, &start.callee, &monitor);
    const bool wants_watch =
        match->kind == DS_OTP_WATCHED_CALL || match->kind == DS_OTP_TAGGED_CALL;
    if (wants_watch && (!is_watched || !is_sender(c, s, &start.caller)))
        return false;
    const bool has_key =
        tag != NULL
            ? keys_find_tag(&c->intern, tag, s->event->conn->number, &start.key, &is_alias)
            : find_waiting(c, s, &start.caller, !s->event->dir, match->line->label, &start.key);
    if (match->kind == DS_OTP_TAGGED_CALL && (!has_key || !ref_key_equal(&start.key, &monitor)))
        return false;
    s->note->role = NOTE_REQUEST;
    if (!has_key)
        return true;
    if (is_watched)
        step_note_watch(c, &monitor, &start.key);
    struct open_call *call = calls_open(&c->calls, &start);
    if (call == NULL)
        return true;
    s->note->call = call->number;
    step_take_early_down(c, s, call, is_watched ? &monitor : &start.key);
    return true;
}

/* answers_for: an answer that names a node must come from there. */
static bool answers_for(const struct step *s, const struct ds_otp_match *match)
{
    const struct ds_term *answerer = ds_otp_get(match, DS_OTP_ANSWERER);
    const struct ds_text node = s->event->conn->end[s->event->dir].node;
    struct ds_text named;
    return answerer == NULL ||
           (ds_term_get_atom(answerer, &named) && node.data != NULL && named.len == node.len &&
            memcmp(named.data, node.data, node.len) == 0);
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
        tag != NULL ? keys_find_tag(&c->intern, tag, s->event->conn->number, &key, &is_alias)
                    : step_know_to(c, s) &&
                          find_waiting(c, s, &s->to, s->event->dir, match->line->label, &key);
    struct open_call *call = has_key ? calls_find(&c->calls, &key) : NULL;
    /* Only what goes to the caller's node answers the caller. */
    const struct ds_text to_node = s->event->conn->end[!s->event->dir].node;
    if (call != NULL && to_node.data != NULL &&
        intern_find(&c->intern, to_node) != call->caller.node)
        call = NULL;
    if (call != NULL && call->answer_is_exit)
        call = NULL;
    if (call != NULL && !answers_for(s, match))
        call = NULL;
    /* What answers nothing that is known is only a reply when its form leaves no doubt. */
    if (call == NULL)
        return is_alias ||
               (match->kind == DS_OTP_REPLY && strcmp(match->line->label, "gen:reply") != 0 &&
                (tag != NULL ? has_key
                             : ds_otp_get(match, DS_OTP_ANSWERER) != NULL && answers_for(s, match)));
    step_end_by_reply(c, s, call, reply != NULL ? reply : &s->message->payload);
    return true;
}

void step_take_send(struct correlate *c, struct step *s)
{
    const struct ds_message *m = s->message;
    struct ds_text name = {0};
    struct ds_otp_match match;
    const bool by_name =
        m->code == OP_REG_SEND || m->code == OP_REG_SEND_TT || m->code == OP_ALTACT_SIG_SEND;
    if (by_name && ds_term_get_atom(&m->role[DS_ROLE_TO], &name))
        s->to_state = step_find_named(c, s, !s->event->dir, name, &s->to) ? KNOWN : UNKNOWN;
    s->note->role = NOTE_SEND;
    if (!ds_otp_find_message(c->otp, name, &m->payload, &match))
        return;
    if (ds_otp_get(&match, DS_OTP_SCOPE) != NULL && !step_is_scope(c, s, &match, name)) {
        if (match.outer == match.line)
            return;
        match.line = match.outer;
        match.kind = match.outer->kind;
        match.bound &= ~(uint32_t)DS_OTP_TELLS_NAMES;
    }
    const bool is_reply = match.kind == DS_OTP_REPLY || match.kind == DS_OTP_WATCHED_REPLY;
    if (is_reply && !take_reply(c, s, &match))
        return;
    if (s->ending != NULL)
        return;
    step_set_function(s->note, &match);
    if ((match.kind == DS_OTP_CALL || match.kind == DS_OTP_WATCHED_CALL ||
         match.kind == DS_OTP_TAGGED_CALL) &&
        !open_call(c, s, &match)) {
        *s->note = (struct note){.role = NOTE_SEND};
        return;
    }
    s->note->label = match.line->label;
    s->note->group = match.line->group;
    const struct ds_term *body =
        ds_otp_get(&match, is_reply ? DS_OTP_REPLY_TERM : DS_OTP_REQUEST);
    if (body != NULL)
        s->note->body = *body;
    if ((match.bound & DS_OTP_TELLS_NAMES) != 0)
        step_learn_names(c, s, &match);
    switch (match.kind) {
    case DS_OTP_CALL:
    case DS_OTP_WATCHED_CALL:
    case DS_OTP_TAGGED_CALL:
        break;
    case DS_OTP_REPLY:
        s->note->role = NOTE_REPLY;
        break;
    case DS_OTP_CAST:
        s->note->role = NOTE_CAST;
        break;
    case DS_OTP_PEER:
        if (name.data != NULL && s->to_state == KNOWN && step_know_from(c, s))
            processes_learn(&c->calls.processes, s->to.id, &s->from);
        s->note->role = NOTE_INFO;
        break;
    default:
        s->note->role = NOTE_INFO;
        break;
    }
}
