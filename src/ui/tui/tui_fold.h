/*
 * tui_fold.h - the text of a term in lines: a term that does not fit in one line is laid out over
 * several, and the contents of brackets can be folded.
 */
#ifndef SRC_TUI_FOLD_H
#define SRC_TUI_FOLD_H

#include "ui/tui/tui_page.h"

/* tui_fold_term appends the text of a term, in Erlang's or Elixir's syntax, to a page of this many
 * columns. Lines with brackets lead to a TARGET_FOLD. */
void tui_fold_term(struct tui_page *page, unsigned indent, unsigned columns, struct ds_text text);

#endif
