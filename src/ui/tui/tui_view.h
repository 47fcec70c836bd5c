/*
 * tui_view.h - a view: one way to look at what the books say. It is a struct of functions in a file,
 * view_NAME.c, and a row in views.def.
 */
#ifndef SRC_TUI_VIEW_H
#define SRC_TUI_VIEW_H

#include "ui/tui/tui_books.h"
#include "ui/tui/tui_page.h"
#include "ui/tui/tui_rates.h"
#include "ui/tui/tui_table.h"

/* tui_facts is what views are given: it stays while they look at it. */
struct tui_facts {
    struct snapshot snapshot;
    struct tui_rates rates;
    bool is_live, has_ended;
    bool ascii; /* of the screen */
};

struct tui_view {
    unsigned books;    /* that it looks at: BOOK_BIT of each */
    bool is_table;     /* it answers requests of tables */
    void *(*open)(void); /* NULL when memory ran out */
    void (*close)(void *view);
    /* update is called when there is a new snapshot, or another view was shown. */
    void (*update)(void *view, const struct tui_facts *facts);
    void (*draw)(void *view, const struct tui_facts *facts, struct cells *cells, struct area area);
    /* request returns whether it was one for this view; it may open a page. */
    bool (*request)(void *view, const struct tui_facts *facts, enum tui_request request,
                    struct tui_page *page);
};

enum tui_view_number {
#define VIEW(name, what) TUI_VIEW_##name,
#include "ui/tui/views.def"
#undef VIEW
    TUI_VIEW_COUNT
};

#define VIEW(name, what) extern const struct tui_view view_##name;
#include "ui/tui/views.def"
#undef VIEW
/* tui_views has a row for each, in order. */
struct tui_view_line {
    const char *name, *what;
    const struct tui_view *view;
};
extern const struct tui_view_line tui_views[TUI_VIEW_COUNT];

/* What several views show of links. */

/* link_state says what state a link is in, in a word or two. link_is_open whether it goes on. */
const char *link_state(const cJSON *link);
bool link_is_open(const cJSON *link);

/* link_rate returns the bytes a second of a link: over the last ten seconds in a live capture, else over
 * its time. */
uint64_t link_rate(const struct tui_facts *facts, const cJSON *link);

/* link_rate_order is what rates are sorted by: links that are open stand first, whatever a closed one
 * carried. */
int64_t link_rate_order(const cJSON *link, uint64_t rate);

/* link_bars draws what a link carried in the last minute of a live capture, in LINK_BARS columns; "": not
 * known. */
enum { LINK_BARS = 20 };
void link_bars(const struct tui_facts *facts, uint64_t conn, char *text, size_t len);

/* link_page opens the page of a link. */
void link_page(struct tui_page *page, const struct tui_facts *facts, const cJSON *link);

/* link_table_request answers a request of a table whose rows are links, with their connections as ids. To
 * open a row is to open the page of its link. */
bool link_table_request(struct tui_table *table, const struct tui_facts *facts, enum tui_request request,
                        struct tui_page *page);

/* tui_table_draw_alone is the draw of a view that is one table. */
void tui_table_draw_alone(void *table, const struct tui_facts *facts, struct cells *cells,
                          struct area area);

/* The sides of a link: 0, who opened it, and 1. */
const cJSON *link_side(const cJSON *link, int side);

#endif
