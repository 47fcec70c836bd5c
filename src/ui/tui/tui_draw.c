/*
 * tui_draw.c - see tui_draw.h: the menu, a line of numbers, the view or the page that is open over
 * it, and the keys that it answers.
 */
#include "ui/tui/tui_draw.h"

#include "ui/tui/tui_format.h"
#include "ui/tui/tui_links.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_typing.h"

#include <distsniff/counted.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_ROWS = 10, LEAST_COLUMNS = 40, RATE_SECONDS = 5, RIGHT_KEYS = 15 /* ? help  q quit */ };


/* menu_width returns the width of the menu with full or brief names and this many blanks around
 * each. */
static unsigned menu_width(bool is_brief, unsigned blanks)
{
    unsigned width = 0;
    for (unsigned i = 0; i < TUI_VIEW_COUNT; i++)
        width += 2 + blanks + (unsigned)strlen(is_brief ? tui_views[i].brief : tui_views[i].name);
    return width;
}

static void draw_menu(struct tui_ui *ui, struct cells *cells)
{
    const bool is_brief = menu_width(false, 2) > cells->columns;
    const bool is_tight = is_brief && menu_width(true, 2) > cells->columns;
    unsigned at = 0;
    for (unsigned i = 0; i < TUI_VIEW_COUNT; i++) {
        char text[64];
        const int len = snprintf(text, sizeof text, is_tight ? "%u %s " : " %u %s ", (i + 1) % 10,
                                 is_brief ? tui_views[i].brief : tui_views[i].name);
        if (at < cells->columns)
            at += cells_put(cells, 0, at, cells->columns - at, i == ui->view ? STYLE_BAR : STYLE_PLAIN,
                            (struct ds_text){text, (size_t)len});
        ui->menu_end[i] = at;
    }
}

/* count_findings counts the present findings, by severity. */
static void count_findings(const struct tui_ui *ui, uint64_t *errors, uint64_t *warnings)
{
    const cJSON *found = told_list(ui->facts.snapshot.book[BOOK_DOCTOR], "found");
    *errors = *warnings = 0;
    for (; found != NULL; found = found->next) {
        if (told_text(found, "code")[0] == '\0' || told_number(found, "past") != 0)
            continue;
        *errors += strcmp(told_text(found, "severity"), "error") == 0;
        *warnings += strcmp(told_text(found, "severity"), "warning") == 0;
    }
}

/* put appends a text to the line of numbers, and returns where the next one begins. */
static unsigned put(struct cells *cells, unsigned at, enum style style, const char *text)
{
    const unsigned room = cells->columns > at ? cells->columns - at : 0;
    return at + cells_put_string(cells, 1, at, room, style, text) + 2;
}

static uint64_t count_open(const struct snapshot *snapshot)
{
    uint64_t num = 0;
    const cJSON *link = told_list(snapshot->book[BOOK_LINKS], "rows");
    for (; link != NULL; link = link->next)
        num += link_is_open(link);
    return num;
}

/* put_amounts writes the present rates, or the totals of a file. */
static unsigned put_amounts(const struct tui_ui *ui, struct cells *cells, unsigned at)
{
    const struct snapshot *snapshot = &ui->facts.snapshot;
    const struct tui_rates *rates = &ui->facts.rates;
    const bool comes = ui->facts.is_live && !ui->facts.has_ended;
    const uint64_t messages =
        comes ? tui_rates_messages(rates, &rates->all, RATE_SECONDS) : snapshot->num_messages;
    char text[64];
    snprintf(text, sizeof text, "%s %s", tui_count(messages).text, comes ? "msg/s" : "msgs");
    at = put(cells, at, STYLE_PLAIN, text);
    return put(cells, at, STYLE_PLAIN,
               comes ? tui_byte_rate(tui_rates_bytes(rates, &rates->all, RATE_SECONDS)).text
                     : tui_bytes(snapshot->num_bytes).text);
}

