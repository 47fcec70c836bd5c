/*
 * step_send.c - sends of all kinds: requests, their answers, casts, and other messages.
 */
#include "analyse/calls/call_parent.h"
#include "analyse/calls/step.h"

/* find_waiting makes the key of a call without a tag: from the process that waits, the node that
 * will answer, and the label. */
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

/* is_sender says whether pid is the sender: a form that any process may use is believed only from
 * the process that it names. */
static bool is_sender(struct correlate *c, struct step *s, const struct pid_key *pid)
{
    return step_know_from(c, s) && pid_key_equal(&s->from, pid);
}

/* place_of_server says where a server of ra, {Name, Node}, answers: not over the connection if it
 * is on the caller's own node. */
static enum answer_place place_of_server(const struct step *s, const struct ds_term *server)
{
    const struct ds_text own = s->event->conn->end[s->event->dir].node;
    struct ds_term node;
    struct ds_text text;
    if (!ds_term_get_element(server, 1, &node))
        return ANSWER_PASSES;
    if (ds_term_is_unknown_atom(&node) || own.data == NULL)
        return ANSWER_PLACE_UNKNOWN;
    return ds_term_get_atom(&node, &text) && text.len == own.len &&
                   memcmp(text.data, own.data, own.len) == 0
               ? ANSWER_ELSEWHERE
               : ANSWER_PASSES;
}

/* find_reply_from finds the value of the key reply_from in the options of an ra command. False if
 * there is none; *is_unknown: it may be one of the keys that are unknown atoms. */
static bool find_reply_from(const struct ds_term *options, struct ds_term *out, bool *is_unknown)
{
    struct ds_term_list pairs;
    struct ds_term key;
    *is_unknown = ds_term_is_unknown_atom(options);
    if (ds_term_get_value(options, "reply_from", out))
        return true;
    if (ds_term_get_map(options, &pairs))
        while (ds_term_list_next(&pairs, &key) && ds_term_list_next(&pairs, out))
            *is_unknown |= ds_term_is_unknown_atom(&key);
    return false;
}

/* find_place says whether a request asks a process on the caller's own node to answer, as with ra:
 * no sniffer sees that answer. */
static enum answer_place find_place(const struct correlate *c, const struct step *s,
                                    const struct ds_otp_match *match, struct ds_text name)
{
    const struct ds_term *options = ds_otp_get(match, DS_OTP_REPLY_OPTIONS);
    const struct ds_term *request = ds_otp_get(match, DS_OTP_REQUEST);
    struct ds_term from, word, member;
    bool is_unknown;
    if (options == NULL)
        return s->event->unknown_atoms != 0 && request != NULL &&
                       ds_otp_may_bind(c->otp, name, request, DS_OTP_REPLY_OPTIONS)
                   ? ANSWER_PLACE_UNKNOWN
                   : ANSWER_PASSES;
    if (!find_reply_from(options, &from, &is_unknown))
        return is_unknown ? ANSWER_PLACE_UNKNOWN : ANSWER_PASSES;
    if (ds_term_is_unknown_atom(&from))
        return ANSWER_PLACE_UNKNOWN;
    if (step_is_atom(&from, "local"))
        return ANSWER_ELSEWHERE;
    if (!ds_term_get_pair(&from, &word, &member))
        return ANSWER_PASSES; /* leader, and values of newer releases */
    return ds_term_is_unknown_atom(&word)  ? ANSWER_PLACE_UNKNOWN
           : step_is_atom(&word, "member") ? place_of_server(s, &member)
                                           : ANSWER_PASSES;
}

/* forward_call handles a request whose sender is on another node than its caller: one that was
 * forwarded. False if it was not, or if its first hop was not seen. */
