/*
 * view_calls.c - calls: the open ones, the oldest first, then those that have ended, the latest
 * first; or sorted by any column. They are the ends of calls and the requests among the latest
 * records; --report latency has the totals.
 */
#include "core/clock.h"
#include "core/label_show.h"
#include "core/term_show.h"
#include "reports/report.h"
#include "ui/tui/tui_filter.h"
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_index.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_record.h"
#include "ui/tui/tui_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 500, BUDGET = 20000, WHAT_LEN = 100 };

enum { NUMBER, START, LATENCY, OUTCOME, LABEL, CALLER, CALLEE, WHAT };

static const struct tui_column columns[] = {
    [NUMBER] = {.title = "CALL", .is_number = true, .least = 5, .rank = 3},
    [START] = {.title = "START", .is_number = true, .least = 12, .rank = 1},
    [LATENCY] = {.title = "TOOK", .is_number = true, .least = 8},
    [OUTCOME] = {.title = "OUTCOME", .least = 7},
    [LABEL] = {.title = "LABEL", .least = 8, .most = 20, .rank = 2},
    [CALLER] = {.title = "CALLER", .least = 12, .most = 44, .rank = 4},
    [CALLEE] = {.title = "CALLEE", .least = 12, .most = 44},
    [WHAT] = {.title = "ASKED AND ANSWERED", .least = 10},
    {.title = NULL},
};

/* kept_call is a call that is open or has ended. */
struct kept_call {
    uint64_t call, record; /* record: number of its end, or of its request while it is open */
    int64_t start_ns, took_ns; /* took_ns: until now if it is open */
    bool is_open;
    int64_t key; /* it is sorted by this */
};

struct call_view {
    struct tui_index ended, requests; /* that match the filter */
    struct tui_index ends; /* of all calls: a call that has ended is not open, whether its end
                            * matches the filter or not */
    unsigned generation;
    bool is_busy;
    struct tui_table table;
    uint64_t num_open, num_ended;
};

static void *open_view(void)
{
    struct call_view *view = calloc(1, sizeof *view);
    if (view != NULL)
        tui_table_init(&view->table, columns, -1);
    return view;
}

static void close_view(void *state)
{
    struct call_view *view = state;
    tui_index_free(&view->ended);
    tui_index_free(&view->requests);
    tui_index_free(&view->ends);
    tui_table_free(&view->table);
    free(view);
}

static bool is_any_end(const void *context, const struct record *record, uint64_t number)
{
    (void)context;
    (void)number;
    return record->call != NULL;
}

static bool is_end(const void *context, const struct record *record, uint64_t number)
{
    const struct tui_facts *facts = context;
    (void)number;
    return record->call != NULL && tui_filter_accepts(facts->filter, record);
}

static bool is_request(const void *context, const struct record *record, uint64_t number)
{
    const struct tui_facts *facts = context;
    (void)number;
    return record_is_message(record) && record->note.role == NOTE_REQUEST && record->note.call != 0 &&
           tui_filter_accepts(facts->filter, record);
}

static int by_call(const void *a, const void *b)
{
    const struct kept_call *x = a, *y = b;
    return (x->call > y->call) - (x->call < y->call);
}

