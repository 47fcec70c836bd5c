/* report_changes.c - how a capture differs from another one, or from a baseline (--compare): what
 * has appeared, vanished, grown and shrunk. See compare/differ.h for what counts as a difference,
 * and changes_json.h for its JSON. */
#include "reports/changes_json.h"
#include "reports/report.h"

#include "compare/compare.h"
#include "core/duration.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct changes {
    struct report_text *text;
    struct compare *compare;
    uint64_t max_rows;
};

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct changes *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->text = text;
    t->compare = config->compare;
    t->max_rows = config->max_rows;
    text->keeps_lines |= t->compare->config->is_json;
    return t;
}

static void on_record(void *state, const struct record *record)
{
    struct changes *t = state;
    profile_gather_record(&t->compare->gather, record);
}

/* print_rate appends a rate with enough digits. */
static void print_rate(double rate, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%.*f/s", rate >= 100 ? 0 : rate >= 1 ? 1 : 3, rate);
}

static void print_value(enum measure measure, double value, const struct profile_entry *entry,
                        struct ds_buffer *out)
{
    switch (measure) {
    case MEASURE_P50:
    case MEASURE_P99:
        duration_print((int64_t)(value * 1e9), out);
        break;
    case MEASURE_FAILED:
        ds_buffer_printf(out, "%.*f%%", value < 0.1 && value > 0 ? 1 : 0, value * 100);
        break;
    case MEASURE_SIZE:
        ds_buffer_printf(out, "%.0f B", value);
        break;
    case MEASURE_RELEASE:
        ds_buffer_add_text(out, entry != NULL ? entry->value : "");
        break;
    case MEASURE_RATE:
    case MEASURE_PRESENCE:
    case MEASURE_COUNT:
        print_rate(value, out);
        break;
    }
}

/* is_counted says whether rates make sense for a kind: a finding is either there or not. */
static bool is_counted(const struct difference *d)
{
    return d->kind != PROFILE_FINDING;
}

/* print_why appends the ways in which calls fail: "timeout 12, noproc 3". */
static void print_why(const struct profile_entry *entry, struct ds_buffer *out)
{
    const char *before = "  ";
    for (int i = 0; entry != NULL && i < CALL_OUTCOME_COUNT; i++) {
        if (!call_outcome_is_failure(i) || entry->outcomes[i] == 0)
            continue;
        ds_buffer_printf(out, "%s%s %" PRIu64, before, call_outcome_name(i), entry->outcomes[i]);
        before = ", ";
    }
}

/* print_row makes a line: whether it is worse, what is measured, before, after, and the subject. */
static void print_row(const struct difference *d, struct ds_buffer *lines)
{
    const bool is_presence = d->measure == MEASURE_PRESENCE;
    ds_buffer_printf(lines, "  %s\t%s\t", d->is_worse ? "worse" : "", measure_words(d->measure));
    if (is_counted(d) && !(is_presence && d->change == CHANGE_APPEARED))
        print_value(d->measure, d->before_value, d->before, lines);
    ds_buffer_add_text(lines, "\t");
    if (is_counted(d) && !(is_presence && d->change == CHANGE_VANISHED))
        print_value(d->measure, d->after_value, d->after, lines);
    ds_buffer_printf(lines, "\t%s ", profile_kind_words(d->kind));
    ds_buffer_add(lines, d->key.data, d->key.len);
    if (d->measure == MEASURE_FAILED)
        print_why(d->change == CHANGE_VANISHED || d->change == CHANGE_SHRUNK ? d->before : d->after,
                  lines);
    columns_end_line(lines);
}

/* add_command appends the command that shows a difference: for this capture, or for the other one
 * if it only occurs there. */
static void add_command(const struct changes *t, const struct difference *d, struct ds_buffer *out)
{
    const struct compare_config *config = t->compare->config;
    const bool is_after = d->after != NULL && d->change != CHANGE_VANISHED;
    const struct profile_entry *entry = is_after ? d->after : d->before;
    const struct report_text text = {.command = is_after ? t->text->command : config->command,
                                     .behind = is_after ? t->text->behind : config->behind};
    const char *what = is_after ? "shows it" : "shows what it was";
    if (entry == NULL)
        return;
    if (d->kind == PROFILE_FINDING)
        report_print_command(&text, out, what, "--report doctor");
    else if (d->kind == PROFILE_CALL && entry->call != 0)
        report_print_command(&text, out, what, "--explain call:%" PRIu64, entry->call);
    else if (d->kind == PROFILE_MESSAGE && entry->frame != 0)
        report_print_command(&text, out, what, "--explain packet:%" PRIu64, entry->frame);
    else if (entry->conn != 0)
        report_print_command(&text, out, what, "--explain conn:%" PRIu64, entry->conn);
}

