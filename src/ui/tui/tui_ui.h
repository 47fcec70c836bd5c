/*
 * tui_ui.h - the user's side without a terminal: keys and clicks go in, and change what tui_state.h has;
 * tui_draw.h makes the cells that come out. Neither knows records nor threads.
 */
#ifndef SRC_TUI_UI_H
#define SRC_TUI_UI_H

#include "ui/tui/tui_state.h"

enum tui_does { TUI_GOES_ON, TUI_ENDS, TUI_REDRAWS, TUI_SUSPENDS, TUI_COPIES };

/* tui_ui_init opens the views. False when memory ran out; tui_ui_free is needed in both cases. */
bool tui_ui_init(struct tui_ui *ui, const char *source, bool is_live);
void tui_ui_free(struct tui_ui *ui);

/* tui_ui_books says which books are to be told, a mask of BOOK_BIT. */
unsigned tui_ui_books(const struct tui_ui *ui);

/* tui_ui_records returns where the latest records are to be looked at, NULL: what is shown stays. */
struct store_look *tui_ui_records(struct tui_ui *ui);

/* tui_ui_update takes over what was told, at that time of the monotonic clock. False when memory ran out:
 * what was there stays. */
bool tui_ui_update(struct tui_ui *ui, const struct ds_buffer *told, int64_t now_ns);

/* tui_ui_key answers a key: a character, or one of keys.def. */
enum tui_does tui_ui_key(struct tui_ui *ui, uint32_t key);

/* tui_ui_click answers a click of the mouse at a place of the screen; is_twice: a second one at once. */
enum tui_does tui_ui_click(struct tui_ui *ui, unsigned row, unsigned column, bool is_twice);

#endif
