/*
 * tui_target.h - what a row or a line on the screen refers to: it can be opened, and shown as a
 * ladder.
 */
#ifndef SRC_TUI_TARGET_H
#define SRC_TUI_TARGET_H

#include <stdint.h>

enum tui_target_kind {
    TARGET_NONE,
    TARGET_FOLD, /* a part of a term on the same page: the number of its bracket */
#define PAGE(id, page) TARGET_##id,
#include "ui/tui/pages.def"
#undef PAGE
    TARGET_COUNT
};

struct tui_target {
    enum tui_target_kind kind;
    uint64_t number;
};

#endif