static bool forward_call(struct correlate *c, struct step *s, const struct call_start *start)
{
    const struct ds_conn *conn = s->event->conn;
    const uint32_t sender = intern_find(&c->intern, conn->end[s->event->dir].node);
    struct open_call *call =
        sender != 0 && start->caller.node != 0 && sender != start->caller.node
            ? calls_find(&c->calls, &start->key, sender, NULL)
            : NULL;
    if (call == NULL || call->given_up || call->answer_is_exit ||
        !pid_key_equal(&call->caller, &start->caller))
        return false;
    call_parent_forward(&c->calls, call, &start->callee, start->node);
    call->place = start->node == call->caller.node ? ANSWER_ELSEWHERE : ANSWER_PASSES;
    s->note->role = NOTE_FORWARD;
    s->note->call = call->number;
    return true;
}

/* is_proven says whether a name has answered in the form of rpc:server_call. Any process may use
 * that form, and only an answer proves it. From then on requests to the name are believed. */
static bool is_proven(const struct correlate *c, const struct pid_key *named)
{
    const struct proven *p = table_first(&c->proven, hash_key(named, sizeof *named));
    while (p != NULL && !pid_key_equal(&p->named, named))
        p = table_next(&c->proven, p);
    return p != NULL;
}

static void note_proven(struct correlate *c, const struct open_call *call)
{
    const struct pid_key named = {
        .node = call->asked_node, .id = call->callee_name, .serial = PID_KEY_NAMED};
    if (is_proven(c, &named))
        return;
    struct proven *p = table_add_forgetting(&c->proven, hash_key(&named, sizeof named));
    if (p != NULL)
        p->named = named;
}

/* find_key makes the keys of a request. False if it has none. */
static bool find_key(struct correlate *c, struct step *s, const struct ds_otp_match *match,
                     struct call_start *start)
{
    const struct ds_term *tag = ds_otp_get(match, DS_OTP_TAG);
    const struct ds_term *reply_to = ds_otp_get(match, DS_OTP_REPLY_TO);
    struct tag_key keys;
    start->taker = start->caller;
    if (tag == NULL) {
        start->is_tagless = true;
        return find_waiting(c, s, &start->caller, !s->event->dir, match->line->label, &start->key);
    }
    if (!tag_key_find(&c->intern, tag, s->event->conn->number, &keys))
        return false;
    start->key = keys.key;
    start->alias = keys.alias;
    if (reply_to != NULL && !step_find_pid(c, s, reply_to, &start->taker))
        ref_key_find(&c->intern, reply_to, s->event->conn->number, &start->alias);
    return true;
}

/* is_input says whether a request of the io protocol (erl_io, stdlib) asks for input. */
static bool is_input(const struct ds_term *request)
{
    static const char *const inputs[] = {"get_until", "get_line", "get_chars", "get_password"};
    struct ds_term first;
    struct ds_text name;
    if (!ds_term_get_element(request, 0, &first) || !ds_term_get_atom(&first, &name))
        return false;
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        if (name.len == strlen(inputs[i]) && memcmp(name.data, inputs[i], name.len) == 0)
            return true;
    }
    return false;
}

/* awaits_input says whether a request waits for what a user types, as one of a remote shell does. */
static bool awaits_input(const struct ds_otp_match *match, const struct ds_term *request)
{
    enum { LOOKED_AT = 16 };
    struct ds_term part;
    struct ds_term_list parts;
    if (request == NULL || strcmp(match->line->label, "io_request") != 0)
        return false;
    if (is_input(request))
        return true;
    if (!ds_term_get_element(request, 1, &part) || !ds_term_get_list(&part, &parts))
        return false;
    for (int i = 0; i < LOOKED_AT && ds_term_list_next(&parts, &part); i++) { /* {requests, Requests} */
        if (is_input(&part))
            return true;
    }
    return false;
}

/* open_call opens the call that a message requests. name: where it goes (absent: to a pid). False
 * if it is no request, or not known to be one yet. */
