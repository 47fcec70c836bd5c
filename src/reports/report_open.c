/*
 * report_open.c - what is open: calls without an answer, messages with missing fragments, and
 * stalled senders; then monitors and links; each oldest first. At the end it shows what was open
 * when the capture ended; before, what is open at that moment.
 */
#include "reports/report.h"

#include "reports/best_rows.h"
#include "core/character.h"
#include "core/duration.h"
#include "core/hash.h"
#include "core/term_show.h"
#include "core/label_show.h"
#include "core/printable.h"
#include "core/table.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>

#include <string.h>

enum what { OPEN_CALL, OPEN_MONITOR, OPEN_LINK, OPEN_FRAGMENTS, OPEN_STALL, NUM_WHAT };
enum { MAX_UNFINISHED = 4096, NAME_LEN = 64 };

/* unfinished is a message with missing fragments, or a stalled direction. */
struct unfinished {
    struct table_entry entry;
    bool is_stall;
    uint8_t dir;
    uint64_t conn, sequence, frame; /* frame: of the first fragment, or of the stall's event */
    int64_t start_ns;
    uint64_t size, num, left; /* of a stall: bytes of the interrupted message, 0, those still
                               * missing */
    enum ds_stall_why why;
    uint8_t len[2];
    bool is_cut[2];
    char name[2][NAME_LEN]; /* sender, receiver */
};

/* open_list is what is open at a given time. */
struct open_list {
    struct best_rows rows; /* by age */
    uint64_t num[NUM_WHAT], num_of_calls;
    uint64_t oldest_call, oldest_conn; /* the call, and the connection of another item, that have
                                        * been open longest */
    int64_t call_ns, conn_ns;          /* for how long */
};

struct open_table {
    struct report_text *text;
    struct open_list at_end, now;
    struct table unfinished;
    int64_t now_ns;
    bool is_visited; /* now is to be shown */
    struct ds_buffer scratch;
    bool failed;
};

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct open_table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->text = text;
    table_init(&t->unfinished, sizeof(struct unfinished), MAX_UNFINISHED);
    t->at_end.rows.max = t->now.rows.max =
        config->max_rows != 0 ? config->max_rows : config->limits[DS_LIMIT_REPORT];
    return t;
}

static void print_head(const struct open_table *t, const char *what, int64_t start_ns,
                       int64_t now_ns, uint64_t frame, uint64_t conn, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%s\t", what);
    duration_print(now_ns - start_ns, out);
    ds_buffer_add_text(out, "\t");
    report_print_time(t->text, start_ns, out);
    ds_buffer_printf(out, "\t%" PRIu64 "\t%" PRIu64 "\t ", frame, conn);
}

/* add ranks what some process waits for above monitors and links, which last as long as processes
 * do. */
static void add(struct open_table *t, struct open_list *list, enum what what, int64_t age_ns,
                uint64_t frame)
{
    const bool waits = what != OPEN_MONITOR && what != OPEN_LINK;
    const int64_t above = INT64_MAX / 2, age = age_ns < 0 ? 0 : age_ns < above ? age_ns : above - 1;
    list->num[what]++;
    t->failed |= !best_rows_add(&list->rows, waits ? above + age : age, frame, &t->scratch);
}

/* note_oldest keeps the number of the oldest item. */
static void note_oldest(int64_t age_ns, uint64_t number, int64_t *oldest_ns, uint64_t *oldest)
{
    if (*oldest != 0 && age_ns <= *oldest_ns)
        return;
    *oldest_ns = age_ns;
    *oldest = number;
}

static void add_call(struct open_table *t, struct open_list *list, const struct call *call)
{
    struct ds_buffer *line = &t->scratch;
    line->len = 0;
    print_head(t, "call", call->start_ns, call->end_ns, call->start_frame, call->conn, line);
    ds_buffer_printf(line, "#%" PRIu64 " ", call->number);
    label_show(call->label, line);
    ds_buffer_add(line, " ", 1);
    report_print_who(call, line);
    ds_buffer_add_text(line, "  ");
    report_print_what(call, 100, line);
    ds_buffer_add_text(line, "\n");
    note_oldest(call->end_ns - call->start_ns, call->number, &list->call_ns, &list->oldest_call);
    add(t, list, OPEN_CALL, call->end_ns - call->start_ns, call->start_frame);
}

static void add_monitor(struct open_table *t, struct open_list *list, const struct monitor_end *m)
{
    struct ds_buffer *line = &t->scratch;
    if (m->of_call) {
        list->num_of_calls++;
        return;
    }
    line->len = 0;
    print_head(t, m->is_link ? "link" : "monitor", m->start_ns, m->end_ns, m->start_frame, m->conn,
               line);
    party_print(&m->watcher, line);
    ds_buffer_add_text(line, " > ");
    party_print(&m->target, line);
    ds_buffer_add_text(line, "\n");
    note_oldest(m->end_ns - m->start_ns, m->conn, &list->conn_ns, &list->oldest_conn);
    add(t, list, m->is_link ? OPEN_LINK : OPEN_MONITOR, m->end_ns - m->start_ns, m->start_frame);
}

