/*
 * view_messages.h - the contents of the view of messages, for saving, and the user's position in
 * it.
 */
#ifndef SRC_VIEW_MESSAGES_H
#define SRC_VIEW_MESSAGES_H

#include "ui/tui/tui_facts.h"
#include "ui/tui/tui_index.h"

/* view_messages_index returns the listed records, as of the last update. */
const struct tui_index *view_messages_index(const void *view);

/* view_messages_go selects the first listed record at this time or later, otherwise the last. */
void view_messages_go(void *view, const struct tui_facts *facts, int64_t ns);

#endif
