/*
 * tui_page.h - lines of text that are opened over a view, and scroll: what is behind a row, the help.
 */
#ifndef SRC_TUI_PAGE_H
#define SRC_TUI_PAGE_H

#include "ui/tui/cells.h"
#include "ui/tui/requests.h"

enum { TUI_PAGE_LINES = 16384 };

struct tui_page {
    char title[128];
    struct ds_buffer text;
    struct tui_page_line {
        size_t at;
        uint32_t len;
        uint8_t style, indent, hang; /* columns before it, and so many more where it goes on */
    } *lines;
    size_t num, cap;
    unsigned hang; /* of the lines that are added from now on */
    bool is_open, is_cut; /* is_cut: there was no room for more lines, or no memory */
    size_t top;           /* in lines of the screen */
    size_t num_shown, room; /* lines of the screen when it was drawn last, and how many there is room for */
};

/* tui_page_begin opens a page, of which nothing is left. */
void tui_page_begin(struct tui_page *page, const char *title);

/* These append a line. One that is too wide goes on in the next. */
void tui_page_line(struct tui_page *page, enum style style, unsigned indent, const char *text);
void tui_page_printf(struct tui_page *page, enum style style, unsigned indent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void tui_page_draw(struct tui_page *page, struct cells *cells, struct area area);

/* tui_page_request scrolls. False: it is nothing for a page. */
bool tui_page_request(struct tui_page *page, enum tui_request request);

void tui_page_free(struct tui_page *page);

#endif
