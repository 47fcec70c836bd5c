/*
 * match_view.h - terms as the matcher of match.h sees them: positions in the bytes.
 *
 * A part of a term is not always a term of its own in the bytes: the tail of [1,2,3] after its
 * first element is the middle of a LIST_EXT or of a STRING_EXT. The kind of a view distinguishes
 * these. {X, 1} in a guard is a row of views: that of X, and that of 1. No bytes are copied.
 */
#ifndef DISSECT_MATCH_VIEW_H
#define DISSECT_MATCH_VIEW_H

#include "etf/term.h"
#include "etf/value.h"

enum view_kind {
    VIEW_TERM,    /* a whole term begins at at */
    VIEW_LIST,    /* the rest of a LIST_EXT: num elements from at on, not 0, then the tail */
    VIEW_STRING,  /* the rest of a STRING_EXT, not empty */
    VIEW_BITS,    /* num bits of the bytes at at */
    VIEW_INTEGER, /* a number that is not in the bytes */
    VIEW_ROW,     /* the same as row[0]; like VIEW_TERM, others may follow it */
    VIEW_TUPLE,   /* its num elements are the row */
    VIEW_CONS,    /* a list: num elements, not 0, then the tail */
    VIEW_MAP,     /* num pairs: a key, a value, the next key */
};

struct view {
    enum view_kind kind;
    struct cursor at;
    uint64_t num;
    union {
        int64_t integer;
        const struct view *row;
    };
    struct term_env env; /* for at */
};

/* Why a run ended without a result. */
enum run_trouble {
    RUN_NO_TROUBLE,
    RUN_BAD,       /* a guard cannot compute it, a truncated term, an unknown atom */
    RUN_GAVE_UP,   /* too many steps, or terms nested too deeply */
    RUN_NO_MEMORY,
};

/* A step is one access to a term. Work that grows with the number of bytes counts one step per
 * RUN_BYTES_A_STEP bytes; moving single bits, one per RUN_BITS_A_STEP bits. */
enum { RUN_MAX_STEPS = 1000000, RUN_MAX_FRAMES = 512, RUN_BYTES_A_STEP = 16, RUN_BITS_A_STEP = 16 };

/* compare_frame is a container that is being compared; see match_compare.c. */
struct compare_frame {
    enum { COMPARE_ELEMENTS, COMPARE_LISTS, COMPARE_MAPS } kind;
    bool begun;
    uint64_t left, num;
    struct view a, b, key;
};

/* run is the match of one pattern against one message. */
struct run {
    uint64_t steps; /* remaining */
    enum run_trouble trouble;
    struct arena arena; /* for computed terms */
    size_t num_frames;
    struct compare_frame frames[RUN_MAX_FRAMES];
};

/* run_fail records why the run failed, unless a reason was recorded before; it returns false. */
bool run_fail(struct run *run, enum run_trouble trouble);

/* run_step counts n steps; false if none are left. */
static inline bool run_step(struct run *run, uint64_t n)
{
    if (run->steps < n)
        return run_fail(run, RUN_GAVE_UP);
    run->steps -= n;
    return true;
}

/* The kinds of terms in Erlang's order: number < atom < reference < fun < port < pid < tuple < map
 * < nil < list < bit string. */
enum order {
    ORDER_NUMBER,
    ORDER_ATOM,
    ORDER_REFERENCE,
    ORDER_FUN,
    ORDER_EXPORT,
    ORDER_PORT,
    ORDER_PID,
    ORDER_TUPLE,
    ORDER_RECORD,
    ORDER_MAP,
    ORDER_NIL,
    ORDER_LIST,
    ORDER_BITS,
    ORDER_LOCAL,
};

/* head is the beginning of a term. token is only set for VIEW_TERM. */
struct head {
    enum order order;
    struct view view;   /* the view that was read, without empty LIST_EXTs around it */
    uint64_t num_parts; /* the terms in a tuple, in a map (keys and values), in a fun */
    struct term_token token;
    struct cursor rest; /* for VIEW_TERM: after the token */
};

