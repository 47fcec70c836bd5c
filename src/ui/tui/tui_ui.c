/*
 * tui_ui.c - see tui_ui.h: the effect of each key and click.
 */
#include "ui/tui/tui_ui.h"

#include "output/event_text.h"
#include "ui/tui/tui_choose.h"
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_help.h"
#include "ui/tui/tui_links.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_processes.h"
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
    tui_line_free(&ui->time_line);
    tui_line_free(&ui->search_line);
    ds_buffer_free(&ui->copied);
    snapshot_free(&ui->facts.snapshot);
    tui_rates_free(&ui->facts.rates);
    tui_rates_free(&ui->facts.kind_rates);
    tui_rates_free(&ui->facts.process_rates);
}

/* The lines at the top need these books, in every view. */
unsigned tui_ui_books(const struct tui_ui *ui)
{
    return tui_views[ui->view].view->books | BOOK_BIT(LINKS) | BOOK_BIT(DOCTOR);
}

/* add_rates records the counters of the books that the snapshot has. */
static void add_rates(struct tui_facts *facts, int64_t now_ns)
{
    const struct snapshot *s = &facts->snapshot;
    const cJSON *kinds = s->book[BOOK_TRAFFIC], *processes = s->book[BOOK_TOP];
    tui_rates_add(&facts->rates, told_list(s->book[BOOK_LINKS], "rows"), link_rate_of, s, now_ns);
    if (facts->is_live && kinds != NULL)
        tui_rates_add(&facts->kind_rates, told_list(kinds, "rows"), kind_rate_of, s, now_ns);
    if (facts->is_live && processes != NULL)
        tui_rates_add(&facts->process_rates, told_list(processes, "rows"), process_rate_of, s, now_ns);
}

bool tui_ui_update(struct tui_ui *ui, const struct ds_buffer *told, int64_t now_ns)
{
    if (!snapshot_read(&ui->facts.snapshot, told))
        return false;
    add_rates(&ui->facts, now_ns);
    ui->is_told = true;
    if (!ui->is_paused)
        tui_state_update(ui);
    const enum tui_target_kind kind = ui->page.self.kind;
    if (!ui->is_paused && ui->page.is_open && (kind == TARGET_CONN || kind == TARGET_MATRIX))
        tui_state_write_page_anew(ui); /* this updates its numbers */
    return true;
}

struct store_look *tui_ui_records(struct tui_ui *ui)
{
    return ui->is_paused ? NULL : &ui->facts.records;
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
    if (!ui->facts.is_live || ui->facts.has_ended)
        tui_state_set_message(ui, "no more packets come: there is nothing to hold");
    ui->is_paused = !ui->is_paused && ui->facts.is_live && !ui->facts.has_ended;
    if (!ui->is_paused)
        tui_state_update(ui);
}

/* open_selected opens the page of a row, or follows a line of a page. */
static void open_selected(struct tui_ui *ui)
{
    const struct tui_target target = tui_state_selected(ui);
    const struct tui_view *view = tui_views[ui->view].view;
    if (ui->page.is_open && target.kind == TARGET_FOLD) {
        tui_page_turn_fold(&ui->page, target.number);
        tui_state_write_page_anew(ui);
    } else if (target.kind != TARGET_NONE) {
        tui_state_open(ui, target);
    } else if (ui->page.is_open ||
               !view->request(ui->state[ui->view], &ui->facts, REQUEST_OPEN, &ui->page)) {
        tui_state_set_message(ui, "nothing is behind this line");
    }
}

/* open_ladder shows the ladder of the selected row, or of the open page. */
static void open_ladder(struct tui_ui *ui)
{
    struct tui_target target = tui_page_ladder_of(tui_state_selected(ui));
    if (target.kind == TARGET_NONE && ui->page.is_open)
        target = tui_page_ladder_of(ui->page.self);
    if (target.kind == TARGET_NONE)
        tui_state_set_message(ui, "no messages belong to this");
    else
        tui_state_open(ui, target);
}