static uint32_t hash_unfinished(uint64_t conn, uint8_t dir, uint64_t sequence, bool is_stall)
{
    const uint64_t key[] = {conn, sequence, dir, is_stall};
    return hash_key(key, sizeof key);
}

static struct unfinished *find_unfinished(const struct open_table *t, const struct ds_event *event,
                                          uint64_t sequence, bool is_stall)
{
    struct unfinished *u = table_first(
        &t->unfinished, hash_unfinished(event->conn->number, event->dir, sequence, is_stall));
    while (u != NULL && (u->conn != event->conn->number || u->dir != event->dir ||
                         u->sequence != sequence || u->is_stall != is_stall))
        u = table_next(&t->unfinished, u);
    return u;
}

static void keep_name(struct unfinished *u, int i, const struct ds_endpoint *end)
{
    struct ds_buffer text = {0};
    ds_endpoint_print(end, &text);
    u->len[i] = (uint8_t)(text.failed ? 0 : character_cut(text.data, text.len, NAME_LEN));
    u->is_cut[i] = u->len[i] < text.len;
    if (u->len[i] != 0)
        memcpy(u->name[i], text.data, u->len[i]);
    ds_buffer_free(&text);
}

static struct unfinished *make_unfinished(struct open_table *t, const struct ds_event *event,
                                          uint64_t sequence, bool is_stall)
{
    struct unfinished *u = table_add_forgetting(
        &t->unfinished, hash_unfinished(event->conn->number, event->dir, sequence, is_stall));
    if (u == NULL) {
        t->failed = true;
        return NULL;
    }
    u->is_stall = is_stall;
    u->dir = event->dir;
    u->conn = event->conn->number;
    u->sequence = sequence;
    u->frame = event->frame;
    keep_name(u, 0, &event->conn->end[event->dir]);
    keep_name(u, 1, &event->conn->end[!event->dir]);
    return u;
}

static void on_part(struct open_table *t, const struct ds_event *event)
{
    const struct ds_part *part = &event->part;
    struct unfinished *u = find_unfinished(t, event, part->sequence, false);
    if (u == NULL && part->left != 0)
        u = make_unfinished(t, event, part->sequence, false);
    if (u == NULL)
        return;
    if (part->left == 0) {
        table_remove(&t->unfinished, u);
        return;
    }
    u->start_ns = part->began_ns;
    u->size = part->size;
    u->num = part->num;
    u->left = part->left;
}

/* on_stall: at the end of the capture, an event says that a stall is over. It is still open. */
static void on_stall(struct open_table *t, const struct ds_event *event)
{
    const struct ds_stall *stall = &event->stall;
    struct unfinished *u = find_unfinished(t, event, 0, true);
    const struct ds_tcp_stats *link = event->conn->link;
    if (stall->is_over && (link == NULL || link->close != DS_CLOSE_CAPTURE)) {
        if (u != NULL)
            table_remove(&t->unfinished, u);
        return;
    }
    if (u == NULL)
        u = make_unfinished(t, event, 0, true);
    if (u == NULL)
        return;
    u->start_ns = stall->start_ns;
    u->size = stall->message_size;
    u->left = stall->message_size - stall->message_passed;
    u->why = stall->why;
}

/* on_end drops the unfinished items of a connection, unless only the capture has ended. */
static void on_end(struct open_table *t, const struct ds_event *event)
{
    if (!event->change.final || event->change.state == DS_CONN_OPEN_AT_END)
        return;
    struct unfinished *next;
    for (struct unfinished *u = table_oldest(&t->unfinished); u != NULL; u = next) {
        next = table_newer(&t->unfinished, u);
        if (u->conn == event->conn->number)
            table_remove(&t->unfinished, u);
    }
}

static void on_event(struct open_table *t, const struct ds_event *event)
{
    if (event->ts_ns > t->now_ns)
        t->now_ns = event->ts_ns;
    if (event->type == DS_EVENT_PART)
        on_part(t, event);
    else if (event->type == DS_EVENT_STALL)
        on_stall(t, event);
    else if (event->type == DS_EVENT_CONN && t->unfinished.num != 0)
        on_end(t, event);
}

static void add_name(const struct unfinished *u, int i, struct ds_buffer *out)
{
    printable_text((struct ds_text){u->name[i], u->len[i]}, out);
    if (u->is_cut[i])
        ds_buffer_add_text(out, "...");
}

