/*
 * report_raft.c - raft clusters of ra: who leads each since when, how far its followers are,
 * elections. Clusters without a leader come first, then those that lag most.
 */
#include "analyse/calls/raft.h"
#include "core/duration.h"
#include "core/printable.h"
#include "reports/report.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>

enum { TOLD_ROWS = 100 };

#define SECOND INT64_C(1000000000)

struct raft_table {
    struct report_text *text;
    uint64_t max_rows;
    struct raft raft;
    uint64_t messages; /* of ra, readable or not */
    bool failed;
};

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct raft_table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->text = text;
    t->max_rows = config->max_rows;
    raft_init(&t->raft);
    return t;
}

static void on_record(void *state, const struct record *record)
{
    struct raft_table *t = state;
    if (record->call != NULL && record->call->label != NULL &&
        strcmp(record->call->label, "ra:vote") == 0) {
        raft_call(&t->raft, record->call);
    } else if (record_is_message(record) && raft_is_label(record->note.label)) {
        t->messages++;
        raft_message(&t->raft, record);
    }
}

/* has_leader returns false if the latest messages are votes. */
static bool has_leader(const struct raft_cluster *c)
{
    return c->leader >= 0 && c->votes.rounds == 0;
}

static int64_t most_lag(const struct raft_cluster *c)
{
    int64_t most = 0;
    for (unsigned i = 0; i < c->num_members; i++) {
        const int64_t lag = raft_lag(c, (int)i);
        most = lag > most ? lag : most;
    }
    return most;
}

static int worst_first(const void *x, const void *y)
{
    const struct raft_cluster *a = *(void *const *)x, *b = *(void *const *)y;
    if (has_leader(a) != has_leader(b))
        return has_leader(a) ? 1 : -1;
    if (most_lag(a) != most_lag(b))
        return most_lag(a) < most_lag(b) ? 1 : -1;
    const int order = memcmp(a->name, b->name, a->len < b->len ? a->len : b->len);
    return order != 0 ? order : a->len < b->len ? -1 : a->len > b->len;
}

/* sorted returns a sorted list of clusters, which the caller frees; NULL if there are none, or
 * memory ran out. */
static const struct raft_cluster **sorted(struct raft_table *t)
{
    const struct table *table = &t->raft.clusters;
    const struct raft_cluster **list = table->num != 0 ? calloc(table->num, sizeof *list) : NULL;
    size_t num = 0;
    t->failed |= list == NULL && table->num != 0;
    for (const struct raft_cluster *c = table_oldest(table); list != NULL && c != NULL;
         c = table_newer(table, c))
        list[num++] = c;
    if (list != NULL)
        qsort(list, num, sizeof *list, worst_first);
    return list;
}

static double appended_a_second(const struct raft_cluster *c)
{
    const int64_t span_ns = c->heard_ns - c->first_ns;
    return c->first_ns == 0 || span_ns < SECOND
               ? 0
               : (double)(c->idx - c->first_idx) * (double)SECOND / (double)span_ns;
}

static void print_cluster(const struct raft_table *t, const struct raft_cluster *c, struct ds_buffer *out)
{
    printable_text(raft_name(c), out);
    ds_buffer_add_text(out, c->is_likely ? " (a likely name)" : "");
    if (has_leader(c)) {
        ds_buffer_add_text(out, ": leader ");
        printable_text(raft_node(c, c->leader), out);
        ds_buffer_printf(out, ", term %" PRId64 " since ", c->term);
        report_print_time(t->text, c->since_ns, out);
    } else {
        ds_buffer_printf(out, ": no leader, term %" PRId64 ", votes since ", c->term);
        report_print_time(t->text, c->votes.first_ns, out);
    }
    ds_buffer_printf(out, ", %s", ds_counted(c->elections, "elections").text);
    if (c->idx >= 0)
        ds_buffer_printf(out, "; index %" PRId64 ", committed %" PRId64 ", %.1f appended a second",
                         c->idx, c->commit, appended_a_second(c));
    if (c->slowest_ns != 0) {
        ds_buffer_add_text(out, ", slowest commit ");
        duration_print(c->slowest_ns, out);
    }
    ds_buffer_add_text(out, "\n");
    for (int i = 0; i < (int)c->num_members; i++) {
        const struct raft_member *m = &c->member[i];
        if (i == c->leader && has_leader(c))
            continue;
        ds_buffer_add_text(out, "  ");
        printable_text(raft_node(c, i), out);
        if (m->idx >= 0)
            ds_buffer_printf(out, " at %" PRId64 ", lag %" PRId64, m->idx, raft_lag(c, i));
        else
            ds_buffer_add_text(out, ": its index was not seen");
        if (m->asked_ns != 0 && c->heard_ns - m->asked_ns >= SECOND) {
            ds_buffer_add_text(out, ", has not answered for ");
            duration_print(c->heard_ns - m->asked_ns, out);
        }
        ds_buffer_add_text(out, "\n");
    }
    if (c->has_more)
        ds_buffer_printf(out, "  more members than %d, which are not shown\n", RAFT_MEMBERS);
}

