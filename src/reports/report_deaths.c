/*
 * report_deaths.c - what died, and why: one line per death, in order of time. A process that ended,
 * as its watchers are notified; a link between two nodes that was lost; a signal by which a process
 * tried to end another one.
 *
 * Each watcher is notified separately, and consequences come later: so a line waits for a second of
 * the capture's time before it is made.
 */
#include "reports/report.h"

#include "analyse/findings/tools.h"
#include "core/hash.h"
#include "core/table.h"
#include "core/term_show.h"
#include "record/reason_show.h"
#include "reports/held_lines.h"

#include <distsniff/counted.h>
#include <distsniff/dissect.h>
#include <distsniff/identity.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_NS = 1000000000, MAX_WAITING = 256, MAX_TOLD = 8, MAX_NAMED = 5 };

enum death_of { DEATH_OF_PROCESS, DEATH_OF_LINK, DEATH_BY_SIGNAL };

struct death {
    struct table_entry entry;
    uint64_t key;
    enum death_of of;
    int64_t ts_ns;
    uint64_t frame, conn;
    struct ds_buffer text, watchers,
        ended; /* what died and why; the watchers; what ended with it */
    unsigned num_watchers, num_ended;
    uint64_t reason;           /* hash of its text; 0: normal, which ends no linked process */
    uint64_t linked[MAX_TOLD]; /* hashes of the processes that may end because of it */
    unsigned num_linked;
    uint64_t num_calls, num_monitors; /* of a lost link */
};
TABLE_KEYED(struct death, key);

struct deaths {
    struct report_text *text;
    struct table waiting;
    struct table half_closed; /* connections whose end was reported */
    struct held_lines lines;
    uint64_t num_processes, num_links, num_signals;
    uint64_t num_tools;   /* of the links: tools' links, which are not listed */
    uint64_t first_frame; /* that is shown; 0: none */
    bool failed;
};

struct half_closed {
    struct table_entry entry;
    uint64_t conn;
};
TABLE_KEYED(struct half_closed, conn);

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct deaths *d = calloc(1, sizeof *d);
    if (d == NULL)
        return NULL;
    d->text = text;
    d->lines.text = text;
    table_init(&d->waiting, sizeof(struct death), MAX_WAITING);
    table_init(&d->half_closed, sizeof(struct half_closed), config->limits[DS_LIMIT_CONNECTIONS]);
    return d;
}

static void print_death(const struct deaths *d, const struct death *death, struct ds_buffer *out)
{
    report_print_time(d->text, death->ts_ns, out);
    ds_buffer_printf(out, " packet %" PRIu64 " conn %" PRIu64 " ", death->frame, death->conn);
    if (death->text.data != NULL)
        ds_buffer_add(out, death->text.data, death->text.len);
    if (death->num_watchers != 0) {
        ds_buffer_add_text(out, "; notified ");
        ds_buffer_add(out, death->watchers.data, death->watchers.len);
        if (death->num_watchers > MAX_NAMED)
            ds_buffer_printf(out, " and %u more", death->num_watchers - MAX_NAMED);
    }
    if (death->num_ended != 0) {
        ds_buffer_add_text(out, "; exited with it: ");
        ds_buffer_add(out, death->ended.data, death->ended.len);
        if (death->num_ended > MAX_NAMED)
            ds_buffer_printf(out, " and %u more", death->num_ended - MAX_NAMED);
    }
    if (death->num_calls != 0)
        ds_buffer_printf(out, "; lost with it: %s", ds_counted(death->num_calls, "calls").text);
    if (death->num_monitors != 0)
        ds_buffer_printf(out, "%s %" PRIu64 " %s",
                         death->num_calls != 0 ? " and" : "; lost with it:", death->num_monitors,
                         death->num_monitors == 1 ? "monitor or process "
                                                    "link" : "monitors and process links");
    ds_buffer_add_text(out, "\n");
}

static void free_death(struct deaths *d, struct death *death)
{
    d->failed |= death->text.failed || death->watchers.failed || death->ended.failed;
    ds_buffer_free(&death->text);
    ds_buffer_free(&death->watchers);
    ds_buffer_free(&death->ended);
    table_remove(&d->waiting, death);
}

