/*
 * tui_state.h - the state of the screen: the views, the pages that are open over them, the last
 * snapshot, and the line that is typed.
 */
#ifndef SRC_TUI_STATE_H
#define SRC_TUI_STATE_H

#include "ui/tui/tui_filter.h"
#include "ui/tui/tui_view.h"

enum { TUI_PAGES = 16, TUI_NOTE_LEN = 512 };

/* The purpose of the typed line. */
enum tui_typing { TYPES_NOTHING, TYPES_FILTER, TYPES_FORMAT, TYPES_TIME, TYPES_SEARCH };

/* tui_shown_key is a key that the lowest line names, between these columns. */
struct tui_shown_key {
    unsigned begin, end;
    enum tui_request request;
};

struct tui_ui {
    struct tui_facts facts;
    struct tui_filter filter; /* facts points to it */
    struct tui_marks marks;
    const char *source; /* the source of the packets: must stay valid */
    const char *save_folder; /* NULL: nothing can be saved */
    bool is_paused;
    bool is_told;       /* the present view has a snapshot */
    unsigned view;      /* which of tui_views */
    void *state[TUI_VIEW_COUNT];
    unsigned menu_end[TUI_VIEW_COUNT]; /* where the views' names end in the menu */
    struct tui_shown_key shown_keys[REQUEST_COUNT];
    unsigned num_shown_keys, keys_row; /* as last drawn */
    struct area area;   /* of the view or page, as last drawn */
    struct tui_page page;
    struct tui_page under[TUI_PAGES]; /* pages under the open one, the latest last */
    unsigned num_under;
    bool page_is_help;
    enum tui_typing typing;
    struct tui_line filter_line, format_line, time_line, search_line;
    char sought[LINE_LEN]; /* the text that pages were searched for last */
    char note[TUI_NOTE_LEN]; /* the last message, on the lowest line until a key comes */
    struct ds_buffer copied; /* the text for TUI_COPIES */
};

/* tui_state_update updates the view with the present data. */
void tui_state_update(struct tui_ui *ui);

/* tui_state_work continues work that takes long. False: there is none. */
bool tui_state_work(struct tui_ui *ui);

/* tui_state_set_message shows a text on the lowest line until a key comes. */
void tui_state_set_message(struct tui_ui *ui, const char *text);

/* tui_state_selected returns the target of the row or line that keys apply to. */
struct tui_target tui_state_selected(const struct tui_ui *ui);

/* tui_state_open opens the page of a target over what is shown. */
bool tui_state_open(struct tui_ui *ui, struct tui_target target);

/* tui_state_put_page_under makes room for another page over the open one. If there are too many,
 * the oldest are dropped. */
void tui_state_put_page_under(struct tui_ui *ui);

/* tui_state_close_page closes the open page; the one under it is shown again. */
void tui_state_close_page(struct tui_ui *ui);
void tui_state_close_pages(struct tui_ui *ui);

/* tui_state_write_page_anew writes the open page again; its scroll position stays. */
void tui_state_write_page_anew(struct tui_ui *ui);

/* tui_state_search goes to the next line of the open page that has the sought text, or the one before;
 * is_first: the present line counts, too. */
void tui_state_search(struct tui_ui *ui, bool is_back, bool is_first);

/* tui_state_show_view shows another view, and closes all pages. */
void tui_state_show_view(struct tui_ui *ui, unsigned view);

/* tui_state_show_records shows messages, unless the present view lists messages or calls. */
void tui_state_show_records(struct tui_ui *ui);

/* tui_state_change_filter sets the filter of messages and calls, and shows them. */
void tui_state_change_filter(struct tui_ui *ui, const char *text);

#endif
