/*
 * view_overview.c - all of it at a glance: what is wrong, the links, the slowest kinds of calls, the
 * busiest processes. What has no room is in the view of its own.
 */
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS = 4, WIDE = 110 };

enum { LINK_FROM, LINK_TO, LINK_STATE, LINK_RATE, LINK_MESSAGES, LINK_TRIP, LINK_MINUTE };
static const struct tui_column link_columns[] = {
    [LINK_FROM] = {.title = "LINKS: FROM", .least = 12, .most = 40},
    [LINK_TO] = {.title = "TO", .least = 12, .most = 40},
    [LINK_STATE] = {.title = "STATE", .least = 7},
    [LINK_RATE] = {.title = "RATE", .is_number = true, .least = 8},
    [LINK_MESSAGES] = {.title = "MSGS", .is_number = true, .least = 5},
    [LINK_TRIP] = {.title = "RTT", .is_number = true, .least = 7, .rank = 1},
    [LINK_MINUTE] = {.title = "LAST 60 s", .least = LINK_BARS, .rank = 2},
    {.title = NULL},
};

enum { CALL_WHAT, CALL_COUNT, CALL_MIDDLE, CALL_SLOW, CALL_FAILED };
static const struct tui_column call_columns[] = {
    [CALL_WHAT] = {.title = "CALLS, BY WHO SERVES THEM", .least = 26, .most = 60},
    [CALL_COUNT] = {.title = "CALLS", .is_number = true, .least = 5},
    [CALL_MIDDLE] = {.title = "p50", .is_number = true, .least = 7},
    [CALL_SLOW] = {.title = "p99", .is_number = true, .least = 7},
    [CALL_FAILED] = {.title = "FAILED", .is_number = true, .least = 6},
    {.title = NULL},
};

enum { PROCESS_WHAT, PROCESS_IN, PROCESS_OUT };
static const struct tui_column process_columns[] = {
    [PROCESS_WHAT] = {.title = "PROCESSES", .least = 26, .most = 60},
    [PROCESS_IN] = {.title = "BYTES IN", .is_number = true, .least = 8},
    [PROCESS_OUT] = {.title = "BYTES OUT", .is_number = true, .least = 9},
    {.title = NULL},
};

struct overview {
    struct tui_table links, calls, processes;
};

static void *open_view(void)
{
    struct overview *view = calloc(1, sizeof *view);
    if (view == NULL)
        return NULL;
    tui_table_init(&view->links, link_columns, LINK_RATE);
    tui_table_init(&view->calls, call_columns, CALL_SLOW);
    tui_table_init(&view->processes, process_columns, -1);
    return view;
}

static void close_view(void *state)
{
    struct overview *view = state;
    tui_table_free(&view->links);
    tui_table_free(&view->calls);
    tui_table_free(&view->processes);
    free(view);
}

static void put_link(struct tui_table *table, const struct tui_facts *facts, const cJSON *link)
{
    const cJSON *a = link_side(link, 0), *b = link_side(link, 1);
    const uint64_t rate = link_rate(facts, link), conn = told_number(link, "conn");
    const uint64_t messages = told_number(a, "messages") + told_number(b, "messages");
    const int64_t trip_a = told_signed(a, "round_trip_p50"), trip_b = told_signed(b, "round_trip_p50");
    const int64_t trip = trip_a > trip_b ? trip_a : trip_b;
    char bars[TUI_BARS_LEN];
    if (!tui_table_add(table, conn, link_is_open(link) ? STYLE_PLAIN : STYLE_DIM))
        return;
    tui_table_put(table, LINK_FROM, told_text(a, "node"));
    tui_table_put(table, LINK_TO, told_text(b, "node"));
    tui_table_put(table, LINK_STATE, link_state(link));
    tui_table_put_number(table, LINK_RATE, link_rate_order(link, rate), tui_byte_rate(rate).text);
    tui_table_put_number(table, LINK_MESSAGES, (int64_t)messages, tui_count(messages).text);
    tui_table_put_number(table, LINK_TRIP, trip, tui_span(trip).text);
    link_bars(facts, conn, bars, sizeof bars);
    tui_table_put(table, LINK_MINUTE, bars);
}

