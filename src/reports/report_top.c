/*
 * report_top.c - the processes that send and get most; with --every, since the table was last
 * written. A process is counted under its name if one is known, before and after that under its
 * pid; both are merged into one line.
 */
#include "reports/report.h"

#include "core/heavy_hitters.h"
#include "reports/report_table.h"
#include "reports/talkers.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct top_process {
    struct hitters_entry head;
    uint64_t sent, sent_bytes, got, got_bytes;
    uint64_t asked, served, failed; /* calls that ended; failed: of those served */
    uint64_t frame, conn;           /* where it was first counted */
    char *text;
    size_t row; /* its row while a table is made */
};

/* top_name maps the key of a pid to the key of its name. Both are keys of lines. */
struct top_name {
    struct table_entry entry;
    uint64_t pid, name;
};
TABLE_KEYED(struct top_name, pid);

struct top {
    struct report_text *text;
    uint64_t max_rows, max_tallies;
    struct heavy_hitters processes;
    struct table names; /* the latest ones */
    struct talkers talkers;
    uint64_t count, bytes, calls;
    int64_t start_ns, last_ns;
    bool has_start;
    struct ds_buffer scratch;
    bool no_memory;
};

static void forget(void *entry)
{
    struct top_process *process = entry;
    free(process->text);
}

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct top *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->text = text;
    t->max_rows = config->max_rows;
    t->max_tallies = config->limits[DS_LIMIT_TALLIES];
    hitters_init(&t->processes, sizeof(struct top_process), t->max_tallies, forget);
    table_init(&t->names, sizeof(struct top_name), t->max_tallies != 0 ? t->max_tallies : 1);
    talkers_init(&t->talkers, config->limits[DS_LIMIT_NAMES], config->names);
    return t;
}

static void on_time(struct top *t, int64_t now_ns)
{
    if (!t->has_start)
        t->start_ns = t->last_ns = now_ns;
    t->has_start = true;
    if (now_ns > t->last_ns)
        t->last_ns = now_ns;
}

/* begin sets the text of a new line from scratch, and where it was first seen. */
static void begin(struct top *t, struct top_process *process, uint64_t frame, uint64_t conn)
{
    process->frame = frame;
    process->conn = conn;
    process->text = t->scratch.failed
                        ? NULL
                        : strndup(t->scratch.len != 0 ? t->scratch.data : "", t->scratch.len);
    t->no_memory |= process->text == NULL;
}

/* know_name records that the process counted under a pid (0: unknown) is also counted under a name. */
static void know_name(struct top *t, uint64_t pid, uint64_t name)
{
    if (pid == 0 || pid == name)
        return;
    struct top_name *n = table_find_or_put(&t->names, pid);
    t->no_memory |= n == NULL;
    if (n != NULL)
        n->name = name;
}

static void on_side(struct top *t, const struct record *record, enum talker_side side,
                    const struct talker *talker)
{
    const uint64_t size = record->event->message.size;
    bool is_new;
    const uint64_t key = talker_process_hash(record, side, talker);
    struct top_process *process = hitters_add(&t->processes, key, size, &is_new);
    if (talker->name != 0)
        know_name(t, talker_pid_hash(record, side, talker), key);
    if (process == NULL) {
        t->no_memory = true;
        return;
    }
    if (is_new) {
        t->scratch.len = 0;
        talker_process_print(&t->talkers, record, side, talker, &t->scratch);
        begin(t, process, record->event->frame, record->event->conn->number);
    }
    if (side == TALKER_FROM) {
        process->sent++;
        process->sent_bytes += size;
    } else {
        process->got++;
        process->got_bytes += size;
    }
}

static struct top_process *find_party(struct top *t, const struct party *party, const struct call *call)
{
    bool is_new;
    const uint64_t key = talker_party_hash(&t->talkers, party);
    struct top_process *process = hitters_add(&t->processes, key, 0, &is_new);
    know_name(t, talker_party_pid_hash(&t->talkers, party), key);
    if (process == NULL) {
        t->no_memory = true;
    } else if (is_new) {
        t->scratch.len = 0;
        talker_party_print(&t->talkers, party, &t->scratch);
        begin(t, process, call->start_frame, call->conn);
    }
    return process;
}

static void on_call(struct top *t, const struct call *call)
{
    t->calls++;
    struct top_process *process = find_party(t, &call->caller, call);
    if (process != NULL)
        process->asked++;
    process = find_party(t, &call->callee, call);
    if (process == NULL)
        return;
    process->served++;
    process->failed += call_outcome_is_failure(call->outcome);
}

