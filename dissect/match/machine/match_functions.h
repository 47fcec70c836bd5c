/*
 * match_functions.h - shared by the guard functions: a table in each of their files, and helpers to
 * read arguments. A call for which Erlang raises badarg has no value here either.
 */
#ifndef DISSECT_MATCH_FUNCTIONS_H
#define DISSECT_MATCH_FUNCTIONS_H

#include "match/machine/match_program.h"

/* guard_function is a line of the table of functions. call reads num_args arguments and returns
 * false if there is no value. call is NULL if no packet contains the result. */
struct guard_function {
    const char *name;
    uint8_t min_args, max_args;
    bool (*call)(struct run *run, const struct view *args, uint32_t num_args, struct view *out);
};

struct guard_functions {
    const struct guard_function *lines;
    size_t num;
};

extern const struct guard_functions guard_type_functions, guard_part_functions;

/* guard_find_function returns the function with that name and number of arguments, NULL if there is
 * none. *is_known: one has that name. */
const struct guard_function *guard_find_function(struct ds_text name, uint32_t num_args,
                                                 bool *is_known);

static inline bool function_bad(struct run *run)
{
    return run_fail(run, RUN_BAD);
}

static inline bool function_return_bool(bool value, struct view *out)
{
    *out = view_of_bool(value);
    return true;
}

static inline bool head_is_float(const struct head *head)
{
    return head->view.kind == VIEW_TERM && head->token.class == TERM_FLOAT;
}

#endif