static inline struct view view_of_term(const struct ds_term *term)
{
    return (struct view){.kind = VIEW_TERM,
                         .at = cursor_make(term->data, term->len),
                         .env = {term->atoms, term->num_atoms}};
}

static inline struct view view_at(struct cursor at, const struct term_env *env)
{
    return (struct view){.kind = VIEW_TERM, .at = at, .env = *env};
}

static inline struct view view_of_integer(int64_t integer)
{
    return (struct view){.kind = VIEW_INTEGER, .integer = integer};
}

struct view view_of_bool(bool value);

/* view_read reads the head of a term. */
bool view_read(struct run *run, const struct view *view, struct head *out);

/* view_parts returns the first part of a tuple, map or fun; view_skip skips num parts. */
static inline struct view view_parts(const struct head *head)
{
    if (head->view.kind == VIEW_TERM)
        return view_at(head->rest, &head->view.env);
    return (struct view){.kind = VIEW_ROW, .row = head->view.row};
}

bool view_skip(struct run *run, struct view *part, uint64_t num);

/* view_split splits a list that is not empty. */
bool view_split(struct run *run, const struct head *list, struct view *first, struct view *tail);

/* view_is_atom says whether the term is that atom; false for an unknown atom. */
bool view_is_atom(struct run *run, const struct view *view, struct ds_text text);

/* atom_text is the text of an atom, in UTF-8. */
struct atom_text {
    const uint8_t *data;
    size_t len;
    char converted[VALUE_ATOM_LEN];
};

/* token_get_text fills in out; false for an unknown atom, or another term. */
bool token_get_text(const struct term_token *token, struct atom_text *out);

/* head_get_bits returns the bytes of a bit string and how many bits of them count; false for
 * other terms. */
bool head_get_bits(const struct head *head, struct cursor *bytes, uint64_t *num_bits);

/* number is an integer or a float. */
struct number {
    enum { NUMBER_INT, NUMBER_BIG, NUMBER_FLOAT } kind;
    int64_t integer;
    double real;
    struct value_big big; /* has more than 63 bits, and no leading digit 0 */
};

/* number_read reads a number; false if the term is not one, or memory ran out. number_free releases
 * it. */
bool number_read(struct run *run, const struct head *head, struct number *out);
void number_free(struct number *number);

/* number_compare returns the mathematical order: -1, 0 or 1. */
int number_compare(const struct number *a, const struct number *b);

/* number_of_whole converts a float without fraction to an integer. number_to_float rounds; false if
 * the number is too large. */
void number_of_whole(double whole, struct number *out);
bool number_to_float(const struct number *number, double *out);

/* view_get_int reads an integer; one of more than 63 bits always fails. */
bool view_get_int(struct run *run, const struct view *view, int64_t *out);

/* view_store_integer and view_store_float make a view of a number; the integer has len bytes, the
 * lowest first. False if there is no such float, memory ran out, or the computed terms exceed the
 * limit. */
bool view_store_integer(struct run *run, const uint8_t *bytes, size_t len, bool negative,
                        struct view *out);
bool view_store_float(struct run *run, double real, struct view *out);

/* compare_mode is the wanted comparison. In the order of keys every integer precedes every float;
 * in the order of terms 1 == 1.0. */
enum compare_mode { COMPARE_SAME, COMPARE_EQUAL, COMPARE_ORDER, COMPARE_KEYS };

/* leaf_compare compares two terms of the same kind, without their elements. */
bool leaf_compare(struct run *run, const struct head *a, const struct head *b,
                  enum compare_mode mode, int *order);

/* view_compare compares a and b: *order is less than, equal to or greater than 0; for SAME and
 * EQUAL only whether it is 0 counts. False if it cannot be decided: see run->trouble. */
bool view_compare(struct run *run, const struct view *a, const struct view *b,
                  enum compare_mode mode, int *order);

/* view_is_same says whether a and b are the same term; false if that cannot be decided. */
bool view_is_same(struct run *run, const struct view *a, const struct view *b);

/* view_find_key finds the value of a key among the num pairs at pairs. *found: there is one. */
bool view_find_key(struct run *run, const struct view *pairs, uint64_t num,
                   const struct view *key, struct view *value, bool *found);

#endif
