/*
 * view_messages.h - what the view of messages lists, for those who save it.
 */
#ifndef SRC_VIEW_MESSAGES_H
#define SRC_VIEW_MESSAGES_H

#include "ui/tui/tui_index.h"

/* view_messages_index returns what it lists, as of its last update. */
const struct tui_index *view_messages_index(const void *view);

#endif