static void add_unfinished(struct open_table *t, struct open_list *list, const struct unfinished *u)
{
    static const char *const why[] = {
        [DS_STALL_ZERO_WINDOW] = "has a closed window",
        [DS_STALL_FULL_WINDOW] = "has not read what was sent",
        [DS_STALL_LOST] = "does not acknowledge retransmissions",
        [DS_STALL_MISSING] = "does not receive retransmissions",
    };
    struct ds_buffer *line = &t->scratch;
    line->len = 0;
    print_head(t, u->is_stall ? "stall" : "parts", u->start_ns, t->now_ns, u->frame, u->conn, line);
    add_name(u, 0, line);
    ds_buffer_add_text(line, " > ");
    add_name(u, 1, line);
    if (!u->is_stall)
        ds_buffer_printf(line, "  %s of a message, %s so far, %" PRIu64 " still to come",
                         ds_counted(u->num, "fragments").text, ds_counted(u->size, "bytes").text, u->left);
    else
        ds_buffer_printf(line, "  which %s", why[u->why]);
    if (u->is_stall && u->size != 0)
        ds_buffer_printf(line, "; a message is sent in part: %" PRIu64 " of %" PRIu64
                               " bytes have arrived", u->size - u->left, u->size);
    ds_buffer_add_text(line, "\n");
    note_oldest(t->now_ns - u->start_ns, u->conn, &list->conn_ns, &list->oldest_conn);
    add(t, list, u->is_stall ? OPEN_STALL : OPEN_FRAGMENTS, t->now_ns - u->start_ns, u->frame);
}

/* on_record: an item that ends only because the capture ends was open until then. */
static void on_record(void *state, const struct record *record)
{
    struct open_table *t = state;
    const struct call *call = record->call;
    if (call == NULL && record->monitor == NULL)
        on_event(t, record->event);
    if (call != NULL && call->outcome == CALL_UNANSWERED)
        add_call(t, &t->at_end, call);
    else if (record->monitor != NULL && record->monitor->outcome == MONITOR_OPEN)
        add_monitor(t, &t->at_end, record->monitor);
}

static void visit(void *state, const struct record *record)
{
    struct open_table *t = state;
    t->is_visited = true;
    if (record == NULL)
        return;
    if (record->call != NULL)
        add_call(t, &t->now, record->call);
    else if (record->monitor != NULL)
        add_monitor(t, &t->now, record->monitor);
}

static void show_table(void *state)
{
    struct open_table *t = state;
    struct ds_buffer *out = &t->text->buffer;
    struct open_list *list = t->is_visited ? &t->now : &t->at_end;
    uint64_t num = 0;
    for (struct unfinished *u = table_oldest(&t->unfinished); u != NULL;
         u = table_newer(&t->unfinished, u))
        add_unfinished(t, list, u);
    for (int i = 0; i < NUM_WHAT; i++)
        num += list->num[i];
    ds_buffer_add_text(out, ds_counted(list->num[OPEN_CALL], "calls").text);
    ds_buffer_printf(out, ", %s", ds_counted(list->num[OPEN_MONITOR], "monitors").text);
    ds_buffer_printf(out, " and %s open", ds_counted(list->num[OPEN_LINK], "process links").text);
    if (list->num[OPEN_FRAGMENTS] != 0)
        ds_buffer_printf(out, "; %s with fragments still to come",
                         ds_counted(list->num[OPEN_FRAGMENTS], "messages").text);
    if (list->num[OPEN_STALL] != 0)
        ds_buffer_printf(out, "; %s", ds_counted(list->num[OPEN_STALL], "stalls").text);
    if (t->unfinished.num_forgotten != 0)
        ds_buffer_printf(out, "; %" PRIu64 " of these were forgotten", t->unfinished.num_forgotten);
    ds_buffer_printf(out, "; %s of calls", ds_counted(list->num_of_calls, "monitors").text);
    if (num > list->rows.num)
        ds_buffer_printf(out, "; %zu are shown, those that somebody waits for first", list->rows.num);
    ds_buffer_add_text(out, t->failed || t->scratch.failed ? "; out of memory\n" : "\n");
    struct columns columns = {.align = "lrlrr", .width = {7, 10, 15, 9, 5}};
    report_narrow(t->text, &columns);
    if (num != 0) {
        best_rows_print(&list->rows, &columns, "open\tfor\tsince\tpacket\tconn\t who > whom\n", out);
        if (list->oldest_call != 0)
            report_print_command(t->text, out, "the call that has been open for longest, in full",
                                 "--explain call:%" PRIu64, list->oldest_call);
        else if (list->oldest_conn != 0)
            report_print_command(t->text, out, "the connection of what has been open for longest, in full",
                                 "--explain conn:%" PRIu64, list->oldest_conn);
    }
    best_rows_clear(&t->now.rows);
    t->now = (struct open_list){.rows.max = t->now.rows.max};
    t->is_visited = false;
}

static void end_table(void *state)
{
    struct open_table *t = state;
    best_rows_clear(&t->at_end.rows);
    best_rows_clear(&t->now.rows);
    table_free(&t->unfinished);
    ds_buffer_free(&t->scratch);
    free(t);
}

const struct report_kind report_open = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_RECORDS | REPORT_TAKES_PARTS,
    .visit = visit,
    .show = show_table,
    .end = end_table,
    .takes_monitors = true,
    .takes_facts = true,
};