static bool open_call(struct correlate *c, struct step *s, const struct ds_otp_match *match,
                      struct ds_text name)
{
    const struct ds_term *from = ds_otp_get(match, DS_OTP_FROM);
    const struct ds_term *request = ds_otp_get(match, DS_OTP_REQUEST);
    const bool is_guess = match->kind == DS_OTP_WATCHED_CALL;
    struct call_start start = {
        .event = s->event,
        .line = match->line,
        .request = request != NULL ? request : &s->message->payload,
        .note = s->note,
        .node = intern_add(&c->intern, s->event->conn->end[!s->event->dir].node),
        .name = name.data != NULL ? intern_add(&c->intern, name) : 0,
        .place = find_place(c, s, match, name),
        .awaits_input = awaits_input(match, request),
    };
    struct ref_key monitor;
    if ((from == NULL || !step_find_said(c, s, from, &start.caller)) && step_know_from(c, s))
        start.caller = s->from;
    if (step_know_to(c, s))
        start.callee = s->to;
    if (is_guess && start.callee.serial != PID_KEY_NAMED)
        return false;
    bool is_watched = step_use_set_up(c, &start.caller, &start.callee, &monitor);
    const bool wants_watch = is_guess || match->kind == DS_OTP_TAGGED_CALL;
    if (wants_watch && (!is_watched || !is_sender(c, s, &start.caller)))
        return false;
    const bool has_key = find_key(c, s, match, &start);
    if (match->kind == DS_OTP_TAGGED_CALL && (!has_key || !ref_key_equal(&start.key, &monitor)))
        return false;
    s->note->role = NOTE_REQUEST;
    if (!has_key)
        return true;
    /* A tag that is a bare reference is its monitor's, or belongs to no monitor. */
    if (is_watched && start.key.more <= DS_IDENTITY_MAX_WORDS)
        is_watched = ref_key_equal(&monitor, &start.key);
    if (is_watched)
        step_add_watch(c, &monitor, &start.key);
    if (forward_call(c, s, &start))
        return true;
    start.is_tentative = is_guess && !is_proven(c, &start.callee);
    struct open_call *call = calls_open(&c->calls, &start);
    if (call == NULL || start.is_tentative)
        return !start.is_tentative;
    s->note->call = call->number;
    call->is_watched = is_watched || call->key.more <= DS_IDENTITY_MAX_WORDS;
    step_use_early_down(c, s, call, is_watched ? &monitor : &start.key);
    return true;
}

/* sender_of returns the sender's node; if that has no name yet, the one in the sender's pid. */
static struct ds_text sender_of(const struct step *s)
{
    struct ds_identity from;
    const struct ds_text node = s->event->conn->end[s->event->dir].node;
    return node.data == NULL && ds_term_get_pid(&s->message->role[DS_ROLE_FROM], &from) ? from.node
                                                                                        : node;
}

/* answers_for says whether an answer that names a node comes from that node. */
static bool answers_for(const struct step *s, const struct ds_otp_match *match)
{
    const struct ds_term *answerer = ds_otp_get(match, DS_OTP_ANSWERER);
    const struct ds_text node = sender_of(s);
    struct ds_text named;
    return answerer == NULL ||
           (ds_term_get_node_atom(answerer, &named) && node.data != NULL && named.len == node.len &&
            memcmp(named.data, node.data, node.len) == 0);
}

/* reaches_caller says whether an answer goes to the process that asked, or to its alias. */
static bool reaches_caller(struct correlate *c, struct step *s, const struct open_call *call)
{
    struct ref_key alias;
    if (step_know_to(c, s))
        return pid_key_equal(&s->to, &call->taker);
    return ref_key_find(&c->intern, &s->message->role[DS_ROLE_TO], s->event->conn->number,
                        &alias) &&
           ref_key_equal(&alias, &call->alias);
}

/* find_answered finds the call that a message answers. NULL if there is none. */
static struct open_call *find_answered(struct correlate *c, struct step *s,
                                       const struct ds_otp_match *match, bool *is_alias, bool *has_key)
{
    const struct ds_term *tag = ds_otp_get(match, DS_OTP_TAG);
    const uint64_t conn = s->event->conn->number;
    struct tag_key keys;
    *has_key = tag != NULL ? tag_key_find(&c->intern, tag, conn, &keys)
                           : step_know_to(c, s) && find_waiting(c, s, &s->to, s->event->dir,
                                                                match->line->label, &keys.key);
    if (!*has_key)
        return NULL;
    *is_alias = tag != NULL && keys.is_alias;
    const uint32_t node = intern_find(&c->intern, s->event->conn->end[s->event->dir].node);
    struct open_call *call =
        calls_find(&c->calls, &keys.key, node, step_know_from(c, s) ? &s->from : NULL);
    return call != NULL && !call->answer_is_exit && reaches_caller(c, s, call) &&
                   answers_for(s, match)
               ? call
               : NULL;
}

