/*
 * step_signal.c - monitors, links and exits.
 */
#include "analyse/calls/calls_by_caller.h"
#include "analyse/calls/step.h"

void step_open_link(struct correlate *c, const struct step *s, const struct pid_key *from,
                    const struct pid_key *to)
{
    struct ref_key key;
    if (!c->config.monitors)
        return;
    monitors_key_link(from, to, &key);
    struct monitor *link = monitors_open(&c->monitors, &key, true, s->event);
    if (link == NULL)
        return;
    link->watcher = *from;
    link->target = *to;
}

void step_open_monitor(struct correlate *c, const struct step *s, const struct ref_key *key,
                       const struct pid_key *from, const struct pid_key *to)
{
    struct monitor *monitor =
        c->config.monitors ? monitors_open(&c->monitors, key, false, s->event) : NULL;
    if (monitor == NULL)
        return;
    monitor->watcher = *from;
    monitor->target = *to;
}

void step_on_monitor(struct correlate *c, struct step *s)
{
    const struct ds_message *m = s->message;
    struct ref_key key;
    struct pid_key target;
    s->note->role = NOTE_MONITOR;
    if (!step_know_from(c, s) || !step_find_target(c, s, &target) ||
        !ref_key_find(&c->intern, &m->role[DS_ROLE_REF], s->event->conn->number, &key))
        return;
    step_open_monitor(c, s, &key, &s->from, &target);
    step_keep_set_up(c, &s->from, &target, &key);
}

/* doubt_unwatched handles the end of a monitor that may belong to a multi_call. There the monitor has
 * another reference than the tag. If that is unknown, because its target was, the end of any monitor of
 * the caller may mean that it waits no longer. */
static void doubt_unwatched(struct correlate *c, struct step *s)
{
    struct open_call *call =
        step_know_from(c, s) ? calls_by_caller_first(&c->calls, &s->from) : NULL;
    for (; call != NULL; call = calls_by_caller_next(&c->calls, call)) {
        if (!call->is_watched && !call->given_up && call->conn == s->event->conn->number)
            call->is_undecided = call->may_be_answered = true;
    }
}

void step_on_demonitor(struct correlate *c, struct step *s)
{
    struct ref_key key = {0};
    struct open_call *call = step_end_watch(c, s, &key, MONITOR_DEMONITOR, NULL);
    s->note->role = NOTE_DEMONITOR;
    if (call == NULL) {
        if (key.node != 0) {
            step_on_crossed(c, s);
            doubt_unwatched(c, s);
        }
        return;
    }
    if (call->is_tentative) {
        calls_forget(&c->calls, call);
        return;
    }
    enum certainty certainty;
    step_set_end(s, call, NOTE_DEMONITOR, step_how_given_up(c, call, s->event, &certainty));
    s->end.certainty = certainty;
    s->is_given_up = s->end.outcome != CALL_ANSWERED_ELSEWHERE;
}

static const struct ds_term *reason_of(const struct ds_message *m)
{
    return m->payload.data != NULL ? &m->payload : &m->role[DS_ROLE_REASON];
}

static void set_dead(struct step *s, const struct pid_key *pid, const struct ds_term *reason)
{
    s->dead = *pid;
    s->dead_of = reason;
}

void step_on_down(struct correlate *c, struct step *s)
{
    const struct ds_term *reason = reason_of(s->message);
    const enum monitor_outcome how = step_how_ended(reason);
    struct ref_key key = {0};
    struct pid_key target;
    struct open_call *call = step_end_watch(c, s, &key, how, reason);
    s->note->role = NOTE_DOWN;
    if (step_find_source(c, s, &s->message->role[DS_ROLE_FROM], &target))
        set_dead(s, &target, reason);
    if (call != NULL && call->is_tentative)
        calls_forget(&c->calls, call);
    else if (call != NULL)
        step_end_by_exit(c, s, call, reason);
    else if (key.node != 0 && how != MONITOR_EXIT)
        step_keep_early_down(c, &key, how);
}

void step_on_link(struct correlate *c, struct step *s)
{
    s->note->role = NOTE_LINK;
    if (step_know_from(c, s) && step_know_to(c, s))
        step_open_link(c, s, &s->from, &s->to);
}

static void end_link(struct correlate *c, struct step *s, enum monitor_outcome how,
                     const struct ds_term *reason)
{
    struct ref_key key;
    if (!step_know_from(c, s) || !step_know_to(c, s))
        return;
    monitors_key_link(&s->from, &s->to, &key);
    struct monitor *link = monitors_find(&c->monitors, &key);
    if (link != NULL)
        step_release(s, link, how, reason);
}

void step_on_unlink(struct correlate *c, struct step *s)
{
    s->note->role = NOTE_UNLINK;
    end_link(c, s, MONITOR_UNLINK, NULL);
}

void step_on_exit(struct correlate *c, struct step *s)
{
    const struct ds_term *reason = reason_of(s->message);
    s->note->role = NOTE_EXIT;
    end_link(c, s, step_how_ended(reason), reason);
    if (step_know_from(c, s))
        set_dead(s, &s->from, reason);
}
