/*
 * tui_draw.h - the whole screen, as cells.
 */
#ifndef SRC_TUI_DRAW_H
#define SRC_TUI_DRAW_H

#include "ui/tui/tui_state.h"

void tui_draw(struct tui_ui *ui, struct cells *cells);

#endif
