/*
 * page_times.c - see page_times.h.
 */
#include "ui/page/page_times.h"

#include "core/hash.h"
#include "core/heavy_hitters.h"
#include "core/label_show.h"
#include "reports/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINKS = 64, MAX_HEATS = 32, MAX_MARKS = 2000, MARK_LEN = 200 };

/* The upper bounds of a heat map's rows, as durations of calls: 1, 2 and 5 of each power of ten. */
static const int64_t heat_ends_ns[] = {
    1000,      2000,      5000,       10000,      20000,      50000,       100000,
    200000,    500000,    1000000,    2000000,    5000000,    10000000,    20000000,
    50000000,  100000000, 200000000,  500000000,  1000000000, 2000000000,  5000000000,
    10000000000, 20000000000, 50000000000, 100000000000, INT64_MAX,
};
enum { HEAT_ROWS = sizeof heat_ends_ns / sizeof heat_ends_ns[0] };

struct heat {
    struct grid_series rows[HEAT_ROWS];
    uint64_t count;
};

/* heat_entry is the heat map of a label, a callee, or a connection that carried requests. */
struct heat_entry {
    struct hitters_entry head;
    struct heat *heat;
    char *text;
};

struct link_entry {
    struct hitters_entry head;
    uint64_t conn;
    struct grid_series messages, bytes;
};

struct mark {
    int64_t ns;
    const char *kind;
    uint64_t conn, frame;
    char *text;
};

struct page_times {
    struct time_grid grid;
    struct grid_series messages, bytes, failed;
    struct heat heat;
    struct heavy_hitters by_label, by_callee, by_conn, links;
    struct mark *marks;
    size_t num_marks, cap_marks;
    uint64_t num_left_out; /* marks */
    int64_t last_ns;
    bool no_memory;
    struct ds_buffer scratch;
};

static void forget_heat(void *entry)
{
    struct heat_entry *heat = entry;
    free(heat->text);
    free(heat->heat);
}

struct page_times *page_times_new(void)
{
    struct page_times *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    hitters_init(&t->by_label, sizeof(struct heat_entry), MAX_HEATS, forget_heat);
    hitters_init(&t->by_callee, sizeof(struct heat_entry), MAX_HEATS, forget_heat);
    hitters_init(&t->by_conn, sizeof(struct heat_entry), MAX_HEATS, forget_heat);
    hitters_init(&t->links, sizeof(struct link_entry), MAX_LINKS, NULL);
    return t;
}

void page_times_free(struct page_times *t)
{
    if (t == NULL)
        return;
    hitters_free(&t->by_label);
    hitters_free(&t->by_callee);
    hitters_free(&t->by_conn);
    hitters_free(&t->links);
    for (size_t i = 0; i < t->num_marks; i++)
        free(t->marks[i].text);
    free(t->marks);
    ds_buffer_free(&t->scratch);
    free(t);
}

static void on_message(struct page_times *t, const struct ds_event *event, unsigned column)
{
    const uint64_t size = event->message.size;
    bool is_new;
    grid_series_add(&t->messages, &t->grid, column, 1);
    grid_series_add(&t->bytes, &t->grid, column, size);
    struct link_entry *link = hitters_add(
        &t->links, hash_more(1, &event->conn->number, sizeof event->conn->number), size, &is_new);
    if (link == NULL) {
        t->no_memory = true;
        return;
    }
    link->conn = event->conn->number;
    grid_series_add(&link->messages, &t->grid, column, 1);
    grid_series_add(&link->bytes, &t->grid, column, size);
}

static void heat_add(struct heat *heat, const struct time_grid *grid, unsigned column, int64_t span_ns)
{
    unsigned row = 0;
    while (span_ns >= heat_ends_ns[row] && row + 1 < HEAT_ROWS)
        row++;
    grid_series_add(&heat->rows[row], grid, column, 1);
    heat->count++;
}

/* heat_part counts a call in the heat map whose name is in scratch. */
static void heat_part(struct page_times *t, struct heavy_hitters *hitters, unsigned column,
                      int64_t span_ns)
{
    bool is_new;
    if (t->scratch.failed) {
        t->no_memory = true;
        return;
    }
    const uint64_t key = hash_more(2, t->scratch.len != 0 ? t->scratch.data : "", t->scratch.len);
    struct heat_entry *entry = hitters_add(hitters, key, (uint64_t)span_ns + 1, &is_new);
    if (entry == NULL) {
        t->no_memory = true;
        return;
    }
    if (is_new) {
        entry->text = strndup(t->scratch.len != 0 ? t->scratch.data : "", t->scratch.len);
        entry->heat = calloc(1, sizeof *entry->heat);
        t->no_memory |= entry->text == NULL || entry->heat == NULL;
    }
    if (entry->heat != NULL)
        heat_add(entry->heat, &t->grid, column, span_ns);
}

