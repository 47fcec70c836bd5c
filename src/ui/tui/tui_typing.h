/*
 * tui_typing.h - the line that is typed at the bottom: a filter, the format to save in, or a time
 * to go to.
 */
#ifndef SRC_TUI_TYPING_H
#define SRC_TUI_TYPING_H

#include "ui/tui/tui_state.h"

void tui_typing_begin(struct tui_ui *ui, enum tui_typing what);

/* tui_typing_key processes a key in the line. */
void tui_typing_key(struct tui_ui *ui, uint32_t key);

/* tui_typing_draw shows the line, and above it its error or possible continuations. */
void tui_typing_draw(struct tui_ui *ui, struct cells *cells);

#endif