static void on_record(void *state, const struct record *record)
{
    struct top *t = state;
    struct talker from, to;
    if (record->call != NULL)
        on_call(t, record->call);
    if (!record_is_message(record))
        return;
    on_time(t, record_time(record)); /* as in traffic: from the first message to the last */
    t->count++;
    t->bytes += record->event->message.size;
    talkers_get(&t->talkers, record, &from, &to);
    on_side(t, record, TALKER_FROM, &from);
    on_side(t, record, TALKER_TO, &to);
}

static int busiest_first(const void *a, const void *b)
{
    const struct top_process *x = a, *y = b;
    const uint64_t x_bytes = x->sent_bytes + x->got_bytes, y_bytes = y->sent_bytes + y->got_bytes;
    if (x_bytes != y_bytes)
        return x_bytes < y_bytes ? 1 : -1;
    return (x->head.entry.number > y->head.entry.number) -
           (x->head.entry.number < y->head.entry.number);
}

/* named_of finds the line by name of a process with a line by pid. Keys are hashes: if the name
 * seems to have a name itself, it is ignored, so that the result always has its own line. */
static struct top_process *named_of(const struct top *t, const struct top_process *process)
{
    const struct top_name *n = table_find(&t->names, process->head.key);
    const bool is_name = n != NULL && table_find(&t->names, n->name) == NULL;
    return is_name ? hitters_find(&t->processes, n->name) : NULL;
}

static void join(struct top_process *row, const struct top_process *process)
{
    row->sent += process->sent;
    row->sent_bytes += process->sent_bytes;
    row->got += process->got;
    row->got_bytes += process->got_bytes;
    row->asked += process->asked;
    row->served += process->served;
    row->failed += process->failed;
    row->head.most_missing += process->head.most_missing;
    if (process->frame < row->frame) {
        row->frame = process->frame;
        row->conn = process->conn;
    }
}

/* make_rows makes a line for each process, the busiest first, which the caller frees; NULL: there
 * are none, or memory ran out. */
static struct top_process *make_rows(struct top *t, size_t *num)
{
    struct top_process *rows =
        t->processes.table.num != 0 ? malloc(t->processes.table.num * sizeof *rows) : NULL;
    *num = 0;
    if (rows == NULL) {
        t->no_memory |= t->processes.table.num != 0;
        return NULL;
    }
    struct top_process *process = table_oldest(&t->processes.table);
    for (; process != NULL; process = table_newer(&t->processes.table, process)) {
        if (named_of(t, process) != NULL)
            continue;
        process->row = *num;
        rows[(*num)++] = *process;
    }
    process = table_oldest(&t->processes.table);
    for (; process != NULL; process = table_newer(&t->processes.table, process)) {
        const struct top_process *named = named_of(t, process);
        if (named != NULL)
            join(&rows[named->row], process);
    }
    qsort(rows, *num, sizeof *rows, busiest_first);
    return rows;
}

/* print_rate prints a number per second, with the given digits. */
static void print_rate(uint64_t num, int digits, const void *report, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%.*f", digits, (double)num / *(const double *)report);
}

#define RATE(member, digits)                                                                               \
    static void print_##member(const void *row, const void *report, struct ds_buffer *out)                 \
    {                                                                                                      \
        print_rate(((const struct top_process *)row)->member, digits, report, out);                        \
    }
RATE(got_bytes, 0)
RATE(sent_bytes, 0)
RATE(got, 1)
RATE(sent, 1)
#undef RATE

static void print_failed(const void *row, const void *report, struct ds_buffer *out)
{
    const struct top_process *process = row;
    (void)report;
    ds_buffer_printf(out, "%" PRIu64 "%c", process->failed, process->head.most_missing != 0 ? '+' : ' ');
}

static const char *text_of(const struct top_process *process)
{
    return process->text != NULL ? process->text : "?";
}

static void write_text(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_string(json, key, text_of(row));
}

static void write_may_miss(const void *row, struct json_key key, struct json_writer *json)
{
    const struct top_process *process = row;
    json_put_bool(json, key, process->head.most_missing != 0);
}

#define AT(member) offsetof(struct top_process, member)
static const struct report_column top_columns[] = {
    {JSON_KEY_INIT("what"), .write_json = write_text},
    {JSON_KEY_INIT("in_bytes"), "B in/s", 'r', 9, .at = AT(got_bytes), .print = print_got_bytes},
    {JSON_KEY_INIT("out_bytes"), "B out/s", 'r', 9, .at = AT(sent_bytes), .print = print_sent_bytes},
    {JSON_KEY_INIT("in"), "msg in/s", 'r', 7, .at = AT(got), .print = print_got},
    {JSON_KEY_INIT("out"), "msg out/s", 'r', 7, .at = AT(sent), .print = print_sent},
    {JSON_KEY_INIT("asked"), "asked", 'r', 6, .at = AT(asked)},
    {JSON_KEY_INIT("served"), "served", 'r', 6, .at = AT(served)},
    {JSON_KEY_INIT("failed"), "failed ", 'r', 7, .at = AT(failed), .print = print_failed},
    {JSON_KEY_INIT("may_miss"), .write_json = write_may_miss},
    {JSON_KEY_INIT("packet"), "packet", 'r', 9, .at = AT(frame)},
    {JSON_KEY_INIT("conn"), "conn", 'r', 5, .at = AT(conn)},
};
#undef AT

