/*
 * tui_ui.h - the user's side without a terminal: keys go in, cells come out. It knows the views, what is
 * open over them, and what the books said last; neither records nor threads.
 */
#ifndef SRC_TUI_UI_H
#define SRC_TUI_UI_H

#include "ui/tui/tui_filter.h"
#include "ui/tui/tui_view.h"

enum tui_does { TUI_GOES_ON, TUI_ENDS, TUI_REDRAWS, TUI_SUSPENDS, TUI_COPIES };

enum { TUI_PAGES = 16, TUI_NOTE_LEN = 512 };

/* What is typed in a line. */
enum tui_typing { TYPES_NOTHING, TYPES_FILTER, TYPES_FORMAT };

struct tui_ui {
    struct tui_facts facts;
    struct tui_filter filter; /* of facts */
    struct tui_marks marks;
    const char *source; /* where packets come from: it stays */
    const char *save_folder; /* NULL: nothing can be saved */
    bool is_paused;
    bool is_told;       /* there was a snapshot */
    unsigned view;      /* which of tui_views */
    void *state[TUI_VIEW_COUNT];
    unsigned menu_end[TUI_VIEW_COUNT]; /* where the views' names end in the menu */
    struct area area;   /* of the view or page, as it was drawn last */
    struct tui_page page;
    struct tui_page under[TUI_PAGES]; /* pages that stand behind it, the latest last */
    unsigned num_under;
    bool page_is_help;
    enum tui_typing typing;
    struct tui_line filter_line, format_line;
    char note[TUI_NOTE_LEN]; /* the last complaint, on the lowest line until a key comes */
    struct ds_buffer copied; /* what TUI_COPIES is about */
};

/* tui_ui_init opens the views. False when memory ran out; tui_ui_free is needed in both cases. */
bool tui_ui_init(struct tui_ui *ui, const char *source, bool is_live);
void tui_ui_free(struct tui_ui *ui);

/* tui_ui_books says which books are to be told, a mask of BOOK_BIT. */
unsigned tui_ui_books(const struct tui_ui *ui);

/* tui_ui_records returns where the latest records are to be looked at, NULL: what is shown stays. */
struct store_look *tui_ui_records(struct tui_ui *ui);

/* tui_ui_take takes over what was told, at that time of the monotonic clock. False when memory ran out:
 * what was there stays. */
bool tui_ui_take(struct tui_ui *ui, const struct ds_buffer *told, int64_t now_ns);

/* tui_ui_work does more of what takes long. False: there is nothing to do. */
bool tui_ui_work(struct tui_ui *ui);

/* tui_ui_key answers a key: a character, or one of keys.def. */
enum tui_does tui_ui_key(struct tui_ui *ui, uint32_t key);

/* tui_ui_click answers a click of the mouse at a place of the screen; is_twice: a second one at once. */
void tui_ui_click(struct tui_ui *ui, unsigned row, unsigned column, bool is_twice);

void tui_ui_note(struct tui_ui *ui, const char *text);

void tui_ui_draw(struct tui_ui *ui, struct cells *cells);

#endif
