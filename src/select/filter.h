/*
 * filter.h - the field filter of -Y: 'op == "reg_send" && size > 1KB'. The manual page has
 * its grammar, filter_fields.c the fields.
 *
 * An expression is parsed once into a flat program (filter_program.h), which is then run on
 * one record after the other. Neither recurses.
 */
#ifndef SRC_FILTER_H
#define SRC_FILTER_H

#include "record/record.h"

#include <stdio.h>

enum { FILTER_MAX_LEN = 4096, FILTER_MAX_NESTING = 64 };

struct filter;
struct own_labels;

/* filter_error is what is wrong with an expression, and where. */
struct filter_error {
    size_t column; /* of the byte, from 1; 0 when the place is not to blame: no memory */
    char what[192];
};

/* filter_parse returns the filter that text stands for; NULL with *error filled in when it
 * stands for none. */
struct filter *filter_parse(const char *text, const struct own_labels *own, struct filter_error *error);

/* filter_and makes a filter that holds where both do; it owns them. first may be NULL. */
struct filter *filter_and(struct filter *first, struct filter *second);

/* filter_needs_calls returns what an expression asks for that nothing has unless calls are put
 * together: the name of a field, or a type of records. NULL when there is no such thing in it. */
const char *filter_needs_calls(const struct filter *filter);

/* filter_asks_findings says whether it asks for something that only findings have. */
bool filter_asks_findings(const struct filter *filter);

/* filter_asks_private returns the name of a field that --redact may replace, if an expression asks what
 * it is; NULL when it asks for no such field. Numbers, times and what has a list of words stay. */
const char *filter_asks_private(const struct filter *filter);

/* filter_set_depth limits the nesting of terms whose text is asked for, as the outputs do. */
void filter_set_depth(struct filter *filter, uint64_t max_depth);

/* filter_run says whether the filter holds for a record. When memory runs out, so that it
 * cannot be told, the record counts as wanted. */
bool filter_run(struct filter *filter, const struct record *record);

/* filter_no_memory returns how often memory ran out; 0 for NULL. */
uint64_t filter_no_memory(const struct filter *filter);

/* filter_num_given_up returns how often a regular expression took too long, so that what it
 * was held against counts as not matching; 0 for NULL. */
uint64_t filter_num_given_up(const struct filter *filter);

/* filter_tell_near says of names that nothing was equal to what was there that comes near; filter may be
 * NULL. */
void filter_tell_near(const struct filter *filter);

/* filter_free releases a filter. NULL is allowed. */
void filter_free(struct filter *filter);

/* filter_complete says how the expression can go on at its end: the nth name of a field, or word
 * that the field before it can be equal to, which begins with what stands there, from 0. NULL
 * behind the last. *typed is how many bytes of it stand there already. */
const char *filter_complete(const char *text, const struct own_labels *own, size_t n, size_t *typed);

/* filter_list_fields writes the names of all fields with their types, one a line. */
void filter_list_fields(FILE *out);

#endif