/* read_ended lists the calls that have ended. */
static size_t read_ended(const struct call_view *view, const struct store_look *look,
                         struct kept_call *calls)
{
    struct record_view at = {0};
    size_t num = 0;
    for (size_t i = 0; i < view->ended.num; i++) {
        const uint64_t number = tui_index_get(&view->ended, i);
        const struct record *record = store_look_get(look, number, &at);
        if (record != NULL && record->call != NULL)
            calls[num++] = (struct kept_call){record->call->number, number, record->call->start_ns,
                                              record->call->end_ns - record->call->start_ns, false, 0};
    }
    return num;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* list_ends lists the numbers of all calls that have ended, sorted, and returns how many there are. */
static size_t list_ends(const struct call_view *view, const struct store_look *look, uint64_t *ends)
{
    struct record_view at = {0};
    size_t num = 0;
    for (size_t i = 0; i < view->ends.num; i++) {
        const struct record *record = store_look_get(look, tui_index_get(&view->ends, i), &at);
        if (record != NULL && record->call != NULL)
            ends[num++] = record->call->number;
    }
    if (num != 0)
        qsort(ends, num, sizeof *ends, by_number);
    return num;
}

/* read_open lists the requests without a known end: ends are the numbers of calls that have one. */
static size_t read_open(const struct call_view *view, const struct tui_facts *facts, const uint64_t *ends,
                        size_t num_ends, struct kept_call *calls)
{
    struct record_view at = {0};
    size_t num = 0;
    for (size_t i = 0; i < view->requests.num; i++) {
        const uint64_t number = tui_index_get(&view->requests, i);
        const struct record *record = store_look_get(&facts->records, number, &at);
        if (record == NULL)
            continue;
        if (num_ends != 0 &&
            bsearch(&record->note.call, ends, num_ends, sizeof *ends, by_number) != NULL)
            continue;
        const int64_t start_ns = record->event->ts_ns, now_ns = facts->snapshot.last_ns;
        calls[num++] = (struct kept_call){record->note.call, number, start_ns,
                                          now_ns > start_ns ? now_ns - start_ns : 0, true, 0};
    }
    return num;
}

static int by_key(const void *a, const void *b)
{
    const struct kept_call *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : by_call(a, b);
}

/* key_of returns the sort key of a call, ascending. By default open calls come first, by age, then
 * the others, the latest first. */
static int64_t key_of(const struct tui_table *table, const struct kept_call *kept)
{
    const int64_t sign = table->is_turned ? -1 : 1;
    switch (table->sort_column) {
    case LATENCY:
        return -sign * kept->took_ns;
    case NUMBER:
        return -sign * (int64_t)kept->call;
    case START:
        return -sign * kept->start_ns;
    default:
        return kept->is_open ? kept->start_ns - INT64_MAX : -(int64_t)kept->record;
    }
}

static void put_text(struct tui_table *table, unsigned column, struct ds_buffer *text)
{
    ds_buffer_add(text, "", 1);
    if (!text->failed)
        tui_table_put(table, column, text->data);
    text->len = 0;
}

static void put_head(struct tui_table *table, const struct kept_call *kept, const char *label,
                     const char *outcome, struct ds_buffer *text)
{
    char number[32];
    snprintf(number, sizeof number, "#%" PRIu64, kept->call);
    tui_table_put_number(table, NUMBER, (int64_t)kept->call, number);
    tui_table_put_number(table, START, kept->start_ns, tui_time_of_day(kept->start_ns).text);
    tui_table_put_number(table, LATENCY, kept->took_ns, tui_span(kept->took_ns).text);
    tui_table_put(table, OUTCOME, outcome);
    label_show(label, text);
    put_text(table, LABEL, text);
}

static void put_ended(struct tui_table *table, const struct kept_call *kept, const struct call *call)
{
    const bool failed = call_outcome_is_failure(call->outcome);
    struct ds_buffer text = {0};
    if (!tui_table_add(table, kept->call, failed ? STYLE_WARNING : STYLE_PLAIN))
        return;
    put_head(table, kept, call->label, call_outcome_name(call->outcome), &text);
    party_print(&call->caller, &text);
    put_text(table, CALLER, &text);
    party_print(&call->callee, &text);
    put_text(table, CALLEE, &text);
    report_print_what(call, WHAT_LEN, &text);
    put_text(table, WHAT, &text);
    ds_buffer_free(&text);
}

/* print_party writes the sender or receiver of a request. */
static void print_party(struct ds_text name, const struct ds_term *term, const struct ds_endpoint *end,
                        struct ds_buffer *out)
{
    if (name.data != NULL)
        term_show_name(name, out);
    else if (term->data != NULL)
        term_show(term, NULL, out);
    ds_buffer_add_text(out, " ");
    ds_endpoint_print(end, out);
}

static void put_open(struct tui_table *table, const struct kept_call *kept, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_message *message = &event->message;
    const struct note *note = &record->note;
    const struct ds_term_print_options options = {.max_bytes = 24, .max_items = 8, .max_len = WHAT_LEN};
    struct ds_buffer text = {0};
    if (!tui_table_add(table, kept->call, STYLE_STRONG))
        return;
    put_head(table, kept, note->label, "open", &text);
    print_party(note->from_name, &message->role[DS_ROLE_FROM], &event->conn->end[event->dir], &text);
    put_text(table, CALLER, &text);
    print_party(note->to_name, &message->role[DS_ROLE_TO], &event->conn->end[!event->dir], &text);
    put_text(table, CALLEE, &text);
    if (note->mod.data != NULL)
        note_print_mfa(note, WHAT_LEN, &text);
    else
        term_show(note->body.data != NULL ? &note->body : &message->payload, &options, &text);
    put_text(table, WHAT, &text);
    ds_buffer_free(&text);
}

static void fill(struct call_view *view, const struct tui_facts *facts, const struct kept_call *calls,
                 size_t num)
{
    struct record_view at = {0};
    tui_table_begin(&view->table);
    for (size_t i = 0; i < num && i < ROWS; i++) {
        const struct record *record = store_look_get(&facts->records, calls[i].record, &at);
        if (record != NULL && record->call != NULL)
            put_ended(&view->table, &calls[i], record->call);
        else if (record != NULL)
            put_open(&view->table, &calls[i], record);
    }
    tui_table_end(&view->table);
}

static void update(void *state, const struct tui_facts *facts)
{
    struct call_view *view = state;
    if (view->generation != facts->filter->generation) {
        tui_index_clear(&view->ended);
        tui_index_clear(&view->requests);
        view->generation = facts->filter->generation;
    }
    const struct store_look *look = &facts->records;
    const int64_t until_ns = clock_now_ns() + TUI_UPDATE_NS;
    const bool has_ends = tui_index_follow(&view->ends, look, is_any_end, NULL, BUDGET, until_ns);
    const bool has_ended = tui_index_follow(&view->ended, look, is_end, facts, BUDGET, until_ns);
    const bool has_requests =
        tui_index_follow(&view->requests, look, is_request, facts, BUDGET, until_ns);
    view->is_busy = !has_ends || !has_ended || !has_requests;
    if (view->is_busy)
        return; /* requests whose ends are not read yet would look open */
    struct kept_call *calls = calloc(view->ended.num + view->requests.num + 1, sizeof *calls);
    uint64_t *ends = malloc((view->ends.num + 1) * sizeof *ends);
    if (calls == NULL || ends == NULL) {
        free(calls);
        free(ends);
        return;
    }
    view->num_ended = read_ended(view, &facts->records, calls);
    const size_t num_ends = list_ends(view, &facts->records, ends);
    view->num_open = read_open(view, facts, ends, num_ends, calls + view->num_ended);
    free(ends);
    const size_t num = view->num_ended + view->num_open;
    for (size_t i = 0; i < num; i++)
        calls[i].key = key_of(&view->table, &calls[i]);
    if (num != 0)
        qsort(calls, num, sizeof *calls, by_key);
    fill(view, facts, calls, num);
    free(calls);
}

static bool is_busy(const void *state)
{
    const struct call_view *view = state;
    return view->is_busy;
}

static void draw(void *state, const struct tui_facts *facts, struct cells *cells, struct area area)
{
    struct call_view *view = state;
    char text[128];
    if (area.rows < 4)
        return;
    const uint64_t num = view->num_open + view->num_ended;
    const int len = snprintf(text, sizeof text, "%" PRIu64 " open, %" PRIu64 " ended", view->num_open,
                             view->num_ended);
    if (num > ROWS)
        snprintf(text + len, sizeof text - (size_t)len, ": the first %d are listed", ROWS);
    const unsigned at = cells_put_string(cells, area.row, area.column, area.columns,
                                         view->num_open != 0 ? STYLE_STRONG : STYLE_DIM,
                                         view->is_busy ? "looking" : text);
    if (facts->filter->num_given_up != 0) {
        snprintf(text, sizeof text, ", %s took too long to search",
                 tui_count(facts->filter->num_given_up).text);
        cells_put_string(cells, area.row, area.column + at, area.columns - at, STYLE_WARNING, text);
    }
    area.row++;
    area.rows--;
    tui_table_draw(&view->table, cells, area, true);
}

static bool request(void *state, const struct tui_facts *facts, enum tui_request request,
                    struct tui_page *page)
{
    struct call_view *view = state;
    (void)page;
    if (!tui_table_request(&view->table, request))
        return false;
    if (request == REQUEST_SORT_LEFT || request == REQUEST_SORT_RIGHT || request == REQUEST_SORT_TURN)
        update(view, facts); /* the sort order has changed */
    return true;
}

static struct tui_target selected(const void *state, const struct tui_facts *facts)
{
    const struct call_view *view = state;
    const struct tui_row *row = tui_table_selected(&view->table);
    (void)facts;
    return row != NULL ? (struct tui_target){TARGET_CALL, row->id} : (struct tui_target){0};
}

static bool click(void *state, const struct tui_facts *facts, struct area area, unsigned row,
                  unsigned column)
{
    struct call_view *view = state;
    (void)facts;
    area.row++;
    area.rows = area.rows != 0 ? area.rows - 1 : 0;
    return tui_table_click(&view->table, area, row, column);
}

const struct tui_view view_calls = {
    .is_table = true,
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