static void on_call(struct page_times *t, const struct call *call)
{
    const int64_t span_ns = call->end_ns > call->start_ns ? call->end_ns - call->start_ns : 0;
    const unsigned column = time_grid_place(&t->grid, call->start_ns);
    if (call_outcome_is_failure(call->outcome))
        grid_series_add(&t->failed, &t->grid, column, 1);
    if (!call_has_end(call))
        return;
    heat_add(&t->heat, &t->grid, column, span_ns);
    t->scratch.len = 0;
    label_show(call->label, &t->scratch);
    heat_part(t, &t->by_label, column, span_ns);
    t->scratch.len = 0;
    report_print_callee(call, &t->scratch);
    heat_part(t, &t->by_callee, column, span_ns);
    t->scratch.len = 0;
    ds_buffer_printf(&t->scratch, "%" PRIu64, call->conn);
    heat_part(t, &t->by_conn, column, span_ns);
}

void page_times_record(struct page_times *t, const struct record *record)
{
    if (record->finding != NULL || record->monitor != NULL)
        return;
    if (record->call != NULL) {
        on_call(t, record->call);
        return;
    }
    const unsigned column = time_grid_place(&t->grid, record->event->ts_ns);
    if (record->event->ts_ns > t->last_ns || t->last_ns == 0)
        t->last_ns = record->event->ts_ns;
    if (record->event->type == DS_EVENT_MESSAGE)
        on_message(t, record->event, column);
}

void page_times_mark(struct page_times *t, int64_t ns, const char *kind, uint64_t conn,
                     uint64_t frame, struct ds_text text)
{
    if (t->num_marks == MAX_MARKS) {
        t->num_left_out++;
        return;
    }
    if (t->num_marks == t->cap_marks) {
        const size_t cap = t->cap_marks != 0 ? 2 * t->cap_marks : 64;
        struct mark *marks = realloc(t->marks, cap * sizeof *marks);
        if (marks == NULL) {
            t->num_left_out++;
            return;
        }
        t->marks = marks;
        t->cap_marks = cap;
    }
    char *copy = strndup(text.len != 0 ? text.data : "", text.len < MARK_LEN ? text.len : MARK_LEN);
    if (copy == NULL) {
        t->num_left_out++;
        return;
    }
    t->marks[t->num_marks++] =
        (struct mark){.ns = ns, .kind = kind, .conn = conn, .frame = frame, .text = copy};
}

bool page_times_span(const struct page_times *t, int64_t *first_ns, int64_t *last_ns)
{
    *first_ns = t->grid.start_ns;
    *last_ns = t->last_ns;
    return t->grid.has_start;
}

/* num_columns brings a series to the width of the grid, and returns the number of columns up to the
 * last one that is not empty. */
static unsigned num_columns(struct page_times *t, struct grid_series *series)
{
    unsigned num = GRID_COLUMNS;
    grid_series_follow(series, &t->grid);
    while (num != 0 && series->counts[num - 1] == 0)
        num--;
    return num;
}

void page_times_see(struct page_times *t, struct page_times_view *view)
{
    *view = (struct page_times_view){
        .start_ns = t->grid.start_ns,
        .width_ns = time_grid_width_ns(&t->grid),
        .messages = t->messages.counts,
        .bytes = t->bytes.counts,
        .num = num_columns(t, &t->messages),
        .latency_ends_ns = heat_ends_ns,
        .num_ends = HEAT_ROWS - 1,
    };
    grid_series_follow(&t->bytes, &t->grid);
}

static void each_cell(struct page_times *t, struct heat *heat,
                      void (*cell)(void *context, unsigned column, unsigned row, uint64_t count),
                      void *context)
{
    for (unsigned row = 0; row < HEAT_ROWS; row++) {
        grid_series_follow(&heat->rows[row], &t->grid);
        for (unsigned column = 0; column < GRID_COLUMNS; column++) {
            if (heat->rows[row].counts[column] != 0)
                cell(context, column, row, heat->rows[row].counts[column]);
        }
    }
}

void page_times_cells(struct page_times *t,
                      void (*cell)(void *context, unsigned column, unsigned row, uint64_t count),
                      void *context)
{
    each_cell(t, &t->heat, cell, context);
}