/* table_of returns the table; its text needs seconds. */
static struct report_table table_of(const double *seconds)
{
    return (struct report_table){
        .columns = top_columns, .num = sizeof top_columns / sizeof top_columns[0], .report = seconds};
}

static void show_table(void *state)
{
    struct top *t = state;
    struct columns columns;
    struct ds_buffer *out = &t->text->buffer, lines = {0};
    const int64_t end_ns = t->text->now_ns > t->last_ns ? t->text->now_ns : t->last_ns;
    const double passed = t->has_start ? (double)(end_ns - t->start_ns) / 1e9 : 0;
    const double seconds = passed > 0 ? passed : 1;
    struct report_table table = table_of(&seconds);
    size_t num, num_shown = 0;
    ds_buffer_printf(out, "busiest processes in %.3f s: "
                          "%s", passed, ds_counted(t->count, "messages").text);
    ds_buffer_printf(out, " (%.1f/s), %s", (double)t->count / seconds,
                     ds_counted(t->bytes, "bytes").text);
    ds_buffer_printf(out, " (%.0f/s), %s", (double)t->bytes / seconds,
                     ds_counted(t->calls, "calls").text);
    struct top_process *rows = make_rows(t, &num);
    if (num != 0)
        ds_buffer_printf(out, "; first: %s", text_of(&rows[0]));
    ds_buffer_add_text(out, "\n");
    if (rows != NULL)
        report_table_heading(&table, "process", &lines);
    report_table_columns(&table, &columns);
    report_narrow(t->text, &columns);
    for (; num_shown < num && (t->max_rows == 0 || num_shown < t->max_rows); num_shown++)
        report_table_row(&table, &rows[num_shown], text_of(&rows[num_shown]), &lines);
    columns_fit_all(&columns, &lines);
    columns_print_all(&columns, &lines, out);
    ds_buffer_free(&lines);
    if (num_shown < num)
        ds_buffer_printf(out, "%zu more: --rows shows them\n", num - num_shown);
    if (t->processes.num_forgotten != 0)
        ds_buffer_printf(out,
                         "more than %" PRIu64 " processes: the smallest were forgotten, each with "
                                              "at most "
                                              "%" PRIu64 " bytes. Rows with a + may lack that "
                                                         "much. --max-tallies raises the limit\n",
                         t->max_tallies, hitters_most_missing(&t->processes));
    if (num != 0)
        report_print_command(t->text, out, "the first message of the first of them, in full",
                             "--explain packet:%" PRIu64, rows[0].frame);
    if (t->no_memory)
        ds_buffer_add_text(out, "out of memory: some rows are missing\n");
    free(rows);
}

static void write_table(void *state, struct json_writer *json)
{
    struct top *t = state;
    size_t num;
    const struct report_table table = table_of(NULL);
    struct top_process *rows = make_rows(t, &num);
    json_put_signed(json, JSON_KEY("passed"), t->last_ns - t->start_ns);
    json_put_unsigned(json, JSON_KEY("messages"), t->count);
    json_put_unsigned(json, JSON_KEY("bytes"), t->bytes);
    json_put_unsigned(json, JSON_KEY("calls"), t->calls);
    json_put_list(json, JSON_KEY("rows"));
    for (size_t i = 0; i < num && (t->max_rows == 0 || i < t->max_rows); i++) {
        json_item_open(json);
        report_table_write(&table, &rows[i], json);
        json_put_close(json);
    }
    json_put_list_end(json);
    json_put_unsigned(json, JSON_KEY("processes"), num);
    json_put_unsigned(json, JSON_KEY("forgotten"), t->processes.num_forgotten);
    json_put_bool(json, JSON_KEY("no_memory"), t->no_memory);
    free(rows);
}

static void begin_anew(void *state, int64_t now_ns)
{
    struct top *t = state;
    hitters_clear(&t->processes);
    t->count = t->bytes = t->calls = 0;
    t->start_ns = t->last_ns = now_ns;
    t->has_start = true;
}

static void end_table(void *state)
{
    struct top *t = state;
    hitters_free(&t->processes);
    table_free(&t->names);
    talkers_free(&t->talkers);
    ds_buffer_free(&t->scratch);
    free(t);
}

const struct report_kind report_top = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_RECORDS,
    .show = show_table,
    .write_json = write_table,
    .begin_anew = begin_anew,
    .end = end_table,
    .takes_names = true,
};
