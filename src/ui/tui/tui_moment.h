/*
 * tui_moment.h - a row of the timeline: TARGET_MOMENT.
 */
#ifndef SRC_TUI_MOMENT_H
#define SRC_TUI_MOMENT_H

#include "ui/tui/tui_facts.h"

/* tui_moment_time returns when it was, 0: it is not told any more. */
int64_t tui_moment_time(const struct tui_facts *facts, uint64_t id);

#endif