static void draw_numbers(const struct tui_ui *ui, struct cells *cells)
{
    const struct snapshot *snapshot = &ui->facts.snapshot;
    uint64_t errors, warnings;
    char text[96];
    count_findings(ui, &errors, &warnings);
    unsigned at = put(cells, 1, STYLE_STRONG, ui->source);
    if (ui->is_paused)
        at = put(cells, at, STYLE_BAR, " PAUSED ");
    else if (!ui->facts.has_ended && !ui->facts.is_live)
        at = put(cells, at, STYLE_DIM, "reading");
    else if (ui->facts.has_ended && ui->facts.is_live)
        at = put(cells, at, STYLE_BAR, " ended ");
    at = put(cells, at, STYLE_PLAIN, tui_clock(snapshot->last_ns - snapshot->first_ns).text);
    at = put(cells, at, STYLE_PLAIN, ds_counted(count_open(snapshot), "links").text);
    at = put_amounts(ui, cells, at);
    at = put(cells, at, errors != 0 ? STYLE_ERROR : STYLE_DIM, ds_counted(errors, "errors").text);
    at = put(cells, at, warnings != 0 ? STYLE_WARNING : STYLE_DIM, ds_counted(warnings, "warnings").text);
    if (snapshot->num_lost != 0) {
        snprintf(text, sizeof text, "%s lost", tui_count(snapshot->num_lost).text);
        at = put(cells, at, STYLE_ERROR, text);
    }
    if (snapshot->num_untold_links != 0) {
        snprintf(text, sizeof text, "without %s", ds_counted(snapshot->num_untold_links, "links").text);
        put(cells, at, STYLE_WARNING, text);
    }
}

/* is_line says whether the selected line of the overview is not in a table. */
static bool is_line(const struct tui_ui *ui)
{
    const enum tui_target_kind kind = tui_state_selected(ui).kind;
    return (tui_views[ui->view].view->has & VIEW_HAS_PARTS) != 0 &&
           (kind == TARGET_FINDING || kind == TARGET_RECORD);
}

/* is_answered says whether what is shown answers a request, and the request is worth a place in the
 * menu. */
static bool is_answered(const struct tui_ui *ui, enum tui_request request)
{
    const struct tui_view *view = tui_views[ui->view].view;
    const enum tui_target_kind kind = ui->page.self.kind;
    if (ui->page.is_open && request == REQUEST_LANES)
        return tui_page_is_ladder(kind);
    if (request == REQUEST_MATRIX)
        return !ui->page.is_open && ui->view == TUI_VIEW_nodes;
    if (request == REQUEST_NEXT_PART)
        return !ui->page.is_open && (view->has & VIEW_HAS_PARTS) != 0;
    switch (request_lines[request].where) {
    case REQUEST_ROW:
        return request == REQUEST_LADDER
                   ? tui_page_ladder_of(tui_state_selected(ui)).kind != TARGET_NONE ||
                         (ui->page.is_open && tui_page_ladder_of(ui->page.self).kind != TARGET_NONE)
                   : !ui->page.is_open || ui->page.leads;
    case REQUEST_TABLE:
        return !ui->page.is_open && view->is_table && !is_line(ui);
    case REQUEST_RECORDS:
        return !ui->page.is_open &&
               ((view->has & VIEW_HAS_FILTER) != 0
                    ? request != REQUEST_SAVE || ui->save_folder != NULL
                    : request == REQUEST_FILTER || request == REQUEST_ONLY_FAILED);
    case REQUEST_PAGE:
        return ui->page.is_open && (kind == TARGET_RECORD || kind == TARGET_PACKET);
    case REQUEST_TEXT:
        return ui->page.is_open;
    case REQUEST_FOUND:
        return ui->page.is_open && ui->page.is_searched;
    case REQUEST_LIVE:
        return ui->facts.is_live && !ui->facts.has_ended && !ui->page.is_open;
    default:
        return request == REQUEST_BACK ? ui->page.is_open : request_lines[request].where == REQUEST_MOVE;
    }
}

/* put_key names a key in the lowest line, where a click on it does the same as the key. */
static unsigned put_key(struct tui_ui *ui, struct cells *cells, unsigned at, enum tui_request request,
                        const char *name)
{
    const unsigned row = cells->rows - 1, begin = at;
    char key[KEY_NAME_LEN];
    request_key_name(request_lines[request].key, key);
    at += cells_put_string(cells, row, at, cells->columns - at, STYLE_STRONG, key) + 1;
    at += cells_put_string(cells, row, at, cells->columns - at, STYLE_DIM, name);
    ui->shown_keys[ui->num_shown_keys++] = (struct tui_shown_key){begin, at, request};
    return at + 2;
}

