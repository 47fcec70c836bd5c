/*
 * tui_record.h - a record in a line, as lists and pages show it.
 */
#ifndef SRC_TUI_RECORD_H
#define SRC_TUI_RECORD_H

#include "ui/tui/tui_facts.h"

/* tui_record_is_listed says whether the list of messages shows it: a message or another event. */
bool tui_record_is_listed(const struct record *record);

/* tui_record_print appends the text of a record, without its time. */
void tui_record_print(const struct tui_facts *facts, const struct record *record, struct ds_buffer *out);

/* tui_record_print_line does so after its time of day. */
void tui_record_print_line(const struct tui_facts *facts, const struct record *record,
                           struct ds_buffer *out);

/* tui_record_print_fit appends that line for a list of this many columns: if it is too wide, the
 * least important parts are left out, so that the rest fits. */
void tui_record_print_fit(const struct tui_facts *facts, const struct record *record, unsigned columns,
                          struct ds_buffer *out);

enum style tui_record_style(const struct record *record);

#endif
