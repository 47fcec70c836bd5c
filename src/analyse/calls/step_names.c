/*
 * step_names.c - names of processes: learned from messages that contain them (global, pg), and
 * written into notes. Registered names are learned where calls end.
 */
#include "analyse/calls/step.h"

#include "analyse/calls/process_names.h"

/* each_process calls fn with each pid of a term: a pid or a list, as in pg. Only pids of the
 * sender's node count: a scope speaks for its own. */
static void each_process(struct correlate *c, const struct step *s, const struct ds_term *pids,
                         const struct ds_term *group,
                         void (*fn)(struct processes *p, const struct pid_key *scope,
                                    const struct ds_term *group, const struct pid_key *pid))
{
    struct ds_term_list list = {.rest = *pids, .left = 1};
    struct ds_term item;
    struct pid_key pid;
    if (!step_find_pid(c, s, pids, &pid) && !ds_term_get_list(pids, &list))
        return;
    while (ds_term_list_next(&list, &item))
        if (step_find_pid(c, s, &item, &pid) && pid.node == s->from.node &&
            pid.creation == s->from.creation)
            fn(&c->calls.processes, &s->from, group, &pid);
}

/* is_from says whether the process that the message names as its scope is the sender. */
static bool is_from(struct correlate *c, struct step *s, const struct ds_term *scope)
{
    struct pid_key pid;
    return step_find_pid(c, s, scope, &pid) && step_know_from(c, s) &&
           pid_key_equal(&pid, &s->from);
}

bool step_is_scope(struct correlate *c, struct step *s, const struct ds_otp_match *match,
                   struct ds_text name)
{
    struct processes *p = &c->calls.processes;
    struct pid_key other;
    const bool tells_all = ds_otp_get(match, DS_OTP_GROUPS) != NULL ||
                           ds_otp_get(match, DS_OTP_MEMBERS) != NULL;
    if (!is_from(c, s, ds_otp_get(match, DS_OTP_SCOPE)))
        return false;
    if (process_names_is_scope(p, &s->from))
        return true;
    if (name.data != NULL) {
        /* No other process has this name; for other names, wait for the answer. */
        static const char standard[] = "pg";
        const bool is_standard =
            name.len == strlen(standard) && memcmp(name.data, standard, name.len) == 0;
        const bool is_peer = match->kind == DS_OTP_PEER && s->to_state == KNOWN;
        const bool is_scope =
            is_peer && (is_standard || (processes_whereis(p, s->to.node, s->to.id, 0, &other) &&
                                        process_names_is_scope(p, &other)));
        if (is_scope)
            process_names_open_scope(p, &s->from);
        else if (is_peer)
            process_names_offer_scope(p, &s->from, s->to.id);
        return is_scope;
    }
    if ((!tells_all && match->kind != DS_OTP_PEER) || !step_know_to(c, s))
        return false;
    const uint32_t offered = tells_all ? process_names_pop_offer(p, &s->to) : 0;
    if (offered != 0) {
        processes_learn(p, offered, &s->to);
        processes_learn(p, offered, &s->from);
    }
    if (process_names_is_scope(p, &s->to))
        process_names_open_scope(p, &s->from);
    return process_names_is_scope(p, &s->from);
}

/* learn_members replaces the members of a scope on its node: [{Group, Pids}] or #{Group => Pids}. */
static void learn_members(struct correlate *c, struct step *s, const struct ds_term *groups)
{
    struct ds_term_list list;
    struct ds_term item, group, pids;
    const bool is_map = ds_term_get_map(groups, &list);
    if (!is_map && !ds_term_get_list(groups, &list))
        return;
    process_names_leave_all(&c->calls.processes, &s->from);
    while (ds_term_list_next(&list, &item))
        if (is_map && ds_term_list_next(&list, &pids))
            each_process(c, s, &pids, &item, process_names_join);
        else if (!is_map && ds_term_get_pair(&item, &group, &pids))
            each_process(c, s, &pids, &group, process_names_join);
}

