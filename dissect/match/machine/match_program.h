/*
 * match_program.h - what the parts of match.h share: the program that a pattern becomes.
 *
 * The nodes of a head are its terms in prefix order, as they stand in encoded terms: TUPLE 2,
 * ATOM, VARIABLE. A LIST is followed by its elements and then by its tail, a MAP by its keys
 * and values, and a node that IS ALSO a variable by what else the term must be. A call is three
 * terms: module, function, list of arguments.
 *
 * The segments of binaries are in a row of their own. Where the size of one is computed, its
 * steps stand before those of the guard.
 *
 * A guard is its alternatives one after the other, each its tests in postfix order over a
 * stack of views, each test ended by a TEST. andalso and orelse jump over their right side.
 *
 * All constants are external terms in one buffer.
 */
#ifndef DISSECT_MATCH_PROGRAM_H
#define DISSECT_MATCH_PROGRAM_H

#include <distsniff/match.h>
#include "match/machine/match_view.h"

enum node_kind {
    NODE_ANY,
    NODE_VARIABLE, /* bound here */
    NODE_SAME,     /* bound before */
    NODE_ATOM,
    NODE_CONSTANT, /* any other term without others in it */
    NODE_TUPLE,
    NODE_LIST,
    NODE_MAP,
    NODE_BITS, /* a binary in segments, of which not all are literal */
    NODE_BOTH, /* what the next two patterns match */
};

struct match_node {
    enum node_kind kind;
    uint32_t num;      /* TUPLE, LIST: elements; MAP: pairs; BITS: segments */
    uint32_t variable; /* VARIABLE, SAME */
    bool is_also;      /* ANY, VARIABLE, SAME: Name = Pattern; the pattern follows */
    size_t at, len;    /* ATOM, CONSTANT: the term; BITS: at is the first segment */
};

/* segment is a part of a binary: bits that are these, or a value of so many bits. */
enum segment_type { SEGMENT_LITERAL, SEGMENT_INTEGER, SEGMENT_FLOAT, SEGMENT_BITS, SEGMENT_UTF8,
                    SEGMENT_UTF16, SEGMENT_UTF32 };

enum size_kind {
    SIZE_FIXED,
    SIZE_STEPS, /* what they compute */
    SIZE_REST,  /* all that is left */
};

struct bit_segment {
    enum segment_type type;
    enum node_kind kind; /* of the value: ANY, VARIABLE, SAME or CONSTANT */
    uint32_t variable;   /* VARIABLE, SAME */
    size_t at, len;      /* CONSTANT: the term; LITERAL: the bytes */
    bool is_signed, is_little;
    enum size_kind size_kind;
    uint32_t unit;
    uint64_t size; /* in units; LITERAL: in bits */
    size_t first_step, num_steps;
};

static inline unsigned segment_utf_bits(const struct bit_segment *segment)
{
    return segment->type == SEGMENT_UTF8 ? 8 : segment->type == SEGMENT_UTF16 ? 16 : 32;
}

struct guard_function;
struct guard_operator;

enum step_kind {
    STEP_ALTERNATIVE, /* begins here; the next one, or the end, is target */
    STEP_CONSTANT,
    STEP_VARIABLE,
    STEP_CALL,
    STEP_OPERATOR,
    STEP_TUPLE, /* of so many values */
    STEP_LIST,  /* the last is its tail */
    STEP_MAP,   /* a key, a value, the next key */
    STEP_PUT,     /* into a map, a key and a value */
    STEP_REPLACE, /* the same, but the key has to be there */
    STEP_SEGMENT, /* to a binary, of a value, of which the size may follow */
    STEP_ANDALSO, /* unless the value is true, go on at target */
    STEP_ORELSE,
    STEP_TEST,   /* the alternative fails unless the value is true */
    STEP_ACCEPT, /* all its tests were true */
};

struct match_step {
    enum step_kind kind;
    uint32_t variable, num_args; /* num_args of CALL, OPERATOR and terms */
    size_t at, len;              /* CONSTANT; SEGMENT: at is that */
    size_t target;
    const struct guard_function *function;
    const struct guard_operator *op;
};

struct ds_match {
    struct match_node *nodes;
    size_t num_nodes, cap_nodes;
    struct bit_segment *segments;
    size_t num_segments, cap_segments;
    struct match_step *steps;
    size_t num_steps, cap_steps;
    size_t guard; /* its first step; num_steps: no guard */
    struct ds_buffer constants;
    bool for_terms, for_calls, wants_return;
    uint32_t num_variables;
    struct view variables[DS_MATCH_MAX_VARIABLES];
    struct view *stack; /* of the steps: num_stack values at most */
    size_t num_stack;
    struct run run;
};

/* guard_operator is a line of the table of operators: of one argument, or of two, by how
 * tightly they bind. which tells those with the same function apart. */
struct guard_operator {
    const char *text;
    uint8_t num_args;
    uint8_t tightness;
    int which;
    bool (*apply)(struct run *run, int which, const struct view *args, struct view *out);
};

extern const struct guard_operator guard_operators[];
extern const size_t guard_num_operators;

enum tightness { TIGHT_ORELSE = 1, TIGHT_ANDALSO, TIGHT_COMPARE, TIGHT_ADD, TIGHT_MULTIPLY,
                 TIGHT_UNARY };

/* The arithmetic of match_arithmetic.c. */
enum arithmetic { ADD, SUBTRACT, MULTIPLY, DIVIDE, DIV, REM, BAND, BOR, BXOR, BSL, BSR,
                  NEGATE, KEEP, BNOT, ABS, TRUNC, ROUND, FLOOR, CEIL, TO_FLOAT };

bool arithmetic_apply(struct run *run, int which, const struct view *args, struct view *out);

/* build_term makes a term of views: step says of which kind. */
bool build_term(struct run *run, enum step_kind step, const struct view *parts, uint32_t num_parts,
                struct view *out);

/* build_put makes another map of one: args are the map, a key, a value. */
bool build_put(struct run *run, const struct view *args, bool is_replaced, struct view *out);

/* build_segment adds a segment to a binary: args are the binary, the value unless the segment is
 * literal, the size unless it is fixed. */
bool build_segment(struct ds_match *match, const struct bit_segment *segment,
                   const struct view *args, struct view *out);

/* guard_compute runs num steps that leave one value. */
bool guard_compute(struct ds_match *match, size_t first, size_t num, struct view *out);

/* guard_holds runs the guard on the variables. */
bool guard_holds(struct ds_match *match);

/* walk_terms holds terms against the head, one after the other. */
bool walk_terms(struct ds_match *match, const struct view *terms, size_t num_terms);

/* match_segments holds a term against the segments of a binary. */
bool match_segments(struct ds_match *match, const struct match_node *node, const struct view *value);

static inline struct view constant_view(const struct ds_match *match, size_t at, size_t len)
{
    return (struct view){.kind = VIEW_TERM, .at = cursor_make(match->constants.data + at, len)};
}

/* match_variable sets a variable to a value, or holds that against what it was set to before; of ANY
 * there is nothing to do. */
static inline bool match_variable(struct ds_match *match, enum node_kind kind, uint32_t variable,
                                  const struct view *value)
{
    struct view *is = &match->variables[variable];
    if (kind == NODE_SAME)
        return view_is_same(&match->run, is, value);
    if (kind == NODE_VARIABLE)
        *is = *value;
    return true;
}

#endif
