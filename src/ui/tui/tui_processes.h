/*
 * tui_processes.h - the list of processes, which several views show.
 */
#ifndef SRC_TUI_PROCESSES_H
#define SRC_TUI_PROCESSES_H

#include "ui/tui/tui_list.h"

extern const struct tui_list_kind process_list;

/* process_rate_of is the rate_of of processes: of what they send and receive. */
rate_of process_rate_of;

#endif
