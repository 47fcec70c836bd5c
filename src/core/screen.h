/*
 * screen.h - how large the terminal behind a descriptor is.
 */
#ifndef SRC_SCREEN_H
#define SRC_SCREEN_H

#include <stdbool.h>

/* screen is how much a terminal holds. */
struct screen {
    unsigned rows, columns;
};

/* screen_find asks the terminal for its size. The environment variable COLUMNS overrides the width.
 * Returns false where the descriptor is no terminal. */
bool screen_find(int fd, struct screen *out);

/* screen_width returns the width of the terminal in columns, at least 20. It returns 0 where the
 * descriptor is no terminal. */
unsigned screen_width(int fd);

#endif
