/*
 * filter_program.h - shared by the parts of the field filter: the table of fields, and the program that
 * an expression becomes.
 *
 * The program has a single truth value, the result of the last step. A test sets it, NOT inverts it,
 * and && and || are jumps over their right side, so that a text is made only if it decides the result.
 */
#ifndef SRC_FILTER_PROGRAM_H
#define SRC_FILTER_PROGRAM_H

#include "select/filter.h"
#include "select/filter_words.h"
#include "select/match_regex.h"

enum field_type {
    FIELD_TEXT,
    FIELD_NUMBER,
    FIELD_SIZE,         /* bytes */
    FIELD_DURATION,     /* nanoseconds */
    FIELD_MICROSECONDS, /* the same, but a number without a unit means microseconds */
    FIELD_TIME,         /* nanoseconds since 1970 */
    FIELD_BOOL,
    FIELD_TERM, /* the term's text; for an atom, its characters; for an integer, also the number */
    FIELD_TYPE_COUNT
};

struct filter_probe;

/* filter_field is a line of the table. get offers each value that a record has for the field: none if
 * it has none, several if any of them may be meant. */
struct filter_field {
    const char *name;
    enum field_type type;
    void (*get)(struct filter_probe *probe, const struct record *record, int which);
    int which; /* passed to get: which of several similar fields */
    filter_word_fn *words; /* all possible values; NULL: any value */
};

/* field_group is a part of the table: either all of its fields, or none, exist only if calls are
 * correlated. */
struct field_group {
    const struct filter_field *fields;
    size_t num;
    bool needs_calls;
};

extern const struct field_group filter_message_fields, filter_note_fields, filter_call_fields,
    filter_conn_fields;

/* filter_field_at returns field number i of the whole table, from 0; NULL after the last. */
const struct filter_field *filter_field_at(size_t i);

/* filter_field_find returns the field of that name, or NULL; filter_field_nearest the most similar
 * name, NULL if none is similar. */
const struct filter_field *filter_field_find(struct ds_text name);
const char *filter_field_nearest(struct ds_text name);

/* filter_field_needs_calls says whether a field exists only if calls are correlated. */
bool filter_field_needs_calls(const struct filter_field *field);

const char *filter_type_name(enum field_type type);

/* Getters pass their values to these functions. Absent texts and terms are not values. */
void probe_offer_text(struct filter_probe *probe, struct ds_text text);
void probe_offer_string(struct filter_probe *probe, const char *string);
void probe_offer_number(struct filter_probe *probe, int64_t number);
void probe_offer_unsigned(struct filter_probe *probe, uint64_t number);
void probe_offer_term(struct filter_probe *probe, const struct ds_term *term);

/* probe_scratch returns an empty buffer in which a getter may make a text. */
struct ds_buffer *probe_scratch(struct filter_probe *probe);

/* How a value is compared with the literals. */
enum test_kind { TEST_PRESENT, TEST_EQ, TEST_NE, TEST_LT, TEST_LE, TEST_GT, TEST_GE,
                 TEST_CONTAINS, TEST_MATCHES };

/* literal is one value of the expression: a number when text.data is NULL. */
struct literal {
    struct ds_text text;
    int64_t number;
    struct match_regex *regex; /* only MATCHES */
    struct suggestion *near;   /* only EQ with a name that may be misspelt; NULL: nothing is reported
                                  about it */
};

enum filter_step_kind { STEP_TEST, STEP_NOT, STEP_SKIP_IF_FALSE, STEP_SKIP_IF_TRUE };

struct filter_step {
    enum filter_step_kind kind;
    size_t target; /* SKIP: the next step */
    /* TEST: */
    const struct filter_field *field;
    enum test_kind test;
    size_t first_literal, num_literals;
};

/* An expression of n bytes has at most n steps and n literals, whose texts have at most n bytes, plus a
 * NUL each. */
struct filter {
    struct filter *next; /* must be true as well */
    struct filter_step *steps;
    size_t num_steps;
    struct literal *literals;
    size_t num_literals, num_near;
    char *pool; /* the texts of the literals */
    size_t pool_len;
    bool has_quote; /* a literal contains a ': atoms may be meant in Erlang's syntax */
    uint32_t max_depth;
    uint64_t num_no_memory, num_given_up;
    struct ds_buffer scratch, text; /* for getters; for the texts of terms */
};

#endif
