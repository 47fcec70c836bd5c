/*
 * match_program.h - shared by the parts of match.h: the program that a pattern is compiled to.
 *
 * The nodes of a head are its terms in prefix order, as in encoded terms: TUPLE 2, ATOM, VARIABLE.
 * A LIST is followed by its elements and its tail, a MAP by its keys and values. After a node with
 * is_also comes another pattern that the term must match. A call is three terms: module, function,
 * list of arguments.
 *
 * The segments of binaries are in a separate array. If the size of a segment is computed, its steps
 * precede those of the guard.
 *
 * A guard is a sequence of alternatives, each a sequence of tests in postfix order over a stack of
 * views; each test ends with a TEST. andalso and orelse jump over their right side.
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
    NODE_CONSTANT, /* any other term without elements */
    NODE_TUPLE,
    NODE_LIST,
    NODE_MAP,
    NODE_BITS, /* a binary of segments that are not all literal */
    NODE_BOTH, /* the next two patterns must both match */
};

struct match_node {
    enum node_kind kind;
    uint32_t num;      /* TUPLE, LIST: elements; MAP: pairs; BITS: segments */
    uint32_t variable; /* VARIABLE, SAME */
    bool is_also;      /* ANY, VARIABLE, SAME: Name = Pattern; the pattern follows */
    size_t at, len;    /* ATOM, CONSTANT: the term; BITS: at is the first segment */
};

/* bit_segment is a part of a binary: literal bits, or a value of a number of bits. */
enum segment_type { SEGMENT_LITERAL, SEGMENT_INTEGER, SEGMENT_FLOAT, SEGMENT_BITS, SEGMENT_UTF8,
                    SEGMENT_UTF16, SEGMENT_UTF32 };

enum size_kind {
    SIZE_FIXED,
    SIZE_STEPS, /* computed by steps */
    SIZE_REST,  /* the rest */
};

struct bit_segment {
    enum segment_type type;
    enum node_kind kind; /* of the value: ANY, VARIABLE, SAME or CONSTANT */
    uint32_t variable;   /* VARIABLE, SAME */
    size_t at, len;      /* CONSTANT: the term; LITERAL: the bytes */
    bool is_signed, is_little;
    enum size_kind size_kind;
    uint32_t unit;
    uint64_t size; /* in units; for LITERAL in bits */
    size_t first_step, num_steps;
};

static inline unsigned segment_utf_bits(const struct bit_segment *segment)
{
    return segment->type == SEGMENT_UTF8 ? 8 : segment->type == SEGMENT_UTF16 ? 16 : 32;
}

struct guard_function;
struct guard_operator;

enum step_kind {
    STEP_ALTERNATIVE, /* begins here; target is the next one, or the end */
    STEP_CONSTANT,
    STEP_VARIABLE,
    STEP_CALL,
    STEP_OPERATOR,
    STEP_TUPLE, /* of num_args values */
    STEP_LIST,  /* the last value is its tail */
    STEP_MAP,   /* a key, a value, the next key */
    STEP_PUT,     /* into a map, a key and a value */
    STEP_REPLACE, /* the same, but the key must exist */
    STEP_SEGMENT, /* appends a value to a binary; its size may follow */
    STEP_ANDALSO, /* unless the value is true, continue at target */
    STEP_ORELSE,
    STEP_TEST,   /* the alternative fails unless the value is true */
    STEP_ACCEPT, /* all its tests were true */
};

struct match_step {
    enum step_kind kind;
    uint32_t variable, num_args; /* num_args: of CALL, OPERATOR and terms */
    size_t at, len;              /* CONSTANT; SEGMENT: at is its index */
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
    size_t guard; /* its first step; num_steps if there is no guard */
    struct ds_buffer constants;
    bool for_terms, for_calls, wants_return;
    uint32_t num_variables;
    struct view variables[DS_MATCH_MAX_VARIABLES];
    struct view *stack; /* of the steps: at most num_stack values */
    size_t num_stack;
    struct run run;
};

/* guard_operator is a line of the table of operators, with one or two arguments and a precedence.
 * which distinguishes those with the same function. */
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

/* build_term builds a term of views; step is its kind. */
bool build_term(struct run *run, enum step_kind step, const struct view *parts, uint32_t num_parts,
                struct view *out);

/* build_put builds a changed copy of a map: args are the map, a key, a value. */
bool build_put(struct run *run, const struct view *args, bool is_replaced, struct view *out);

/* build_segment appends a segment to a binary: args are the binary, the value unless the segment is
 * literal, the size unless it is fixed. */
bool build_segment(struct ds_match *match, const struct bit_segment *segment,
                   const struct view *args, struct view *out);

/* guard_compute runs num steps that leave one value. */
bool guard_compute(struct ds_match *match, size_t first, size_t num, struct view *out);

/* guard_is_true executes the guard with the variables. */
bool guard_is_true(struct ds_match *match);

/* walk_terms matches terms against the head, one after the other. */
bool walk_terms(struct ds_match *match, const struct view *terms, size_t num_terms);

/* match_segments matches a term against the segments of a binary. */
bool match_segments(struct ds_match *match, const struct match_node *node, const struct view *value);

static inline struct view constant_view(const struct ds_match *match, size_t at, size_t len)
{
    return (struct view){.kind = VIEW_TERM, .at = cursor_make(match->constants.data + at, len)};
}

/* match_variable sets a variable to a value, or compares the value with its earlier one; it does
 * nothing for ANY. */
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
