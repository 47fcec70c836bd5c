/*
 * match_guard_steps.c - the steps that a guard is compiled to: how its parsers add them, and the
 * stack of what is open.
 */
#include "match/parse/match_guard_parse.h"

#include <stdlib.h>

struct match_step *guard_add_step(struct guard_parser *g, enum step_kind kind)
{
    struct ds_match *match = g->match;
    if (match->num_steps == match->cap_steps) {
        const size_t cap = match->cap_steps == 0 ? 16 : match->cap_steps * 2;
        struct match_step *steps = realloc(match->steps, cap * sizeof *steps);
        if (steps == NULL) {
            parse_no_memory(g->p);
            return NULL;
        }
        match->steps = steps;
        match->cap_steps = cap;
    }
    struct match_step *step = &match->steps[match->num_steps++];
    *step = (struct match_step){.kind = kind};
    return step;
}

struct match_step *guard_add_value(struct guard_parser *g, enum step_kind kind)
{
    if (++g->num_values > g->match->num_stack)
        g->match->num_stack = g->num_values;
    return guard_add_step(g, kind);
}

bool guard_add_constant(struct guard_parser *g, size_t at)
{
    const struct ds_buffer *constants = &g->match->constants;
    struct match_step *step = guard_add_value(g, STEP_CONSTANT);
    if (step == NULL)
        return false;
    step->at = at;
    step->len = constants->len - at;
    return !constants->failed || parse_no_memory(g->p);
}

struct waiting *guard_push(struct guard_parser *g, enum wait_kind kind)
{
    if (g->depth == DS_MATCH_MAX_NESTING) {
        lexer_fail(g->lexer, g->lexer->token.at, "expected at most %d levels",
                   DS_MATCH_MAX_NESTING);
        return NULL;
    }
    struct waiting *waiting = &g->waiting[g->depth++];
    *waiting = (struct waiting){.kind = kind, .at = g->lexer->token.at};
    return waiting;
}

bool guard_reduce(struct guard_parser *g, uint8_t tightness)
{
    while (g->depth != 0) {
        const struct waiting *top = guard_top(g);
        if (top->kind != WAIT_OPERATOR || top->tightness < tightness)
            return true;
        g->depth--;
        if (top->step != STEP_OPERATOR) {
            g->match->steps[top->at].target = g->match->num_steps;
            continue;
        }
        struct match_step *step = guard_add_step(g, STEP_OPERATOR);
        if (step == NULL)
            return false;
        step->op = top->op;
        step->num_args = top->op->num_args;
        g->num_values -= top->op->num_args - 1u;
    }
    return true;
}
