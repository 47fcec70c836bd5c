/*
 * redraw.h - tables that are written repeatedly on a terminal, each over the previous one.
 */
#ifndef SRC_REDRAW_H
#define SRC_REDRAW_H

#include "core/screen.h"

#include <distsniff/term.h>

/* redraw_text appends the codes that clear the screen, and as much of the text as fits on it. */
void redraw_text(const struct screen *screen, struct ds_text text, struct ds_buffer *out);

#endif
