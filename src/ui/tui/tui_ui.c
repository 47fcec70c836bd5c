/*
 * tui_ui.c - see tui_ui.h. The screen from above: the menu, a line of numbers, the view or what is open
 * over it, and the keys that it answers.
 */
#include "ui/tui/tui_ui.h"

#include "ui/tui/tui_format.h"

#include <distsniff/counted.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_ROWS = 10, LEAST_COLUMNS = 40, RATE_SECONDS = 5, HELP_HANG = 14 };

const struct tui_view_line tui_views[TUI_VIEW_COUNT] = {
#define VIEW(name, what) {#name, what, &view_##name},
#include "ui/tui/views.def"
#undef VIEW
};

bool tui_ui_init(struct tui_ui *ui, const char *source, bool is_live)
{
    *ui = (struct tui_ui){.source = source, .facts = {.is_live = is_live}};
    for (unsigned i = 0; i < TUI_VIEW_COUNT; i++) {
        ui->state[i] = tui_views[i].view->open();
        if (ui->state[i] == NULL)
            return false;
    }
    return true;
}

void tui_ui_free(struct tui_ui *ui)
{
    for (unsigned i = 0; i < TUI_VIEW_COUNT; i++) {
        if (ui->state[i] != NULL)
            tui_views[i].view->close(ui->state[i]);
        ui->state[i] = NULL;
    }
    tui_page_free(&ui->page);
    snapshot_free(&ui->facts.snapshot);
    tui_rates_free(&ui->facts.rates);
}

/* The lines above need these, whatever the view. */
unsigned tui_ui_books(const struct tui_ui *ui)
{
    return tui_views[ui->view].view->books | BOOK_BIT(LINKS) | BOOK_BIT(DOCTOR);
}

static void update(struct tui_ui *ui)
{
    tui_views[ui->view].view->update(ui->state[ui->view], &ui->facts);
}

bool tui_ui_take(struct tui_ui *ui, const struct ds_buffer *told, int64_t now_ns)
{
    if (!snapshot_read(&ui->facts.snapshot, told))
        return false;
    tui_rates_take(&ui->facts.rates, &ui->facts.snapshot, now_ns);
    ui->is_told = true;
    if (!ui->is_paused)
        update(ui);
    return true;
}

void tui_ui_note(struct tui_ui *ui, const char *text)
{
    snprintf(ui->note, sizeof ui->note, "%s", text);
}

static void show_view(struct tui_ui *ui, unsigned view)
{
    ui->view = view;
    ui->page.is_open = ui->page_is_help = false;
    ui->is_told = false; /* its books are older than the others */
    update(ui);
}

