/*
 * step.c - who sends a message and who receives it, see step.h.
 */
#include "analyse/calls/step.h"

bool step_find_pid(struct correlate *c, const struct step *s, const struct ds_term *term,
                   struct pid_key *out)
{
    return term->data != NULL && pid_key_find(&c->intern, term, s->event->conn->number, out);
}

void step_ask_from(struct correlate *c, struct step *s)
{
    s->from_state =
        step_find_pid(c, s, &s->message->role[DS_ROLE_FROM], &s->from) ? KNOWN : UNKNOWN;
}

void step_ask_to(struct correlate *c, struct step *s)
{
    s->to_state = step_find_pid(c, s, &s->message->role[DS_ROLE_TO], &s->to) ? KNOWN : UNKNOWN;
}

bool step_find_said(struct correlate *c, struct step *s, const struct ds_term *term,
                    struct pid_key *out)
{
    const struct ds_term *from = &s->message->role[DS_ROLE_FROM];
    if (from->data == NULL || from->atoms != term->atoms || from->len != term->len ||
        memcmp(from->data, term->data, term->len) != 0 || !step_know_from(c, s))
        return step_find_pid(c, s, term, out);
    *out = s->from;
    return true;
}

bool step_find_named(struct correlate *c, const struct step *s, unsigned end, struct ds_text name,
                     struct pid_key *out)
{
    *out = (struct pid_key){.node = intern_add(&c->intern, s->event->conn->end[end].node),
                            .id = intern_add(&c->intern, name),
                            .serial = PID_KEY_NAMED};
    return out->node != 0 && out->id != 0;
}

bool step_find_target(struct correlate *c, struct step *s, struct pid_key *out)
{
    struct ds_text name;
    if (step_know_to(c, s)) {
        *out = s->to;
        return true;
    }
    return ds_term_get_atom(&s->message->role[DS_ROLE_TO], &name) &&
           step_find_named(c, s, !s->event->dir, name, out);
}

bool step_find_source(struct correlate *c, const struct step *s, const struct ds_term *term,
                      struct pid_key *out)
{
    struct ds_text name;
    return step_find_pid(c, s, term, out) ||
           (ds_term_get_atom(term, &name) && step_find_named(c, s, s->event->dir, name, out));
}
