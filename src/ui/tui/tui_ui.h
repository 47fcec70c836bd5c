/*
 * tui_ui.h - the user's side without a terminal: keys go in, cells come out. It knows the views, what is
 * open over them, and what the books said last; neither records nor threads.
 */
#ifndef SRC_TUI_UI_H
#define SRC_TUI_UI_H

#include "ui/tui/tui_view.h"

enum tui_does { TUI_GOES_ON, TUI_ENDS, TUI_REDRAWS, TUI_SUSPENDS };

struct tui_ui {
    struct tui_facts facts;
    const char *source; /* where packets come from: it stays */
    bool is_paused;
    bool is_told;       /* there was a snapshot */
    unsigned view;      /* which of tui_views */
    void *state[TUI_VIEW_COUNT];
    struct tui_page page;
    bool page_is_help;
    char note[256]; /* the last complaint, on the lowest line until a key comes */
};

/* tui_ui_init opens the views. False when memory ran out; tui_ui_free is needed in both cases. */
bool tui_ui_init(struct tui_ui *ui, const char *source, bool is_live);
void tui_ui_free(struct tui_ui *ui);

/* tui_ui_books says which books are to be told, a mask of BOOK_BIT. */
unsigned tui_ui_books(const struct tui_ui *ui);

/* tui_ui_take takes over what was told, at that time of the monotonic clock. False when memory ran out:
 * what was there stays. */
bool tui_ui_take(struct tui_ui *ui, const struct ds_buffer *told, int64_t now_ns);

/* tui_ui_key answers a key: a character, or one of keys.def. */
enum tui_does tui_ui_key(struct tui_ui *ui, uint32_t key);

void tui_ui_note(struct tui_ui *ui, const char *text);

void tui_ui_draw(struct tui_ui *ui, struct cells *cells);

#endif
