/*
 * tui_page.c - see tui_page.h.
 */
#include "ui/tui/tui_page.h"

#include "core/character.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void tui_page_begin(struct tui_page *page, const char *title)
{
    snprintf(page->title, sizeof page->title, "%s", title);
    page->num = 0;
    page->text.len = 0;
    if (page->text.failed)
        ds_buffer_free(&page->text);
    page->hang = 0;
    page->cuts = false;
    page->leads = false;
    page->num_sticky = 0;
    page->has_more_lanes = false;
    page->is_open = true;
    page->is_cut = false;
    page->has_found = false;
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
    page->lines[page->num++] = (struct tui_page_line){.at = at,
                                                      .len = (uint32_t)len,
                                                      .style = (uint8_t)style,
                                                      .indent = (uint8_t)indent,
                                                      .hang = (uint8_t)page->hang,
                                                      .is_cut = page->cuts};
}

void tui_page_lead(struct tui_page *page, struct tui_target target)
{
    if (page->num == 0 || page->is_cut)
        return;
    page->lines[page->num - 1].target = target;
    if (target.kind == TARGET_NONE)
        return;
    if (!page->leads && page->selected == 0)
        page->selected = page->num - 1;
    page->leads = true;
}

struct tui_target tui_page_target(const struct tui_page *page)
{
    return page->leads && page->selected < page->num ? page->lines[page->selected].target
                                                     : (struct tui_target){0};
}

bool tui_page_is_turned(const struct tui_page *page, uint64_t bracket)
{
    for (unsigned i = 0; i < page->num_folds; i++) {
        if (page->folds[i] == bracket)
            return true;
    }
    return false;
}