/* narrow filters for what belongs to the selected row. */
static void narrow(struct tui_ui *ui, enum tui_request request)
{
    char more[LINE_LEN], what[TUI_NOTE_LEN];
    if (!tui_choose_filter(&ui->facts, tui_state_selected(ui), request, more, sizeof more) &&
        (!ui->page.is_open ||
         !tui_choose_filter(&ui->facts, ui->page.self, request, more, sizeof more))) {
        tui_state_set_message(ui, "that is not known of the selected row");
        return;
    }
    if (!tui_filter_narrow(&ui->filter, more, what, sizeof what))
        tui_state_set_message(ui, what);
    tui_state_show_records(ui);
    tui_state_update(ui);
}

/* only_failed filters for failed calls, and shows calls unless messages are shown already. */
static void only_failed(struct tui_ui *ui)
{
    char what[TUI_NOTE_LEN];
    if (!tui_filter_narrow(&ui->filter, "outcome == \"failed\"", what, sizeof what))
        tui_state_set_message(ui, what);
    if ((tui_views[ui->view].view->has & VIEW_HAS_FILTER) == 0)
        tui_state_show_view(ui, TUI_VIEW_calls);
    tui_state_show_records(ui);
    tui_state_update(ui);
}

/* change_span shows another part of the time. */
static void change_span(struct tui_ui *ui, enum tui_request request)
{
    const int64_t first_ns = ui->facts.snapshot.first_ns, last_ns = ui->facts.snapshot.last_ns;
    struct tui_span_shown *span = &ui->filter.span;
    int64_t middle_ns = tui_choose_time(&ui->facts, tui_state_selected(ui));
    if (middle_ns == 0 && ui->page.is_open)
        middle_ns = tui_choose_time(&ui->facts, ui->page.self);
    if (request == REQUEST_NARROW)
        tui_span_narrow(span, first_ns, last_ns, middle_ns != 0 ? middle_ns : last_ns);
    else if (request == REQUEST_WIDEN)
        tui_span_widen(span, first_ns, last_ns);
    else
        tui_span_move(span, first_ns, last_ns, request == REQUEST_LATER);
    ui->filter.generation++;
    tui_state_update(ui);
    if (!span->is_narrow) {
        tui_state_set_message(ui, "all of the time is shown");
    } else if (ui->page.is_open) {
        char text[128];
        snprintf(text, sizeof text, "messages and calls from %s on, for %s, are shown",
                 tui_time_of_day(span->from_ns).text, tui_span(span->to_ns - span->from_ns).text);
        tui_state_set_message(ui, text);
    }
}

static void note_marks(struct tui_ui *ui)
{
    char text[64];
    snprintf(text, sizeof text, "%u marked: L shows them as a ladder", ui->marks.num);
    tui_state_set_message(ui, text);
}

static bool can_be_marked(struct tui_target target)
{
    return target.kind == TARGET_RECORD || target.kind == TARGET_PACKET || target.kind == TARGET_CALL;
}

static void mark(struct tui_ui *ui)
{
    const struct tui_view *view = tui_views[ui->view].view;
    const struct tui_target row = tui_state_selected(ui);
    const struct tui_target target = ui->page.is_open && !can_be_marked(row) ? ui->page.self : row;
    if (!can_be_marked(target))
        tui_state_set_message(ui, "only messages and calls can be marked");
    else if (!tui_choose_mark(&ui->facts, target, &ui->marks))
        tui_state_set_message(ui, "no more can be marked");
    else if (ui->page.is_open)
        note_marks(ui);
    else
        view->request(ui->state[ui->view], &ui->facts, REQUEST_DOWN, &ui->page);
}

/* print_view appends the view as it appears on the screen. */
static void print_view(struct tui_ui *ui, struct ds_buffer *out)
{
    const struct area area = {.column = 1, .rows = ui->area.rows, .columns = ui->area.columns};
    struct cells cells = {.ascii = ui->facts.ascii};
    if (cells_resize(&cells, area.rows, area.columns + 1)) {
        tui_views[ui->view].view->draw(ui->state[ui->view], &ui->facts, &cells, area);
        cells_print(&cells, out);
    }
    while (out->len > 1 && out->data[out->len - 2] == '\n')
        out->len--; /* remove empty rows at the end */
    cells_free(&cells);
}

