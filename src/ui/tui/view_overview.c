/*
 * view_overview.c - an overview: what is wrong, the links, the slowest kinds of calls, the busiest
 * processes. Each part has a view with all its rows. One part has the focus: keys apply to its
 * rows, and the pages of rows are opened from here.
 */
#include "core/clock.h"
#include "ui/tui/tui_filter.h"
#include "ui/tui/tui_findings.h"
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_links.h"
#include "ui/tui/tui_processes.h"
#include "ui/tui/tui_record.h"
#include "ui/tui/tui_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS = 4, MESSAGES = 10, LOOKED_AT = 2000, WIDE = 110, TALL = 50 };

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
    return told_number(kind, "errors") != 0 ? STYLE_WARNING : STYLE_PLAIN; /* also counts timeouts */
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
    .row_kind = TARGET_CALLEE,
};

/* overview_part is a part of the view, from top to bottom. */
enum overview_part { PART_FINDINGS, PART_LINKS, PART_CALLS, PART_PROCESSES, PART_MESSAGES, PARTS };

/* overview_lines are rows outside of a table: findings, and the latest messages. */
struct overview_lines {
    uint64_t id[MESSAGES];
    size_t num, at; /* at: the selected one */
};

struct overview {
    struct tui_list list[PARTS];   /* for the parts that are tables */
    struct overview_lines lines[PARTS]; /* for the others */
    struct area at[PARTS];         /* where they were last drawn */
    enum overview_part focus; /* the part whose row is selected */
    bool is_chosen;  /* by the user */
};

static void *open_view(void)
{
    struct overview *view = calloc(1, sizeof *view);
    if (view == NULL)
        return NULL;
    tui_list_init(&view->list[PART_LINKS], &link_list);
    tui_list_init(&view->list[PART_CALLS], &call_list);
    tui_list_init(&view->list[PART_PROCESSES], &process_list);
    view->focus = PART_LINKS;
    return view;
}

static void close_view(void *state)
{
    struct overview *view = state;
    for (enum overview_part part = PART_LINKS; part < PART_MESSAGES; part++)
        tui_list_free(&view->list[part]);
    free(view);
}

/* is_shown says whether this view shows a row of the doctor. */
static bool is_shown(const cJSON *found)
{
    return (told_text(found, "code")[0] != '\0' || strcmp(told_text(found, "severity"), "down") == 0) &&
           told_number(found, "aside") == 0;
}

static bool is_table(enum overview_part part)
{
    return part != PART_FINDINGS && part != PART_MESSAGES;
}

/* replace_lines replaces the lines; the selected one stays selected, or its position if it is gone. */
static void replace_lines(struct overview_lines *lines, const struct overview_lines *found)
{
    const uint64_t selected = lines->num != 0 ? lines->id[lines->at] : 0;
    const size_t at = lines->at;
    *lines = *found;
    lines->at = at < found->num ? at : found->num != 0 ? found->num - 1 : 0;
    for (size_t i = 0; i < found->num; i++) {
        if (found->id[i] == selected)
            lines->at = i;
    }
}

static void find_findings(struct overview *view, const struct tui_facts *facts)
{
    struct overview_lines lines = {.num = 0};
    const cJSON *found = told_list(facts->snapshot.book[BOOK_DOCTOR], "found");
    for (; found != NULL && lines.num < FINDINGS; found = found->next) {
        if (is_shown(found))
            lines.id[lines.num++] = finding_id(found);
    }
    replace_lines(&view->lines[PART_FINDINGS], &lines);
}

