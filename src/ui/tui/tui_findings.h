/*
 * tui_findings.h - the list of findings, which several views show.
 */
#ifndef SRC_TUI_FINDINGS_H
#define SRC_TUI_FINDINGS_H

#include "ui/tui/tui_list.h"

extern const struct tui_list_kind finding_list;

enum style finding_style(const char *severity);

/* finding_id returns an id that distinguishes the rows of the doctor's book: the number of
 * TARGET_FINDING. */
uint64_t finding_id(const cJSON *found);

#endif
