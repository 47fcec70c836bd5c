/*
 * ncurses_library.h - ncurses, loaded only when a screen is to be drawn: a run without one starts
 * faster.
 */
#ifndef SRC_NCURSES_LIBRARY_H
#define SRC_NCURSES_LIBRARY_H

#define NCURSES_NOMACROS /* its macros would replace members of the struct */
#include <ncurses.h>

struct ncurses_library {
#define NCURSES(name) __typeof__(name) *name;
#include "ui/tui/ncurses_library.def"
#undef NCURSES
};

/* ncurses is its functions and variables; all are NULL before ncurses_library_load. */
extern struct ncurses_library ncurses;

/* ncurses_library_load loads it, while files can still be opened. False after an error message. */
bool ncurses_library_load(void);

#endif
