/*
 * tui_record.h - a record in a line, as lists and pages show it.
 */
#ifndef SRC_TUI_RECORD_H
#define SRC_TUI_RECORD_H

#include "ui/tui/tui_facts.h"

/* tui_record_is_listed says whether it stands in the list of messages: a message or another event. */
bool tui_record_is_listed(const struct record *record);

/* tui_record_print appends what a record says, without its time. */
void tui_record_print(const struct tui_facts *facts, const struct record *record, struct ds_buffer *out);

/* tui_record_print_line does so behind its time of day. */
void tui_record_print_line(const struct tui_facts *facts, const struct record *record,
                           struct ds_buffer *out);

/* tui_record_print_fit appends that line for a list of so many columns: of one that is too wide what is
 * needed least is left out, so that what is said has room. */
void tui_record_print_fit(const struct tui_facts *facts, const struct record *record, unsigned columns,
                          struct ds_buffer *out);

enum style tui_record_style(const struct record *record);

#endif
