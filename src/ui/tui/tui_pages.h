/*
 * tui_pages.h - the pages of targets: pages.def.
 */
#ifndef SRC_TUI_PAGES_H
#define SRC_TUI_PAGES_H

#include "ui/tui/tui_facts.h"
#include "ui/tui/tui_page.h"

/* tui_page_open writes the page of a target. False, with the page closed, if there is none any
 * more. */
bool tui_page_open(struct tui_page *page, const struct tui_facts *facts, struct tui_target target);

/* tui_page_ladder_of returns the ladder of a target; NONE: it has none. */
struct tui_target tui_page_ladder_of(struct tui_target target);

/* tui_page_is_ladder says whether a page is a ladder. */
static inline bool tui_page_is_ladder(enum tui_target_kind kind)
{
    return kind >= TARGET_LADDER_OF_RECORD && kind <= TARGET_LADDER_OF_MARKS;
}

/* page_fn writes a page, or leaves it closed. */
typedef void page_fn(struct tui_page *page, const struct tui_facts *facts, struct tui_target target);
#define PAGE(id, page) extern page_fn page;
#include "ui/tui/pages.def"
#undef PAGE

/* tui_page_messages appends the latest messages of a ladder's subject. */
void tui_page_messages(struct tui_page *page, const struct tui_facts *facts, struct tui_target ladder);

/* tui_page_explain appends the text of --explain, from the stored records. Lines that name a
 * packet, call or connection lead there. */
enum explain_kind;
void tui_page_explain(struct tui_page *page, const struct tui_facts *facts, int explain_kind,
                      uint64_t number);

#endif
