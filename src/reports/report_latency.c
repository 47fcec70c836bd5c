/*
 * report_latency.c - how long calls take: by label, by callee, and by the function that they name,
 * each with its total time, longest first.
 */
#include "reports/report.h"

#include "core/duration.h"
#include "core/hash.h"
#include "core/histogram.h"
#include "core/span_sum.h"
#include "core/heavy_hitters.h"
#include "core/label_show.h"
#include "core/term_show.h"
#include "reports/report_table.h"

#include <distsniff/counted.h>
#include <distsniff/identity.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum part { BY_LABEL, BY_CALLEE, BY_FUNCTION, NUM_PARTS };

static const char *const part_names[NUM_PARTS] = {"label", "callee", "function"};

struct latency_kind {
    struct hitters_entry head;
    uint64_t count, errors, without; /* without: calls whose end is unknown */
    int64_t total_ns, max_ns;
    uint64_t max_call, max_frame, max_conn;
    struct histogram spans;
    char *text;
};

struct latency {
    struct report_text *text;
    uint64_t max_rows, max_tallies;
    struct heavy_hitters parts[NUM_PARTS];
    struct latency_kind all;
    struct ds_buffer scratch;
    bool failed;
};

static void forget(void *entry)
{
    struct latency_kind *kind = entry;
    histogram_free(&kind->spans);
    free(kind->text);
}

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct latency *l = calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->text = text;
    l->max_rows = config->max_rows;
    l->max_tallies = config->limits[DS_LIMIT_TALLIES];
    for (int i = 0; i < NUM_PARTS; i++)
        hitters_init(&l->parts[i], sizeof(struct latency_kind), l->max_tallies, forget);
    return l;
}

static uint64_t add_text(uint64_t hash, struct ds_text text)
{
    return text.data != NULL ? hash_more(hash, text.data, text.len) : hash_more(hash, "", 1);
}

/* print_function appends "lists:seq/2", or "lists:seq" if the arguments were not kept. */
static uint64_t print_function(const struct call *call, struct ds_buffer *out)
{
    struct ds_text mod, fun;
    uint32_t arity = 0;
    if (call->mod.data != NULL && ds_term_get_atom(&call->mod, &mod) &&
        ds_term_get_atom(&call->fun, &fun)) {
        term_show_call(mod, fun, out);
        if (ds_term_get_length(&call->args, &arity))
            ds_buffer_printf(out, "/%" PRIu32, arity);
    } else {
        const bool is_elixir = call->mfa_elixir.data != NULL && term_show_syntax() == DS_SYNTAX_ELIXIR;
        const struct ds_text mfa = is_elixir ? call->mfa_elixir : call->mfa;
        const char *end = memchr(mfa.data, '(', mfa.len);
        ds_buffer_add(out, mfa.data, end != NULL ? (size_t)(end - mfa.data) : mfa.len);
    }
    return out->failed ? 0 : hash_more(2, out->data, out->len);
}

static int64_t span_of(const struct call *call)
{
    return call->end_ns > call->start_ns ? call->end_ns - call->start_ns : 0;
}

static void add_call(struct latency *l, struct latency_kind *kind, const struct call *call)
{
    const int64_t span_ns = span_of(call);
    kind->count++;
    kind->errors += call_outcome_is_failure(call->outcome);
    const bool has_slowest = kind->count - 1 != kind->without;
    if (call_has_end(call)) {
        l->failed |= !histogram_add(&kind->spans, (uint64_t)span_ns);
        kind->total_ns = span_sum(kind->total_ns, span_ns);
    } else {
        kind->without++;
    }
    /* Until a duration is known, keep the first call. */
    if (kind->max_call != 0 && (!call_has_end(call) || (has_slowest && span_ns <= kind->max_ns)))
        return;
    kind->max_ns = call_has_end(call) ? span_ns : 0;
    kind->max_call = call->number;
    kind->max_frame = call->start_frame;
    kind->max_conn = call->conn;
}

static void count_call(struct latency *l, enum part part, uint64_t key, const struct call *call)
{
    bool is_new;
    struct latency_kind *kind = hitters_add(
        &l->parts[part], key, call_has_end(call) ? (uint64_t)span_of(call) + 1 : 1, &is_new);
    if (kind == NULL) {
        l->failed = true;
        return;
    }
    if (is_new && !l->scratch.failed) {
        kind->text = strndup(l->scratch.len != 0 ? l->scratch.data : "", l->scratch.len);
        l->failed |= kind->text == NULL;
    }
    add_call(l, kind, call);
}

