/*
 * timeline_say.c - see timeline_say.h.
 */
#include "analyse/findings/timeline_say.h"

void timeline_say_link(struct wording *out, const struct presence_change *c)
{
    wording_end(out, &c->end[0]);
    wording_add(out, " and ");
    wording_end(out, &c->end[1]);
}

void timeline_say_down(struct wording *out, const struct presence_change *c)
{
    wording_add(out, c->is_replaced ? "the old link between " : "the link between ");
    timeline_say_link(out, c);
    if (c->closed_by < 0) {
        wording_add(out, " went down");
        return;
    }
    wording_add(out, c->is_given_up || c->was_silent ? " was dropped by "
                     : c->was_reset                  ? " was reset by "
                                                     : " was closed by ");
    wording_end(out, &c->end[c->closed_by]);
    if (c->is_given_up) {
        wording_add(out, ", as nothing got through");
    } else if (c->was_silent) {
        wording_add(out, ": ");
        wording_end(out, &c->end[!c->closed_by]);
        wording_add(out, " had stopped responding");
    }
}

void timeline_say_node(struct wording *out, const struct presence_change *c)
{
    wording_put(out, WORD_NODE, (struct ds_text){c->node->name, c->node->len});
    switch (c->what) {
    case PRESENCE_SEEN:
        wording_add(out, " was first seen");
        break;
    case PRESENCE_LEFT:
        wording_add(out, " left: its last link went down");
        break;
    case PRESENCE_STAYS:
        wording_add(out, " may still be there: its last link was closed by a node that left");
        break;
    default:
        wording_add(out, c->is_restarted ? " is back, restarted"
                         : c->is_same    ? " is back, not restarted"
                                         : " is back");
    }
}
