/*
 * timeline_say.h - what lines of the timeline say of nodes and links that come and go.
 */
#ifndef SRC_TIMELINE_SAY_H
#define SRC_TIMELINE_SAY_H

#include "analyse/findings/presence.h"

/* Each appends to out: the two nodes of a link, that it went down and why, what became of a node. */
void timeline_say_link(struct wording *out, const struct presence_change *change);
void timeline_say_down(struct wording *out, const struct presence_change *change);
void timeline_say_node(struct wording *out, const struct presence_change *change);

#endif