static const char *where_text(enum request_where where)
{
    static const char *const texts[] = {
        [REQUEST_ANY] = "Everywhere",
        [REQUEST_MOVE] = "Where something scrolls",
        [REQUEST_TABLE] = "In a table",
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

static void open_help(struct tui_ui *ui)
{
    static const enum request_where order[] = {REQUEST_TABLE, REQUEST_MOVE, REQUEST_ANY, REQUEST_LIVE};
    struct tui_page *page = &ui->page;
    tui_page_begin(page, "keys");
    page->hang = HELP_HANG;
    help_on_views(page);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        help_on_requests(page, order[i]);
    ui->page_is_help = true;
}

static enum tui_does close_page(struct tui_ui *ui, bool is_quit)
{
    if (!ui->page.is_open)
        return is_quit ? TUI_ENDS : TUI_GOES_ON;
    ui->page.is_open = ui->page_is_help = false;
    return TUI_GOES_ON;
}

static void pause_or_go_on(struct tui_ui *ui)
{
    ui->is_paused = !ui->is_paused && ui->facts.is_live && !ui->facts.has_ended;
    if (!ui->is_paused)
        update(ui);
}

static enum tui_does answer(struct tui_ui *ui, enum tui_request request)
{
    switch (request) {
    case REQUEST_QUIT:
    case REQUEST_BACK:
        return close_page(ui, request == REQUEST_QUIT);
    case REQUEST_HELP:
        if (ui->page_is_help)
            return close_page(ui, false);
        open_help(ui);
        return TUI_GOES_ON;
    case REQUEST_NEXT_VIEW:
        show_view(ui, (ui->view + 1) % TUI_VIEW_COUNT);
        return TUI_GOES_ON;
    case REQUEST_PREVIOUS_VIEW:
        show_view(ui, (ui->view + TUI_VIEW_COUNT - 1) % TUI_VIEW_COUNT);
        return TUI_GOES_ON;
    case REQUEST_PAUSE:
        pause_or_go_on(ui);
        return TUI_GOES_ON;
    case REQUEST_REDRAW:
        return TUI_REDRAWS;
    case REQUEST_SUSPEND:
        return TUI_SUSPENDS;
    default:
        if (ui->page.is_open)
            tui_page_request(&ui->page, request);
        else
            tui_views[ui->view].view->request(ui->state[ui->view], &ui->facts, request, &ui->page);
        return TUI_GOES_ON;
    }
}

enum tui_does tui_ui_key(struct tui_ui *ui, uint32_t key)
{
    ui->note[0] = '\0';
    if (key >= '1' && key < '1' + (uint32_t)TUI_VIEW_COUNT && key <= '9') {
        show_view(ui, key - '1');
        return TUI_GOES_ON;
    }
    const enum tui_request request = request_find(key);
    return request != REQUEST_NONE ? answer(ui, request) : TUI_GOES_ON;
}

static void draw_menu(const struct tui_ui *ui, struct cells *cells)
{
    unsigned at = 0;
    for (unsigned i = 0; i < TUI_VIEW_COUNT; i++) {
        char text[64];
        const int len = snprintf(text, sizeof text, " %u %s ", i + 1, tui_views[i].name);
        at += cells_put(cells, 0, at, cells->columns - at, i == ui->view ? STYLE_BAR : STYLE_PLAIN,
                        (struct ds_text){text, (size_t)len});
    }
    const char *right = "? help  q quit ";
    const unsigned width = (unsigned)strlen(right);
    if (at + width < cells->columns)
        cells_put_string(cells, 0, cells->columns - width, width, STYLE_DIM, right);
}

/* count_findings counts what is not past, by severity. */
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

/* put appends a word of the line of numbers, and returns where the next one begins. */
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

/* put_amounts writes how much comes, or of a file how much there is. */
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
    if (snapshot->num_untold_links != 0) {
        snprintf(text, sizeof text, "without %s", ds_counted(snapshot->num_untold_links, "links").text);
        at = put(cells, at, STYLE_WARNING, text);
    }
    at = put(cells, at, errors != 0 ? STYLE_ERROR : STYLE_DIM, ds_counted(errors, "errors").text);
    at = put(cells, at, warnings != 0 ? STYLE_WARNING : STYLE_DIM, ds_counted(warnings, "warnings").text);
    if (snapshot->num_lost != 0) {
        snprintf(text, sizeof text, "%s lost", tui_count(snapshot->num_lost).text);
        at = put(cells, at, STYLE_ERROR, text);
    }
}

/* is_answered says whether a request is one for what is shown. */
static bool is_answered(const struct tui_ui *ui, enum tui_request request)
{
    const enum request_where where = request_lines[request].where;
    if (ui->page.is_open)
        return request == REQUEST_BACK || where == REQUEST_MOVE;
    return where == REQUEST_TABLE ? tui_views[ui->view].view->is_table
                                  : where == REQUEST_LIVE && ui->facts.is_live && !ui->facts.has_ended;
}

/* draw_keys names the keys of what is shown, or shows what was said. */
static void draw_keys(const struct tui_ui *ui, struct cells *cells)
{
    const unsigned row = cells->rows - 1;
    unsigned at = 1;
    if (ui->note[0] != '\0') {
        cells_put_string(cells, row, 1, cells->columns - 1, STYLE_WARNING, ui->note);
        return;
    }
    for (enum tui_request i = REQUEST_NONE + 1; i < REQUEST_COUNT; i++) {
        const struct request_line *line = &request_lines[i];
        char key[KEY_NAME_LEN];
        if (line->name[0] == '\0' || !is_answered(ui, i) ||
            at + KEY_NAME_LEN + strlen(line->name) + 2 > cells->columns)
            continue;
        request_key_name(line->key, key);
        at += cells_put_string(cells, row, at, cells->columns - at, STYLE_STRONG, key) + 1;
        at += cells_put_string(cells, row, at, cells->columns - at, STYLE_DIM, line->name) + 2;
    }
}

static void draw_page(struct tui_ui *ui, struct cells *cells, struct area area)
{
    cells_fill(cells, area.row, area.column, area.columns, STYLE_BAR, ' ', ' ');
    cells_put_string(cells, area.row, area.column + 1, area.columns - 1, STYLE_BAR, ui->page.title);
    area.row++;
    area.column++;
    area.rows--;
    area.columns -= 2;
    tui_page_draw(&ui->page, cells, area);
}

void tui_ui_draw(struct tui_ui *ui, struct cells *cells)
{
    cells_clear(cells);
    ui->facts.ascii = cells->ascii;
    if (cells->rows < LEAST_ROWS || cells->columns < LEAST_COLUMNS) {
        if (cells->rows != 0)
            cells_put_string(cells, 0, 0, cells->columns, STYLE_PLAIN, "the terminal is too small");
        return;
    }
    struct area area = {.row = 3, .column = 1, .rows = cells->rows - 4, .columns = cells->columns - 2};
    draw_menu(ui, cells);
    draw_numbers(ui, cells);
    draw_keys(ui, cells);
    if (ui->page.is_open)
        draw_page(ui, cells, (struct area){2, 0, cells->rows - 3, cells->columns});
    else
        tui_views[ui->view].view->draw(ui->state[ui->view], &ui->facts, cells, area);
}
