/*
 * redraw.h - tables that are written again and again on a terminal, each over the one before.
 */
#ifndef SRC_REDRAW_H
#define SRC_REDRAW_H

#include <distsniff/term.h>

/* screen is how much a terminal holds. */
struct screen {
    unsigned rows, columns;
};

/* screen_find says how large the terminal behind a descriptor is. False when it is none. */
bool screen_find(int fd, struct screen *out);

/* redraw_text appends what clears the screen, and as much of the text as it holds. */
void redraw_text(const struct screen *screen, struct ds_text text, struct ds_buffer *out);

#endif
