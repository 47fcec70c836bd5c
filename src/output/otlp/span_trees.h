/*
 * span_trees.h - which trace a span belongs to: that of the call at the root of its tree, which ends
 * after most of what was called for it. Spans wait for it, within bounds.
 */
#ifndef SRC_SPAN_TREES_H
#define SRC_SPAN_TREES_H

#include <distsniff/term.h>

enum { TRACE_ID_LEN = 32, SPAN_ID_LEN = 16 }; /* in hex */

struct trace_id {
    char hex[TRACE_ID_LEN];
};

/* span is one that has ended. */
struct trace_span {
    uint64_t call, parent; /* parent 0: it is a root */
    bool has_children;
    bool has_trace; /* it is in one that was begun elsewhere */
    struct trace_id trace;
    char *text; /* all of it, with room for the id of its trace, which is put there */
    size_t len, trace_at;
};

struct span_trees;

/* span_give_fn is given each span when its trace is known. */
typedef void (*span_give_fn)(void *context, struct ds_text text);

/* span_trees_new returns one that has none; NULL when memory ran out. */
struct span_trees *span_trees_new(span_give_fn give, void *context);
void span_trees_free(struct span_trees *trees); /* NULL is allowed */

/* span_trees_add gives a span and what waited for it, or keeps a copy. Of too many, or when memory runs
 * out, one is given in its own trace. span_trees_end gives all that still wait. */
void span_trees_add(struct span_trees *trees, struct trace_span *span);
void span_trees_end(struct span_trees *trees);

/* span_id_print and trace_id_of_call make ids: the same of the same call, and never zero. */
void span_id_print(uint64_t call, char hex[SPAN_ID_LEN]);
struct trace_id trace_id_of_call(uint64_t call, int64_t start_ns);

#endif
