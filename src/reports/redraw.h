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

/* screen_find says how large the terminal behind a descriptor is: as wide as COLUMNS says, else as it says
 * itself. False when it is none. */
bool screen_find(int fd, struct screen *out);

/* screen_width is how wide lines may be there, 0: as they are, for it is no terminal. */
unsigned screen_width(int fd);

/* redraw_text appends what clears the screen, and as much of the text as it holds. */
void redraw_text(const struct screen *screen, struct ds_text text, struct ds_buffer *out);

#endif
