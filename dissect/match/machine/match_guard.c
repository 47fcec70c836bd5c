/*
 * match_guard.c - operators, and the execution of a guard; see match_program.h. A test that has no
 * value, or a value other than true, fails its alternative, and the next one is tried.
 */
#include "match/machine/match_functions.h"

enum comparison { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, NOT_EQUAL, SAME, NOT_SAME };
enum logic { NOT, AND, OR, XOR };

static bool compare(struct run *run, int which, const struct view *args, struct view *out)
{
    const enum compare_mode mode = which >= SAME    ? COMPARE_SAME
                                   : which >= EQUAL ? COMPARE_EQUAL
                                                    : COMPARE_ORDER;
    int order;
    if (!view_compare(run, &args[0], &args[1], mode, &order))
        return false;
    const bool holds[] = {[LESS] = order < 0,       [LESS_EQUAL] = order <= 0,
                          [GREATER] = order > 0,    [GREATER_EQUAL] = order >= 0,
                          [EQUAL] = order == 0,     [NOT_EQUAL] = order != 0,
                          [SAME] = order == 0,      [NOT_SAME] = order != 0};
    *out = view_of_bool(holds[which]);
    return true;
}

/* get_bool reads true or false; fails for anything else. */
static bool get_bool(struct run *run, const struct view *view, bool *out)
{
    *out = view_is_atom(run, view, (struct ds_text){"true", 4});
    return *out || view_is_atom(run, view, (struct ds_text){"false", 5}) ||
           run_fail(run, RUN_BAD);
}

static bool combine(struct run *run, int which, const struct view *args, struct view *out)
{
    bool a, b = false;
    if (!get_bool(run, &args[0], &a) || (which != NOT && !get_bool(run, &args[1], &b)))
        return false;
    *out = view_of_bool(which == NOT   ? !a
                        : which == AND ? a && b
                        : which == OR  ? a || b
                                       : a != b);
    return true;
}

const struct guard_operator guard_operators[] = {
    {"not", 1, TIGHT_UNARY, NOT, combine},
    {"-", 1, TIGHT_UNARY, NEGATE, arithmetic_apply},
    {"+", 1, TIGHT_UNARY, KEEP, arithmetic_apply},
    {"bnot", 1, TIGHT_UNARY, BNOT, arithmetic_apply},
    {"*", 2, TIGHT_MULTIPLY, MULTIPLY, arithmetic_apply},
    {"/", 2, TIGHT_MULTIPLY, DIVIDE, arithmetic_apply},
    {"div", 2, TIGHT_MULTIPLY, DIV, arithmetic_apply},
    {"rem", 2, TIGHT_MULTIPLY, REM, arithmetic_apply},
    {"band", 2, TIGHT_MULTIPLY, BAND, arithmetic_apply},
    {"and", 2, TIGHT_MULTIPLY, AND, combine},
    {"+", 2, TIGHT_ADD, ADD, arithmetic_apply},
    {"-", 2, TIGHT_ADD, SUBTRACT, arithmetic_apply},
    {"bor", 2, TIGHT_ADD, BOR, arithmetic_apply},
    {"bxor", 2, TIGHT_ADD, BXOR, arithmetic_apply},
    {"bsl", 2, TIGHT_ADD, BSL, arithmetic_apply},
    {"bsr", 2, TIGHT_ADD, BSR, arithmetic_apply},
    {"or", 2, TIGHT_ADD, OR, combine},
    {"xor", 2, TIGHT_ADD, XOR, combine},
    {"<", 2, TIGHT_COMPARE, LESS, compare},
    {"=<", 2, TIGHT_COMPARE, LESS_EQUAL, compare},
    {">", 2, TIGHT_COMPARE, GREATER, compare},
    {">=", 2, TIGHT_COMPARE, GREATER_EQUAL, compare},
    {"==", 2, TIGHT_COMPARE, EQUAL, compare},
    {"/=", 2, TIGHT_COMPARE, NOT_EQUAL, compare},
    {"=:=", 2, TIGHT_COMPARE, SAME, compare},
    {"=/=", 2, TIGHT_COMPARE, NOT_SAME, compare},
};

const size_t guard_num_operators = sizeof guard_operators / sizeof guard_operators[0];

/* run_step_of executes one step. stack contains *num values; *at is the next step. */
static bool run_step_of(struct ds_match *match, const struct match_step *step, uint32_t *num,
                        size_t *at)
{
    struct view *stack = match->stack;
    struct view result;
    bool value;
    switch (step->kind) {
    case STEP_CONSTANT:
        stack[(*num)++] = constant_view(match, step->at, step->len);
        return true;
    case STEP_VARIABLE:
        stack[(*num)++] = match->variables[step->variable];
        return true;
    case STEP_CALL:
        *num -= step->num_args;
        if (!step->function->call(&match->run, &stack[*num], step->num_args, &result))
            return run_fail(&match->run, RUN_BAD);
        stack[(*num)++] = result;
        return true;
    case STEP_OPERATOR:
        *num -= step->num_args;
        if (!step->op->apply(&match->run, step->op->which, &stack[*num], &result))
            return run_fail(&match->run, RUN_BAD);
        stack[(*num)++] = result;
        return true;
    case STEP_TUPLE:
    case STEP_LIST:
    case STEP_MAP:
        *num -= step->num_args;
        if (!build_term(&match->run, step->kind, &stack[*num], step->num_args, &result))
            return run_fail(&match->run, RUN_BAD);
        stack[(*num)++] = result;
        return true;
    case STEP_PUT:
    case STEP_REPLACE:
        *num -= step->num_args;
        if (!build_put(&match->run, &stack[*num], step->kind == STEP_REPLACE, &result))
            return run_fail(&match->run, RUN_BAD);
        stack[(*num)++] = result;
        return true;
    case STEP_SEGMENT:
        *num -= step->num_args;
        if (!build_segment(match, &match->segments[step->at], &stack[*num], &result))
            return run_fail(&match->run, RUN_BAD);
        stack[(*num)++] = result;
        return true;
    case STEP_ANDALSO:
    case STEP_ORELSE:
        if (!get_bool(&match->run, &stack[*num - 1], &value))
            return false;
        if (value == (step->kind == STEP_ORELSE))
            *at = step->target;
        else
            --*num;
        return true;
    case STEP_TEST:
        return view_is_atom(&match->run, &stack[--*num], (struct ds_text){"true", 4});
    case STEP_ALTERNATIVE:
    case STEP_ACCEPT:
        break;
    }
    return true;
}

bool guard_compute(struct ds_match *match, size_t first, size_t num, struct view *out)
{
    uint32_t num_values = 0;
    for (size_t at = first; at < first + num;) {
        const struct match_step *step = &match->steps[at++];
        if (!run_step(&match->run, 1) || !run_step_of(match, step, &num_values, &at))
            return false;
    }
    *out = match->stack[0];
    return true;
}

bool guard_is_true(struct ds_match *match)
{
    size_t next = 0;
    uint32_t num = 0;
    for (size_t at = match->guard; at < match->num_steps;) {
        const struct match_step *step = &match->steps[at++];
        if (step->kind == STEP_ACCEPT)
            return true;
        if (step->kind == STEP_ALTERNATIVE) {
            next = step->target;
            num = 0;
        } else if (!run_step(&match->run, 1) || !run_step_of(match, step, &num, &at)) {
            if (match->run.trouble != RUN_NO_TROUBLE && match->run.trouble != RUN_BAD)
                return false;
            match->run.trouble = RUN_NO_TROUBLE;
            at = next;
        }
    }
    return match->guard == match->num_steps;
}
