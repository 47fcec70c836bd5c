/*
 * tui_ui.c - see tui_ui.h. The screen from above: the menu, a line of numbers, the view or what is open
 * over it, and the keys that it answers.
 */
#include "ui/tui/tui_ui.h"

#include "output/event_text.h"
#include "ui/tui/tui_choose.h"
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_links.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_save.h"

#include <distsniff/counted.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_ROWS = 10, LEAST_COLUMNS = 40, RATE_SECONDS = 5, HELP_HANG = 14 };

static const char right_keys[] = "? help  q quit ";

const struct tui_view_line tui_views[TUI_VIEW_COUNT] = {
#define VIEW(name, brief, what) {#name, brief, what, &view_##name},
#include "ui/tui/views.def"
#undef VIEW
};

bool tui_ui_init(struct tui_ui *ui, const char *source, bool is_live)
{
    *ui = (struct tui_ui){.source = source, .facts = {.is_live = is_live, .time_digits = 6, .columns = 80}};
    ui->facts.filter = &ui->filter;
    ui->facts.marks = &ui->marks;
    ui->facts.brief = event_text_new_shown(0);
    if (ui->facts.brief == NULL)
        return false;
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
    while (ui->num_under != 0)
        tui_page_free(&ui->under[--ui->num_under]);
    event_text_free(ui->facts.brief);
    store_look_end(&ui->facts.records);
    tui_filter_free(&ui->filter);
    tui_line_free(&ui->filter_line);
    tui_line_free(&ui->format_line);
    ds_buffer_free(&ui->copied);
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

struct store_look *tui_ui_records(struct tui_ui *ui)
{
    return ui->is_paused ? NULL : &ui->facts.records;
}

bool tui_ui_work(struct tui_ui *ui)
{
    const struct tui_view *view = tui_views[ui->view].view;
    if (view->is_busy == NULL || !view->is_busy(ui->state[ui->view]))
        return false;
    update(ui);
    return true;
}

void tui_ui_note(struct tui_ui *ui, const char *text)
{
    snprintf(ui->note, sizeof ui->note, "%s", text);
}

/* close_pages closes all that is open over the view. */
static void close_pages(struct tui_ui *ui)
{
    tui_page_free(&ui->page);
    while (ui->num_under != 0)
        tui_page_free(&ui->under[--ui->num_under]);
    ui->page_is_help = false;
}

static void show_view(struct tui_ui *ui, unsigned view)
{
    ui->view = view;
    close_pages(ui);
    ui->is_told = false; /* its books are older than the others */
    update(ui);
}

/* put_page_under makes room for another page over the one that is open. The oldest go where there are too
 * many. */
static void put_page_under(struct tui_ui *ui)
{
    if (!ui->page.is_open)
        return;
    if (ui->num_under == TUI_PAGES) {
        tui_page_free(&ui->under[0]);
        memmove(ui->under, ui->under + 1, --ui->num_under * sizeof *ui->under);
    }
    ui->under[ui->num_under++] = ui->page;
    ui->page = (struct tui_page){0};
}

/* close_page closes the page that is open; the one under it is shown again. */
static void close_page(struct tui_ui *ui)
{
    tui_page_free(&ui->page);
    if (ui->num_under != 0)
        ui->page = ui->under[--ui->num_under];
    ui->page_is_help = false;
}

/* open_target opens the page of a target over what is shown. */
static bool open_target(struct tui_ui *ui, struct tui_target target)
{
    if (target.kind == TARGET_NONE)
        return false;
    put_page_under(ui);
    if (tui_page_open(&ui->page, &ui->facts, target))
        return true;
    close_page(ui);
    tui_ui_note(ui, "it is not kept any more");
    return false;
}

/* write_page_anew has the page say what was just chosen; where it scrolled to stays. */
static void write_page_anew(struct tui_ui *ui)
{
    if (!tui_page_open(&ui->page, &ui->facts, ui->page.self))
        close_page(ui);
}

static const char *where_text(enum request_where where)
{
    static const char *const texts[] = {
        [REQUEST_ANY] = "Everywhere",
        [REQUEST_MOVE] = "Where something scrolls",
        [REQUEST_ROW] = "Where a row is selected",
        [REQUEST_TABLE] = "In a table",
        [REQUEST_RECORDS] = "In messages and calls",
        [REQUEST_PAGE] = "On the page of a message, or a ladder",
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

static void open_help(struct tui_ui *ui)
{
    static const enum request_where order[] = {REQUEST_ROW,     REQUEST_RECORDS, REQUEST_PAGE,
                                               REQUEST_TABLE,
                                               REQUEST_MOVE,    REQUEST_ANY,     REQUEST_LIVE};
    struct tui_page *page = &ui->page;
    put_page_under(ui);
    tui_page_begin(page, "keys");
    page->hang = HELP_HANG;
    help_on_views(page);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        help_on_requests(page, order[i]);
    help_on_typing(page);
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_line(page, STYLE_STRONG, 0, "With the mouse");
    tui_page_line(page, STYLE_PLAIN, 2,
                  "a click selects a row, a view, or the column to sort by; a double click opens");
    tui_page_line(page, STYLE_PLAIN, 2, "the wheel moves as Up and Down do");
    ui->page_is_help = true;
}

static enum tui_does go_back(struct tui_ui *ui, bool is_quit)
{
    if (!ui->page.is_open)
        return is_quit ? TUI_ENDS : TUI_GOES_ON;
    close_page(ui);
    return TUI_GOES_ON;
}

static void pause_or_go_on(struct tui_ui *ui)
{
    ui->is_paused = !ui->is_paused && ui->facts.is_live && !ui->facts.has_ended;
    if (!ui->is_paused)
        update(ui);
}

/* selected returns what the row or line stands for that keys apply to. */
static struct tui_target selected(const struct tui_ui *ui)
{
    const struct tui_view *view = tui_views[ui->view].view;
    if (ui->page.is_open)
        return tui_page_target(&ui->page);
    return view->selected != NULL ? view->selected(ui->state[ui->view], &ui->facts)
                                  : (struct tui_target){0};
}

/* open_selected opens what is behind a row, or goes where a line leads. */
static void open_selected(struct tui_ui *ui)
{
    const struct tui_target target = selected(ui);
    const struct tui_view *view = tui_views[ui->view].view;
    if (ui->page.is_open && target.kind == TARGET_FOLD) {
        tui_page_turn_fold(&ui->page, target.number);
        write_page_anew(ui);
    } else if (target.kind != TARGET_NONE) {
        open_target(ui, target);
    } else if (!ui->page.is_open) {
        view->request(ui->state[ui->view], &ui->facts, REQUEST_OPEN, &ui->page);
    }
}

/* open_ladder shows the messages of what is selected, or of the page that is open. */
static void open_ladder(struct tui_ui *ui)
{
    struct tui_target target = tui_page_ladder_of(selected(ui));
    if (target.kind == TARGET_NONE && ui->page.is_open)
        target = tui_page_ladder_of(ui->page.self);
    if (target.kind == TARGET_NONE)
        tui_ui_note(ui, "no messages belong to this");
    else
        open_target(ui, target);
}

static void change_filter(struct tui_ui *ui, const char *text)
{
    char what[TUI_NOTE_LEN];
    if (!tui_filter_set(&ui->filter, text, what, sizeof what))
        tui_ui_note(ui, what);
    update(ui);
}

/* narrow shows only what belongs to the selected one. */
static void narrow(struct tui_ui *ui, enum tui_request request)
{
    char more[LINE_LEN], what[TUI_NOTE_LEN];
    if (!tui_choose_filter(&ui->facts, selected(ui), request, more, sizeof more)) {
        tui_ui_note(ui, "that is not known of it");
        return;
    }
    if (!tui_filter_narrow(&ui->filter, more, what, sizeof what))
        tui_ui_note(ui, what);
    update(ui);
}

/* change_span shows another part of the time. */
static void change_span(struct tui_ui *ui, enum tui_request request)
{
    const int64_t first_ns = ui->facts.snapshot.first_ns, last_ns = ui->facts.snapshot.last_ns;
    struct tui_span_shown *span = &ui->filter.span;
    const int64_t middle_ns = tui_choose_time(&ui->facts, selected(ui));
    if (request == REQUEST_NARROW)
        tui_span_narrow(span, first_ns, last_ns, middle_ns != 0 ? middle_ns : last_ns);
    else if (request == REQUEST_WIDEN)
        tui_span_widen(span, first_ns, last_ns);
    else
        tui_span_move(span, first_ns, last_ns, request == REQUEST_LATER);
    ui->filter.generation++;
    update(ui);
}

static void mark(struct tui_ui *ui)
{
    const struct tui_view *view = tui_views[ui->view].view;
    if (!tui_choose_mark(&ui->facts, selected(ui), &ui->marks))
        tui_ui_note(ui, "no more can be marked");
    else
        view->request(ui->state[ui->view], &ui->facts, REQUEST_DOWN, &ui->page);
}

static void begin_typing(struct tui_ui *ui, enum tui_typing what)
{
    if (what == TYPES_FORMAT && ui->save_folder == NULL) {
        tui_ui_note(ui, "nothing can be saved without --save-folder DIR");
        return;
    }
    if (what == TYPES_FILTER)
        tui_line_begin(&ui->filter_line, ui->filter.text);
    else
        tui_line_begin(&ui->format_line, "");
    ui->typing = what;
}

static void save(struct tui_ui *ui, const char *format)
{
    char what[TUI_NOTE_LEN];
    const unsigned view = ui->view;
    ui->view = TUI_VIEW_messages; /* its list may be older than the filter */
    update(ui);
    while (tui_ui_work(ui))
        continue;
    ui->view = view;
    tui_save(&ui->facts, ui->save_folder, format, ui->state[TUI_VIEW_messages], what, sizeof what);
    tui_ui_note(ui, what);
}

static void done_typing(struct tui_ui *ui)
{
    char what[TUI_NOTE_LEN];
    if (ui->typing == TYPES_FORMAT) {
        ui->typing = TYPES_NOTHING;
        save(ui, ui->format_line.text);
        return;
    }
    tui_filter_check(&ui->filter, ui->filter_line.text, what, sizeof what);
    if (what[0] != '\0')
        return; /* what is wrong stands above the line */
    ui->typing = TYPES_NOTHING;
    tui_line_remember(&ui->filter_line);
    change_filter(ui, ui->filter_line.text);
}

static void type(struct tui_ui *ui, uint32_t key)
{
    char what[TUI_NOTE_LEN];
    const bool is_filter = ui->typing == TYPES_FILTER;
    struct tui_line *line = is_filter ? &ui->filter_line : &ui->format_line;
    switch (tui_line_key(line, key)) {
    case LINE_DONE:
        done_typing(ui);
        break;
    case LINE_LEAVE:
        ui->typing = TYPES_NOTHING;
        break;
    case LINE_COMPLETE:
        if (is_filter)
            tui_filter_complete(&ui->filter, line, what, sizeof what);
        else
            tui_save_complete(line, what, sizeof what);
        tui_ui_note(ui, what);
        break;
    default:
        break;
    }
}

static enum tui_does copy(struct tui_ui *ui)
{
    ui->copied.len = 0;
    if (ui->page.is_open)
        tui_page_print(&ui->page, &ui->copied);
    else
        tui_choose_print(&ui->facts, selected(ui), &ui->copied);
    if (ui->copied.len == 0 || ui->copied.failed) {
        ds_buffer_free(&ui->copied);
        tui_ui_note(ui, "there is nothing to copy");
        return TUI_GOES_ON;
    }
    tui_ui_note(ui, "copied, if the terminal allows that");
    return TUI_COPIES;
}

/* change_page answers what only pages of messages and ladders do. */
static void change_page(struct tui_ui *ui, enum tui_request request)
{
    struct tui_page *page = &ui->page;
    if (!page->is_open || page->self.kind == TARGET_NONE)
        return;
    page->has_other_syntax ^= request == REQUEST_SYNTAX;
    page->shows_bytes ^= request == REQUEST_BYTES;
    page->by_process ^= request == REQUEST_LANES;
    if (request == REQUEST_SYNTAX)
        page->num_folds = 0; /* brackets have other numbers */
    write_page_anew(ui);
}

static enum tui_does answer_records(struct tui_ui *ui, enum tui_request request)
{
    switch (request) {
    case REQUEST_FILTER:
        begin_typing(ui, TYPES_FILTER);
        break;
    case REQUEST_ONLY_CALL:
    case REQUEST_ONLY_PROCESS:
    case REQUEST_ONLY_NODE:
        narrow(ui, request);
        break;
    case REQUEST_NARROW:
    case REQUEST_WIDEN:
    case REQUEST_EARLIER:
    case REQUEST_LATER:
        change_span(ui, request);
        break;
    case REQUEST_ALL:
        ui->filter.span.is_narrow = false;
        change_filter(ui, "");
        break;
    case REQUEST_MARK:
        mark(ui);
        break;
    case REQUEST_UNMARK:
        ui->marks.num = 0;
        break;
    case REQUEST_LADDER_OF_MARKS:
        if (ui->marks.num == 0)
            tui_ui_note(ui, "nothing is marked: m marks a message");
        else
            open_target(ui, (struct tui_target){TARGET_LADDER_OF_MARKS, 0});
        break;
    default:
        begin_typing(ui, TYPES_FORMAT);
        break;
    }
    return TUI_GOES_ON;
}

static enum tui_does answer_rest(struct tui_ui *ui, enum tui_request request)
{
    const struct tui_view *view = tui_views[ui->view].view;
    const enum request_where where = request_lines[request].where;
    if (where == REQUEST_RECORDS) {
        if ((view->has & VIEW_HAS_FILTER) != 0 && !ui->page.is_open)
            return answer_records(ui, request);
    } else if (where == REQUEST_PAGE) {
        change_page(ui, request);
    } else if (ui->page.is_open) {
        tui_page_request(&ui->page, request);
    } else {
        view->request(ui->state[ui->view], &ui->facts, request, &ui->page);
    }
    return TUI_GOES_ON;
}

static enum tui_does answer(struct tui_ui *ui, enum tui_request request)
{
    switch (request) {
    case REQUEST_QUIT:
    case REQUEST_BACK:
        return go_back(ui, request == REQUEST_QUIT);
    case REQUEST_OPEN:
        open_selected(ui);
        return TUI_GOES_ON;
    case REQUEST_LADDER:
        open_ladder(ui);
        return TUI_GOES_ON;
    case REQUEST_COPY:
        return copy(ui);
    case REQUEST_HELP:
        if (ui->page_is_help)
            return go_back(ui, false);
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
        return answer_rest(ui, request);
    }
}

enum tui_does tui_ui_key(struct tui_ui *ui, uint32_t key)
{
    ui->note[0] = '\0';
    if (ui->typing != TYPES_NOTHING) {
        if (key == TUI_KEY_CTRL_L)
            return TUI_REDRAWS;
        if (key == TUI_KEY_CTRL_Z)
            return TUI_SUSPENDS;
        type(ui, key);
        return TUI_GOES_ON;
    }
    if (key >= '0' && key <= '9') { /* 0 is the tenth */
        const unsigned view = key == '0' ? 9 : key - '1';
        if (view < TUI_VIEW_COUNT)
            show_view(ui, view);
        return TUI_GOES_ON;
    }
    const enum tui_request request = request_find(key);
    return request != REQUEST_NONE ? answer(ui, request) : TUI_GOES_ON;
}

void tui_ui_click(struct tui_ui *ui, unsigned row, unsigned column, bool is_twice)
{
    const struct tui_view *view = tui_views[ui->view].view;
    if (ui->typing != TYPES_NOTHING)
        return;
    if (row == 0) {
        unsigned i = 0;
        while (i < TUI_VIEW_COUNT && column >= ui->menu_end[i])
            i++;
        if (i < TUI_VIEW_COUNT)
            show_view(ui, i);
        return;
    }
    bool is_there = false;
    if (ui->page.is_open)
        is_there = row >= ui->area.row + ui->page.num_sticky &&
                   tui_page_click(&ui->page, row - ui->area.row - ui->page.num_sticky);
    else if (view->click != NULL)
        is_there = view->click(ui->state[ui->view], &ui->facts, ui->area, row, column);
    if (is_there && is_twice)
        open_selected(ui);
}

/* menu_width returns how wide the menu is with these names and so many blanks around each. */
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

/* is_answered says whether a request is one for what is shown, and worth a place in the menu. */
static bool is_answered(const struct tui_ui *ui, enum tui_request request)
{
    const struct tui_view *view = tui_views[ui->view].view;
    const enum tui_target_kind kind = ui->page.self.kind;
    const bool is_ladder = kind >= TARGET_LADDER_OF_RECORD && kind <= TARGET_LADDER_OF_MARKS;
    if (ui->page.is_open && request == REQUEST_LANES)
        return is_ladder;
    switch (request_lines[request].where) {
    case REQUEST_ROW:
        return request == REQUEST_LADDER
                   ? tui_page_ladder_of(selected(ui)).kind != TARGET_NONE ||
                         (ui->page.is_open && tui_page_ladder_of(ui->page.self).kind != TARGET_NONE)
                   : !ui->page.is_open || ui->page.leads;
    case REQUEST_TABLE:
        return !ui->page.is_open && view->is_table;
    case REQUEST_RECORDS:
        return !ui->page.is_open && (view->has & VIEW_HAS_FILTER) != 0 &&
               (request != REQUEST_SAVE || ui->save_folder != NULL);
    case REQUEST_PAGE:
        return ui->page.is_open && (kind == TARGET_RECORD || kind == TARGET_PACKET);
    case REQUEST_LIVE:
        return ui->facts.is_live && !ui->facts.has_ended && !ui->page.is_open;
    default:
        return request == REQUEST_BACK ? ui->page.is_open : request_lines[request].where == REQUEST_MOVE;
    }
}

/* draw_keys names the keys of what is shown, or shows what was said. */
static void draw_keys(const struct tui_ui *ui, struct cells *cells)
{
    const unsigned row = cells->rows - 1, right = (unsigned)strlen(right_keys);
    unsigned at = 1;
    if (ui->note[0] != '\0') {
        cells_put_string(cells, row, 1, cells->columns - 1, STYLE_WARNING, ui->note);
        return;
    }
    cells_put_string(cells, row, cells->columns - right, right, STYLE_DIM, right_keys);
    for (enum tui_request i = REQUEST_NONE + 1; i < REQUEST_COUNT; i++) {
        const struct request_line *line = &request_lines[i];
        char key[KEY_NAME_LEN];
        request_key_name(line->key, key);
        if (line->name[0] == '\0' || !is_answered(ui, i) ||
            at + strlen(key) + strlen(line->name) + 2 + right > cells->columns)
            continue;
        at += cells_put_string(cells, row, at, cells->columns - at, STYLE_STRONG, key) + 1;
        at += cells_put_string(cells, row, at, cells->columns - at, STYLE_DIM, line->name) + 2;
    }
}

/* draw_typing shows the line that is typed, and above it what is wrong with it or how it can go on. */
static void draw_typing(const struct tui_ui *ui, struct cells *cells)
{
    const unsigned row = cells->rows - 1;
    char what[TUI_NOTE_LEN];
    const bool is_filter = ui->typing == TYPES_FILTER;
    if (ui->note[0] != '\0')
        snprintf(what, sizeof what, "%s", ui->note);
    else if (is_filter)
        tui_filter_check(&ui->filter, ui->filter_line.text, what, sizeof what);
    else
        tui_save_formats(what, sizeof what);
    cells_fill(cells, row - 1, 0, cells->columns, STYLE_PLAIN, ' ', ' ');
    cells_put_string(cells, row - 1, 1, cells->columns - 1, is_filter ? STYLE_WARNING : STYLE_DIM, what);
    tui_line_draw(is_filter ? &ui->filter_line : &ui->format_line, cells, row,
                  is_filter ? "filter:" : "save as:");
}

/* draw_chosen says which filter holds, and how much is marked. */
static void draw_chosen(const struct tui_ui *ui, struct cells *cells)
{
    unsigned at = 1;
    if (ui->marks.num != 0) {
        char text[64];
        snprintf(text, sizeof text, "%u marked", ui->marks.num);
        at += cells_put_string(cells, 2, at, cells->columns - at, STYLE_STRONG, text) + 2;
    }
    if (ui->filter.filter != NULL && at < cells->columns) {
        at += cells_put_string(cells, 2, at, cells->columns - at, STYLE_STRONG, "filter:") + 1;
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

void tui_ui_draw(struct tui_ui *ui, struct cells *cells)
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
            write_page_anew(ui);
    }
    struct area area = {.row = 3, .column = 1, .rows = cells->rows - 4, .columns = cells->columns - 2};
    draw_menu(ui, cells);
    draw_numbers(ui, cells);
    if (ui->page.is_open) {
        draw_page(ui, cells, (struct area){2, 0, cells->rows - 3, cells->columns});
    } else {
        if ((tui_views[ui->view].view->has & VIEW_HAS_FILTER) != 0)
            draw_chosen(ui, cells);
        if (ui->filter.span.is_narrow && (tui_views[ui->view].view->has & VIEW_HAS_FILTER) != 0) {
            area.rows--;
            tui_span_draw(&ui->filter.span, ui->facts.snapshot.first_ns, ui->facts.snapshot.last_ns, cells,
                          area.row + area.rows);
        }
        ui->area = area;
        tui_views[ui->view].view->draw(ui->state[ui->view], &ui->facts, cells, area);
    }
    if (ui->typing != TYPES_NOTHING)
        draw_typing(ui, cells);
    else
        draw_keys(ui, cells);
}