void tui_page_turn_fold(struct tui_page *page, uint64_t bracket)
{
    for (unsigned i = 0; i < page->num_folds; i++) {
        if (page->folds[i] == bracket) {
            page->folds[i] = page->folds[--page->num_folds];
            return;
        }
    }
    if (page->num_folds < TUI_PAGE_FOLDS)
        page->folds[page->num_folds++] = bracket;
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

/* is_plain says whether every byte is one column wide. */
static bool is_plain(const char *text, size_t len)
{
    size_t i = 0;
    while (i < len && text[i] >= ' ' && text[i] < 0x7F)
        i++;
    return i == len;
}

/* fits_plain is fits for text with one column per byte. */
static size_t fits_plain(struct ds_text text, unsigned columns)
{
    size_t len = columns;
    if (text.len <= columns)
        return text.len;
    while (len != 0 && text.data[len] != ' ')
        len--;
    return len != 0 ? len : columns != 0 ? columns : 1;
}

/* fits returns how much of a text fits into this many columns, broken at a blank if there is one. */
static size_t fits(const struct cells *cells, struct ds_text text, unsigned columns)
{
    size_t len = 0, blank = 0;
    unsigned taken = 0;
    if (is_plain(text.data, text.len < columns + 1 ? text.len : columns + 1))
        return fits_plain(text, columns);
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

/* is_marked says whether a mark shows that a line leads to another page. In a ladder all lines do,
 * unmarked. */
static bool is_marked(const struct tui_page *page, const struct tui_page_line *line)
{
    return page->num_sticky == 0 && line->target.kind != TARGET_NONE && line->target.kind != TARGET_FOLD;
}

/* draw_line draws a line of the page, whose first line on the screen is at, and returns how many
 * lines of the screen it needs. */
static size_t draw_line(const struct tui_page *page, const struct tui_page_line *line, size_t at,
                        struct cells *cells, struct area area, bool is_selected)
{
    unsigned indent = line->indent < area.columns / 2 ? line->indent : 0;
    struct ds_text rest = {line->len != 0 ? page->text.data + line->at : "", line->len};
    size_t num = 0;
    do {
        const size_t len = line->is_cut ? rest.len : fits(cells, rest, area.columns - indent);
        if (at + num >= page->top && at + num - page->top < area.rows) {
            const unsigned row = area.row + (unsigned)(at + num - page->top);
            cells_put(cells, row, area.column + indent, area.columns - indent, line->style,
                      (struct ds_text){rest.data, len});
            if (num == 0 && area.column != 0 && is_marked(page, line))
                cells_fill(cells, row, area.column - 1, 1, STYLE_NAME, 0x203A, '>');
            if (is_selected)
                cells_paint(cells, row, area.column, area.columns, STYLE_SELECTED);
        }
        rest.data += len;
        rest.len -= len;
        if (rest.len != 0 && rest.data[0] == ' ') {
            rest.data++;
            rest.len--;
        }
        if (num == 0 && line->indent + line->hang < area.columns / 2)
            indent += line->hang;
        num++;
    } while (rest.len != 0);
    return num;
}

void tui_page_draw(struct tui_page *page, struct cells *cells, struct area area)
{
    size_t at = 0;
    for (size_t i = 0; i < page->num_sticky && i < page->num && area.rows > 1; i++) {
        const struct tui_page_line *line = &page->lines[i];
        cells_put(cells, area.row, area.column, area.columns, line->style,
                  (struct ds_text){line->len != 0 ? page->text.data + line->at : "", line->len});
        area.row++;
        area.rows--;
    }
    page->room = area.rows;
    for (size_t i = page->num_sticky; i < page->num; i++) {
        page->lines[i].shown_at = (uint32_t)at;
        at += draw_line(page, &page->lines[i], at, cells, area,
                        page->leads ? i == page->selected : page->has_found && i == page->found);
    }
    page->num_shown = at;
}

/* bring_into_view scrolls until a line is on the screen. */
static void bring_into_view(struct tui_page *page, size_t line)
{
    const size_t at = line < page->num ? page->lines[line].shown_at : 0;
    if (at < page->top)
        page->top = at;
    else if (page->room != 0 && at >= page->top + page->room)
        page->top = at - page->room + 1;
}

/* select_near selects the line of the page that is nearest to a line of the screen. */
static void select_near(struct tui_page *page, size_t at)
{
    size_t i = page->num_sticky;
    while (i + 1 < page->num && page->lines[i + 1].shown_at <= at)
        i++;
    page->selected = i;
}

/* select_leading selects the next line that leads to a page, cyclically. */
static void select_leading(struct tui_page *page, bool is_back)
{
    for (size_t i = 1; i <= page->num; i++) {
        const size_t at = (page->selected + (is_back ? page->num - i : i)) % page->num;
        if (at >= page->num_sticky && page->lines[at].target.kind != TARGET_NONE) {
            page->selected = at;
            return;
        }
    }
}

/* move_selected moves the selection on a page with lines that lead to pages. */
static bool move_selected(struct tui_page *page, enum tui_request request)
{
    const size_t last = page->num != 0 ? page->num - 1 : 0, step = page->room > 1 ? page->room - 1 : 1;
    const size_t at = page->selected < page->num ? page->lines[page->selected].shown_at : 0;
    switch (request) {
    case REQUEST_UP:
        page->selected -= page->selected > page->num_sticky;
        break;
    case REQUEST_DOWN:
        page->selected += page->selected < last;
        break;
    case REQUEST_PAGE_UP:
        select_near(page, at > step ? at - step : 0);
        break;
    case REQUEST_PAGE_DOWN:
        select_near(page, at + step);
        break;
    case REQUEST_FIRST:
        page->selected = page->num_sticky;
        break;
    case REQUEST_LAST:
        page->selected = last;
        break;
    case REQUEST_NEXT_PART:
    case REQUEST_PREVIOUS_PART:
        select_leading(page, request == REQUEST_PREVIOUS_PART);
        break;
    default:
        return false;
    }
    bring_into_view(page, page->selected);
    return true;
}

static bool scroll(struct tui_page *page, enum tui_request request)
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

bool tui_page_request(struct tui_page *page, enum tui_request request)
{
    return page->leads ? move_selected(page, request) : scroll(page, request);
}

bool tui_page_click(struct tui_page *page, unsigned row)
{
    if (!page->leads || page->top + row >= page->num_shown)
        return false;
    select_near(page, page->top + row);
    return true;
}

/* contains says whether a line contains a text. Capitals count if the text has any. */
static bool contains(const struct tui_page *page, const struct tui_page_line *line, const char *text)
{
    const size_t len = strlen(text);
    const char *at = page->text.data + line->at;
    bool has_capitals = false;
    for (const char *c = text; *c != '\0'; c++)
        has_capitals = has_capitals || (*c >= 'A' && *c <= 'Z');
    for (size_t i = 0; i + len <= line->len && line->len != 0; i++) {
        if (has_capitals ? memcmp(at + i, text, len) == 0 : strncasecmp(at + i, text, len) == 0)
            return true;
    }
    return false;
}

/* line_at returns the line that a search begins at: the selected one, the one found last, or the
 * uppermost on the screen. */
static size_t line_at(const struct tui_page *page)
{
    size_t i = page->num_sticky;
    if (page->leads && page->selected < page->num)
        return page->selected;
    if (page->has_found && page->found < page->num)
        return page->found;
    while (i + 1 < page->num && page->lines[i + 1].shown_at <= page->top)
        i++;
    return i;
}

bool tui_page_search(struct tui_page *page, const char *text, bool is_back, bool is_first, bool *wrapped)
{
    if (page->num == 0)
        return false;
    const size_t from = line_at(page), step = is_back ? page->num - 1 : 1;
    size_t at = (is_first ? from : from + step) % page->num;
    for (size_t i = 0; i < page->num; i++, at = (at + step) % page->num) {
        if (at < page->num_sticky || !contains(page, &page->lines[at], text))
            continue;
        *wrapped = is_first ? at < from : is_back ? at >= from : at <= from;
        page->has_found = true;
        page->found = at;
        page->selected = page->leads ? at : page->selected;
        bring_into_view(page, at);
        return true;
    }
    return false;
}

void tui_page_print(const struct tui_page *page, struct ds_buffer *out)
{
    for (size_t i = 0; i < page->num; i++) {
        const struct tui_page_line *line = &page->lines[i];
        if (line->len != 0) {
            ds_buffer_printf(out, "%*s", (int)line->indent, "");
            ds_buffer_add(out, page->text.data + line->at, line->len);
        }
        ds_buffer_add(out, "\n", 1);
    }
}

void tui_page_free(struct tui_page *page)
{
    ds_buffer_free(&page->text);
    free(page->lines);
    *page = (struct tui_page){0};
}