/* find_messages lists the latest messages that match the filter, the latest last. */
static void find_messages(struct overview *view, const struct tui_facts *facts)
{
    const struct store_look *look = &facts->records;
    const uint64_t least = look->end > look->first + LOOKED_AT ? look->end - LOOKED_AT : look->first;
    struct overview_lines lines = {.num = 0};
    const int64_t until_ns = clock_now_ns() + TUI_UPDATE_NS;
    struct record_view at = {0};
    for (uint64_t i = look->end; i > least && lines.num < MESSAGES && clock_now_ns() < until_ns; i--) {
        const struct record *record = store_look_get(look, i - 1, &at);
        if (record != NULL && tui_record_is_listed(record) && tui_filter_accepts(facts->filter, record))
            lines.id[lines.num++] = i - 1;
    }
    for (size_t i = 0; i < lines.num / 2; i++) {
        const uint64_t id = lines.id[i];
        lines.id[i] = lines.id[lines.num - 1 - i];
        lines.id[lines.num - 1 - i] = id;
    }
    replace_lines(&view->lines[PART_MESSAGES], &lines);
}

/* rows_of counts the rows of a part; 0 if the part does not fit. */
static size_t rows_of(const struct overview *view, enum overview_part part)
{
    if (part == PART_MESSAGES && view->at[part].rows == 0)
        return 0;
    return is_table(part) ? view->list[part].table.num : view->lines[part].num;
}

/* find_focus moves the focus to a part with rows: to the first one if the user has chosen none. */
static void find_focus(struct overview *view)
{
    if (!view->is_chosen)
        view->focus = PART_FINDINGS;
    for (int i = 0; i < PARTS && rows_of(view, view->focus) == 0; i++)
        view->focus = (view->focus + 1) % PARTS;
}

static void update(void *state, const struct tui_facts *facts)
{
    struct overview *view = state;
    find_findings(view, facts);
    find_messages(view, facts);
    for (enum overview_part part = PART_LINKS; part < PART_MESSAGES; part++)
        tui_list_fill(&view->list[part], facts);
    find_focus(view);
}

static void draw_finding(const cJSON *found, struct cells *cells, struct area line)
{
    const char *severity = told_text(found, "severity"), *code = told_text(found, "code");
    char head[64];
    const int len = snprintf(head, sizeof head, "%s%s%s%s ", severity, code[0] != '\0' ? " " : "", code,
                             told_number(found, "past") != 0 ? " (past)" : "");
    const unsigned at = cells_put(cells, line.row, line.column, line.columns, finding_style(severity),
                                  (struct ds_text){head, (size_t)len});
    cells_put_string(cells, line.row, line.column + at, line.columns - at, STYLE_PLAIN,
                     told_text(found, "sentence"));
}

/* draw_findings writes the first findings, one line each, and returns how many lines it used. */
static unsigned draw_findings(struct overview *view, const struct tui_facts *facts, struct cells *cells,
                              struct area area)
{
    const cJSON *doctor = facts->snapshot.book[BOOK_DOCTOR];
    unsigned row = 0;
    for (const cJSON *found = told_list(doctor, "found"); found != NULL && row < FINDINGS;
         found = found->next) {
        struct area line = area;
        line.row += row;
        if (!is_shown(found))
            continue;
        draw_finding(found, cells, line);
        if (view->focus == PART_FINDINGS && row == view->lines[PART_FINDINGS].at)
            cells_paint(cells, line.row, area.column, area.columns, STYLE_SELECTED);
        row++;
    }
    view->at[PART_FINDINGS] = area;
    view->at[PART_FINDINGS].rows = row;
    if (row == 0) {
        /* The doctor's own verdict: it claims no more than was captured and parsed. */
        cells_put_string(cells, area.row, area.column, area.columns, STYLE_GOOD,
                         told_text(doctor, "verdict"));
        row++;
    }
    return row;
}

static struct area part_of(struct area area, unsigned row, unsigned rows)
{
    area.row += row;
    area.rows = row < area.rows ? area.rows - row : 0;
    area.rows = rows < area.rows ? rows : area.rows;
    return area;
}

/* lay_out gives the links half of the rows, or less if they are few; the rest is for calls and
 * processes, side by side if the screen is wide enough. */
