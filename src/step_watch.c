/*
 * step_watch.c - the monitors that callers set up for their calls. In a multi_call, the
 * monitor has another reference than the call's tag; and the DOWN of one to a process that
 * does not exist can overtake the request.
 */
#include "step.h"

void step_note_early_down(struct correlate *c, const struct ref_key *key, const char *how)
{
    if (table_is_full(&c->early_downs))
        table_remove(&c->early_downs, table_oldest(&c->early_downs));
    struct early_down *e = table_add(&c->early_downs, key_hash(key, sizeof *key));
    if (e == NULL)
        return;
    e->key = *key;
    e->outcome = strcmp(how, "noproc") == 0 ? CALL_NOPROC : CALL_NOCONNECTION;
}

void step_take_early_down(struct correlate *c, struct step *s, struct open_call *call)
{
    if (c->early_downs.num == 0)
        return;
    struct early_down *e = table_first(&c->early_downs, call->entry.hash);
    while (e != NULL && !ref_key_equal(&e->key, &call->key))
        e = table_next(&c->early_downs, e);
    if (e == NULL)
        return;
    step_set_end(s, call, NOTE_REQUEST, e->outcome);
    s->note->has_latency = false;
    table_remove(&c->early_downs, e);
}

static struct watch *find_watch(const struct correlate *c, const struct ref_key *monitor)
{
    struct watch *w = table_first(&c->watches, key_hash(monitor, sizeof *monitor));
    while (w != NULL && !ref_key_equal(&w->monitor, monitor))
        w = table_next(&c->watches, w);
    return w;
}

void step_note_watch(struct correlate *c, const struct ref_key *call)
{
    struct monitor *monitor =
        c->config.on_monitor != NULL ? monitors_find(&c->monitors, &c->last_monitor) : NULL;
    if (monitor != NULL)
        monitor->of_call = true;
    if (ref_key_equal(call, &c->last_monitor) || find_watch(c, &c->last_monitor) != NULL)
        return;
    if (table_is_full(&c->watches))
        table_remove(&c->watches, table_oldest(&c->watches));
    struct watch *w = table_add(&c->watches, key_hash(&c->last_monitor, sizeof c->last_monitor));
    if (w == NULL) {
        c->calls.no_memory++;
        return;
    }
    w->monitor = c->last_monitor;
    w->call = *call;
}

struct open_call *step_end_watch(struct correlate *c, const struct step *s, struct ref_key *key,
                                 const char *how, const struct ds_term *reason)
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
