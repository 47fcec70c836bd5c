/*
 * match_guard_parse.h - shared by the parsers of a guard: of its operators and functions, and of
 * the terms built in it. Both use one stack of fixed size for what is open.
 */
#ifndef DISSECT_MATCH_GUARD_PARSE_H
#define DISSECT_MATCH_GUARD_PARSE_H

#include "match/parse/match_parse.h"

enum wait_kind {
    WAIT_PAREN,
    WAIT_CALL,
    WAIT_OPERATOR,
    WAIT_TUPLE,
    WAIT_LIST,
    WAIT_MAP,
    WAIT_BINARY
};

/* segment_phase is the part of a segment that is being read. */
enum segment_phase { SEGMENT_VALUE, SEGMENT_SIZE, SEGMENT_WHOLE };

struct waiting {
    enum wait_kind kind;
    uint8_t tightness;        /* OPERATOR */
    enum step_kind step;      /* OPERATOR: OPERATOR, ANDALSO, ORELSE */
    bool in_tail;             /* LIST: after | */
    bool in_key;              /* MAP */
    bool is_change;           /* MAP: it changes the value before it; then */
    enum step_kind put;       /* this step stores the current pair */
    size_t at;                /* in the text; for ANDALSO and ORELSE the step that jumps */
    size_t first;             /* of a term: its first step */
    enum segment_phase phase; /* BINARY: the part being read */
    uint32_t num_args;        /* of a CALL, or parts of a term, so far */
    const struct guard_operator *op;
    struct ds_text name; /* CALL */
};

struct guard_parser {
    struct parser *p;
    struct lexer *lexer;
    struct ds_match *match;
    struct waiting waiting[DS_MATCH_MAX_NESTING];
    size_t depth;
    size_t num_values;    /* on the stack at run time */
    size_t alternative;   /* its first step */
    const char *variable; /* must be a variable */
};

/* guard_add_step returns a new step, guard_add_value one that pushes a value; NULL if memory ran
 * out. */
struct match_step *guard_add_step(struct guard_parser *g, enum step_kind kind);
struct match_step *guard_add_value(struct guard_parser *g, enum step_kind kind);

/* guard_add_constant adds a value that was encoded among the constants, from at on. False after an
 * error. */
bool guard_add_constant(struct guard_parser *g, size_t at);

/* guard_push opens something; NULL if too much is open. */
struct waiting *guard_push(struct guard_parser *g, enum wait_kind kind);

/* guard_top returns what was opened last; NULL if nothing is open. */
static inline struct waiting *guard_top(struct guard_parser *g)
{
    return g->depth != 0 ? &g->waiting[g->depth - 1] : NULL;
}

/* guard_reduce completes the operators that bind at least as tightly. */
bool guard_reduce(struct guard_parser *g, uint8_t tightness);

/* guard_is_term says whether the current word opens a term with elements; guard_open_term reads it.
 * *complete: it is empty. */
bool guard_is_term(const struct guard_parser *g);
bool guard_open_term(struct guard_parser *g, bool *complete);

/* guard_open_change is called at the # after a map. */
bool guard_open_change(struct guard_parser *g);

/* guard_end_part is called after a part of the top term. *taken: the current word belonged to the
 * term and has been read; then *complete says whether it closes the term. */
bool guard_end_part(struct guard_parser *g, bool *taken, bool *complete);

/* guard_open_binary is called at <<. *complete: it is a constant, which has been read completely. */
bool guard_open_binary(struct guard_parser *g, bool *complete);

/* guard_is_segment says whether a part of a binary's segment is being read. guard_begin_part is
 * called before that part and reads what may precede it; *whole: it was a string, which has been
 * read completely. guard_end_segment is called after the part; *complete: that was the last one. */
bool guard_is_segment(const struct guard_parser *g);
bool guard_begin_part(struct guard_parser *g, bool *whole);
bool guard_end_segment(struct guard_parser *g, bool *complete);

/* guard_expected returns the words that could close or continue what is open, for an error
 * message. */
const char *guard_expected(struct guard_parser *g);

#endif
