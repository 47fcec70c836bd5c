/*
 * view_messages.c - messages and other events, one line each, as text output has them: those that
 * match the filter. In a live capture the list follows the latest one until the user moves in it.
 */
#include "core/clock.h"
#include "ui/tui/tui_filter.h"
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_index.h"
#include "ui/tui/tui_record.h"
#include "ui/tui/tui_view.h"
#include "ui/tui/view_messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUDGET = 20000 }; /* records per update: some milliseconds */

struct messages {
    struct tui_index index;
    unsigned generation; /* of the filter */
    bool follows, is_busy;
    uint64_t selected; /* number of the record; 0: none is selected */
    size_t top, shown; /* as last drawn */
};

static void *open_view(void)
{
    return calloc(1, sizeof(struct messages));
}

static void close_view(void *state)
{
    struct messages *view = state;
    tui_index_free(&view->index);
    free(view);
}

static bool is_picked(const void *context, const struct record *record, uint64_t number)
{
    const struct tui_facts *facts = context;
    (void)number;
    return tui_record_is_listed(record) && tui_filter_accepts(facts->filter, record);
}

static size_t last_of(const struct messages *view)
{
    return view->index.num != 0 ? view->index.num - 1 : 0;
}

static size_t place_of(const struct messages *view)
{
    const size_t at = tui_index_find(&view->index, view->selected);
    return at < view->index.num ? at : last_of(view);
}

static void update(void *state, const struct tui_facts *facts)
{
    struct messages *view = state;
    if (view->generation != facts->filter->generation) {
        tui_index_clear(&view->index);
        view->generation = facts->filter->generation;
    }
    if (view->selected == 0)
        view->follows = facts->is_live;
    view->is_busy = !tui_index_follow(&view->index, &facts->records, is_picked, facts, BUDGET,
                                      clock_now_ns() + TUI_UPDATE_NS);
    if (view->follows)
        view->selected = tui_index_get(&view->index, last_of(view));
    else if (view->selected == 0)
        view->selected = tui_index_get(&view->index, 0);
}

const struct tui_index *view_messages_index(const void *state)
{
    const struct messages *view = state;
    return &view->index;
}

void view_messages_go(void *state, const struct tui_facts *facts, int64_t ns)
{
    struct messages *view = state;
    struct record_view at = {0};
    size_t place = 0;
    for (; place < last_of(view); place++) { /* times from several capture points may be out of order */
        const struct record *record =
            store_look_get(&facts->records, tui_index_get(&view->index, place), &at);
        if (record != NULL && record_time(record) >= ns)
            break;
    }
    view->follows = false;
    view->selected = tui_index_get(&view->index, place);
    view->top = place; /* so that the records after it are on the screen */
}

static bool is_busy(const void *state)
{
    const struct messages *view = state;
    return view->is_busy;
}

static void scroll(struct messages *view, size_t rows)
{
    const size_t at = place_of(view);
    view->shown = rows;
    if (at < view->top)
        view->top = at;
    else if (at >= view->top + rows)
        view->top = at - rows + 1;
    if (view->top + rows > view->index.num)
        view->top = view->index.num > rows ? view->index.num - rows : 0;
}

static void draw_title(const struct messages *view, const struct tui_facts *facts, struct cells *cells,
                       struct area area)
{
    char right[160], slow[64] = "";
    const char *how = view->is_busy   ? "looking"
                      : view->follows ? "following the latest"
                      : facts->is_live && !facts->has_ended ? "held: End follows"
                                                            : "";
    if (facts->filter->num_given_up != 0)
        snprintf(slow, sizeof slow, "%s took too long to search, ",
                 tui_count(facts->filter->num_given_up).text);
    const int len = snprintf(right, sizeof right, "%s%s%s%zu of %zu", how, how[0] != '\0' ? ", " : "", slow,
                             view->index.num != 0 ? place_of(view) + 1 : 0, view->index.num);
    cells_fill(cells, area.row, area.column, area.columns, STYLE_TITLE, ' ', ' ');
    cells_put_string(cells, area.row, area.column, area.columns, STYLE_TITLE,
                     "  TIME             MESSAGES AND EVENTS");
    if ((unsigned)len + 40 < area.columns)
        cells_put_right(cells, area.row, area.column, area.columns, STYLE_TITLE,
                        (struct ds_text){right, (size_t)len});
}

