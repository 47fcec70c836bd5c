/*
 * redraw.h - tables that are written again and again on a terminal, each over the one before.
 */
#ifndef SRC_REDRAW_H
#define SRC_REDRAW_H

#include "core/screen.h"

#include <distsniff/term.h>

/* redraw_text appends what clears the screen, and as much of the text as it holds. */
void redraw_text(const struct screen *screen, struct ds_text text, struct ds_buffer *out);

#endif
