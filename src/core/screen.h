/*
 * screen.h - the size of the terminal behind a descriptor.
 */
#ifndef SRC_SCREEN_H
#define SRC_SCREEN_H

#include <stdbool.h>

/* screen is the size of a terminal. */
struct screen {
    unsigned rows, columns;
};

/* screen_find asks the terminal for its size. The environment variable COLUMNS overrides the width.
 * Returns false if the descriptor is not a terminal. */
bool screen_find(int fd, struct screen *out);

/* screen_width returns the width of the terminal in columns, at least 20. It returns 0 if the
 * descriptor is not a terminal. */
unsigned screen_width(int fd);

#endif