static void learn_changes(struct correlate *c, struct step *s, const struct ds_term *changes)
{
    struct ds_term_list list;
    struct ds_term item, group, joined, left;
    if (!ds_term_get_list(changes, &list))
        return;
    while (ds_term_list_next(&list, &item))
        if (ds_term_get_element(&item, 0, &group) && ds_term_get_element(&item, 1, &joined) &&
            ds_term_get_element(&item, 2, &left)) {
            each_process(c, s, &joined, &group, process_names_join);
            each_process(c, s, &left, &group, process_names_leave);
        }
}

static void learn_left(struct correlate *c, struct step *s, const struct ds_term *pids,
                       const struct ds_term *groups)
{
    struct ds_term_list list;
    struct ds_term group;
    if (!ds_term_get_list(groups, &list))
        return;
    while (ds_term_list_next(&list, &group))
        each_process(c, s, pids, &group, process_names_leave);
}

static void learn_scope(struct correlate *c, struct step *s, const struct ds_otp_match *match)
{
    const struct ds_term *group = ds_otp_get(match, DS_OTP_GROUP);
    const struct ds_term *groups = ds_otp_get(match, DS_OTP_GROUPS);
    const struct ds_term *left = ds_otp_get(match, DS_OTP_LEFT);
    const struct ds_term *pids = ds_otp_get(match, DS_OTP_PIDS);
    const struct ds_term *members = ds_otp_get(match, DS_OTP_MEMBERS);
    const struct ds_term *changes = ds_otp_get(match, DS_OTP_CHANGES);
    const bool tells_all = groups != NULL || members != NULL;
    if (!tells_all && changes == NULL && pids == NULL)
        return;
    if (!process_names_heed(&c->calls.processes, &s->from, s->event->conn->number, tells_all))
        return;
    if (tells_all)
        learn_members(c, s, groups != NULL ? groups : members);
    else if (changes != NULL)
        learn_changes(c, s, changes);
    else if (group != NULL && pids != NULL)
        each_process(c, s, pids, group, process_names_join);
    else if (left != NULL && pids != NULL)
        learn_left(c, s, pids, left);
}

static void learn_name(struct correlate *c, const struct step *s, const struct ds_term *name,
                       const struct ds_term *pid)
{
    struct pid_key key;
    if (step_find_pid(c, s, pid, &key))
        process_names_register(&c->calls.processes, name, &key);
}

/* learn_names registers the names in [{Name, Pid, _}]. */
static void learn_names(struct correlate *c, const struct step *s, const struct ds_term *names)
{
    struct ds_term_list list;
    struct ds_term item, name, pid;
    if (!ds_term_get_list(names, &list))
        return;
    while (ds_term_list_next(&list, &item))
        if (ds_term_get_element(&item, 0, &name) && ds_term_get_element(&item, 1, &pid))
            learn_name(c, s, &name, &pid);
}

/* learn_ops applies [{insert, {Name, Pid, _}} | {delete, Name}]. */
static void learn_ops(struct correlate *c, const struct step *s, const struct ds_term *ops)
{
    struct ds_term_list list;
    struct ds_term item, op, what, name, pid;
    if (!ds_term_get_list(ops, &list))
        return;
    while (ds_term_list_next(&list, &item)) {
        if (!ds_term_get_pair(&item, &op, &what))
            continue;
        if (step_is_atom(&op, "delete"))
            process_names_unregister(&c->calls.processes, &what);
        else if (step_is_atom(&op, "insert") && ds_term_get_element(&what, 0, &name) &&
                 ds_term_get_element(&what, 1, &pid))
            learn_name(c, s, &name, &pid);
    }
}

