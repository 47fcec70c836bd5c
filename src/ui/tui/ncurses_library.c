/*
 * ncurses_library.c - see ncurses_library.h.
 */
#ifdef DISTSNIFF_TUI

#include "ui/tui/ncurses_library.h"

#include "core/shared_library.h"

struct ncurses_library ncurses;

bool ncurses_library_load(void)
{
    const struct shared_library_function functions[] = {
#define NCURSES(name) {#name, &ncurses.name},
#include "ui/tui/ncurses_library.def"
#undef NCURSES
    };
    return shared_library_load("--tui", NCURSES_LIBRARY, "libncursesw6", functions,
                               sizeof functions / sizeof functions[0]);
}

#endif