static void lay_out(struct overview *view, struct area area, unsigned at)
{
    const unsigned rest = area.rows > at ? area.rows - at : 0;
    const bool is_wide = area.columns >= WIDE;
    unsigned links = is_wide ? rest / 2 : rest * 2 / 5;
    if (view->list[PART_LINKS].table.num + 1 < links)
        links = (unsigned)view->list[PART_LINKS].table.num + 1;
    view->at[PART_LINKS] = part_of(area, at, links);
    const struct area below = part_of(area, at + links + 1, area.rows);
    struct area left = below, right = below;
    if (is_wide) {
        left.columns = area.columns * 3 / 5;
        right.column += left.columns + 2;
        right.columns -= left.columns + 2;
    } else {
        left.rows = below.rows / 2;
        if (view->list[PART_CALLS].table.num + 1 < left.rows)
            left.rows = (unsigned)view->list[PART_CALLS].table.num + 1;
        right = part_of(below, left.rows + 1, below.rows);
    }
    view->at[PART_CALLS] = left;
    view->at[PART_PROCESSES] = right;
}

static void draw_messages(struct overview *view, const struct tui_facts *facts, struct cells *cells)
{
    const struct area area = view->at[PART_MESSAGES];
    const struct overview_lines *lines = &view->lines[PART_MESSAGES];
    struct record_view at = {0};
    if (area.rows == 0)
        return;
    cells_fill(cells, area.row, area.column, area.columns, STYLE_TITLE, ' ', ' ');
    cells_put_string(cells, area.row, area.column, area.columns, STYLE_TITLE,
                     tui_filter_is_on(facts->filter) ? "THE LATEST MESSAGES THAT THE FILTER TAKES"
                                                     : "THE LATEST MESSAGES");
    for (size_t i = 0; i < lines->num && i + 1 < area.rows; i++) {
        const struct record *record = store_look_get(&facts->records, lines->id[i], &at);
        struct ds_buffer text = {0};
        const unsigned row = area.row + 1 + (unsigned)i;
        if (record == NULL)
            continue;
        tui_record_print_fit(facts, record, area.columns, &text);
        if (text.len != 0)
            cells_put(cells, row, area.column, area.columns, tui_record_style(record),
                      (struct ds_text){text.data, text.len});
        if (view->focus == PART_MESSAGES && i == lines->at)
            cells_paint(cells, row, area.column, area.columns, STYLE_SELECTED);
        ds_buffer_free(&text);
    }
}

static void draw(void *state, const struct tui_facts *facts, struct cells *cells, struct area area)
{
    struct overview *view = state;
    view->at[PART_MESSAGES] = (struct area){.rows = 0};
    if (area.rows >= TALL) {
        area.rows -= MESSAGES + 2;
        view->at[PART_MESSAGES] =
            (struct area){area.row + area.rows + 1, area.column, MESSAGES + 1, area.columns};
    }
    lay_out(view, area, draw_findings(view, facts, cells, area) + 1);
    draw_messages(view, facts, cells);
    for (enum overview_part part = PART_LINKS; part < PART_MESSAGES; part++)
        tui_list_draw_part(&view->list[part], cells, view->at[part], view->focus == part);
}

/* go_to moves the focus to another part, to its first or last row. */
static void go_to(struct overview *view, enum overview_part part, enum tui_request end)
{
    view->focus = part;
    view->is_chosen = true;
    if (!is_table(part))
        view->lines[part].at = end == REQUEST_LAST ? view->lines[part].num - 1 : 0;
    else
        tui_table_request(&view->list[part].table, end);
}

/* turn_to moves the focus to the next part with rows, to the row selected there before. */
static void turn_to(struct overview *view, bool is_back)
{
    int i = 0;
    do
        view->focus = (view->focus + (is_back ? PARTS - 1 : 1)) % PARTS;
    while (++i < PARTS && rows_of(view, view->focus) == 0);
    view->is_chosen = true;
}