static void on_record(void *state, const struct record *record)
{
    struct latency *l = state;
    const struct call *call = record->call;
    if (call == NULL)
        return;
    add_call(l, &l->all, call);
    l->scratch.len = 0;
    label_show(call->label, &l->scratch);
    count_call(l, BY_LABEL, add_text(0, (struct ds_text){call->label, strlen(call->label)}), call);
    l->scratch.len = 0;
    report_print_callee(call, &l->scratch);
    const uint64_t callee =
        l->scratch.failed ? 0 : hash_more(1, l->scratch.data, l->scratch.len);
    count_call(l, BY_CALLEE, callee, call);
    if (call->mfa.data == NULL)
        return;
    l->scratch.len = 0;
    const uint64_t function = print_function(call, &l->scratch);
    count_call(l, BY_FUNCTION, function, call);
    l->failed |= l->scratch.failed;
}

static int longest_first(const void *a, const void *b)
{
    const struct latency_kind *x = *(void *const *)a, *y = *(void *const *)b;
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->head.entry.number > y->head.entry.number) -
           (x->head.entry.number < y->head.entry.number);
}

/* The distribution of calls over durations, one character each: two per power of ten. */
static const int64_t bar_ends_ns[] = {
    3000,     10000,     30000,     100000,     300000,     1000000,     3000000,   10000000,
    30000000, 100000000, 300000000, 1000000000, 3000000000, 10000000000, INT64_MAX,
};
enum { BAR_LEN = sizeof bar_ends_ns / sizeof bar_ends_ns[0] };
#define BAR_HEADING "1us...1ms...1s."
_Static_assert(sizeof BAR_HEADING == BAR_LEN + 1, "as wide");

static void count_bar(const struct histogram *spans, uint64_t counts[BAR_LEN])
{
    uint64_t low = 0;
    for (int i = 0; i < BAR_LEN; i++) {
        counts[i] = histogram_count(spans, low, (uint64_t)bar_ends_ns[i]);
        low = (uint64_t)bar_ends_ns[i];
    }
}

static void print_bar(const struct histogram *spans, struct ds_buffer *out)
{
    static const char heights[] = " .:-=+*#@";
    enum { MAX_HEIGHT = sizeof heights - 2 };
    uint64_t counts[BAR_LEN], most = 1;
    count_bar(spans, counts);
    for (int i = 0; i < BAR_LEN; i++)
        most = counts[i] > most ? counts[i] : most;
    for (int i = 0; i < BAR_LEN; i++) {
        const double height = (double)counts[i] / (double)most * MAX_HEIGHT;
        const int whole = (int)height;
        ds_buffer_add(out, &heights[counts[i] != 0 && whole == 0 ? 1 : whole], 1);
    }
}

/* quantile is limited to the maximum, which the histogram's buckets may exceed; if there are so few
 * calls that it is the maximum, it returns that instead of a bucket below. */
static int64_t quantile(const struct latency_kind *kind, double percent)
{
    const uint64_t num = kind->count - kind->without;
    if ((double)(num - (num != 0)) < (double)num * percent / 100)
        return kind->max_ns;
    const uint64_t ns = histogram_quantile(&kind->spans, percent);
    return (int64_t)ns < kind->max_ns ? (int64_t)ns : kind->max_ns;
}

static bool has_span(const void *row)
{
    const struct latency_kind *kind = row;
    return kind->count != kind->without;
}

#define QUANTILE(percent)                                                                                  \
    static int64_t p##percent##_of(const void *row)                                                        \
    {                                                                                                      \
        return quantile(row, percent);                                                                     \
    }
QUANTILE(50)
QUANTILE(90)
QUANTILE(99)
#undef QUANTILE

static int64_t max_of(const void *row)
{
    return ((const struct latency_kind *)row)->max_ns;
}

static int64_t total_of(const void *row)
{
    return ((const struct latency_kind *)row)->total_ns;
}

static void print_calls(const void *row, const void *report, struct ds_buffer *out)
{
    const struct latency_kind *kind = row;
    (void)report;
    ds_buffer_printf(out, "%" PRIu64 "%c", kind->count, kind->head.most_missing != 0 ? '+' : ' ');
}