static enum tui_does copy(struct tui_ui *ui)
{
    ui->copied.len = 0;
    if (ui->page.is_open)
        tui_page_print(&ui->page, &ui->copied);
    else
        tui_choose_print(&ui->facts, tui_state_selected(ui), &ui->copied);
    if (ui->copied.len == 0 && !ui->page.is_open && ui->area.rows != 0)
        print_view(ui, &ui->copied);
    if (ui->copied.len == 0 || ui->copied.failed) {
        ds_buffer_free(&ui->copied);
        tui_state_set_message(ui, "there is nothing to copy");
        return TUI_GOES_ON;
    }
    tui_state_set_message(ui, "copied, if the terminal allows that");
    return TUI_COPIES;
}

/* change_page handles requests that only pages of messages and ladders answer. False: this is none. */
static bool change_page(struct tui_ui *ui, enum tui_request request)
{
    struct tui_page *page = &ui->page;
    const enum tui_target_kind kind = page->self.kind;
    if (!page->is_open || (request == REQUEST_LANES ? !tui_page_is_ladder(kind)
                                                    : kind != TARGET_RECORD && kind != TARGET_PACKET))
        return false;
    page->has_other_syntax ^= request == REQUEST_SYNTAX;
    page->shows_bytes ^= request == REQUEST_BYTES;
    page->by_process ^= request == REQUEST_LANES;
    if (request == REQUEST_SYNTAX)
        page->num_folds = 0; /* brackets get other numbers */
    tui_state_write_page_anew(ui);
    return true;
}

static void answer_records(struct tui_ui *ui, enum tui_request request)
{
    switch (request) {
    case REQUEST_FILTER:
        tui_typing_begin(ui, TYPES_FILTER);
        break;
    case REQUEST_ONLY_FAILED:
        only_failed(ui);
        break;
    case REQUEST_GO_TO:
        tui_typing_begin(ui, TYPES_TIME);
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
        tui_state_set_message(ui, ui->marks.num != 0 ? "nothing is marked any more" : "nothing is marked");
        ui->marks.num = 0;
        break;
    case REQUEST_LADDER_OF_MARKS:
        if (ui->marks.num == 0)
            tui_state_set_message(ui, "nothing is marked: m marks a message");
        else
            tui_state_open(ui, (struct tui_target){TARGET_LADDER_OF_MARKS, 0});
        break;
    default:
        tui_typing_begin(ui, TYPES_FORMAT);
        break;
    }
}

/* refuse shows why a key has no effect here. */
static void refuse(struct tui_ui *ui, enum tui_request request)
{
    static const char *const why[] = {
        [REQUEST_TABLE] = "there are no columns to sort by here",
        [REQUEST_PAGE] = "that is for the page of a message: Enter opens it",
    };
    const enum request_where where = request_lines[request].where;
    if ((size_t)where < sizeof why / sizeof why[0] && why[where] != NULL)
        tui_state_set_message(ui, request == REQUEST_LANES ? "that is for a ladder: l shows one"
                                                           : why[where]);
}

static void answer_rest(struct tui_ui *ui, enum tui_request request)
{
    const struct tui_view *view = tui_views[ui->view].view;
    const enum request_where where = request_lines[request].where;
    if (where == REQUEST_RECORDS)
        answer_records(ui, request);
    else if (where == REQUEST_PAGE ? !change_page(ui, request)
             : ui->page.is_open    ? !tui_page_request(&ui->page, request)
                                   : !view->request(ui->state[ui->view], &ui->facts, request, &ui->page))
        refuse(ui, request);
}

/* turn_lanes shows other lanes of a ladder. */
static void turn_lanes(struct tui_ui *ui, bool is_next)
{
    struct tui_page *page = &ui->page;
    if (!page->has_more_lanes)
        tui_state_set_message(ui, "all lanes are shown");
    else if (is_next || page->lanes_at != 0)
        page->lanes_at = is_next ? page->lanes_at + 1 : page->lanes_at - 1;
    tui_state_write_page_anew(ui);
}