static void write_oldest(struct deaths *d)
{
    struct death *death = table_oldest(&d->waiting);
    print_death(d, death, held_lines_out(&d->lines));
    free_death(d, death);
    held_lines_end(&d->lines);
}

static struct death *add(struct deaths *d, uint64_t key, enum death_of of, const struct ds_event *event)
{
    if (table_is_full(&d->waiting))
        write_oldest(d);
    struct death *death = table_put(&d->waiting, key);
    if (death == NULL) {
        d->failed = true;
        return NULL;
    }
    death->of = of;
    death->ts_ns = event->ts_ns;
    death->frame = event->frame;
    death->conn = event->conn->number;
    if (d->first_frame == 0)
        d->first_frame = event->frame;
    d->num_processes += of == DEATH_OF_PROCESS;
    d->num_links += of == DEATH_OF_LINK;
    d->num_signals += of == DEATH_BY_SIGNAL;
    return death;
}

/* hash_process hashes a pid, or a name on a node. 0: neither. */
static uint64_t hash_process(const struct ds_term *term, const struct ds_endpoint *end)
{
    struct ds_identity pid;
    struct ds_text name;
    if (ds_term_get_identity(term, &pid)) {
        const uint64_t numbers[] = {pid.creation, pid.word[0], pid.num_words > 1 ? pid.word[1] : 0};
        return hash_more(hash_more(1, numbers, sizeof numbers),
                         pid.node.data != NULL ? pid.node.data : "", pid.node.len);
    }
    if (!ds_term_get_atom(term, &name))
        return 0;
    return hash_more(hash_more(2, name.data, name.len),
                     end->node.data != NULL ? end->node.data : "", end->node.len);
}

static void print_process(const struct ds_term *term, struct ds_text name, const struct titles *titles,
                          const struct ds_endpoint *end, struct ds_buffer *out)
{
    struct ds_text by_name;
    if (ds_term_get_atom(term, &by_name)) {
        term_show_name(by_name, out);
        ds_buffer_add_text(out, "@");
        ds_endpoint_print(end, out);
        return;
    }
    if (name.data != NULL) {
        term_show_name(name, out);
        ds_buffer_add_text(out, " ");
    }
    titles_print(titles, out);
    term_show(term, NULL, out);
}

/* name_one adds to a list that contains the first few. */
static void name_one(struct ds_buffer *list, unsigned *num, const struct ds_buffer *text)
{
    if ((*num)++ >= MAX_NAMED)
        return;
    if (list->len != 0)
        ds_buffer_add_text(list, ", ");
    ds_buffer_add(list, text->data, text->len);
}

static bool is_atom(const struct ds_term *term, const char *word)
{
    struct ds_text text;
    return ds_term_get_atom(term, &text) && text.len == strlen(word) &&
           memcmp(text.data, word, text.len) == 0;
}

/* is_result says whether an exit reason is an answer, {Reference, ...}, of a process made for a
 * call. If the request was not seen, or has unknown atoms, the answer of erpc is recognised by its
 * form: {Reference, How, ...}. */
static bool is_result(const struct record *record, enum ds_op_kind kind, const struct ds_term *reason)
{
    struct ds_term first, third;
    struct ds_identity reference;
    return (record->note.call != 0 ||
            (kind == DS_KIND_DOWN && ds_term_get_element(reason, 2, &third))) &&
           ds_term_get_element(reason, 0, &first) && ds_term_get_identity(&first, &reference) &&
           reference.kind == DS_IDENTITY_REFERENCE;
}

/* add_along adds a dead process to the earlier deaths, for the same reason, that may have caused
 * it. */
static void add_along(struct deaths *d, const struct death *dead, const struct ds_buffer *who)
{
    struct death *other = table_oldest(&d->waiting);
    for (; other != NULL; other = table_newer(&d->waiting, other)) {
        const bool may = other != dead && other->reason != 0 && other->reason == dead->reason;
        for (unsigned i = 0; i < other->num_linked && may; i++) {
            if (other->linked[i] == dead->key) {
                name_one(&other->ended, &other->num_ended, who);
                break;
            }
        }
    }
}

