/*
 * tui_page.c - see tui_page.h.
 */
#include "ui/tui/tui_page.h"

#include "core/character.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tui_page_begin(struct tui_page *page, const char *title)
{
    snprintf(page->title, sizeof page->title, "%s", title);
    page->num = 0;
    page->text.len = 0;
    if (page->text.failed)
        ds_buffer_free(&page->text);
    page->top = 0;
    page->hang = 0;
    page->is_open = true;
    page->is_cut = false;
}

void tui_page_line(struct tui_page *page, enum style style, unsigned indent, const char *text)
{
    const size_t len = strlen(text);
    if (page->num == page->cap) {
        const size_t cap = page->cap != 0 ? 2 * page->cap : 64;
        struct tui_page_line *lines =
            cap > TUI_PAGE_LINES ? NULL : realloc(page->lines, cap * sizeof *lines);
        if (lines == NULL) {
            page->is_cut = true;
            return;
        }
        page->lines = lines;
        page->cap = cap;
    }
    const size_t at = page->text.len;
    ds_buffer_add(&page->text, text, len);
    if (page->text.failed) {
        page->is_cut = true;
        return;
    }
    page->lines[page->num++] = (struct tui_page_line){
        at, (uint32_t)len, (uint8_t)style, (uint8_t)indent, (uint8_t)page->hang};
}

void tui_page_printf(struct tui_page *page, enum style style, unsigned indent, const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    tui_page_line(page, style, indent, line);
}

/* fits returns how much of a text has room in so many columns, broken at a blank where there is one. */
static size_t fits(const struct cells *cells, struct ds_text text, unsigned columns)
{
    size_t len = 0, blank = 0;
    unsigned taken = 0;
    while (len < text.len) {
        size_t more = 1;
        while (len + more < text.len && !character_begins(text.data[len + more]))
            more++;
        taken += cells_width(cells, (struct ds_text){text.data + len, more});
        if (taken > columns)
            return blank != 0 ? blank : len != 0 ? len : more;
        len += more;
        if (len < text.len && text.data[len] == ' ')
            blank = len;
    }
    return len;
}

void tui_page_draw(struct tui_page *page, struct cells *cells, struct area area)
{
    size_t number = 0; /* of the line on the screen */
    page->room = area.rows;
    for (size_t i = 0; i < page->num; i++) {
        const struct tui_page_line *line = &page->lines[i];
        unsigned indent = line->indent < area.columns / 2 ? line->indent : 0;
        struct ds_text rest = {line->len != 0 ? page->text.data + line->at : "", line->len};
        do {
            const size_t len = fits(cells, rest, area.columns - indent);
            if (number >= page->top && number - page->top < area.rows)
                cells_put(cells, area.row + (unsigned)(number - page->top), area.column + indent,
                          area.columns - indent, line->style, (struct ds_text){rest.data, len});
            rest.data += len;
            rest.len -= len;
            if (rest.len != 0 && rest.data[0] == ' ') {
                rest.data++;
                rest.len--;
            }
            if (indent == line->indent && line->indent + line->hang < area.columns / 2)
                indent += line->hang;
            number++;
        } while (rest.len != 0);
    }
    page->num_shown = number;
}

bool tui_page_request(struct tui_page *page, enum tui_request request)
{
    const size_t last = page->num_shown > page->room ? page->num_shown - page->room : 0;
    const size_t step = page->room > 1 ? page->room - 1 : 1;
    size_t top = page->top;
    switch (request) {
    case REQUEST_UP:
        top = top != 0 ? top - 1 : 0;
        break;
    case REQUEST_DOWN:
        top++;
        break;
    case REQUEST_PAGE_UP:
        top = top > step ? top - step : 0;
        break;
    case REQUEST_PAGE_DOWN:
        top += step;
        break;
    case REQUEST_FIRST:
        top = 0;
        break;
    case REQUEST_LAST:
        top = last;
        break;
    default:
        return false;
    }
    page->top = top < last ? top : last;
    return true;
}

void tui_page_free(struct tui_page *page)
{
    ds_buffer_free(&page->text);
    free(page->lines);
    page->lines = NULL;
    page->num = page->cap = 0;
}
