/*
 * page_call.c - the page of a call: its tree as a waterfall, and the text of --explain for it.
 *
 * The root of the tree is the outermost call: it is not known to be made for another one. Calls
 * made for a call are below it, by time, each with a bar from its beginning to its end.
 */
#include "ui/tui/tui_pages.h"

#include "core/duration.h"
#include "core/label_show.h"
#include "explain/explain.h"
#include "reports/report.h"
#include "ui/tui/tui_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TREE_ROWS = 200, TREE_DEPTH = 16, WHAT_LEN = 60, BAR_LEAST = 16, OWN_LINES = 64 };

/* tree_row is a call of the tree. */
struct tree_row {
    uint64_t call, parent, record; /* record: the record's number in the store */
    int64_t start_ns, end_ns;
    unsigned depth;
    bool is_placed;
};

struct call_tree {
    struct tree_row *all; /* calls in the store, by number */
    size_t num, cap;
    size_t order[TREE_ROWS]; /* indices of the tree's calls, in the order on the page */
    size_t num_shown;
    bool is_cut;
};

static int compare(const void *a, const void *b)
{
    const struct tree_row *x = a, *y = b;
    return (x->call > y->call) - (x->call < y->call);
}

/* gather lists the calls of the store. False if memory ran out. */
static bool gather(struct call_tree *tree, const struct store_look *look)
{
    struct record_view view = {0};
    for (uint64_t number = look->first; number < look->end; number++) {
        const struct record *record = store_look_get(look, number, &view);
        if (record == NULL || record->call == NULL)
            continue;
        if (tree->num == tree->cap) {
            const size_t cap = tree->cap != 0 ? 2 * tree->cap : 256;
            struct tree_row *all = realloc(tree->all, cap * sizeof *all);
            if (all == NULL)
                return false;
            tree->all = all;
            tree->cap = cap;
        }
        const struct call *call = record->call;
        tree->all[tree->num++] = (struct tree_row){.call = call->number,
                                                   .parent = call->parent,
                                                   .record = number,
                                                   .start_ns = call->start_ns,
                                                   .end_ns = call->end_ns};
    }
    if (tree->num != 0)
        qsort(tree->all, tree->num, sizeof *tree->all, compare);
    return true;
}

static struct tree_row *find(const struct call_tree *tree, uint64_t call)
{
    const struct tree_row key = {.call = call};
    return tree->num != 0 ? bsearch(&key, tree->all, tree->num, sizeof key, compare) : NULL;
}

/* find_root finds the outermost call that a call was made for. */
static struct tree_row *find_root(const struct call_tree *tree, struct tree_row *row)
{
    struct tree_row *parent;
    for (int i = 0; i < TREE_DEPTH && (parent = find(tree, row->parent)) != NULL && parent != row; i++)
        row = parent;
    return row;
}

/* place_below lists a call and, below it, all calls made for it. A call has a higher number than
 * the one that it was made for, and the table is sorted by number: so each level is in order. */
static void place_below(struct call_tree *tree, struct tree_row *root)
{
    struct tree_row *open[TREE_DEPTH];
    size_t next[TREE_DEPTH];
    unsigned num = 1;
    open[0] = root;
    next[0] = (size_t)(root - tree->all) + 1;
    tree->order[tree->num_shown++] = (size_t)(root - tree->all);
    while (num != 0) {
        size_t i = next[num - 1];
        while (i < tree->num && (tree->all[i].parent != open[num - 1]->call || tree->all[i].is_placed))
            i++;
        next[num - 1] = i + 1;
        if (i >= tree->num) {
            num--;
            continue;
        }
        if (tree->num_shown == TREE_ROWS) {
            tree->is_cut = true;
            return;
        }
        struct tree_row *row = &tree->all[i];
        row->is_placed = true;
        row->depth = num;
        tree->order[tree->num_shown++] = i;
        if (num < TREE_DEPTH) {
            open[num] = row;
            next[num++] = i + 1;
        } else {
            tree->is_cut = true;
        }
    }
}