static void print_bar_cell(const void *row, const void *report, struct ds_buffer *out)
{
    const struct latency_kind *kind = row;
    (void)report;
    ds_buffer_add_text(out, "|");
    print_bar(&kind->spans, out);
    ds_buffer_add_text(out, "|");
}

static const char *text_of(const struct latency_kind *kind)
{
    return kind->text != NULL ? kind->text : "?";
}

static void write_text(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_string(json, key, text_of(row));
}

static void write_may_miss(const void *row, struct json_key key, struct json_writer *json)
{
    const struct latency_kind *kind = row;
    json_put_bool(json, key, kind->head.most_missing != 0);
}

static void write_bar(const void *row, struct json_key key, struct json_writer *json)
{
    const struct latency_kind *kind = row;
    uint64_t bar[BAR_LEN];
    json_put_list(json, key);
    count_bar(&kind->spans, bar);
    for (int i = 0; i < BAR_LEN; i++) {
        json_item(json);
        json_value_unsigned(json, bar[i]);
    }
    json_put_list_end(json);
}

#define AT(member) offsetof(struct latency_kind, member)
static const struct report_column latency_columns[] = {
    {JSON_KEY_INIT("what"), .write_json = write_text},
    {JSON_KEY_INIT("calls"), "calls ", 'r', 9, .at = AT(count), .print = print_calls},
    {JSON_KEY_INIT("may_miss"), .write_json = write_may_miss},
    {JSON_KEY_INIT("errors"), "failed", 'r', 6, .at = AT(errors)},
    {JSON_KEY_INIT("no_end"), "no end", 'r', 6, .is_long = true, .at = AT(without)},
    {JSON_KEY_INIT("p50"), "p50", 'r', 8, .span = p50_of},
    {JSON_KEY_INIT("p90"), "p90", 'r', 8, true, .span = p90_of},
    {JSON_KEY_INIT("p99"), "p99", 'r', 8, .span = p99_of},
    {JSON_KEY_INIT("max"), "max", 'r', 8, .span = max_of},
    {JSON_KEY_INIT("total"), "total", 'r', 8, true, .span = total_of},
    {{0}, " " BAR_HEADING " ", 'l', BAR_LEN + 2, .print = print_bar_cell},
    {JSON_KEY_INIT("slowest"), "slowest", 'r', 7, .at = AT(max_call)},
    {JSON_KEY_INIT("packet"), "packet", 'r', 9, .is_long = true, .at = AT(max_frame)},
    {JSON_KEY_INIT("conn"), "conn", 'r', 5, .is_long = true, .at = AT(max_conn)},
    {JSON_KEY_INIT("bar"), .write_json = write_bar},
};
#undef AT

static struct report_table table_of(bool is_short)
{
    return (struct report_table){.columns = latency_columns,
                                 .num = sizeof latency_columns / sizeof latency_columns[0],
                                 .has_span = has_span,
                                 .is_short = is_short};
}

static bool is_short(const struct latency *l)
{
    enum { ALL_FIT = 140 }; /* columns */
    return l->text->width != 0 && l->text->width < ALL_FIT;
}

/* list_part makes the lines of a part, and returns how many kinds these cover. */
static uint64_t list_part(struct latency *l, enum part part, struct ds_buffer *lines)
{
    struct heavy_hitters *hitters = &l->parts[part];
    uint64_t num = 0;
    char by[sizeof "by function"];
    if (hitters->table.num == 0)
        return 0;
    void **list = hitters_list(hitters, longest_first);
    const struct report_table table = table_of(is_short(l));
    snprintf(by, sizeof by, "by %s", part_names[part]);
    report_table_heading(&table, by, lines);
    for (; list != NULL && num < hitters->table.num && (l->max_rows == 0 || num < l->max_rows);
         num++)
        report_table_row(&table, list[num], text_of(list[num]), lines);
    l->failed |= list == NULL;
    free(list);
    return num;
}

static void print_rest(struct latency *l, const struct heavy_hitters *hitters, uint64_t num_shown)
{
    struct ds_buffer *out = &l->text->buffer;
    if (num_shown < hitters->table.num)
        ds_buffer_printf(out, "%" PRIu64 " more: --rows shows them\n",
                         hitters->table.num - num_shown);
    if (hitters->num_forgotten != 0)
        ds_buffer_printf(out,
                         "more than %" PRIu64
                         " kinds: those with the least time were forgotten. Rows with a + may lack "
                         "calls. --max-tallies raises the limit\n",
                         l->max_tallies);
}