static void print_reason(const struct ds_term *reason, struct ds_buffer *out)
{
    const struct ds_term_print_options options = {
        .max_bytes = 60, .max_items = 10, .max_depth = 5, .max_len = 200};
    if (reason->data != NULL)
        reason_show(reason, false, &options, out);
    else
        ds_buffer_add_text(out, "?");
}

static void on_signal(struct deaths *d, const struct record *record, enum ds_op_kind kind)
{
    const struct ds_event *event = record->event;
    const struct ds_message *m = &event->message;
    const struct note *note = &record->note;
    const struct ds_endpoint *from_end = &event->conn->end[event->dir];
    const struct ds_endpoint *to_end = &event->conn->end[!event->dir];
    const struct ds_term *from = &m->role[DS_ROLE_FROM], *to = &m->role[DS_ROLE_TO];
    const struct ds_term *reason = m->payload.data != NULL ? &m->payload : &m->role[DS_ROLE_REASON];
    struct ds_buffer who = {0}, whom = {0};
    if (is_atom(reason, "noproc") || is_atom(reason, "noconnection") ||
        is_result(record, kind, reason))
        return;
    print_process(from, note->from_name, note->from_titles, from_end, &who);
    print_process(to, note->to_name, note->to_titles, to_end, &whom);
    const uint64_t key = kind == DS_KIND_EXIT2 ? hash_more(3, &event->frame, sizeof event->frame)
                                               : hash_process(from, from_end);
    struct death *death = kind == DS_KIND_EXIT2 ? NULL : table_find(&d->waiting, key);
    const bool is_new = death == NULL;
    if (is_new)
        death = add(d, key, kind == DS_KIND_EXIT2 ? DEATH_BY_SIGNAL : DEATH_OF_PROCESS, event);
    if (death != NULL && is_new) {
        ds_buffer_add(&death->text, who.data, who.len);
        const size_t before = death->text.len;
        print_reason(reason, &death->text);
        if (!death->text.failed && !is_atom(reason, "normal"))
            death->reason = hash_more(5, death->text.data + before, death->text.len - before);
        death->text.len = before;
        if (kind == DS_KIND_EXIT2) {
            ds_buffer_add_text(&death->text, " sent an exit signal to ");
            ds_buffer_add(&death->text, whom.data, whom.len);
        } else {
            ds_buffer_add_text(&death->text, " exited");
            add_along(d, death, &who);
        }
        ds_buffer_add_text(&death->text, ": ");
        print_reason(reason, &death->text);
    }
    if (death != NULL && kind != DS_KIND_EXIT2) {
        ds_buffer_add_text(&whom, kind == DS_KIND_EXIT ? " (link)" : "");
        if (note->call != 0)
            ds_buffer_printf(&whom, " (call #%" PRIu64 ")", note->call);
        name_one(&death->watchers, &death->num_watchers, &whom);
        if (kind == DS_KIND_EXIT && death->num_linked < MAX_TOLD)
            death->linked[death->num_linked++] = hash_process(to, to_end);
    }
    d->failed |= who.failed || whom.failed;
    ds_buffer_free(&who);
    ds_buffer_free(&whom);
}

static uint64_t hash_conn(uint64_t number)
{
    return hash_more(4, &number, sizeof number);
}

/* was_told says whether a lost connection was reported already, and records that it is now. */
static bool was_told(struct deaths *d, const struct ds_event *event)
{
    struct half_closed *h = table_find(&d->half_closed, event->conn->number);
    if (h != NULL) {
        if (event->change.final)
            table_remove(&d->half_closed, h);
        return true;
    }
    if (event->change.final)
        return false;
    (void)table_find_or_put(&d->half_closed, event->conn->number);
    return false;
}