/* leave moves the focus to the part above or below if the first or last row is selected. */
static bool leave(struct overview *view, enum tui_request request)
{
    const size_t at = is_table(view->focus) ? view->list[view->focus].table.selected_at
                                            : view->lines[view->focus].at;
    int part = (int)view->focus;
    const int step = request == REQUEST_UP ? -1 : 1;
    if ((request != REQUEST_UP || at != 0) &&
        (request != REQUEST_DOWN || at + 1 < rows_of(view, view->focus)))
        return false;
    do
        part += step;
    while (part >= 0 && part < PARTS && rows_of(view, (enum overview_part)part) == 0);
    if (part < 0 || part >= PARTS)
        return false;
    go_to(view, (enum overview_part)part, step < 0 ? REQUEST_LAST : REQUEST_FIRST);
    return true;
}

static bool move_in_lines(struct overview_lines *lines, enum tui_request request)
{
    const size_t last = lines->num != 0 ? lines->num - 1 : 0;
    switch (request) {
    case REQUEST_UP:
        lines->at -= lines->at != 0;
        return true;
    case REQUEST_DOWN:
        lines->at += lines->at < last;
        return true;
    case REQUEST_PAGE_UP:
    case REQUEST_FIRST:
        lines->at = 0;
        return true;
    case REQUEST_PAGE_DOWN:
    case REQUEST_LAST:
        lines->at = last;
        return true;
    default:
        return false;
    }
}

static bool request(void *state, const struct tui_facts *facts, enum tui_request request,
                    struct tui_page *page)
{
    struct overview *view = state;
    if (request == REQUEST_NEXT_PART || request == REQUEST_PREVIOUS_PART) {
        turn_to(view, request == REQUEST_PREVIOUS_PART);
        return true;
    }
    if (leave(view, request))
        return true;
    if (!is_table(view->focus))
        return move_in_lines(&view->lines[view->focus], request);
    return tui_list_request(&view->list[view->focus], facts, request, page);
}

static struct tui_target selected(const void *state, const struct tui_facts *facts)
{
    const struct overview *view = state;
    const struct overview_lines *lines = &view->lines[view->focus];
    if (is_table(view->focus))
        return tui_list_target(&view->list[view->focus], facts);
    if (lines->num == 0)
        return (struct tui_target){0};
    return (struct tui_target){view->focus == PART_FINDINGS ? TARGET_FINDING : TARGET_RECORD,
                               lines->id[lines->at]};
}

static bool is_in(struct area area, unsigned row, unsigned column)
{
    return row >= area.row && row - area.row < area.rows && column >= area.column &&
           column - area.column < area.columns;
}

static bool click(void *state, const struct tui_facts *facts, struct area area, unsigned row,
                  unsigned column)
{
    struct overview *view = state;
    (void)facts;
    (void)area;
    for (enum overview_part part = 0; part < PARTS; part++) {
        const unsigned first = view->at[part].row + (part == PART_MESSAGES); /* after the title */
        struct overview_lines *lines = &view->lines[part];
        if (!is_in(view->at[part], row, column))
            continue;
        if (is_table(part) ? !tui_table_click(&view->list[part].table, view->at[part], row, column)
                           : row < first || row - first >= lines->num)
            return false;
        if (!is_table(part))
            lines->at = row - first;
        view->focus = part;
        view->is_chosen = true;
        return true;
    }
    return false;
}

const struct tui_view view_overview = {
    .books = BOOK_BIT(DOCTOR) | BOOK_BIT(LINKS) | BOOK_BIT(LATENCY) | BOOK_BIT(TOP),
    .is_table = true,
    .has = VIEW_HAS_PARTS,
    .open = open_view,
    .close = close_view,
    .update = update,
    .draw = draw,
    .request = request,
    .selected = selected,
    .click = click,
};
