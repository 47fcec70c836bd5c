/*
 * tui_ui.h - the user interface without a terminal: keys and clicks go in, and change the state in
 * tui_state.h; tui_draw.h produces the cells. Both are independent of records and threads.
 */
#ifndef SRC_TUI_UI_H
#define SRC_TUI_UI_H

#include "ui/tui/tui_state.h"

enum tui_does { TUI_GOES_ON, TUI_ENDS, TUI_REDRAWS, TUI_SUSPENDS, TUI_COPIES };

/* tui_ui_init opens the views. False if memory ran out; call tui_ui_free in both cases. */
bool tui_ui_init(struct tui_ui *ui, const char *source, bool is_live);
void tui_ui_free(struct tui_ui *ui);

/* tui_ui_books returns which books to read, a mask of BOOK_BIT. */
unsigned tui_ui_books(const struct tui_ui *ui);

/* tui_ui_records returns where the latest records are to be stored, NULL: the present ones stay. */
struct store_look *tui_ui_records(struct tui_ui *ui);

/* tui_ui_update parses the books' output, at this time of the monotonic clock. False if memory ran
 * out: then nothing changes. */
bool tui_ui_update(struct tui_ui *ui, const struct ds_buffer *told, int64_t now_ns);

/* tui_ui_key handles a key: a character, or one of keys.def. */
enum tui_does tui_ui_key(struct tui_ui *ui, uint32_t key);

/* tui_ui_click handles a click of the mouse at a position of the screen; is_twice: a double click. */
enum tui_does tui_ui_click(struct tui_ui *ui, unsigned row, unsigned column, bool is_twice);

#endif
