/*
 * report_trees.c - the nesting of calls: which calls a process made while it served one, indented,
 * with the time since the outer one began.
 *
 * A call that ended waits here until its place is clear, which is when the calls that were open at
 * the same time have ended, too; at the cap the oldest tree is written. Trees of a single call are
 * only counted.
 */
#include "reports/report.h"

#include "core/duration.h"
#include "core/table.h"
#include "core/label_show.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct tree {
    struct table_entry entry;
    uint64_t number;
    uint64_t parent_number; /* 0: unknown */
    int64_t start_ns, latency_ns;
    char *line;
    uint32_t parent; /* index in the table */
    uint32_t first_child, last_child, next_sibling;
    bool ambiguous;
    uint32_t shown; /* the last table for which its root was searched */
};
TABLE_KEYED(struct tree, number);

struct tree_table {
    struct report_text *text;
    struct table table;
    struct ds_buffer scratch;
    uint64_t num_single, num_trees, num_ambiguous;
    uint64_t first_call; /* that is shown; 0: none */
    uint32_t num_shown; /* number of tables */
    bool failed;
};

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct tree_table *report = calloc(1, sizeof *report);
    if (report == NULL)
        return NULL;
    report->text = text;
    table_init(&report->table, sizeof(struct tree), config->limits[DS_LIMIT_CALLS]);
    return report;
}

/* is_above says whether child is an ancestor of parent. */
static bool is_above(const struct tree_table *report, const struct tree *child,
                     const struct tree *parent)
{
    if (child->first_child == 0)
        return child == parent;
    const struct tree *up = parent;
    while (up != NULL && up != child)
        up = table_get(&report->table, up->parent);
    return up != NULL;
}

/* place_for finds the link for a child among its siblings: usually the last. */
static uint32_t *place_for(const struct tree_table *report, struct tree *parent,
                           const struct tree *child)
{
    struct tree *last = table_get(&report->table, parent->last_child);
    if (last != NULL && last->number <= child->number)
        return &last->next_sibling;
    uint32_t *at = &parent->first_child;
    while (*at != 0) {
        struct tree *sibling = table_get(&report->table, *at);
        if (sibling->number > child->number)
            break;
        at = &sibling->next_sibling;
    }
    return at;
}

/* attach adds child to parent's children, ordered by number. */
static void attach(struct tree_table *report, struct tree *parent, struct tree *child)
{
    if (child->parent != 0 || is_above(report, child, parent))
        return;
    uint32_t *at = place_for(report, parent, child);
    child->next_sibling = *at;
    *at = child->entry.number;
    if (child->next_sibling == 0)
        parent->last_child = child->entry.number;
    child->parent = parent->entry.number;
}

enum { MAX_INDENT = 40, LEAST_WIDTH = 50 }; /* of indented lines */

static void print_node(struct tree_table *report, const struct tree *tree, unsigned depth)
{
    struct ds_buffer *out = &report->text->buffer;
    const struct tree *parent = table_get(&report->table, tree->parent);
    const unsigned width = report->text->width;
    const unsigned max_depth = width == 0                              ? MAX_INDENT
                               : width < LEAST_WIDTH                   ? 0
                               : (width - LEAST_WIDTH) / 2 < MAX_INDENT ? (width - LEAST_WIDTH) / 2
                                                                       : MAX_INDENT;
    ds_buffer_printf(out, "%*s", (int)(2 * (depth < max_depth ? depth : max_depth)), "");
    if (parent != NULL) {
        ds_buffer_add_text(out, tree->start_ns < parent->start_ns ? "" : "+");
        duration_print(tree->start_ns - parent->start_ns, out);
        ds_buffer_add_text(out, " ");
    } else {
        report_print_time(report->text, tree->start_ns, out);
        ds_buffer_add_text(out, " ");
        if (tree->ambiguous)
            ds_buffer_add_text(out, "(nested in one of several) ");
    }
    ds_buffer_add_text(out, tree->line != NULL ? tree->line : "?\n");
}

/* release writes the tree (unless it has a single call) and frees it, without recursion: down to
 * the first child, else to the sibling, else up. */
static void release(struct tree_table *report, struct tree *root)
{
    const bool show = root->first_child != 0 || root->ambiguous;
    report->num_single += !show;
    report->num_trees += root->first_child != 0;
    report->num_ambiguous += root->ambiguous;
    unsigned depth = 0;
    struct tree *at = root;
    if (show)
        print_node(report, at, depth);
    for (;;) {
        struct tree *child = table_get(&report->table, at->first_child);
        if (child != NULL) {
            print_node(report, child, ++depth);
            at->first_child = child->next_sibling;
            at = child;
            continue;
        }
        struct tree *up = table_get(&report->table, at->parent);
        const bool done = at == root;
        free(at->line);
        table_remove(&report->table, at);
        if (done)
            return;
        at = up;
        depth--;
    }
}

static struct tree *root_of(const struct tree_table *report, struct tree *tree)
{
    while (tree->parent != 0)
        tree = table_get(&report->table, tree->parent);
    return tree;
}