/* turn_part goes to the next part of the view, or to the next view if it has no parts. */
static void turn_part(struct tui_ui *ui, enum tui_request request)
{
    const struct tui_view *view = tui_views[ui->view].view;
    const bool is_next = request == REQUEST_NEXT_PART || request == REQUEST_NEXT_VIEW;
    const unsigned step = is_next ? 1 : TUI_VIEW_COUNT - 1;
    const bool is_part = request == REQUEST_NEXT_PART || request == REQUEST_PREVIOUS_PART;
    if (!is_part && ui->page.is_open && tui_page_is_ladder(ui->page.self.kind)) {
        turn_lanes(ui, is_next);
    } else if (is_part && ui->page.is_open) {
        if (!tui_page_request(&ui->page, request))
            tui_state_set_message(ui, "no line of this page leads on");
    } else if (!is_part || !view->request(ui->state[ui->view], &ui->facts, request, &ui->page)) {
        tui_state_show_view(ui, (ui->view + step) % TUI_VIEW_COUNT);
    }
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
    case REQUEST_NEXT_PART:
    case REQUEST_PREVIOUS_PART:
    case REQUEST_NEXT_VIEW:
    case REQUEST_PREVIOUS_VIEW:
        turn_part(ui, request);
        return TUI_GOES_ON;
    case REQUEST_MATRIX:
        if (told_list(ui->facts.snapshot.book[BOOK_LINKS], "rows") == NULL)
            tui_state_set_message(ui, "there are no links between nodes");
        else if (ui->page.self.kind != TARGET_MATRIX || !ui->page.is_open)
            tui_state_open(ui, (struct tui_target){TARGET_MATRIX, 0});
        return TUI_GOES_ON;
    case REQUEST_SEARCH:
        tui_typing_begin(ui, TYPES_SEARCH);
        return TUI_GOES_ON;
    case REQUEST_NEXT_FOUND:
    case REQUEST_PREVIOUS_FOUND:
        tui_state_search(ui, request == REQUEST_PREVIOUS_FOUND, false);
        return TUI_GOES_ON;
    case REQUEST_PAUSE:
        pause_or_go_on(ui);
        return TUI_GOES_ON;
    case REQUEST_REDRAW:
        return TUI_REDRAWS;
    case REQUEST_SUSPEND:
        return TUI_SUSPENDS;
    default:
        answer_rest(ui, request);
        return TUI_GOES_ON;
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
    if (key >= '0' && key <= '9') { /* 0 is the tenth view */
        const unsigned view = key == '0' ? 9 : key - '1';
        if (view < TUI_VIEW_COUNT)
            tui_state_show_view(ui, view);
        return TUI_GOES_ON;
    }
    const enum tui_request request =
        request_find(key, ui->page.is_open, ui->page.is_open && ui->page.is_searched);
    if (request != REQUEST_NONE)
        return answer(ui, request);
    if (key > ' ' && key < 0x7F) {
        char text[64];
        snprintf(text, sizeof text, "%c is no key here: ? lists the keys", (char)key);
        tui_state_set_message(ui, text);
    }
    return TUI_GOES_ON;
}

/* click_key handles a click on a key that the lowest line names. */
static enum tui_does click_key(struct tui_ui *ui, unsigned column)
{
    for (unsigned i = 0; i < ui->num_shown_keys; i++) {
        const struct tui_shown_key *key = &ui->shown_keys[i];
        if (column >= key->begin && column < key->end)
            return answer(ui, key->request);
    }
    return TUI_GOES_ON;
}

enum tui_does tui_ui_click(struct tui_ui *ui, unsigned row, unsigned column, bool is_twice)
{
    const struct tui_view *view = tui_views[ui->view].view;
    ui->note[0] = '\0';
    if (ui->typing != TYPES_NOTHING)
        return TUI_GOES_ON;
    if (row == ui->keys_row)
        return click_key(ui, column);
    if (row == 0) {
        unsigned i = 0;
        while (i < TUI_VIEW_COUNT && column >= ui->menu_end[i])
            i++;
        if (i < TUI_VIEW_COUNT)
            tui_state_show_view(ui, i);
        return TUI_GOES_ON;
    }
    bool is_there = false;
    if (ui->page.is_open)
        is_there = row >= ui->area.row + ui->page.num_sticky &&
                   tui_page_click(&ui->page, row - ui->area.row - ui->page.num_sticky);
    else if (view->click != NULL)
        is_there = view->click(ui->state[ui->view], &ui->facts, ui->area, row, column);
    if (is_there && is_twice)
        open_selected(ui);
    return TUI_GOES_ON;
}
