/*
 * tui_help.c - see tui_help.h. Its text comes from the tables: views.def, requests.def,
 * edit_keys.def.
 */
#include "ui/tui/tui_help.h"

#include "ui/tui/tui_line.h"
#include "ui/tui/tui_view.h"

enum { HELP_HANG = 14 };

static const char *where_text(enum request_where where)
{
    static const char *const texts[] = {
        [REQUEST_ANY] = "Everywhere",
        [REQUEST_MOVE] = "Where something scrolls",
        [REQUEST_ROW] = "Where a row is selected",
        [REQUEST_TABLE] = "In a table",
        [REQUEST_RECORDS] = "Which messages and calls are shown",
        [REQUEST_PAGE] = "On the page of a message, or a ladder",
        [REQUEST_TEXT] = "On every page",
        [REQUEST_FOUND] = "On a page that was searched",
        [REQUEST_LIVE] = "While packets come",
    };
    return texts[where];
}

static void help_on_views(struct tui_page *page)
{
    tui_page_line(page, STYLE_STRONG, 0, "Views");
    for (unsigned i = 0; i < TUI_VIEW_COUNT; i++)
        tui_page_printf(page, STYLE_PLAIN, 2, "%u  %-10s %s", i + 1, tui_views[i].name,
                        tui_views[i].what);
}

static void help_on_requests(struct tui_page *page, enum request_where where)
{
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_line(page, STYLE_STRONG, 0, where_text(where));
    for (enum tui_request i = REQUEST_NONE + 1; i < REQUEST_COUNT; i++) {
        const struct request_line *line = &request_lines[i];
        char key[KEY_NAME_LEN], other[KEY_NAME_LEN] = "";
        if (line->where != where)
            continue;
        request_key_name(line->key, key);
        if (line->other != TUI_NO_KEY)
            request_key_name(line->other, other);
        tui_page_printf(page, STYLE_PLAIN, 2, "%-10s %-10s %s", key, other, line->help);
    }
}

static void help_on_typing(struct tui_page *page)
{
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_line(page, STYLE_STRONG, 0, "While a line is typed");
    for (enum line_key i = LINE_TYPED + 1; i < LINE_KEY_COUNT; i++) {
        char key[KEY_NAME_LEN], other[KEY_NAME_LEN] = "";
        request_key_name(line_keys[i].key, key);
        if (line_keys[i].other != TUI_NO_KEY)
            request_key_name(line_keys[i].other, other);
        tui_page_printf(page, STYLE_PLAIN, 2, "%-10s %-10s %s", key, other, line_keys[i].help);
    }
}

void tui_help_write(struct tui_page *page)
{
    static const enum request_where order[] = {REQUEST_ROW,   REQUEST_RECORDS, REQUEST_PAGE,
                                               REQUEST_TEXT,  REQUEST_FOUND,   REQUEST_TABLE,
                                               REQUEST_MOVE,  REQUEST_ANY,     REQUEST_LIVE};
    tui_page_begin(page, "keys");
    page->hang = HELP_HANG;
    help_on_views(page);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        help_on_requests(page, order[i]);
    help_on_typing(page);
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_line(page, STYLE_STRONG, 0, "With the mouse");
    tui_page_line(page, STYLE_PLAIN, 2,
                  "a click selects a row, a view, a key below or a column to sort by; a double one opens");
    tui_page_line(page, STYLE_PLAIN, 2, "the wheel moves as Up and Down do");
}
