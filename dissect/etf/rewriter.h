/*
 * rewriter.h - the parts of rewrite.c. The input of each has been checked before, as a token or as
 * part of one; the output goes to out.
 */
#ifndef DISSECT_REWRITER_H
#define DISSECT_REWRITER_H

#include "etf/term.h"
#include "etf/term_encode.h"
#include "util/buffer.h"

#include <distsniff/rewrite.h>

struct rewrite_level;

struct rewrite {
    const struct ds_rewriter *to;
    const struct term_env *env;
    struct ds_buffer *out;
    struct rewrite_level *levels;
    size_t num_levels, cap_levels;
    struct ds_buffer funs;    /* size_t each: offset in out of the size field of an open fun */
    struct ds_buffer scratch; /* texts and strings being rewritten */
    bool no_memory, too_deep;
};

/* rewrite_leaf writes a token that contains no others. rewrite_numbered writes a pid, port or
 * reference. */
void rewrite_leaf(struct rewrite *r, const struct term_token *token);
void rewrite_numbered(struct rewrite *r, const struct term_token *token);

/* rewrite_next_atom writes the atom at at, which is part of a larger token. Returns whether it may
 * be another one now: an unknown atom may be any. */
bool rewrite_next_atom(struct rewrite *r, struct cursor *at);

/* Lists of characters, and tuples of numbers: rewrite_list.c. rewrite_run rewrites the run of
 * characters at at, in a list with left terms to come; first: at is before all of them. Returns the
 * length of the run. rewrite_address rewrites a tuple, whose head has been read, as an IP address
 * if it can be one. */
void rewrite_string(struct rewrite *r, const struct term_token *token);
uint64_t rewrite_run(struct rewrite *r, struct cursor *at, uint64_t left, bool first);
bool rewrite_address(struct rewrite *r, struct cursor *at, const struct term_token *tuple);

/* The heads of funs and records, and the end of a NEW_FUN: rewrite_fun.c. */
void rewrite_fun(struct rewrite *r, const struct term_token *token);
void rewrite_end_fun(struct rewrite *r);
void rewrite_record(struct rewrite *r, const struct term_token *token);

#endif
