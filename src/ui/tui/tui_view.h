/*
 * tui_view.h - a view: one way to show the books, or the latest records. It is a struct of
 * functions in a file, view_NAME.c, and a row in views.def.
 */
#ifndef SRC_TUI_VIEW_H
#define SRC_TUI_VIEW_H

#include "ui/tui/tui_list.h"

/* What a view answers besides the requests that are answered everywhere. */
enum {
    VIEW_HAS_FILTER = 1, /* it lists records: requests for the filter and marks */
    VIEW_HAS_PARTS = 2,  /* it has parts, one of which has the focus */
};

/* How long an update looks at records, whatever the filter costs: the rest is done between keys. */
#define TUI_UPDATE_NS INT64_C(20000000)

struct tui_view {
    unsigned books;    /* the books that it needs: BOOK_BIT of each */
    bool is_table;     /* it answers requests of tables */
    unsigned has;      /* some of VIEW_HAS_ */
    void *(*open)(void); /* NULL if memory ran out */
    void (*close)(void *view);
    /* update is called after a new snapshot, or when the view is shown. */
    void (*update)(void *view, const struct tui_facts *facts);
    void (*draw)(void *view, const struct tui_facts *facts, struct cells *cells, struct area area);
    /* request returns whether the view answers this request; it may open a page. */
    bool (*request)(void *view, const struct tui_facts *facts, enum tui_request request,
                    struct tui_page *page);
    /* selected returns the target of the selected row: it can be opened, and shown as a ladder;
     * NULL: rows have no targets. */
    struct tui_target (*selected)(const void *view, const struct tui_facts *facts);
    /* click selects what is at a position of the area that the view was drawn in; NULL: nothing can
     * be selected. False: there is nothing. */
    bool (*click)(void *view, const struct tui_facts *facts, struct area area, unsigned row,
                  unsigned column);
    /* is_busy says whether update has more records to look at; NULL: never. */
    bool (*is_busy)(const void *view);
};

/* TUI_LIST_VIEW is a view that is one list. */
#define TUI_LIST_VIEW(name, list_kind, book_bits)                                                  \
    static void *open_##name(void)                                                                 \
    {                                                                                              \
        return tui_list_new(&(list_kind));                                                         \
    }                                                                                              \
    const struct tui_view view_##name = {                                                          \
        .books = (book_bits),                                                                      \
        .is_table = true,                                                                          \
        .open = open_##name,                                                                       \
        .close = tui_list_close,                                                                   \
        .update = tui_list_update,                                                                 \
        .draw = tui_list_draw,                                                                     \
        .request = tui_list_answer,                                                                \
        .selected = tui_list_selected,                                                             \
        .click = tui_list_click,                                                                   \
    };

enum tui_view_number {
#define VIEW(name, brief, what) TUI_VIEW_##name,
#include "ui/tui/views.def"
#undef VIEW
    TUI_VIEW_COUNT
};

#define VIEW(name, brief, what) extern const struct tui_view view_##name;
#include "ui/tui/views.def"
#undef VIEW
/* tui_views has a row for each, in order. */
struct tui_view_line {
    const char *name, *brief, *what;
    const struct tui_view *view;
};
extern const struct tui_view_line tui_views[TUI_VIEW_COUNT];

#endif
