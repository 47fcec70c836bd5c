/*
 * match_guard_parse.h - what the parsers of a guard share: of its operators and functions, and
 * of the terms that are made in it. Both push what is still open on one stack of fixed size.
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

/* segment_phase is how much of a segment was read. */
enum segment_phase { SEGMENT_VALUE, SEGMENT_SIZE, SEGMENT_WHOLE };

struct waiting {
    enum wait_kind kind;
    uint8_t tightness;        /* OPERATOR */
    enum step_kind step;      /* OPERATOR: OPERATOR, ANDALSO, ORELSE */
    bool in_tail;             /* LIST: behind | */
    bool in_key;              /* MAP */
    bool is_change;           /* MAP: of the value before it, with pairs that follow; */
    enum step_kind put;       /* then what puts this pair there */
    size_t at;                /* in the text; of ANDALSO and ORELSE the step that jumps */
    size_t first;             /* of a term: its first step */
    enum segment_phase phase; /* BINARY: what is being read */
    uint32_t num_args;        /* CALL, and of a term its parts: so far */
    const struct guard_operator *op;
    struct ds_text name; /* CALL */
};

struct guard_parser {
    struct parser *p;
    struct lexer *lexer;
    struct ds_match *match;
    struct waiting waiting[DS_MATCH_MAX_NESTING];
    size_t depth;
    size_t num_values;    /* on the stack of the run */
    size_t alternative;   /* its first step */
    const char *variable; /* what is expected to be one */
};

/* guard_add_step returns a new step, guard_add_value one that leaves a value on the stack; NULL
 * when memory ran out. */
struct match_step *guard_add_step(struct guard_parser *g, enum step_kind kind);
struct match_step *guard_add_value(struct guard_parser *g, enum step_kind kind);

/* guard_add_constant adds a value that was encoded among the constants, from at on. False after
 * an error. */
bool guard_add_constant(struct guard_parser *g, size_t at);

/* guard_push opens something; NULL when too much is open. */
struct waiting *guard_push(struct guard_parser *g, enum wait_kind kind);

/* guard_top returns what was opened last; NULL when nothing is open. */
static inline struct waiting *guard_top(struct guard_parser *g)
{
    return g->depth != 0 ? &g->waiting[g->depth - 1] : NULL;
}

/* guard_reduce completes the operators that bind at least as tightly. */
bool guard_reduce(struct guard_parser *g, uint8_t tightness);

/* guard_is_term says whether the word that was read opens a term with others in it;
 * guard_open_term reads it. *complete: it is empty. */
bool guard_is_term(const struct guard_parser *g);
bool guard_open_term(struct guard_parser *g, bool *complete);

/* guard_open_change is at the # behind a map. */
bool guard_open_change(struct guard_parser *g);

/* guard_end_part is behind a part of the term on top. *taken: at a word that belongs to it,
 * which has been read; then *complete says whether that closes it. */
bool guard_end_part(struct guard_parser *g, bool *taken, bool *complete);

/* guard_open_binary is at <<. *complete: it is a constant, which has been read whole. */
bool guard_open_binary(struct guard_parser *g, bool *complete);

/* guard_is_segment says whether a part of a segment of a binary is being read; guard_begin_part
 * is before it: what may stand there, and *whole: it was a string, and has been read with all
 * that belongs to it. guard_end_segment is behind the part; *complete: that was the last. */
bool guard_is_segment(const struct guard_parser *g);
bool guard_begin_part(struct guard_parser *g, bool *whole);
bool guard_end_segment(struct guard_parser *g, bool *complete);

/* guard_expected says what could have closed what is open, or gone on in it. */
const char *guard_expected(struct guard_parser *g);

#endif
