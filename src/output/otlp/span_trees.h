/*
 * span_trees.h - finds the trace of each span, which belongs to the call at the root of its tree,
 * which ends after most calls made for it. Spans wait for the root, up to limits.
 */
#ifndef SRC_SPAN_TREES_H
#define SRC_SPAN_TREES_H

#include <distsniff/term.h>

enum { TRACE_ID_LEN = 32, SPAN_ID_LEN = 16 }; /* as hexadecimal digits */

struct trace_id {
    char hex[TRACE_ID_LEN];
};

/* trace_span is a span that has ended. */
struct trace_span {
    uint64_t call, parent; /* parent 0: the span is a root */
    bool has_children;
    bool has_trace; /* its trace was begun elsewhere */
    struct trace_id trace;
    char *text; /* the whole span, with room for its trace id, which is filled in */
    size_t len, trace_at;
};

struct span_trees;

/* span_fn receives each span when its trace is known. */
typedef void (*span_fn)(void *context, struct ds_text text);

/* span_trees_new returns an empty one; NULL if memory ran out. */
struct span_trees *span_trees_new(span_fn emit, void *context);
void span_trees_free(struct span_trees *trees); /* NULL is allowed */

/* span_trees_add passes on a span and those that waited for it, or keeps a copy. At the limit, or
 * if memory ran out, a span is passed on in its own trace. span_trees_end passes on all that still
 * wait. */
void span_trees_add(struct span_trees *trees, struct trace_span *span);
void span_trees_end(struct span_trees *trees);

/* span_id_print and trace_id_of_call make ids: always the same for a call, and never zero. */
void span_id_print(uint64_t call, char hex[SPAN_ID_LEN]);
struct trace_id trace_id_of_call(uint64_t call, int64_t start_ns);

#endif
