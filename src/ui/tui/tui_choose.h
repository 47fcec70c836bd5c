/*
 * tui_choose.h - what is done with the selected row of messages or calls: filters made of it,
 * marks, its text.
 */
#ifndef SRC_TUI_CHOOSE_H
#define SRC_TUI_CHOOSE_H

#include "ui/tui/requests.h"
#include "ui/tui/tui_facts.h"
#include "ui/tui/tui_target.h"

/* tui_choose_filter writes an expression of -Y that takes what belongs to it, as a request of
 * RECORDS asks. False: what that takes is not known. */
bool tui_choose_filter(const struct tui_facts *facts, struct tui_target target, enum tui_request request,
                       char *text, size_t len);

/* tui_choose_time returns when it was, 0: it is not known. */
int64_t tui_choose_time(const struct tui_facts *facts, struct tui_target target);

/* tui_choose_mark marks it, of a call all its messages, or takes the marks away where it is marked.
 * False: there is no room. */
bool tui_choose_mark(const struct tui_facts *facts, struct tui_target target, struct tui_marks *marks);

/* tui_choose_print appends its text. */
void tui_choose_print(const struct tui_facts *facts, struct tui_target target, struct ds_buffer *out);

#endif
