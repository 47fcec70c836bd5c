/*
 * tui_fold.h - the text of a term in lines: what has no room in one is laid out below each other, and what
 * stands in brackets can be folded away.
 */
#ifndef SRC_TUI_FOLD_H
#define SRC_TUI_FOLD_H

#include "ui/tui/tui_page.h"

/* tui_fold_term appends the text of a term, in Erlang's or Elixir's syntax, to a page that many columns
 * wide. Lines with brackets lead to a TARGET_FOLD. */
void tui_fold_term(struct tui_page *page, unsigned indent, unsigned columns, struct ds_text text);

#endif
