/*
 * tui_choose.h - actions on the selected row of messages or calls: filters made from it, marks, its
 * text.
 */
#ifndef SRC_TUI_CHOOSE_H
#define SRC_TUI_CHOOSE_H

#include "ui/tui/requests.h"
#include "ui/tui/tui_facts.h"
#include "ui/tui/tui_target.h"

/* tui_choose_filter writes an expression of -Y that matches what belongs to the row, as a request
 * of RECORDS asks. False: there is no such expression. */
bool tui_choose_filter(const struct tui_facts *facts, struct tui_target target, enum tui_request request,
                       char *text, size_t len);

/* tui_choose_time returns the time of the row, 0: unknown. */
int64_t tui_choose_time(const struct tui_facts *facts, struct tui_target target);

/* tui_choose_mark marks the row, or for a call all its messages; if it is marked, it removes the
 * marks. False: there is no room. */
bool tui_choose_mark(const struct tui_facts *facts, struct tui_target target, struct tui_marks *marks);

/* tui_choose_print appends the text of the row. */
void tui_choose_print(const struct tui_facts *facts, struct tui_target target, struct ds_buffer *out);

#endif
