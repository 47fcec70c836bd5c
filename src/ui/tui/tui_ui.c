/*
 * tui_ui.c - see tui_ui.h: what each key and click does.
 */
#include "ui/tui/tui_ui.h"

#include "output/event_text.h"
#include "ui/tui/tui_choose.h"
#include "ui/tui/tui_help.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_typing.h"

#include <stdio.h>

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

bool tui_ui_take(struct tui_ui *ui, const struct ds_buffer *told, int64_t now_ns)
{
    if (!snapshot_read(&ui->facts.snapshot, told))
        return false;
    tui_rates_take(&ui->facts.rates, &ui->facts.snapshot, now_ns);
    ui->is_told = true;
    if (!ui->is_paused)
        tui_state_update(ui);
    return true;
}

struct store_look *tui_ui_records(struct tui_ui *ui)
{
    return ui->is_paused ? NULL : &ui->facts.records;
}

static void show_view(struct tui_ui *ui, unsigned view)
{
    ui->view = view;
    tui_state_close_pages(ui);
    ui->is_told = false; /* its books are older than the others */
    tui_state_update(ui);
}

static enum tui_does go_back(struct tui_ui *ui, bool is_quit)
{
    if (!ui->page.is_open)
        return is_quit ? TUI_ENDS : TUI_GOES_ON;
    tui_state_close_page(ui);
    return TUI_GOES_ON;
}

static void pause_or_go_on(struct tui_ui *ui)
{
    ui->is_paused = !ui->is_paused && ui->facts.is_live && !ui->facts.has_ended;
    if (!ui->is_paused)
        tui_state_update(ui);
}

/* open_selected opens what is behind a row, or goes where a line leads. */
static void open_selected(struct tui_ui *ui)
{
    const struct tui_target target = tui_state_selected(ui);
    const struct tui_view *view = tui_views[ui->view].view;
    if (ui->page.is_open && target.kind == TARGET_FOLD) {
        tui_page_turn_fold(&ui->page, target.number);
        tui_state_write_page_anew(ui);
    } else if (target.kind != TARGET_NONE) {
        tui_state_open(ui, target);
    } else if (!ui->page.is_open) {
        view->request(ui->state[ui->view], &ui->facts, REQUEST_OPEN, &ui->page);
    }
}

/* open_ladder shows the messages of what is selected, or of the page that is open. */
static void open_ladder(struct tui_ui *ui)
{
    struct tui_target target = tui_page_ladder_of(tui_state_selected(ui));
    if (target.kind == TARGET_NONE && ui->page.is_open)
        target = tui_page_ladder_of(ui->page.self);
    if (target.kind == TARGET_NONE)
        tui_state_note(ui, "no messages belong to this");
    else
        tui_state_open(ui, target);
}

/* narrow shows only what belongs to the selected one. */
static void narrow(struct tui_ui *ui, enum tui_request request)
{
    char more[LINE_LEN], what[TUI_NOTE_LEN];
    if (!tui_choose_filter(&ui->facts, tui_state_selected(ui), request, more, sizeof more)) {
        tui_state_note(ui, "that is not known of it");
        return;
    }
    if (!tui_filter_narrow(&ui->filter, more, what, sizeof what))
        tui_state_note(ui, what);
    tui_state_update(ui);
}

/* change_span shows another part of the time. */
static void change_span(struct tui_ui *ui, enum tui_request request)
{
    const int64_t first_ns = ui->facts.snapshot.first_ns, last_ns = ui->facts.snapshot.last_ns;
    struct tui_span_shown *span = &ui->filter.span;
    const int64_t middle_ns = tui_choose_time(&ui->facts, tui_state_selected(ui));
    if (request == REQUEST_NARROW)
        tui_span_narrow(span, first_ns, last_ns, middle_ns != 0 ? middle_ns : last_ns);
    else if (request == REQUEST_WIDEN)
        tui_span_widen(span, first_ns, last_ns);
    else
        tui_span_move(span, first_ns, last_ns, request == REQUEST_LATER);
    ui->filter.generation++;
    tui_state_update(ui);
}

static void mark(struct tui_ui *ui)
{
    const struct tui_view *view = tui_views[ui->view].view;
    if (!tui_choose_mark(&ui->facts, tui_state_selected(ui), &ui->marks))
        tui_state_note(ui, "no more can be marked");
    else
        view->request(ui->state[ui->view], &ui->facts, REQUEST_DOWN, &ui->page);
}

static enum tui_does copy(struct tui_ui *ui)
{
    ui->copied.len = 0;
    if (ui->page.is_open)
        tui_page_print(&ui->page, &ui->copied);
    else
        tui_choose_print(&ui->facts, tui_state_selected(ui), &ui->copied);
    if (ui->copied.len == 0 || ui->copied.failed) {
        ds_buffer_free(&ui->copied);
        tui_state_note(ui, "there is nothing to copy");
        return TUI_GOES_ON;
    }
    tui_state_note(ui, "copied, if the terminal allows that");
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
    tui_state_write_page_anew(ui);
}

static enum tui_does answer_records(struct tui_ui *ui, enum tui_request request)
{
    switch (request) {
    case REQUEST_FILTER:
        tui_typing_begin(ui, TYPES_FILTER);
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
        tui_state_change_filter(ui, "");
        break;
    case REQUEST_MARK:
        mark(ui);
        break;
    case REQUEST_UNMARK:
        ui->marks.num = 0;
        break;
    case REQUEST_LADDER_OF_MARKS:
        if (ui->marks.num == 0)
            tui_state_note(ui, "nothing is marked: m marks a message");
        else
            tui_state_open(ui, (struct tui_target){TARGET_LADDER_OF_MARKS, 0});
        break;
    default:
        tui_typing_begin(ui, TYPES_FORMAT);
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
        tui_state_put_page_under(ui);
        tui_help_write(&ui->page);
        ui->page_is_help = true;
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
        tui_typing_key(ui, key);
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
