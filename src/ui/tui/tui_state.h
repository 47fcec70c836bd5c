/*
 * tui_state.h - what the user's side knows: the views, what is open over them, what the books said last,
 * and what is typed.
 */
#ifndef SRC_TUI_STATE_H
#define SRC_TUI_STATE_H

#include "ui/tui/tui_filter.h"
#include "ui/tui/tui_view.h"

enum { TUI_PAGES = 16, TUI_NOTE_LEN = 512 };

/* What is typed in a line. */
enum tui_typing { TYPES_NOTHING, TYPES_FILTER, TYPES_FORMAT, TYPES_TIME };

/* tui_shown_key is one that the lowest line names, between these columns. */
struct tui_shown_key {
    unsigned begin, end;
    enum tui_request request;
};

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
    struct tui_shown_key shown_keys[REQUEST_COUNT];
    unsigned num_shown_keys, keys_row; /* as they were drawn last */
    struct area area;   /* of the view or page, as it was drawn last */
    struct tui_page page;
    struct tui_page under[TUI_PAGES]; /* pages that stand behind it, the latest last */
    unsigned num_under;
    bool page_is_help;
    enum tui_typing typing;
    struct tui_line filter_line, format_line, time_line;
    char note[TUI_NOTE_LEN]; /* the last complaint, on the lowest line until a key comes */
    struct ds_buffer copied; /* what TUI_COPIES is about */
};

/* tui_state_update has the view look at what is there now. */
void tui_state_update(struct tui_ui *ui);

/* tui_state_work does more of what takes long. False: there is nothing to do. */
bool tui_state_work(struct tui_ui *ui);

/* tui_state_set_message has a text stand on the lowest line until a key comes. */
void tui_state_set_message(struct tui_ui *ui, const char *text);

/* tui_state_selected returns what the row or line stands for that keys apply to. */
struct tui_target tui_state_selected(const struct tui_ui *ui);

/* tui_state_open opens the page of a target over what is shown. */
bool tui_state_open(struct tui_ui *ui, struct tui_target target);

/* tui_state_put_page_under makes room for another page over the one that is open. The oldest go where there
 * are too many. */
void tui_state_put_page_under(struct tui_ui *ui);

/* tui_state_close_page closes the page that is open; the one under it is shown again. */
void tui_state_close_page(struct tui_ui *ui);
void tui_state_close_pages(struct tui_ui *ui);

/* tui_state_write_page_anew has the page say what was just chosen; where it scrolled to stays. */
void tui_state_write_page_anew(struct tui_ui *ui);

/* tui_state_show_view shows another view, and closes what is open. */
void tui_state_show_view(struct tui_ui *ui, unsigned view);

/* tui_state_show_records shows messages, unless a view that lists them or calls is there already. */
void tui_state_show_records(struct tui_ui *ui);

/* tui_state_change_filter has messages and calls be filtered by a text, and shows them. */
void tui_state_change_filter(struct tui_ui *ui, const char *text);

#endif