/* draw_keys names the keys for what is shown, or shows a message. */
static void draw_keys(struct tui_ui *ui, struct cells *cells)
{
    const unsigned row = cells->rows - 1, right = RIGHT_KEYS;
    unsigned at = 1;
    if (ui->note[0] != '\0') {
        cells_put_string(cells, row, 1, cells->columns - 1, STYLE_WARNING, ui->note);
        return;
    }
    const unsigned behind = put_key(ui, cells, cells->columns - right, REQUEST_HELP, "help");
    put_key(ui, cells, behind, REQUEST_QUIT, "quit");
    for (enum tui_request i = REQUEST_NONE + 1; i < REQUEST_COUNT; i++) {
        const struct request_line *line = &request_lines[i];
        char key[KEY_NAME_LEN];
        request_key_name(line->key, key);
        if (line->name[0] != '\0' && is_answered(ui, i) &&
            at + strlen(key) + strlen(line->name) + 2 + right <= cells->columns)
            at = put_key(ui, cells, at, i, line->name);
    }
}

/* draw_chosen shows the filter, and how many records are marked. */
static void draw_chosen(const struct tui_ui *ui, struct cells *cells)
{
    const bool filters_all = (tui_views[ui->view].view->has & VIEW_HAS_FILTER) != 0;
    unsigned at = 1;
    if (ui->marks.num != 0) {
        char text[64];
        snprintf(text, sizeof text, "%u marked", ui->marks.num);
        at += cells_put_string(cells, 2, at, cells->columns - at, STYLE_STRONG, text) + 2;
    }
    if (ui->filter.text[0] != '\0' && at < cells->columns) {
        at += cells_put_string(cells, 2, at, cells->columns - at, STYLE_STRONG,
                               filters_all ? "filter:" : "filter of messages and calls:") + 1;
        cells_put_string(cells, 2, at, cells->columns > at ? cells->columns - at - 1 : 0, STYLE_PLAIN,
                         ui->filter.text);
    }
}

static void draw_page(struct tui_ui *ui, struct cells *cells, struct area area)
{
    cells_fill(cells, area.row, area.column, area.columns, STYLE_BAR, ' ', ' ');
    const unsigned at =
        1 + cells_put_string(cells, area.row, area.column + 1, area.columns - 1, STYLE_BAR, ui->page.title);
    if (ui->page.is_cut && at + 2 < area.columns)
        cells_put_string(cells, area.row, at + 2, area.columns - at - 2, STYLE_BAR, "(cut: there is more)");
    area.row++;
    area.column++;
    area.rows--;
    area.columns -= 2;
    ui->area = area;
    tui_page_draw(&ui->page, cells, area);
}

void tui_draw(struct tui_ui *ui, struct cells *cells)
{
    cells_clear(cells);
    ui->facts.ascii = cells->ascii;
    if (cells->rows < LEAST_ROWS || cells->columns < LEAST_COLUMNS) {
        if (cells->rows != 0)
            cells_put_string(cells, 0, 0, cells->columns, STYLE_PLAIN, "the terminal is too small");
        return;
    }
    if (ui->facts.columns != cells->columns - 2) {
        ui->facts.columns = cells->columns - 2;
        if (ui->page.is_open && ui->page.self.kind != TARGET_NONE)
            tui_state_write_page_anew(ui);
    }
    struct area area = {.row = 3, .column = 1, .rows = cells->rows - 4, .columns = cells->columns - 2};
    draw_menu(ui, cells);
    draw_numbers(ui, cells);
    if (ui->page.is_open) {
        draw_page(ui, cells, (struct area){2, 0, cells->rows - 3, cells->columns});
    } else {
        draw_chosen(ui, cells);
        if (ui->filter.span.is_narrow) {
            const bool is_all = (tui_views[ui->view].view->has & VIEW_HAS_FILTER) != 0;
            area.rows--;
            tui_span_draw(&ui->filter.span, ui->facts.snapshot.first_ns, ui->facts.snapshot.last_ns,
                          is_all ? "shown:" : "messages, calls:", cells, area.row + area.rows);
        }
        ui->area = area;
        tui_views[ui->view].view->draw(ui->state[ui->view], &ui->facts, cells, area);
    }
    ui->num_shown_keys = 0;
    ui->keys_row = cells->rows - 1;
    if (ui->typing != TYPES_NOTHING)
        tui_typing_draw(ui, cells);
    else
        draw_keys(ui, cells);
}