static void put_call(struct tui_table *table, const cJSON *kind)
{
    const uint64_t failed = told_number(kind, "errors"); /* with those that timed out */
    const char *what = told_text(kind, "what");
    if (!tui_table_add(table, tui_id(what), failed != 0 ? STYLE_WARNING : STYLE_PLAIN))
        return;
    tui_table_put(table, CALL_WHAT, what);
    const int64_t calls = told_signed(kind, "calls");
    const int64_t middle = told_signed(kind, "p50"), slow = told_signed(kind, "p99");
    tui_table_put_number(table, CALL_COUNT, calls, tui_count((uint64_t)calls).text);
    tui_table_put_number(table, CALL_MIDDLE, middle, tui_span(middle).text);
    tui_table_put_number(table, CALL_SLOW, slow, tui_span(slow).text);
    tui_table_put_number(table, CALL_FAILED, (int64_t)failed, tui_count(failed).text);
}

static void put_process(struct tui_table *table, const cJSON *process)
{
    const char *what = told_text(process, "what");
    const uint64_t in = told_number(process, "in_bytes"), out = told_number(process, "out_bytes");
    if (!tui_table_add(table, tui_id(what), STYLE_PLAIN))
        return;
    tui_table_put(table, PROCESS_WHAT, what);
    tui_table_put_number(table, PROCESS_IN, (int64_t)in, tui_bytes(in).text);
    tui_table_put_number(table, PROCESS_OUT, (int64_t)out, tui_bytes(out).text);
}

static void update(void *state, const struct tui_facts *facts)
{
    struct overview *view = state;
    const struct snapshot *snapshot = &facts->snapshot;
    tui_table_begin(&view->links);
    for (const cJSON *row = told_list(snapshot->book[BOOK_LINKS], "rows"); row != NULL; row = row->next)
        put_link(&view->links, facts, row);
    tui_table_end(&view->links);
    tui_table_begin(&view->calls);
    for (const cJSON *row = told_list(snapshot->book[BOOK_LATENCY], "callee"); row != NULL; row = row->next)
        put_call(&view->calls, row);
    tui_table_end(&view->calls);
    tui_table_begin(&view->processes);
    for (const cJSON *row = told_list(snapshot->book[BOOK_TOP], "rows"); row != NULL; row = row->next)
        put_process(&view->processes, row);
    tui_table_end(&view->processes);
}

static enum style style_of(const char *severity)
{
    return strcmp(severity, "error") == 0 || strcmp(severity, "down") == 0 ? STYLE_ERROR
           : strcmp(severity, "warning") == 0 ? STYLE_WARNING
                                              : STYLE_NOTE;
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
        const unsigned at = cells_put(cells, area.row + row, area.column, area.columns, style_of(severity),
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
    if (view->links.num + 1 < links)
        links = (unsigned)view->links.num + 1;
    tui_table_draw(&view->links, cells, part(area, at, links), true);
    struct area below = part(area, at + links + 1, area.rows);
    struct area left = below, right = below;
    if (is_wide) {
        left.columns = area.columns * 3 / 5;
        right.column += left.columns + 2;
        right.columns -= left.columns + 2;
    } else {
        left.rows = below.rows / 2;
        if (view->calls.num + 1 < left.rows)
            left.rows = (unsigned)view->calls.num + 1;
        right = part(below, left.rows + 1, below.rows);
    }
    tui_table_draw(&view->calls, cells, left, false);
    tui_table_draw(&view->processes, cells, right, false);
}

static bool request(void *state, const struct tui_facts *facts, enum tui_request request,
                    struct tui_page *page)
{
    struct overview *view = state;
    return link_table_request(&view->links, facts, request, page);
}

const struct tui_view view_overview = {
    .books = BOOK_BIT(DOCTOR) | BOOK_BIT(LINKS) | BOOK_BIT(LATENCY) | BOOK_BIT(TOP),
    .is_table = true,
    .open = open_view,
    .close = close_view,
    .update = update,
    .draw = draw,
    .request = request,
};
