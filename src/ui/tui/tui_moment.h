/*
 * tui_moment.h - a row of the timeline: TARGET_MOMENT.
 */
#ifndef SRC_TUI_MOMENT_H
#define SRC_TUI_MOMENT_H

#include "ui/tui/tui_facts.h"

/* tui_moment_time returns the time of a row, 0: the row is gone. */
int64_t tui_moment_time(const struct tui_facts *facts, uint64_t id);

#endif
