/*
 * tui_page.h - lines of text that are opened over a view, and scroll: what is behind a row, the help.
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
        uint8_t style, indent, hang; /* columns before it, and so many more where it goes on */
        bool is_cut;                 /* it does not go on */
        uint32_t shown_at;           /* its first line of the screen, when it was drawn last */
        struct tui_target target;    /* what it leads to */
    } *lines;
    size_t num, cap;
    unsigned hang; /* of the lines that are added from now on */
    bool cuts;     /* those lines are cut where they have no room, and do not go on */
    bool leads;    /* some line leads somewhere: then one is selected */
    size_t selected;
    unsigned num_sticky; /* lines at its top that do not scroll, each a line of the screen */
    struct tui_target self; /* what it is the page of */
    /* What the user has chosen for this page. */
    bool has_other_syntax, shows_bytes, by_process;
    uint64_t folds[TUI_PAGE_FOLDS]; /* brackets that are open where they would be closed, or closed */
    unsigned num_folds;
    unsigned lanes_at; /* of a ladder: so many of the busiest lanes were passed over */
    bool has_more_lanes; /* than there is room for */
    bool is_open, is_cut; /* is_cut: there was no room for more lines, or no memory */
    size_t top;           /* in lines of the screen */
    size_t num_shown, room; /* lines of the screen when it was drawn last, and how many there is room for */
};

/* tui_page_begin opens a page, of which nothing is left but where the user was, and what was chosen. */
void tui_page_begin(struct tui_page *page, const char *title);

/* These append a line. One that is too wide goes on in the next. */
void tui_page_line(struct tui_page *page, enum style style, unsigned indent, const char *text);
void tui_page_printf(struct tui_page *page, enum style style, unsigned indent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* tui_page_lead has the line that was added last lead somewhere. */
void tui_page_lead(struct tui_page *page, struct tui_target target);

/* tui_page_target returns what the selected line leads to. */
struct tui_target tui_page_target(const struct tui_page *page);

/* tui_page_turn_fold opens or closes a bracket of a term; the page is to be written again. */
void tui_page_turn_fold(struct tui_page *page, uint64_t bracket);
bool tui_page_is_turned(const struct tui_page *page, uint64_t bracket);

void tui_page_draw(struct tui_page *page, struct cells *cells, struct area area);

/* tui_page_request scrolls. False: it is nothing for a page. */
bool tui_page_request(struct tui_page *page, enum tui_request request);

/* tui_page_click selects what stands in a row of the page on the screen. False: nothing there leads
 * anywhere. */
bool tui_page_click(struct tui_page *page, unsigned row);

/* tui_page_print appends the page as text. */
void tui_page_print(const struct tui_page *page, struct ds_buffer *out);

void tui_page_free(struct tui_page *page);

#endif