static void draw_record(const struct tui_facts *facts, struct cells *cells, struct area line,
                        uint64_t number)
{
    struct record_view view = {0};
    struct ds_buffer text = {0};
    const struct record *record = store_look_get(&facts->records, number, &view);
    if (record == NULL)
        return;
    if (tui_is_marked(facts->marks, number))
        cells_put_string(cells, line.row, line.column, 1, STYLE_STRONG, "*");
    tui_record_print_fit(facts, record, line.columns - 2, &text);
    if (text.len != 0)
        cells_put(cells, line.row, line.column + 2, line.columns - 2, tui_record_style(record),
                  (struct ds_text){text.data, text.len});
    ds_buffer_free(&text);
}

static void draw_nothing(const struct messages *view, const struct tui_facts *facts, struct cells *cells,
                         struct area area)
{
    char text[96];
    if (view->is_busy)
        snprintf(text, sizeof text, "none of those that have been looked at");
    else if (tui_filter_is_on(facts->filter))
        snprintf(text, sizeof text, "the filter takes none of the %" PRIu64 " that are kept",
                 facts->records.end - facts->records.first);
    else
        snprintf(text, sizeof text, "none so far");
    cells_put_string(cells, area.row + 1, area.column + 2, area.columns, STYLE_DIM, text);
}

static void draw(void *state, const struct tui_facts *facts, struct cells *cells, struct area area)
{
    struct messages *view = state;
    if (area.rows < 2 || area.columns < 4)
        return;
    scroll(view, area.rows - 1);
    draw_title(view, facts, cells, area);
    for (size_t i = 0; i < area.rows - 1 && view->top + i < view->index.num; i++) {
        struct area line = area;
        line.row += 1 + (unsigned)i;
        draw_record(facts, cells, line, tui_index_get(&view->index, view->top + i));
        if (view->top + i == place_of(view))
            cells_paint(cells, line.row, area.column, area.columns, STYLE_SELECTED);
    }
    if (view->index.num == 0)
        draw_nothing(view, facts, cells, area);
}

static bool request(void *state, const struct tui_facts *facts, enum tui_request request,
                    struct tui_page *page)
{
    struct messages *view = state;
    const size_t at = place_of(view), last = last_of(view), step = view->shown > 1 ? view->shown - 1 : 1;
    size_t to = at;
    (void)facts;
    (void)page;
    switch (request) {
    case REQUEST_UP:
        to = at != 0 ? at - 1 : 0;
        break;
    case REQUEST_DOWN:
        to = at < last ? at + 1 : last;
        break;
    case REQUEST_PAGE_UP:
        to = at > step ? at - step : 0;
        break;
    case REQUEST_PAGE_DOWN:
        to = last - at > step ? at + step : last;
        break;
    case REQUEST_FIRST:
        to = 0;
        break;
    case REQUEST_LAST:
        to = last;
        break;
    default:
        return false;
    }
    view->follows = request == REQUEST_LAST && facts->is_live;
    view->selected = tui_index_get(&view->index, to);
    return true;
}

static struct tui_target selected(const void *state, const struct tui_facts *facts)
{
    const struct messages *view = state;
    const uint64_t number = view->index.num != 0 ? tui_index_get(&view->index, place_of(view)) : 0;
    (void)facts;
    return (struct tui_target){number != 0 ? TARGET_RECORD : TARGET_NONE, number};
}

static bool click(void *state, const struct tui_facts *facts, struct area area, unsigned row,
                  unsigned column)
{
    struct messages *view = state;
    const uint64_t number = row > area.row ? tui_index_get(&view->index,
                                                           view->top + row - area.row - 1) : 0;
    (void)facts;
    (void)column;
    if (number == 0)
        return false;
    view->selected = number;
    view->follows = false;
    return true;
}

const struct tui_view view_messages = {
    .has = VIEW_HAS_FILTER,
    .open = open_view,
    .close = close_view,
    .update = update,
    .draw = draw,
    .request = request,
    .selected = selected,
    .click = click,
    .is_busy = is_busy,
};