/* put_bar appends a bar for the part of the root's time that a call covers. */
static void put_bar(const struct tree_row *row, const struct tree_row *all, unsigned columns, bool ascii,
                    struct ds_buffer *out)
{
    const double span = (double)(all->end_ns - all->start_ns);
    const double scale = span > 0 ? columns / span : 0;
    double from = (double)(row->start_ns - all->start_ns) * scale;
    double to = (double)(row->end_ns - all->start_ns) * scale;
    from = from < 0 ? 0 : from > columns - 1 ? columns - 1 : from;
    to = to > columns ? columns : to < from + 1 ? from + 1 : to;
    for (unsigned i = 0; i < columns; i++) {
        const bool is_in = i >= (unsigned)from && i < (unsigned)to;
        ds_buffer_add_text(out, !is_in ? (ascii ? "." : "·") : ascii ? "=" : "█");
    }
}

static void put_row(struct tui_page *page, const struct tui_facts *facts, const struct call_tree *tree,
                    size_t at, uint64_t shown)
{
    const struct tree_row *row = &tree->all[at], *root = &tree->all[tree->order[0]];
    struct record_view view = {0};
    const struct record *record = store_look_get(&facts->records, row->record, &view);
    struct ds_buffer text = {0}, took = {0};
    const unsigned bar = facts->columns / 4 > BAR_LEAST ? facts->columns / 4 : BAR_LEAST;
    if (record == NULL)
        return;
    put_bar(row, root, bar, facts->ascii, &text);
    duration_print(row->end_ns - row->start_ns, &took);
    ds_buffer_printf(&text, " %9.*s  %*s", (int)took.len, took.len != 0 ? took.data : "",
                     (int)(2 * row->depth), "");
    label_show(record->call->label, &text);
    ds_buffer_add_text(&text, " ");
    report_print_callee(record->call, &text);
    ds_buffer_add_text(&text, "  ");
    report_print_what(record->call, WHAT_LEN, &text);
    ds_buffer_add(&text, "", 1);
    if (!text.failed && !took.failed) {
        tui_page_line(page,
                      call_outcome_is_failure(record->call->outcome) ? STYLE_WARNING
                      : row->call == shown                           ? STYLE_STRONG
                                                                     : STYLE_PLAIN,
                      2, text.data);
        tui_page_lead(page, (struct tui_target){TARGET_CALL, row->call});
    }
    ds_buffer_free(&text);
    ds_buffer_free(&took);
}

static void put_tree(struct tui_page *page, const struct tui_facts *facts, uint64_t call)
{
    struct call_tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL || !gather(tree, &facts->records)) {
        page->is_cut = true;
    } else {
        struct tree_row *row = find(tree, call);
        if (row != NULL)
            place_below(tree, find_root(tree, row));
        if (tree->num_shown > 1) {
            tui_page_line(page, STYLE_STRONG, 0,
                          "Its tree: calls that were made for another one stand below it");
            page->cuts = true;
            for (size_t i = 0; i < tree->num_shown; i++)
                put_row(page, facts, tree, tree->order[i], call);
            page->cuts = false;
            if (tree->is_cut)
                tui_page_line(page, STYLE_DIM, 2, "there are more");
            tui_page_line(page, STYLE_PLAIN, 0, "");
        }
    }
    if (tree != NULL)
        free(tree->all);
    free(tree);
}

/* put_open writes the messages of a call that has not ended. */
static void put_open(struct tui_page *page, const struct tui_facts *facts, uint64_t call)
{
    struct record_view view = {0};
    unsigned num = 0;
    tui_page_line(page, STYLE_WARNING, 0, "It has not ended, or its end is not kept any more.");
    page->cuts = true;
    for (uint64_t i = facts->records.first; i < facts->records.end && num < OWN_LINES; i++) {
        const struct record *record = store_look_get(&facts->records, i, &view);
        struct ds_buffer text = {0};
        if (record == NULL || !tui_record_is_listed(record) || record->note.call != call)
            continue;
        tui_record_print_line(facts, record, &text);
        ds_buffer_add(&text, "", 1);
        if (!text.failed) {
            tui_page_line(page, STYLE_PLAIN, 2, text.data);
            tui_page_lead(page, (struct tui_target){TARGET_RECORD, i});
        }
        ds_buffer_free(&text);
        num++;
    }
}

void tui_page_call(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    char title[sizeof page->title];
    snprintf(title, sizeof title, "call #%" PRIu64, target.number);
    tui_page_begin(page, title);
    put_tree(page, facts, target.number);
    const size_t num = page->num;
    tui_page_explain(page, facts, EXPLAIN_CALL, target.number);
    if (page->num == num)
        put_open(page, facts, target.number);
}
