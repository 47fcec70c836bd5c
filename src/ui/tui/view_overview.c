/*
 * view_overview.c - all of it at a glance: what is wrong, the links, the slowest kinds of calls, the
 * busiest processes. What has no room is in the view of its own.
 */
#include "ui/tui/tui_findings.h"
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_links.h"
#include "ui/tui/tui_processes.h"
#include "ui/tui/tui_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS = 4, WIDE = 110 };

enum { CALL_WHAT, CALL_COUNT, CALL_MIDDLE, CALL_SLOW, CALL_FAILED };
static const struct tui_column call_columns[] = {
    [CALL_WHAT] = {.title = "CALLS, BY WHO SERVES THEM", .least = 26, .most = 60},
    [CALL_COUNT] = {.title = "CALLS", .is_number = true, .least = 5},
    [CALL_MIDDLE] = {.title = "p50", .is_number = true, .least = 7},
    [CALL_SLOW] = {.title = "p99", .is_number = true, .least = 7},
    [CALL_FAILED] = {.title = "FAILED", .is_number = true, .least = 6},
    {.title = NULL},
};

static uint64_t call_id(const cJSON *kind)
{
    return tui_id(told_text(kind, "what"));
}

static enum style call_style(const struct tui_facts *facts, const cJSON *kind)
{
    (void)facts;
    return told_number(kind, "errors") != 0 ? STYLE_WARNING : STYLE_PLAIN; /* with those that timed out */
}

static void put_call(struct tui_table *table, const struct tui_facts *facts, const cJSON *kind)
{
    const uint64_t failed = told_number(kind, "errors");
    (void)facts;
    tui_table_put(table, CALL_WHAT, told_text(kind, "what"));
    const int64_t calls = told_signed(kind, "calls");
    const int64_t middle = told_signed(kind, "p50"), slow = told_signed(kind, "p99");
    tui_table_put_number(table, CALL_COUNT, calls, tui_count((uint64_t)calls).text);
    tui_table_put_number(table, CALL_MIDDLE, middle, tui_span(middle).text);
    tui_table_put_number(table, CALL_SLOW, slow, tui_span(slow).text);
    tui_table_put_number(table, CALL_FAILED, (int64_t)failed, tui_count(failed).text);
}

static const struct tui_list_kind call_list = {
    .columns = call_columns,
    .sort_column = CALL_SLOW,
    .book = BOOK_LATENCY,
    .rows = "callee",
    .what = "callees",
    .id = call_id,
    .style = call_style,
    .put = put_call,
};

struct overview {
    struct tui_list links, calls, processes;
    struct area links_at; /* where they were drawn last */
};

static void *open_view(void)
{
    struct overview *view = calloc(1, sizeof *view);
    if (view == NULL)
        return NULL;
    tui_list_init(&view->links, &link_list);
    tui_list_init(&view->calls, &call_list);
    tui_list_init(&view->processes, &process_list);
    return view;
}

static void close_view(void *state)
{
    struct overview *view = state;
    tui_list_free(&view->links);
    tui_list_free(&view->calls);
    tui_list_free(&view->processes);
    free(view);
}

static void update(void *state, const struct tui_facts *facts)
{
    struct overview *view = state;
    tui_list_fill(&view->links, facts);
    tui_list_fill(&view->calls, facts);
    tui_list_fill(&view->processes, facts);
}

/* draw_findings writes the first findings, a line each, and returns how many lines it took. */
static unsigned draw_findings(const struct tui_facts *facts, struct cells *cells, struct area area)
{
    const cJSON *doctor = facts->snapshot.book[BOOK_DOCTOR];
    unsigned row = 0;
    const cJSON *found = told_list(doctor, "found");
    for (; found != NULL && row < FINDINGS; found = found->next) {
        const char *severity = told_text(found, "severity"), *code = told_text(found, "code");
        char head[64];
        const bool is_down = strcmp(severity, "down") == 0;
        if ((code[0] == '\0' && !is_down) || told_number(found, "aside") != 0)
            continue;
        const int len = snprintf(head, sizeof head, "%s%s%s%s ", severity, is_down ? "" : " ", code,
                                 told_number(found, "past") != 0 ? " (past)" : "");
        const unsigned at = cells_put(cells, area.row + row, area.column, area.columns,
                                      finding_style(severity),
                                      (struct ds_text){head, (size_t)len});
        cells_put_string(cells, area.row + row, area.column + at, area.columns - at, STYLE_PLAIN,
                         told_text(found, "sentence"));
        row++;
    }
    if (row == 0) {
        /* The doctor's own words: they say no more than what could be seen and read. */
        cells_put_string(cells, area.row, area.column, area.columns, STYLE_GOOD,
                         told_text(doctor, "verdict"));
        row++;
    }
    return row;
}

static struct area part(struct area area, unsigned row, unsigned rows)
{
    area.row += row;
    area.rows = row < area.rows ? area.rows - row : 0;
    area.rows = rows < area.rows ? rows : area.rows;
    return area;
}

static void draw(void *state, const struct tui_facts *facts, struct cells *cells, struct area area)
{
    struct overview *view = state;
    const unsigned at = draw_findings(facts, cells, area) + 1;
    const unsigned rest = area.rows > at ? area.rows - at : 0;
    const bool is_wide = area.columns >= WIDE;
    /* The links have half of the rows, less where they are few. */
    unsigned links = is_wide ? rest / 2 : rest * 2 / 5;
    if (view->links.table.num + 1 < links)
        links = (unsigned)view->links.table.num + 1;
    view->links_at = part(area, at, links);
    tui_list_draw_part(&view->links, cells, view->links_at, true);
    struct area below = part(area, at + links + 1, area.rows);
    struct area left = below, right = below;
    if (is_wide) {
        left.columns = area.columns * 3 / 5;
        right.column += left.columns + 2;
        right.columns -= left.columns + 2;
    } else {
        left.rows = below.rows / 2;
        if (view->calls.table.num + 1 < left.rows)
            left.rows = (unsigned)view->calls.table.num + 1;
        right = part(below, left.rows + 1, below.rows);
    }
    tui_list_draw_part(&view->calls, cells, left, false);
    tui_list_draw_part(&view->processes, cells, right, false);
}

static bool request(void *state, const struct tui_facts *facts, enum tui_request request,
                    struct tui_page *page)
{
    struct overview *view = state;
    return tui_list_request(&view->links, facts, request, page);
}

static struct tui_target selected(const void *state, const struct tui_facts *facts)
{
    const struct overview *view = state;
    return tui_list_target(&view->links, facts);
}

static bool click(void *state, const struct tui_facts *facts, struct area area, unsigned row,
                  unsigned column)
{
    struct overview *view = state;
    (void)facts;
    (void)area;
    return tui_table_click(&view->links.table, view->links_at, row, column);
}

const struct tui_view view_overview = {
    .books = BOOK_BIT(DOCTOR) | BOOK_BIT(LINKS) | BOOK_BIT(LATENCY) | BOOK_BIT(TOP),
    .is_table = true,
    .open = open_view,
    .close = close_view,
    .update = update,
    .draw = draw,
    .request = request,
    .selected = selected,
    .click = click,
};