static void on_conn(struct deaths *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    const bool ends =
        event->change.state == DS_CONN_HALF_CLOSED || event->change.state == DS_CONN_CLOSED;
    if (!ends || event->change.unfollowed ||
        conn->counters[0].messages + conn->counters[1].messages == 0 || was_told(d, event))
        return;
    if (tools_have_name(conn->end[0].node) || tools_have_name(conn->end[1].node)) {
        d->num_links++;
        d->num_tools++;
        return;
    }
    struct death *death = add(d, hash_conn(conn->number), DEATH_OF_LINK, event);
    if (death == NULL)
        return;
    ds_buffer_add_text(&death->text, "connection lost: ");
    ds_endpoint_print(&conn->end[0], &death->text);
    ds_buffer_add_text(&death->text, " and ");
    ds_endpoint_print(&conn->end[1], &death->text);
    ds_buffer_printf(&death->text, " (%s)",
                     event->change.reason != NULL ? event->change.reason : "closed");
}

/* on_lost counts a call or monitor that ended with a lost link. */
static void on_lost(struct deaths *d, uint64_t conn, bool is_call)
{
    struct death *death = table_find(&d->waiting, hash_conn(conn));
    if (death == NULL)
        return;
    death->num_calls += is_call;
    death->num_monitors += !is_call;
}

static void write_old(struct deaths *d, int64_t now_ns)
{
    const struct death *oldest;
    while ((oldest = table_oldest(&d->waiting)) != NULL && oldest->ts_ns < now_ns - WAIT_NS)
        write_oldest(d);
}

static void on_record(void *state, const struct record *record)
{
    struct deaths *d = state;
    if (d->waiting.num != 0)
        write_old(d, record_time(record));
    if (record->call != NULL) {
        if (record->call->outcome == CALL_NOCONNECTION)
            on_lost(d, record->call->conn, true);
        return;
    }
    if (record->monitor != NULL) {
        if (record->monitor->outcome == MONITOR_NOCONNECTION && !record->monitor->of_call)
            on_lost(d, record->monitor->conn, false);
        return;
    }
    if (record->event->type == DS_EVENT_CONN) {
        on_conn(d, record->event);
    } else if (record->event->type == DS_EVENT_MESSAGE) {
        const enum ds_op_kind kind = ds_message_kind(&record->event->message);
        if (kind == DS_KIND_EXIT || kind == DS_KIND_DOWN || kind == DS_KIND_EXIT2)
            on_signal(d, record, kind);
    }
}

static void print_sum(const struct deaths *d, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%" PRIu64 " process%s exited", d->num_processes,
                     d->num_processes == 1 ? "" : "es");
    ds_buffer_printf(out, ", %s lost", ds_counted(d->num_links, "connections").text);
    if (d->num_tools != 0)
        ds_buffer_printf(out, " (%" PRIu64 " of tools, not listed)", d->num_tools);
    ds_buffer_printf(out, "; %s sent%s\n", ds_counted(d->num_signals, "exit signals").text,
                     d->failed || d->lines.failed || d->lines.held.failed ? "; out of memory" : "");
}

/* show_table: with --every, deaths that still wait appear in the next table. */
static void show_table(void *state)
{
    struct deaths *d = state;
    struct ds_buffer *out = &d->text->buffer;
    const struct death *death = d->text->now_ns == 0 ? table_oldest(&d->waiting) : NULL;
    if (!d->lines.flows)
        print_sum(d, out);
    held_lines_show(&d->lines);
    for (; death != NULL; death = table_newer(&d->waiting, death))
        print_death(d, death, out);
    if (d->first_frame != 0)
        report_print_command(d->text, out, "the first packet that reports one, in full",
                             "--explain packet:%" PRIu64, d->first_frame);
    if (d->lines.flows)
        print_sum(d, out);
}

static void begin_anew(void *state, int64_t now_ns)
{
    struct deaths *d = state;
    (void)now_ns;
    held_lines_begin(&d->lines);
}

static void end_table(void *state)
{
    struct deaths *d = state;
    while (table_oldest(&d->waiting) != NULL)
        free_death(d, table_oldest(&d->waiting));
    table_free(&d->waiting);
    table_free(&d->half_closed);
    held_lines_clear(&d->lines);
    free(d);
}

const struct report_kind report_deaths = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_RECORDS,
    .flows = true,
    .show = show_table,
    .begin_anew = begin_anew,
    .end = end_table,
    .takes_monitors = true,
    .takes_names = true,
};
