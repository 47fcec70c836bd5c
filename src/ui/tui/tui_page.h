/*
 * tui_page.h - a scrolling text that is opened over a view: the page of a row, the help.
 */
#ifndef SRC_TUI_PAGE_H
#define SRC_TUI_PAGE_H

#include "ui/tui/cells.h"
#include "ui/tui/requests.h"
#include "ui/tui/tui_target.h"

enum { TUI_PAGE_LINES = 16384, TUI_PAGE_FOLDS = 64 };

struct tui_page {
    char title[128];
    struct ds_buffer text;
    struct tui_page_line {
        size_t at;
        uint32_t len;
        uint8_t style, indent, hang; /* columns before the line, and additional ones where it continues */
        bool is_cut;                 /* it is truncated, not continued */
        uint32_t shown_at;           /* its first line of the screen when it was last drawn */
        struct tui_target target;    /* the page that it leads to */
    } *lines;
    size_t num, cap;
    unsigned hang; /* for the lines that are added next */
    bool cuts;     /* lines that are added next are truncated if they do not fit, instead of continued */
    bool leads;    /* some lines lead to pages: then one is selected */
    size_t selected;
    bool is_searched; /* the user searched it */
    bool has_found;   /* found is the line that was found last */
    size_t found;
    unsigned num_sticky; /* lines at its top that do not scroll, each a line of the screen */
    struct tui_target self; /* the target that this is the page of */
    /* The user's choices for this page. */
    bool has_other_syntax, shows_bytes, by_process;
    uint64_t folds[TUI_PAGE_FOLDS]; /* brackets whose state was toggled */
    unsigned num_folds;
    unsigned lanes_at; /* in a ladder: how many of the busiest lanes were skipped */
    bool has_more_lanes; /* than fit */
    bool is_open, is_cut; /* is_cut: lines are missing: too many, or memory ran out */
    size_t top;           /* in lines of the screen */
    size_t num_shown, room; /* lines of the screen when it was last drawn, and how many fit */
};

/* tui_page_begin empties a page, except for the user's position and choices. */
void tui_page_begin(struct tui_page *page, const char *title);

/* These append a line. One that is too wide continues in the next. */
void tui_page_line(struct tui_page *page, enum style style, unsigned indent, const char *text);
void tui_page_printf(struct tui_page *page, enum style style, unsigned indent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* tui_page_lead sets the page that the last line leads to. */
void tui_page_lead(struct tui_page *page, struct tui_target target);

/* tui_page_target returns the page that the selected line leads to. */
struct tui_target tui_page_target(const struct tui_page *page);

/* tui_page_turn_fold opens or closes a bracket of a term; the caller then writes the page again. */
void tui_page_turn_fold(struct tui_page *page, uint64_t bracket);
bool tui_page_is_turned(const struct tui_page *page, uint64_t bracket);

void tui_page_draw(struct tui_page *page, struct cells *cells, struct area area);

/* tui_page_request scrolls. False: a page does not answer this request. */
bool tui_page_request(struct tui_page *page, enum tui_request request);

/* tui_page_click selects the line of the page in a row of the screen. False: it leads nowhere. */
bool tui_page_click(struct tui_page *page, unsigned row);

/* tui_page_search goes to the next line, or the one before, that contains a text, from the first line
 * on if none follows; is_first: the present line counts, too. *wrapped: it began again. False: no
 * line contains it. */
bool tui_page_search(struct tui_page *page, const char *text, bool is_back, bool is_first, bool *wrapped);

/* tui_page_print appends the page as text. */
void tui_page_print(const struct tui_page *page, struct ds_buffer *out);

void tui_page_free(struct tui_page *page);

#endif