static void write_series(struct page_times *t, struct grid_series *series, struct json_key key,
                         struct json_writer *json)
{
    const unsigned num = num_columns(t, series);
    json_put_list(json, key);
    for (unsigned i = 0; i < num; i++) {
        json_item(json);
        json_value_unsigned(json, series->counts[i]);
    }
    json_put_list_end(json);
}

static void write_cell(void *context, unsigned column, unsigned row, uint64_t count)
{
    struct json_writer *json = context;
    json_item(json);
    json_value_unsigned(json, column);
    json_item(json);
    json_value_unsigned(json, row);
    json_item(json);
    json_value_unsigned(json, count);
}

/* write_heat writes the cells that are not empty: column, row, count, one after another. */
static void write_heat(struct page_times *t, struct heat *heat, struct json_writer *json)
{
    json_put_unsigned(json, JSON_KEY("calls"), heat->count);
    json_put_list(json, JSON_KEY("cells"));
    each_cell(t, heat, write_cell, json);
    json_put_list_end(json);
}

static int heaviest_first(const void *a, const void *b)
{
    const struct hitters_entry *x = *(void *const *)a, *y = *(void *const *)b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return (x->entry.number > y->entry.number) - (x->entry.number < y->entry.number);
}

static void write_heats(struct page_times *t, struct heavy_hitters *hitters, struct json_key key,
                        struct json_writer *json)
{
    void **list = hitters_list(hitters, heaviest_first);
    json_put_list(json, key);
    for (uint32_t i = 0; list != NULL && i < hitters->table.num; i++) {
        struct heat_entry *entry = list[i];
        json_item_open(json);
        json_put_string(json, JSON_KEY("what"), entry->text != NULL ? entry->text : "?");
        if (entry->heat != NULL)
            write_heat(t, entry->heat, json);
        json_put_close(json);
    }
    json_put_list_end(json);
    free(list);
}

static void write_links(struct page_times *t, struct json_writer *json)
{
    void **list = hitters_list(&t->links, heaviest_first);
    json_put_list(json, JSON_KEY("links"));
    for (uint32_t i = 0; list != NULL && i < t->links.table.num; i++) {
        struct link_entry *link = list[i];
        json_item_open(json);
        json_put_unsigned(json, JSON_KEY("conn"), link->conn);
        write_series(t, &link->messages, JSON_KEY("messages"), json);
        write_series(t, &link->bytes, JSON_KEY("bytes"), json);
        json_put_close(json);
    }
    json_put_list_end(json);
    free(list);
}

static void write_marks(const struct page_times *t, struct json_writer *json)
{
    json_put_list(json, JSON_KEY("marks"));
    for (size_t i = 0; i < t->num_marks; i++) {
        const struct mark *mark = &t->marks[i];
        json_item_open(json);
        json_put_microseconds(json, JSON_KEY("at"), mark->ns);
        json_put_string(json, JSON_KEY("kind"), mark->kind);
        json_put_unsigned(json, JSON_KEY("conn"), mark->conn);
        json_put_unsigned(json, JSON_KEY("packet"), mark->frame);
        json_put_string(json, JSON_KEY("text"), mark->text);
        json_put_close(json);
    }
    json_put_list_end(json);
    json_put_unsigned(json, JSON_KEY("marks_left_out"), t->num_left_out);
}

void page_times_write(struct page_times *t, struct json_writer *json)
{
    json_put_microseconds(json, JSON_KEY("start"), t->grid.start_ns);
    json_put_microseconds(json, JSON_KEY("width"), time_grid_width_ns(&t->grid));
    write_series(t, &t->messages, JSON_KEY("messages"), json);
    write_series(t, &t->bytes, JSON_KEY("bytes"), json);
    write_series(t, &t->failed, JSON_KEY("failed"), json);
    write_links(t, json);
    json_put_unsigned(json, JSON_KEY("links_forgotten"), t->links.num_forgotten);
    write_marks(t, json);
    json_put_list(json, JSON_KEY("heat_ends"));
    for (unsigned i = 0; i + 1 < HEAT_ROWS; i++) {
        json_item(json);
        json_value_signed(json, heat_ends_ns[i]);
    }
    json_put_list_end(json);
    json_put_open(json, JSON_KEY("heat"));
    write_heat(t, &t->heat, json);
    json_put_close(json);
    write_heats(t, &t->by_label, JSON_KEY("heat_label"), json);
    write_heats(t, &t->by_callee, JSON_KEY("heat_callee"), json);
    write_heats(t, &t->by_conn, JSON_KEY("heat_conn"), json);
    json_put_bool(json, JSON_KEY("no_memory"), t->no_memory);
}
