/*
 * view_messages.h - what the view of messages lists, for those who save it, and where in it the user is.
 */
#ifndef SRC_VIEW_MESSAGES_H
#define SRC_VIEW_MESSAGES_H

#include "ui/tui/tui_facts.h"
#include "ui/tui/tui_index.h"

/* view_messages_index returns what it lists, as of its last update. */
const struct tui_index *view_messages_index(const void *view);

/* view_messages_go selects the first that it lists of a time or later, else the last. */
void view_messages_go(void *view, const struct tui_facts *facts, int64_t ns);

#endif