void step_learn_names(struct correlate *c, struct step *s, const struct ds_otp_match *match)
{
    const struct ds_term *name = ds_otp_get(match, DS_OTP_NAME);
    const struct ds_term *pid = ds_otp_get(match, DS_OTP_PID);
    const struct ds_term *gone = ds_otp_get(match, DS_OTP_GONE);
    const struct ds_term *names = ds_otp_get(match, DS_OTP_NAMES);
    const struct ds_term *ops = ds_otp_get(match, DS_OTP_OPS);
    if (ds_otp_get(match, DS_OTP_SCOPE) != NULL)
        learn_scope(c, s, match);
    if (name != NULL && pid != NULL)
        learn_name(c, s, name, pid);
    if (gone != NULL)
        process_names_unregister(&c->calls.processes, gone);
    if (names != NULL)
        learn_names(c, s, names);
    if (ops != NULL)
        learn_ops(c, s, ops);
}

bool step_is_own(struct correlate *c, struct step *s, const struct ds_otp_match *match)
{
    const bool is_mnesia = strcmp(match->line->group, "mnesia") == 0;
    return is_from(c, s, ds_otp_get(match, DS_OTP_OWN)) && (!is_mnesia || c->has_mnesia);
}

/* own_name_of finds the registered name of a process; absent if unknown. */
static struct ds_text own_name_of(const struct correlate *c, const struct pid_key *key)
{
    const struct processes *p = &c->calls.processes;
    bool is_for;
    const uint32_t name = processes_name(processes_find(p, key), &is_for);
    return is_for ? (struct ds_text){0} : intern_text(&c->intern, name);
}

/* note_who_gets fills in which process receives a message that is sent to a name, or to the alias of a
 * call. */
static void note_who_gets(struct correlate *c, const struct step *s)
{
    const uint32_t node = intern_find(&c->intern, s->event->conn->end[!s->event->dir].node);
    struct ds_text name;
    struct pid_key pid = {0};
    if (node == 0)
        return;
    if (ds_term_get_atom(&s->message->role[DS_ROLE_TO], &name))
        processes_whereis(&c->calls.processes, node, intern_find(&c->intern, name), 0, &pid);
    else if (s->ending != NULL && s->note->role == NOTE_REPLY && s->ending->caller.serial != PID_KEY_NAMED)
        pid = s->ending->caller;
    if (pid.node != node)
        return;
    s->note->has_to_pid = true;
    s->note->to_id = pid.id;
    s->note->to_serial = pid.serial;
}

void step_add_names(struct correlate *c, struct step *s)
{
    const struct processes *p = &c->calls.processes;
    if (step_know_from(c, s) && s->from.serial != PID_KEY_NAMED) {
        const struct process *from = processes_find(p, &s->from);
        s->note->from_name = intern_text(&c->intern, processes_name(from, &s->note->from_is_for));
        s->note->from_titles = process_names_list(p, from, &s->titles[0]);
    }
    if (step_know_to(c, s) && s->to.serial != PID_KEY_NAMED) {
        const struct process *to = processes_find(p, &s->to);
        s->note->to_name = intern_text(&c->intern, processes_name(to, &s->note->to_is_for));
        s->note->to_titles = process_names_list(p, to, &s->titles[1]);
    } else {
        note_who_gets(c, s);
    }
}

void step_set_owner(struct correlate *c, struct step *s)
{
    const enum note_role role = s->note->role;
    struct ds_text to;
    if (role != NOTE_MONITOR && role != NOTE_DEMONITOR && role != NOTE_LINK && role != NOTE_UNLINK)
        return;
    if (!ds_term_get_atom(&s->message->role[DS_ROLE_TO], &to))
        to = step_know_to(c, s) ? own_name_of(c, &s->to) : (struct ds_text){0};
    const char *owner = to.data != NULL ? ds_otp_owner(c->otp, to) : NULL;
    if (owner == NULL && step_know_from(c, s)) {
        const struct ds_text from = own_name_of(c, &s->from);
        owner = from.data != NULL ? ds_otp_owner(c->otp, from) : NULL;
    }
    s->note->group = owner;
}
