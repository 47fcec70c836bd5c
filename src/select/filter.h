/*
 * filter.h - the field filter of -Y: 'op == "reg_send" && size > 1KB'. The manual page has its grammar,
 * filter_fields.c the fields.
 *
 * An expression is parsed once into a flat program (filter_program.h), which then runs on one record
 * after the other. Neither parsing nor running is recursive.
 */
#ifndef SRC_FILTER_H
#define SRC_FILTER_H

#include "record/record.h"

#include <stdio.h>

enum { FILTER_MAX_LEN = 4096, FILTER_MAX_NESTING = 64 };

struct filter;
struct own_labels;

/* filter_error says what is wrong with an expression, and where. */
struct filter_error {
    size_t column; /* of the byte, from 1; 0: the error has no place, such as lack of memory */
    char what[192];
};

/* filter_parse returns the filter for text; NULL if text is invalid: then *error is set. */
struct filter *filter_parse(const char *text, const struct own_labels *own, struct filter_error *error);

/* filter_and makes a filter that is true if both are; it owns them. first may be NULL. */
struct filter *filter_and(struct filter *first, struct filter *second);

/* filter_needs_calls returns the name of a field, or a type of records, in an expression that exists
 * only if calls are correlated; NULL if there is none. */
const char *filter_needs_calls(const struct filter *filter);

/* filter_asks_findings says whether an expression asks for something that only findings have. */
bool filter_asks_findings(const struct filter *filter);

/* filter_asks_private returns the name of a field that --redact may replace, if an expression asks for
 * its value; NULL if there is none. Numbers, times and values from a list of words are not replaced. */
const char *filter_asks_private(const struct filter *filter);

/* filter_set_depth limits the nesting of terms in texts that are compared, as the outputs do. */
void filter_set_depth(struct filter *filter, uint64_t max_depth);

/* filter_run says whether the filter is true for a record. If it cannot be decided because memory ran
 * out, the result is true. */
bool filter_run(struct filter *filter, const struct record *record);

/* filter_no_memory returns how often memory ran out; 0 for NULL. */
uint64_t filter_no_memory(const struct filter *filter);

/* filter_num_given_up returns how often a regular expression took too long, which counts as no match; 0
 * for NULL. */
uint64_t filter_num_given_up(const struct filter *filter);

/* filter_suggest reports names in the expression that never occurred although a similar name did;
 * filter may be NULL. */
void filter_suggest(const struct filter *filter);

/* filter_free releases a filter. NULL is allowed. */
void filter_free(struct filter *filter);

/* filter_complete returns how the expression can continue at its end: the nth name, from 0, of a field
 * or of a word to which the field before it can be equal, that begins with the last word. NULL after
 * the last. *typed is the number of its bytes that are already there. */
const char *filter_complete(const char *text, const struct own_labels *own, size_t n, size_t *typed);

/* filter_list_fields writes the names of all fields with their types, one per line. */
void filter_list_fields(FILE *out);

#endif
