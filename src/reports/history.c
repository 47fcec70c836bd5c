/*
 * history.c - see history.h. Two tables: each finding with how often, when first and when last; and a
 * line for each hour or day in which there were any.
 */
#include "reports/history.h"

#include "core/columns.h"
#include "core/hash.h"
#include "core/printable.h"
#include "core/table.h"
#include "core/time_point.h"

#include <cjson/cJSON.h>
#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_ROWS = 4096,
    MOST_PERIODS = 16384, /* hours and codes */
    TEXT_LEN = 240,
    CODE_LEN = 16,
    SHOWN_ROWS = 100,
    LONGEST_BY_HOUR = 2 * 24, /* more hours than that are shown by day */
};
/* Hosts that see the same thing report it within this time. */
#define SAME_NS (10 * INT64_C(1000000000))
#define HOUR_NS (3600 * INT64_C(1000000000))

enum { ERRORS, WARNINGS, NOTES, NUM_SEVERITIES };
static const char *const severities[NUM_SEVERITIES] = {"error", "warning", "note"};

/* history_row is a finding: a code and a sentence. */
struct history_row {
    struct table_entry entry;
    uint64_t key, host; /* host: that made it last, as a hash */
    int severity;
    char code[CODE_LEN], text[TEXT_LEN];
    int64_t first_ns, last_ns;
    uint64_t num;
};
TABLE_KEYED(struct history_row, key);

/* history_period is how often a code was found in an hour. */
struct history_period {
    struct table_entry entry;
    uint64_t key;
    int64_t hour; /* since 1970, of local time */
    int severity;
    char code[CODE_LEN];
    uint64_t num;
};
TABLE_KEYED(struct history_period, key);

struct history {
    struct table rows, periods;
    uint64_t num, num_copies;
    uint64_t of[NUM_SEVERITIES];
    int64_t first_ns, last_ns;
    bool failed;
};

struct history *history_new(void)
{
    struct history *h = calloc(1, sizeof *h);
    if (h == NULL)
        return NULL;
    table_init(&h->rows, sizeof(struct history_row), MOST_ROWS);
    table_init(&h->periods, sizeof(struct history_period), MOST_PERIODS);
    return h;
}