static void on_record(void *state, const struct record *record)
{
    struct tree_table *report = state;
    const struct call *call = record->call;
    if (call == NULL)
        return;
    if (table_is_full(&report->table))
        release(report, root_of(report, table_oldest(&report->table)));
    struct tree *tree = table_put(&report->table, call->number);
    if (tree == NULL) {
        report->failed = true;
        return;
    }
    tree->parent_number = call->parent;
    tree->start_ns = call->start_ns;
    tree->latency_ns = call->end_ns - call->start_ns;
    tree->ambiguous = call->parent_ambiguous;

    struct ds_buffer *line = &report->scratch;
    line->len = 0;
    ds_buffer_printf(line, "#%" PRIu64 " ", call->number);
    duration_print(tree->latency_ns, line);
    ds_buffer_add(line, " ", 1);
    label_show(call->label, line);
    ds_buffer_add(line, " ", 1);
    report_print_who(call, line);
    ds_buffer_add_text(line, "  ");
    report_print_what(call, 60, line);
    if (call->outcome != CALL_OK)
        ds_buffer_printf(line, " (%s)", call_outcome_name(call->outcome));
    ds_buffer_add_text(line, "\n");
    tree->line = line->failed ? NULL : strndup(line->data, line->len);
    report->failed |= tree->line == NULL;

    for (size_t i = 0; i < call->num_children; i++) {
        struct tree *child = table_find(&report->table, call->children[i]);
        if (child != NULL)
            attach(report, tree, child);
    }
    struct tree *parent = call->parent != 0 ? table_find(&report->table, call->parent) : NULL;
    if (parent != NULL)
        attach(report, parent, tree);
}

/* show_tree writes a tree like release, without freeing it. */
static void show_tree(struct tree_table *report, const struct tree *root)
{
    const struct tree *at = root;
    unsigned depth = 0;
    if (report->first_call == 0)
        report->first_call = root->number;
    for (;;) {
        print_node(report, at, depth);
        if (at->first_child != 0) {
            at = table_get(&report->table, at->first_child);
            depth++;
            continue;
        }
        for (; at != root && at->next_sibling == 0; depth--)
            at = table_get(&report->table, at->parent);
        if (at == root)
            return;
        at = table_get(&report->table, at->next_sibling);
    }
}

struct tree_counts {
    uint64_t single, trees, ambiguous;
};

/* new_root returns the root of a tree that was not visited for this table yet; else NULL. It visits
 * no call twice, however deep the tree is. */
static struct tree *new_root(const struct tree_table *report, struct tree *tree)
{
    while (tree->shown != report->num_shown) {
        tree->shown = report->num_shown;
        if (tree->parent == 0)
            return tree;
        tree = table_get(&report->table, tree->parent);
    }
    return NULL;
}

/* go_over counts all trees, and if writes is set, writes those in memory. */
static struct tree_counts go_over(struct tree_table *report, bool writes)
{
    struct tree_counts counts = {report->num_single, report->num_trees, report->num_ambiguous};
    struct tree *at = table_oldest(&report->table);
    report->num_shown++;
    for (; at != NULL; at = table_newer(&report->table, at)) {
        const struct tree *root = new_root(report, at);
        if (root == NULL)
            continue;
        const bool show = root->first_child != 0 || root->ambiguous;
        counts.single += !show;
        counts.trees += root->first_child != 0;
        counts.ambiguous += root->ambiguous;
        if (show && writes)
            show_tree(report, root);
    }
    return counts;
}

static void write_table(void *state, struct json_writer *json)
{
    struct tree_table *report = state;
    const struct tree_counts counts = go_over(report, false);
    json_put_unsigned(json, JSON_KEY("trees"), counts.trees);
    json_put_unsigned(json, JSON_KEY("single"), counts.single);
    json_put_unsigned(json, JSON_KEY("ambiguous"), counts.ambiguous);
}

static void show_table(void *state)
{
    struct tree_table *report = state;
    struct ds_buffer *out = &report->text->buffer;
    const bool flows = report->num_trees + report->num_ambiguous != 0;
    const struct tree_counts counts = go_over(report, flows);
    if (counts.trees == 0)
        ds_buffer_printf(out, "%s without nested calls: those that a process makes while it serves one",
                         ds_counted(counts.single, "calls").text);
    else
        ds_buffer_printf(out, "%s with nested calls, %" PRIu64 " without",
                         ds_counted(counts.trees, "calls").text, counts.single);
    if (counts.ambiguous != 0)
        ds_buffer_printf(out, "; %" PRIu64 " nested in one of several calls", counts.ambiguous);
    ds_buffer_add_text(out, "\n");
    if (report->failed)
        ds_buffer_add_text(out, "out of memory\n");
    if (!flows)
        go_over(report, true);
    if (report->first_call != 0)
        report_print_command(report->text, out, "the first of these calls, in full",
                             "--explain call:%" PRIu64, report->first_call);
}

static void end_table(void *state)
{
    struct tree_table *report = state;
    const struct tree *at = table_oldest(&report->table);
    for (; at != NULL; at = table_newer(&report->table, at))
        free(at->line);
    ds_buffer_free(&report->scratch);
    table_free(&report->table);
    free(report);
}

const struct report_kind report_trees = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_CALLS,
    .flows = true,
    .show = show_table,
    .write_json = write_table,
    .end = end_table,
};