/* on_reply ends the call that a message answers. False if it is no answer. */
static bool on_reply(struct correlate *c, struct step *s, const struct ds_otp_match *match)
{
    const struct ds_term *reply = ds_otp_get(match, DS_OTP_REPLY_TERM);
    bool is_alias = false;
    bool has_key;
    struct open_call *call = find_answered(c, s, match, &is_alias, &has_key);
    /* A message that answers no known call counts as an answer only if its form is unambiguous. */
    if (call == NULL)
        return is_alias ||
               (match->kind == DS_OTP_REPLY && strcmp(match->line->label, "gen:reply") != 0 &&
                (ds_otp_get(match, DS_OTP_TAG) != NULL
                     ? has_key
                     : ds_otp_get(match, DS_OTP_ANSWERER) != NULL && answers_for(s, match)));
    if (call->given_up) {
        step_on_late_reply(c, s, call);
        return true;
    }
    if (call->line->kind == DS_OTP_WATCHED_CALL) {
        note_proven(c, call);
        call->is_tentative = false;
    }
    step_end_by_reply(c, s, call, reply != NULL ? reply : &s->message->payload);
    return true;
}

/* note_role records what a labelled message is, and what follows from it. name: the name it was
 * sent to. */
static void note_role(struct correlate *c, struct step *s, enum ds_otp_kind kind, struct ds_text name)
{
    switch (kind) {
    case DS_OTP_CALL:
    case DS_OTP_WATCHED_CALL:
    case DS_OTP_TAGGED_CALL:
        break;
    case DS_OTP_REPLY:
        s->note->role = NOTE_REPLY;
        break;
    case DS_OTP_CAST:
        if (step_know_to(c, s))
            call_parent_on_cast(&c->calls, &s->to, s->event->ts_ns);
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

static void on_send(struct correlate *c, struct step *s)
{
    const struct ds_message *m = s->message;
    struct ds_text name = {0};
    struct ds_otp_match match;
    if (ds_term_get_atom(&m->role[DS_ROLE_TO], &name))
        s->to_state = step_find_named(c, s, !s->event->dir, name, &s->to) ? KNOWN : UNKNOWN;
    else if (s->event->conn->proto != NULL) /* rows of otp.def give the protocol's name here */
        name = (struct ds_text){s->event->conn->proto, strlen(s->event->conn->proto)};
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
    if (ds_otp_get(&match, DS_OTP_OWN) != NULL && !step_is_own(c, s, &match))
        return;
    c->has_mnesia |= match.line->to[0] != '\0' && strcmp(match.line->group, "mnesia") == 0;
    const bool is_reply = match.kind == DS_OTP_REPLY || match.kind == DS_OTP_WATCHED_REPLY;
    if (is_reply && !on_reply(c, s, &match))
        return;
    if (s->ending != NULL || s->note->late)
        return;
    step_set_function(s->note, &match);
    if ((match.kind == DS_OTP_CALL || match.kind == DS_OTP_WATCHED_CALL ||
         match.kind == DS_OTP_TAGGED_CALL) &&
        !open_call(c, s, &match, name)) {
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
    note_role(c, s, match.kind, name);
}

void step_on_send(struct correlate *c, struct step *s)
{
    on_send(c, s);
    const enum note_role role = s->note->role;
    if ((role == NOTE_SEND || role == NOTE_INFO || role == NOTE_CAST) && step_know_to(c, s))
        call_parent_on_message(&c->calls, &s->to, s->event->ts_ns);
}
