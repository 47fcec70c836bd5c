/*
 * pattern.h - patterns over external terms, in Erlang's syntax.
 *
 *     {'$gen_call', {From, Tag}, Request}      [alias | Ref]      {notify, _}
 *
 * Atoms, integers, tuples, lists and list tails; `_` matches anything, a variable matches anything
 * and its value is available afterwards. Either can be restricted to a type: `From::pid`,
 * `_::reference`, or to a struct of Elixir: `_::'Elixir.Shop.Order'`. A pattern is compiled once
 * into a flat program in the order of an encoded term, so matching is one walk in step with the
 * bytes: nothing is built, nothing recurses, nothing allocates.
 */
#ifndef DISSECT_PATTERN_H
#define DISSECT_PATTERN_H

#include <distsniff/term.h>

enum { PATTERN_MAX_VARIABLES = 16, PATTERN_MAX_NESTING = 64 };

struct pattern;

/* pattern_error is the place where a text is not a valid pattern. */
struct pattern_error {
    size_t column;        /* from 1 */
    const char *expected; /* a static string */
};

/* pattern_match contains the terms that the variables of a pattern matched. The views point into
 * the term. */
struct pattern_match {
    struct ds_term variable[PATTERN_MAX_VARIABLES];
};

/* pattern_compile returns the pattern; free it with pattern_free. NULL if the text is invalid, with
 * *error set (expected "more memory" if memory ran out). */
struct pattern *pattern_compile(struct ds_text text, struct pattern_error *error);
void pattern_free(struct pattern *pattern);

/* pattern_run says whether the whole term matches the pattern. It writes match only for the
 * variables reached; match is complete if the result is true. */
bool pattern_run(const struct pattern *pattern, const struct ds_term *term,
                 struct pattern_match *match);

/* pattern_may_match says whether pattern_run could be true if the unknown atoms had other names. A
 * struct may then be any map. */
bool pattern_may_match(const struct pattern *pattern, const struct ds_term *term);

/* pattern_find_variable returns the index of a variable in pattern_match, or -1. */
int pattern_find_variable(const struct pattern *pattern, const char *name);

/* pattern_type_name returns the name of a type that a variable can be restricted to, from 0 on;
 * NULL after the last one. */
const char *pattern_type_name(size_t i);

/* pattern_head returns what allows a quick rejection: the number of elements if the pattern is a
 * tuple, otherwise -1, and its first element if that is an atom, otherwise absent. */
int pattern_head(const struct pattern *pattern, struct ds_text *first_atom);

/* pattern_classes does the same with the classes of a tuple's first element, or of the term itself
 * if the pattern is not a tuple: one bit for each enum term_class. All bits if it may be anything. */
uint32_t pattern_classes(const struct pattern *pattern);

#endif