struct sums {
    uint64_t leaderless, elections;
};

static struct sums sum_up(const struct raft_table *t)
{
    struct sums sums = {0};
    const struct table *table = &t->raft.clusters;
    for (const struct raft_cluster *c = table_oldest(table); c != NULL; c = table_newer(table, c)) {
        sums.leaderless += !has_leader(c);
        sums.elections += c->elections;
    }
    return sums;
}

static void show_table(void *state)
{
    struct raft_table *t = state;
    struct ds_buffer *out = &t->text->buffer;
    const uint64_t num = t->raft.clusters.num;
    if (num == 0 && t->messages != 0) { /* no clusters despite messages is not a good sign */
        ds_buffer_printf(out, "raft: no cluster is known from %s of ra: their atoms or nodes are unknown\n",
                         ds_counted(t->messages, "messages").text);
        return;
    }
    const struct sums sums = sum_up(t);
    const struct raft_cluster **list = sorted(t);
    uint64_t i = 0;
    ds_buffer_printf(out, "raft: %s, %" PRIu64 " without a leader", ds_counted(num, "clusters").text,
                     sums.leaderless);
    ds_buffer_printf(out, "; %s\n", ds_counted(sums.elections, "elections").text);
    for (; list != NULL && i < num && (t->max_rows == 0 || i < t->max_rows); i++)
        print_cluster(t, list[i], out);
    free(list);
    if (i < num)
        ds_buffer_printf(out, "%" PRIu64 " more: --rows shows them\n", num - i);
    if (t->raft.clusters.num_forgotten != 0)
        ds_buffer_printf(out, "too many clusters: %s dropped\n",
                         ds_counted(t->raft.clusters.num_forgotten, "clusters").text);
    if (t->failed || t->raft.no_memory != 0)
        ds_buffer_add_text(out, "out of memory: some clusters are missing\n");
}

static void write_cluster(const struct raft_cluster *c, struct json_writer *json)
{
    json_item_open(json);
    const bool lags = most_lag(c) >= RAFT_BEHIND;
    json_put_string(json, JSON_KEY("status"), !has_leader(c) ? "no leader" : lags ? "lags" : "ok");
    json_put_text(json, JSON_KEY("what"), raft_name(c));
    json_put_bool(json, JSON_KEY("likely"), c->is_likely);
    if (has_leader(c)) {
        json_put_text(json, JSON_KEY("leader"), raft_node(c, c->leader));
        json_put_microseconds(json, JSON_KEY("since"), c->since_ns);
    }
    json_put_signed(json, JSON_KEY("term"), c->term);
    json_put_unsigned(json, JSON_KEY("elections"), c->elections);
    json_put_signed(json, JSON_KEY("index"), c->idx);
    json_put_signed(json, JSON_KEY("commit"), c->commit);
    json_put_signed(json, JSON_KEY("slowest"), c->slowest_ns);
    json_put_list(json, JSON_KEY("members"));
    for (int i = 0; i < (int)c->num_members; i++) {
        if (i == c->leader && has_leader(c))
            continue;
        json_item_open(json);
        json_put_text(json, JSON_KEY("node"), raft_node(c, i));
        json_put_signed(json, JSON_KEY("index"), c->member[i].idx);
        json_put_signed(json, JSON_KEY("lag"), raft_lag(c, i));
        json_put_close(json);
    }
    json_put_list_end(json);
    json_put_close(json);
}

static void write_table(void *state, struct json_writer *json)
{
    struct raft_table *t = state;
    const struct raft_cluster **list = sorted(t);
    json_put_unsigned(json, JSON_KEY("clusters"), t->raft.clusters.num);
    json_put_list(json, JSON_KEY("rows"));
    for (uint64_t i = 0; list != NULL && i < t->raft.clusters.num && i < TOLD_ROWS; i++)
        write_cluster(list[i], json);
    json_put_list_end(json);
    free(list);
}

static void end_table(void *state)
{
    struct raft_table *t = state;
    raft_free(&t->raft);
    free(t);
}

const struct report_kind report_raft = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_MESSAGES | REPORT_TAKES_CALLS,
    .show = show_table,
    .write_json = write_table,
    .end = end_table,
};
