/*
 * tui_pages.c - see tui_pages.h.
 */
#include "ui/tui/tui_pages.h"

bool tui_page_open(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    static page_fn *const pages[TARGET_COUNT] = {
#define PAGE(id, page) [TARGET_##id] = page,
#include "ui/tui/pages.def"
#undef PAGE
    };
    page->is_open = false;
    page->self = target;
    if (target.kind < TARGET_COUNT && pages[target.kind] != NULL)
        pages[target.kind](page, facts, target);
    return page->is_open;
}

struct tui_target tui_page_ladder_of(struct tui_target target)
{
    static const enum tui_target_kind ladders[TARGET_COUNT] = {
        [TARGET_RECORD] = TARGET_LADDER_OF_RECORD, [TARGET_CALL] = TARGET_LADDER_OF_CALL,
        [TARGET_CONN] = TARGET_LADDER_OF_CONN,     [TARGET_NODE] = TARGET_LADDER_OF_NODE,
        [TARGET_PROCESS] = TARGET_LADDER_OF_PROCESS,
    };
    return (struct tui_target){target.kind < TARGET_COUNT ? ladders[target.kind] : TARGET_NONE,
                               target.number};
}
