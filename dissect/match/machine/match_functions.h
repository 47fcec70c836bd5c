/*
 * match_functions.h - what the functions of guards share: a table in each of their files, and
 * how they read their arguments. What Erlang raises badarg for has no value here either.
 */
#ifndef DISSECT_MATCH_FUNCTIONS_H
#define DISSECT_MATCH_FUNCTIONS_H

#include "match/machine/match_program.h"

/* guard_function is a line of the table of functions. Of what call is given it takes
 * num_args; it returns false when there is no value. call is NULL where no wire can know. */
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

/* guard_find_function returns the function of that name which takes so many arguments; NULL
 * when there is none. *is_known: but one of that name. */
const struct guard_function *guard_find_function(struct ds_text name, uint32_t num_args,
                                                 bool *is_known);

static inline bool function_bad(struct run *run)
{
    return run_fail(run, RUN_BAD);
}

static inline bool function_give_bool(bool value, struct view *out)
{
    *out = view_of_bool(value);
    return true;
}

static inline bool head_is_float(const struct head *head)
{
    return head->view.kind == VIEW_TERM && head->token.class == TERM_FLOAT;
}

#endif