/* print_parts uses the same columns for all parts. */
static void print_parts(struct latency *l)
{
    struct report_table table = table_of(is_short(l));
    struct columns columns;
    struct ds_buffer lines[NUM_PARTS] = {{0}};
    uint64_t num[NUM_PARTS];
    report_table_columns(&table, &columns);
    report_narrow(l->text, &columns);
    for (int i = 0; i < NUM_PARTS; i++) {
        num[i] = list_part(l, (enum part)i, &lines[i]);
        columns_fit_all(&columns, &lines[i]);
    }
    for (int i = 0; i < NUM_PARTS; i++) {
        columns_print_all(&columns, &lines[i], &l->text->buffer);
        print_rest(l, &l->parts[i], num[i]);
        ds_buffer_free(&lines[i]);
    }
}

/* print_sum begins the report: durations of all calls. */
static void print_sum(const struct latency_kind *all, struct ds_buffer *out)
{
    ds_buffer_printf(out, "latency of %s", ds_counted(all->count, "calls").text);
    if (all->count != all->without) {
        ds_buffer_add_text(out, ": p50 ");
        duration_print(quantile(all, 50), out);
        ds_buffer_add_text(out, ", p99 ");
        duration_print(quantile(all, 99), out);
        ds_buffer_add_text(out, ", max ");
        duration_print(all->max_ns, out);
        ds_buffer_printf(out, " (call #%" PRIu64 ")", all->max_call);
    }
    if (all->errors != 0)
        ds_buffer_printf(out, "; %" PRIu64 " failed", all->errors);
    if (all->without != 0)
        ds_buffer_printf(out, "; %" PRIu64 " without a known end", all->without);
    ds_buffer_add_text(out, "\n");
}

static void show_table(void *state)
{
    struct latency *l = state;
    struct ds_buffer *out = &l->text->buffer;
    print_sum(&l->all, out);
    print_parts(l);
    if (l->all.count != l->all.without)
        ds_buffer_add_text(out, "|...|: how long the calls of a row took, two columns for each power of "
                                "ten, from . (few) to @ (most)\n");
    if (l->all.max_call != 0)
        report_print_command(l->text, out, "the slowest call, in full", "--explain call:%" PRIu64,
                             l->all.max_call);
    if (l->failed || l->scratch.failed)
        ds_buffer_add_text(out, "out of memory: some rows are missing\n");
}

static void write_part(struct latency *l, const struct heavy_hitters *hitters, struct json_key key,
                       struct json_writer *json)
{
    const struct report_table table = table_of(false);
    void **list = hitters_list(hitters, longest_first);
    json_put_list(json, key);
    for (uint64_t i = 0;
         list != NULL && i < hitters->table.num && (l->max_rows == 0 || i < l->max_rows); i++) {
        json_item_open(json);
        report_table_write(&table, list[i], json);
        json_put_close(json);
    }
    json_put_list_end(json);
    free(list);
}

static void write_table(void *state, struct json_writer *json)
{
    struct latency *l = state;
    uint64_t more = 0, forgotten = 0;
    json_put_unsigned(json, JSON_KEY("calls"), l->all.count);
    write_part(l, &l->parts[BY_LABEL], JSON_KEY("label"), json);
    write_part(l, &l->parts[BY_CALLEE], JSON_KEY("callee"), json);
    write_part(l, &l->parts[BY_FUNCTION], JSON_KEY("function"), json);
    for (int i = 0; i < NUM_PARTS; i++) {
        const uint64_t num = l->parts[i].table.num;
        more += l->max_rows != 0 && num > l->max_rows ? num - l->max_rows : 0;
        forgotten += l->parts[i].num_forgotten;
    }
    json_put_unsigned(json, JSON_KEY("more"), more);
    json_put_unsigned(json, JSON_KEY("forgotten"), forgotten);
    json_put_bool(json, JSON_KEY("no_memory"), l->failed || l->scratch.failed);
}

static void end_table(void *state)
{
    struct latency *l = state;
    for (int i = 0; i < NUM_PARTS; i++)
        hitters_free(&l->parts[i]);
    histogram_free(&l->all.spans);
    ds_buffer_free(&l->scratch);
    free(l);
}

const struct report_kind report_latency = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_CALLS,
    .show = show_table,
    .write_json = write_table,
    .end = end_table,
};