void history_free(struct history *h)
{
    if (h == NULL)
        return;
    table_free(&h->rows);
    table_free(&h->periods);
    free(h);
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static bool time_of(const cJSON *object, const char *key, int64_t *ns)
{
    struct time_point when;
    const bool good = time_point_parse(text_of(object, key), &when) && when.kind == TIME_POINT_ABSOLUTE;
    if (good)
        *ns = when.ns;
    return good;
}

static int severity_of(const cJSON *object)
{
    const char *name = text_of(object, "severity");
    for (int i = 0; i < NUM_SEVERITIES; i++) {
        if (strcmp(name, severities[i]) == 0)
            return i;
    }
    return NUM_SEVERITIES;
}

/* local_hour returns the hour of a time, counted in local time, so that days are local, too. */
static int64_t local_hour(int64_t ns)
{
    const time_t second = (time_t)(ns / 1000000000);
    struct tm tm = {0};
    (void)localtime_r(&second, &tm);
    return ((int64_t)second + tm.tm_gmtoff) / 3600;
}

/* keep copies a text of at most size - 1 bytes. */
static void keep(char *to, size_t size, const char *text)
{
    const size_t len = strnlen(text, size - 1);
    memcpy(to, text, len);
    to[len] = '\0';
}

static void count_period(struct history *h, const struct history_row *row, int64_t ns)
{
    const int64_t hour = local_hour(ns);
    const uint64_t key = hash_more(hash_more(0, &hour, sizeof hour), row->code, strlen(row->code));
    struct history_period *period = table_find_or_put(&h->periods, key);
    h->failed |= period == NULL;
    if (period == NULL)
        return;
    period->hour = hour;
    period->severity = row->severity;
    keep(period->code, sizeof period->code, row->code);
    period->num++;
}

/* find_row returns the row of a finding. NULL: memory ran out. */
static struct history_row *find_row(struct history *h, const cJSON *object, int64_t first_ns)
{
    const char *code = text_of(object, "code"), *text = text_of(object, "text");
    const uint64_t key = hash_more(hash_more(0, code, strlen(code) + 1), text, strlen(text));
    struct history_row *row = table_find_or_put(&h->rows, key);
    h->failed |= row == NULL;
    if (row == NULL || row->num != 0)
        return row;
    row->severity = severity_of(object);
    keep(row->code, sizeof row->code, code);
    keep(row->text, sizeof row->text, text);
    row->first_ns = first_ns;
    row->last_ns = INT64_MIN;
    return row;
}

static bool is_finding(const cJSON *object, int64_t *ns)
{
    return strcmp(text_of(object, "type"), "finding") == 0 && text_of(object, "code")[0] != '\0' &&
           severity_of(object) != NUM_SEVERITIES && time_of(object, "ts", ns);
}

static void count(struct history *h, struct history_row *row, uint64_t host, int64_t ns)
{
    int64_t since_ns;
    const bool is_near = row->num != 0 && !__builtin_sub_overflow(ns, row->last_ns, &since_ns) &&
                         since_ns < SAME_NS && since_ns > -SAME_NS;
    if (is_near && row->host != host) {
        h->num_copies++;
        return;
    }
    if (h->num == 0 || ns < h->first_ns)
        h->first_ns = ns;
    if (h->num == 0 || ns > h->last_ns)
        h->last_ns = ns;
    h->num++;
    h->of[row->severity]++;
    row->num++;
    row->host = host;
    row->first_ns = ns < row->first_ns ? ns : row->first_ns;
    row->last_ns = ns > row->last_ns ? ns : row->last_ns;
    count_period(h, row, ns);
}

bool history_add(struct history *h, struct ds_text host, struct ds_text json)
{
    cJSON *object = cJSON_ParseWithLength(json.data, json.len);
    int64_t ns;
    const bool good = is_finding(object, &ns);
    struct history_row *row = good ? find_row(h, object, ns) : NULL;
    if (row != NULL)
        count(h, row, hash_more(0, host.data, host.len), ns);
    cJSON_Delete(object);
    return good;
}

/* Writing. */

static int by_weight(const void *left, const void *right)
{
    const struct history_row *a = *(struct history_row *const *)left;
    const struct history_row *b = *(struct history_row *const *)right;
    if (a->severity != b->severity)
        return a->severity - b->severity;
    if (a->num != b->num)
        return a->num < b->num ? 1 : -1;
    const int order = strcmp(a->code, b->code);
    return order != 0 ? order : strcmp(a->text, b->text);
}

static int by_hour(const void *left, const void *right)
{
    const struct history_period *a = *(struct history_period *const *)left;
    const struct history_period *b = *(struct history_period *const *)right;
    if (a->hour != b->hour)
        return a->hour < b->hour ? -1 : 1;
    return a->severity != b->severity ? a->severity - b->severity : strcmp(a->code, b->code);
}

/* list returns the entries of a table in an order; the caller frees them. NULL: none, or memory ran out. */
static void **list(struct history *h, const struct table *table, int (*order)(const void *, const void *))
{
    size_t num = 0;
    void **entries = table->num != 0 ? malloc(table->num * sizeof *entries) : NULL;
    h->failed |= entries == NULL && table->num != 0;
    if (entries == NULL)
        return NULL;
    for (void *one = table_oldest(table); one != NULL; one = table_newer(table, one))
        entries[num++] = one;
    qsort(entries, num, sizeof *entries, order);
    return entries;
}

static void print_time(int64_t ns, const char *format, struct ds_buffer *out)
{
    const time_t second = (time_t)(ns / 1000000000);
    struct tm tm = {0};
    char text[32];
    (void)localtime_r(&second, &tm);
    ds_buffer_add(out, text, strftime(text, sizeof text, format, &tm));
}

static void print_lines(struct columns *fitted, unsigned width, struct ds_buffer *lines,
                        struct ds_buffer *out)
{
    fitted->line_width = width;
    columns_fit_all(fitted, lines);
    columns_print_all(fitted, lines, out);
    out->failed |= lines->failed;
    ds_buffer_free(lines);
}

static void print_rows(struct history *h, unsigned width, struct ds_buffer *out)
{
    struct columns fitted = {.align = "llrll"};
    struct ds_buffer lines = {0};
    struct history_row **rows = (struct history_row **)list(h, &h->rows, by_weight);
    ds_buffer_add_text(&lines, "severity\tcode\ttimes\tfirst\tlast\t ");
    columns_end_line(&lines);
    for (size_t i = 0; rows != NULL && i < h->rows.num && i < SHOWN_ROWS; i++) {
        const struct history_row *row = rows[i];
        ds_buffer_printf(&lines, "%s\t", severities[row->severity]);
        printable_text((struct ds_text){row->code, strlen(row->code)}, &lines);
        ds_buffer_printf(&lines, "\t%" PRIu64 "\t", row->num);
        print_time(row->first_ns, "%F %T", &lines);
        ds_buffer_add_text(&lines, "\t");
        print_time(row->last_ns, "%F %T", &lines);
        ds_buffer_add_text(&lines, "\t ");
        printable_text((struct ds_text){row->text, strlen(row->text)}, &lines);
        columns_end_line(&lines);
    }
    print_lines(&fitted, width, &lines, out);
    const uint64_t num_more =
        (h->rows.num > SHOWN_ROWS ? h->rows.num - SHOWN_ROWS : 0) + h->rows.num_forgotten;
    if (num_more != 0)
        ds_buffer_printf(out, "and %s\n", ds_counted(num_more, "more findings").text);
    free(rows);
}

/* print_period writes a line from entries of the same hour or day, and returns the next one. */
static size_t print_period(struct history_period *const *periods, size_t num, size_t from, bool by_day,
                           struct ds_buffer *lines)
{
    const int64_t hours = by_day ? 24 : 1, period = periods[from]->hour / hours;
    const time_t second = (time_t)(period * hours * 3600);
    uint64_t total = 0;
    struct tm tm = {0};
    char text[32];
    size_t end = from;
    (void)gmtime_r(&second, &tm); /* hours are of local time */
    ds_buffer_add(lines, text, strftime(text, sizeof text, by_day ? "%F" : "%F %H:00", &tm));
    for (; end < num && periods[end]->hour / hours == period; end++)
        total += periods[end]->num;
    ds_buffer_printf(lines, "\t%" PRIu64 "\t ", total);
    for (int severity = 0; severity < NUM_SEVERITIES; severity++) {
        for (size_t i = from; i < end; i++) {
            uint64_t of_code = 0;
            bool is_later = false;
            for (size_t k = from; k < end; k++) {
                const bool is_same = strcmp(periods[k]->code, periods[i]->code) == 0;
                of_code += is_same ? periods[k]->num : 0;
                is_later |= is_same && k < i;
            }
            if (periods[i]->severity != severity || is_later)
                continue;
            printable_text((struct ds_text){periods[i]->code, strlen(periods[i]->code)}, lines);
            ds_buffer_printf(lines, of_code == 1 ? " " : " x%" PRIu64 " ", of_code);
        }
    }
    columns_end_line(lines);
    return end;
}

static void print_periods(struct history *h, unsigned width, struct ds_buffer *out)
{
    const bool by_day = (h->last_ns - h->first_ns) / HOUR_NS >= LONGEST_BY_HOUR;
    struct columns fitted = {.align = "lr"};
    struct ds_buffer lines = {0};
    struct history_period **periods = (struct history_period **)list(h, &h->periods, by_hour);
    ds_buffer_printf(&lines, "%s\tfindings\t ", by_day ? "day" : "hour");
    columns_end_line(&lines);
    for (size_t i = 0; periods != NULL && i < h->periods.num;)
        i = print_period(periods, h->periods.num, i, by_day, &lines);
    ds_buffer_add_text(out, "\n");
    print_lines(&fitted, width, &lines, out);
    if (h->periods.num_forgotten != 0)
        ds_buffer_add_text(out, "earlier lines are left out\n");
    free(periods);
}

void history_print(struct history *h, unsigned width, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%s", ds_counted(h->num, "findings").text);
    if (h->num == 0) {
        ds_buffer_add_text(out, "\n");
        return;
    }
    ds_buffer_add_text(out, " from ");
    print_time(h->first_ns, "%F %T", out);
    ds_buffer_add_text(out, " to ");
    print_time(h->last_ns, "%F %T", out);
    ds_buffer_printf(out, ": %s, ", ds_counted(h->of[ERRORS], "errors").text);
    ds_buffer_printf(out, "%s, ", ds_counted(h->of[WARNINGS], "warnings").text);
    ds_buffer_printf(out, "%s", ds_counted(h->of[NOTES], "notes").text);
    if (h->num_copies != 0)
        ds_buffer_printf(out, "; %" PRIu64 " more from other hosts that saw the same", h->num_copies);
    ds_buffer_add_text(out, "\n");
    print_rows(h, width, out);
    print_periods(h, width, out);
    out->failed |= h->failed;
}