static void print_part(struct changes *t, const struct differences *all, enum change change)
{
    struct columns columns = {.align = "llrr", .width = {7, 6, 8, 8}};
    struct ds_buffer *out = &t->text->buffer, lines = {0};
    const struct difference *first = NULL;
    uint64_t num = 0;
    for (size_t i = 0; i < all->num; i++) {
        const struct difference *d = &all->rows[i];
        if (d->change != change)
            continue;
        first = first == NULL ? d : first;
        if (num == 0) {
            ds_buffer_printf(&lines, "%s\t\tbefore\tnow\twhat", change_name(change));
            columns_end_line(&lines);
        }
        if (t->max_rows == 0 || num < t->max_rows)
            print_row(d, &lines);
        num++;
    }
    if (num == 0)
        return;
    report_bound(t->text, &columns);
    columns_fit_all(&columns, &lines);
    columns_print_all(&columns, &lines, out);
    if (t->max_rows != 0 && num > t->max_rows)
        ds_buffer_printf(out, "  %" PRIu64 " more: --rows shows them\n", num - t->max_rows);
    add_command(t, first, out);
    ds_buffer_free(&lines);
}

static void print_side(const char *name, const struct profile *profile, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%s: %s in ", name, ds_counted(profile->num_messages, "messages").text);
    duration_print((int64_t)(profile_seconds(profile) * 1e9), out);
}

/* print_unread says how much of a capture could not be judged. */
static void print_unread(const char *name, const struct profile *profile, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%s: %" PRIu64 " could not be read, %" PRIu64 " are of nodes without a name\n",
                     name, profile->num_unread, profile->num_unnamed);
}

/* print_limits says what the verdict does not cover. */
static void print_limits(const struct changes *t, const struct differences *all, struct ds_buffer *out)
{
    const struct compare *c = t->compare;
    if (all->num_not_judged != 0) {
        ds_buffer_printf(out,
                         "not judged: %s that one capture seems to lack, as much of it is unknown\n",
                         ds_counted(all->num_not_judged, "kinds").text);
        print_unread("  messages before", &c->before, out);
        print_unread("  messages now", &c->after, out);
    }
    if (all->num_implied != 0)
        ds_buffer_printf(out, "not shown: %s that follow from a node or call above\n",
                         ds_counted(all->num_implied, "differences").text);
    if (all->num_too_thin != 0)
        ds_buffer_printf(out, "too rare to say more: %s in one capture alone\n",
                         ds_counted(all->num_too_thin, "kinds").text);
    if (all->is_incomplete)
        ds_buffer_add_text(
            out, "too many kinds: what appeared or vanished is not known; --max-tallies raises the "
                 "limit\n");
    if (c->before_was_cut)
        ds_buffer_printf(out, "%s could not be read in full: distsniff -r FILE -q says why\n",
                         c->config->file);
    if (c->before.num_messages == 0 || c->after.num_messages == 0)
        ds_buffer_printf(out, "there are no messages %s\n",
                         c->before.num_messages == 0 ? "before" : "now");
}

/* is_vain says whether two captures have nothing in common that is sufficiently known. */
static bool is_vain(const struct differences *all)
{
    return all->num_compared == 0;
}

static void show_text(struct changes *t, const struct differences *all)
{
    struct compare *c = t->compare;
    struct ds_buffer *out = &t->text->buffer;
    uint64_t num_worse = 0;
    for (size_t i = 0; i < all->num; i++)
        num_worse += all->rows[i].is_worse;
    if (all->num == 0)
        ds_buffer_add_text(out, is_vain(all) ? "nothing could be compared" : "no differences");
    else
        ds_buffer_printf(out, "%s, %" PRIu64 " of them worse", ds_counted(all->num, "differences").text,
                         num_worse);
    print_side("; before", &c->before, out);
    print_side("; now", &c->after, out);
    ds_buffer_add_text(out, "\n");
    for (int i = 0; i < CHANGE_COUNT; i++)
        print_part(t, all, (enum change)i);
    print_limits(t, all, out);
    if (all->no_memory || c->before.no_memory || c->after.no_memory)
        ds_buffer_add_text(out, "out of memory: some differences are missing\n");
}

/* show_table writes nothing if there is nothing to compare with: then a baseline is being written.
 * What --baseline detects is shown as findings. */
static void show_table(void *state)
{
    struct changes *t = state;
    struct compare *c = t->compare;
    struct differences all;
    if (!c->has_before || c->config->finds_new)
        return;
    differ(&c->before, &c->after, c->config->thresholds, &all);
    c->is_worse = all.is_worse;
    if (c->config->is_json)
        changes_print_json(c, &all, &t->text->buffer);
    else
        show_text(t, &all);
    differences_free(&all);
}

static void end_table(void *state)
{
    free(state);
}

const struct report_kind report_changes = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_MESSAGES | REPORT_TAKES_EVENTS | REPORT_TAKES_CALLS | REPORT_TAKES_FINDINGS,
    .takes_names = true,
    .show = show_table,
    .end = end_table,
};
