/*
 * step_watch.c - the monitors that callers set up for their calls. In a multi_call, the monitor's
 * reference differs from the call's tag; and the DOWN for a process that does not exist can
 * overtake the request.
 */
#include "analyse/calls/step.h"

void step_keep_early_down(struct correlate *c, const struct ref_key *key, enum monitor_outcome how)
{
    struct early_down *e = table_add_forgetting(&c->early_downs, hash_key(key, sizeof *key));
    if (e == NULL)
        return;
    e->key = *key;
    e->outcome = how == MONITOR_NOPROC    ? CALL_NOPROC
                 : how == MONITOR_UNKNOWN ? CALL_UNKNOWN
                                          : CALL_NOCONNECTION;
}

static struct early_down *find_early_down(const struct correlate *c, const struct ref_key *key)
{
    struct early_down *e = table_first(&c->early_downs, hash_key(key, sizeof *key));
    while (e != NULL && !ref_key_equal(&e->key, key))
        e = table_next(&c->early_downs, e);
    return e;
}

void step_use_early_down(struct correlate *c, struct step *s, struct open_call *call,
                         const struct ref_key *ref)
{
    struct early_down *e = c->early_downs.num != 0 ? find_early_down(c, ref) : NULL;
    if (e == NULL)
        return;
    step_set_end(s, call, NOTE_REQUEST, e->outcome);
    s->note->has_latency = false;
    table_remove(&c->early_downs, e);
}

void step_keep_set_up(struct correlate *c, const struct pid_key *watcher,
                      const struct pid_key *target, const struct ref_key *ref)
{
    const struct pid_key both[2] = {*watcher, *target};
    struct set_up *s = table_add_forgetting(&c->set_ups, hash_key(both, sizeof both));
    if (s == NULL)
        return;
    memcpy(s->both, both, sizeof both);
    s->ref = *ref;
    s->ns = c->now_ns;
}

bool step_use_set_up(struct correlate *c, const struct pid_key *watcher,
                     const struct pid_key *target, struct ref_key *ref)
{
    const struct pid_key both[2] = {*watcher, *target};
    struct set_up *s = c->set_ups.num != 0 && watcher->node != 0
                           ? table_first(&c->set_ups, hash_key(both, sizeof both))
                           : NULL;
    while (s != NULL && memcmp(s->both, both, sizeof both) != 0)
        s = table_next(&c->set_ups, s);
    if (s == NULL)
        return false;
    const bool is_fresh = c->now_ns - s->ns <= SET_UP_NS;
    *ref = s->ref;
    table_remove(&c->set_ups, s);
    return is_fresh;
}

static struct watch *find_watch(const struct correlate *c, const struct ref_key *monitor)
{
    struct watch *w = c->watches.num != 0
                          ? table_first(&c->watches, hash_key(monitor, sizeof *monitor))
                          : NULL;
    while (w != NULL && !ref_key_equal(&w->monitor, monitor))
        w = table_next(&c->watches, w);
    return w;
}

/* step_add_watch is for multi_call: there the call's tag differs from the monitor's reference. */
void step_add_watch(struct correlate *c, const struct ref_key *ref, const struct ref_key *call)
{
    struct monitor *monitor =
        c->config.monitors ? monitors_find(&c->monitors, ref) : NULL;
    if (monitor != NULL)
        monitor->of_call = true;
    if (ref_key_equal(call, ref) || find_watch(c, ref) != NULL)
        return;
    struct watch *w = table_add_forgetting(&c->watches, hash_key(ref, sizeof *ref));
    if (w == NULL) {
        c->calls.no_memory++;
        return;
    }
    w->monitor = *ref;
    w->call = *call;
}

void step_release(struct step *s, struct monitor *monitor, enum monitor_outcome how,
                  const struct ds_term *reason)
{
    s->released = monitor;
    s->why = (struct monitor_cause){how, reason, s->event, s->event->ts_ns};
}

struct open_call *step_end_watch(struct correlate *c, struct step *s, struct ref_key *key,
                                 enum monitor_outcome how, const struct ds_term *reason)
{
    if (!ref_key_find(&c->intern, &s->message->role[DS_ROLE_REF], s->event->conn->number, key))
        return NULL;
    s->watched = *key;
    struct monitor *monitor = monitors_find(&c->monitors, key);
    if (monitor != NULL)
        step_release(s, monitor, how, reason);
    struct watch *watch = find_watch(c, key);
    if (watch != NULL) {
        *key = watch->call;
        table_remove(&c->watches, watch);
    }
    const unsigned to = how == MONITOR_DEMONITOR ? !s->event->dir : s->event->dir;
    const uint32_t node = intern_find(&c->intern, s->event->conn->end[to].node);
    struct open_call *call = calls_find(&c->calls, key, node, NULL);
    return call != NULL && !call->given_up ? call : NULL;
}
