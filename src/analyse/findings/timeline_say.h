/*
 * timeline_say.h - texts of timeline lines about nodes and links that come and go.
 */
#ifndef SRC_TIMELINE_SAY_H
#define SRC_TIMELINE_SAY_H

#include "analyse/findings/presence.h"

/* Each appends to out: timeline_say_link the two nodes of a link, timeline_say_down that it went
 * down and why, timeline_say_node what became of a node. */
void timeline_say_link(struct wording *out, const struct presence_change *change);
void timeline_say_down(struct wording *out, const struct presence_change *change);
void timeline_say_node(struct wording *out, const struct presence_change *change);

#endif
