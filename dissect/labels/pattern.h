/*
 * pattern.h - patterns over external terms, written as Erlang writes them.
 *
 *     {'$gen_call', {From, Tag}, Request}      [alias | Ref]      {notify, _}
 *
 * Atoms, integers, tuples, lists and list tails; `_` is anything, a variable is anything and
 * can be asked for afterwards; either can be held to a type: `From::pid`, `_::reference`, or to a
 * struct of Elixir: `_::'Elixir.Shop.Order'`. A pattern is compiled once into a flat program in the
 * order in which a term lies in memory, so that matching is one walk in step with the encoded
 * bytes: nothing is built, nothing recurses, nothing allocates.
 */
#ifndef DISSECT_PATTERN_H
#define DISSECT_PATTERN_H

#include <distsniff/term.h>

enum { PATTERN_MAX_VARIABLES = 16, PATTERN_MAX_NESTING = 64 };

struct pattern;

/* pattern_error says where a text is no pattern. */
struct pattern_error {
    size_t column;        /* from 1 */
    const char *expected; /* a static string */
};

/* pattern_match is what the variables of a pattern stood for; absent where the pattern has
 * no such variable or it stood for the rest of a list of bytes. The views point into the
 * term. */
struct pattern_match {
    struct ds_term variable[PATTERN_MAX_VARIABLES];
};

/* pattern_compile returns the pattern, to be freed with pattern_free; NULL when the text is
 * none, with *error saying where (expected "more memory" when memory ran out). */
struct pattern *pattern_compile(struct ds_text text, struct pattern_error *error);
void pattern_free(struct pattern *pattern);

/* pattern_run says whether the whole term is as the pattern wants it. match is written only
 * for variables met; it is complete when the answer is true. */
bool pattern_run(const struct pattern *pattern, const struct ds_term *term,
                 struct pattern_match *match);

/* pattern_may_match says whether pattern_run would be true if the atoms whose names are not known
 * were others. A struct may then be any map. */
bool pattern_may_match(const struct pattern *pattern, const struct ds_term *term);

/* pattern_find_variable returns the index of a variable in pattern_match, or -1. */
int pattern_find_variable(const struct pattern *pattern, const char *name);

/* pattern_type_name returns the name of a type that a variable can be held to, from 0 on; NULL
 * behind the last. */
const char *pattern_type_name(size_t i);

/* pattern_head tells what makes a quick refusal possible: the number of elements when the
 * pattern is a tuple, else -1, and its first element when that is an atom, else absent. */
int pattern_head(const struct pattern *pattern, struct ds_text *first_atom);

/* pattern_classes does the same for what the first element of a tuple may be, or, where the pattern is
 * none, the term itself: a bit for each enum term_class. All bits where it may be anything. */
uint32_t pattern_classes(const struct pattern *pattern);

#endif
