/*
 * match_guard_terms.c - terms with elements that a guard builds: {X, 1}, [H | T], #{a => X}, Map#{a
 * := X}. Their parts are expressions, each of which pushes its value; a step then makes a row of
 * them (match_build.c). A term whose parts are all constants is a constant.
 */
#include "etf/term_encode.h"
#include "match/parse/match_guard_parse.h"

#include <distsniff/encode.h>

static const struct {
    const char *open, *close, *expected;
    enum step_kind step;
    uint8_t tag;
} terms[] = {
    [WAIT_TUPLE] = {"{", "}", "an operator, , or }", STEP_TUPLE, TERM_TAG_LARGE_TUPLE},
    [WAIT_LIST] = {"[", "]", "an operator, , | or ]", STEP_LIST, TERM_TAG_LIST},
    [WAIT_MAP] = {"#", "}", "an operator, , or }", STEP_MAP, TERM_TAG_MAP},
};

static bool is_term(const struct waiting *waiting)
{
    return waiting->kind >= WAIT_TUPLE && waiting->kind <= WAIT_MAP;
}

const char *guard_expected(struct guard_parser *g)
{
    const struct waiting *top = guard_top(g);
    if (top == NULL)
        return "an operator, -> or the end";
    if (top->kind == WAIT_CALL)
        return ", or )";
    if (!is_term(top))
        return "an operator or )";
    if (top->in_key)
        return top->is_change ? "=> or := behind the key" : "=> behind the key";
    return top->in_tail ? "]" : terms[top->kind].expected;
}

bool guard_is_term(const struct guard_parser *g)
{
    return lexer_is(g->lexer, "{") || lexer_is(g->lexer, "[") || lexer_is(g->lexer, "#");
}

static bool add_nil(struct guard_parser *g)
{
    struct ds_buffer *constants = &g->match->constants;
    const size_t at = constants->len;
    ds_encode_nil(constants);
    return guard_add_constant(g, at);
}

/* are_constants says whether all parts of a term are constants. A map whose keys may be equal is
 * built at run time. */
static bool are_constants(const struct guard_parser *g, const struct waiting *term)
{
    const struct match_step *steps = g->match->steps;
    if (g->match->num_steps - term->first != term->num_args ||
        (term->kind == WAIT_MAP && term->num_args > 2))
        return false;
    for (size_t i = 0; i < term->num_args; i++)
        if (steps[term->first + i].kind != STEP_CONSTANT)
            return false;
    return true;
}

/* fold makes one constant of the parts. */
static bool fold(struct guard_parser *g, const struct waiting *term)
{
    struct ds_buffer *constants = &g->match->constants;
    const size_t at = constants->len;
    const uint32_t num = term->num_args;
    encode_count(constants, terms[term->kind].tag,
                 term->kind == WAIT_LIST  ? num - 1 /* the last one is the tail */
                 : term->kind == WAIT_MAP ? num / 2
                                          : num);
    for (uint32_t i = 0; i < num; i++) {
        const struct match_step *step = &g->match->steps[term->first + i];
        if (ds_buffer_reserve(constants, step->len)) /* before copying within itself */
            ds_buffer_add(constants, constants->data + step->at, step->len);
    }
    g->match->num_steps = term->first;
    g->num_values -= num;
    return guard_add_constant(g, at);
}

/* end_pair stores the pair of a change in its map. */
static bool end_pair(struct guard_parser *g, struct waiting *change)
{
    struct match_step *step = guard_add_step(g, change->put);
    if (step == NULL)
        return false;
    step->num_args = 3;
    g->num_values -= 2;
    return true;
}

static bool end_term(struct guard_parser *g, struct waiting *term)
{
    if (term->is_change)
        return end_pair(g, term);
    if (term->kind == WAIT_LIST && !term->in_tail) {
        if (!add_nil(g))
            return false;
        term->num_args++;
    }
    if (are_constants(g, term))
        return fold(g, term);
    g->num_values -= term->num_args;
    struct match_step *step = guard_add_value(g, terms[term->kind].step);
    if (step == NULL)
        return false;
    step->num_args = term->num_args;
    return true;
}

/* close_empty is called after the opening word of a term, which may close at once. */
static bool close_empty(struct guard_parser *g, struct waiting *term, bool *complete)
{
    *complete = lexer_is(g->lexer, terms[term->kind].close);
    if (!*complete)
        return true;
    g->depth--;
    return (term->kind == WAIT_LIST ? add_nil(g) : fold(g, term)) && lexer_next(g->lexer);
}

bool guard_open_term(struct guard_parser *g, bool *complete)
{
    struct lexer *lexer = g->lexer;
    const enum wait_kind kind = lexer_is(lexer, "{")   ? WAIT_TUPLE
                                : lexer_is(lexer, "[") ? WAIT_LIST
                                                       : WAIT_MAP;
    struct waiting *term = guard_push(g, kind);
    if (term == NULL || !lexer_next(lexer))
        return false;
    if (kind == WAIT_MAP && (!parse_is_map(g->p) || !lexer_next(lexer)))
        return false;
    term->first = g->match->num_steps;
    term->in_key = kind == WAIT_MAP;
    return close_empty(g, term, complete);
}

bool guard_open_change(struct guard_parser *g)
{
    struct lexer *lexer = g->lexer;
    struct waiting *change = guard_push(g, WAIT_MAP);
    if (change == NULL || !lexer_next(lexer) || !parse_is_map(g->p) || !lexer_next(lexer))
        return false;
    change->is_change = change->in_key = true;
    return true;
}

/* accept_separator reads a separator between two parts; *taken if there was one. */
static bool accept_separator(struct guard_parser *g, struct waiting *term, bool *taken)
{
    struct lexer *lexer = g->lexer;
    const bool is_tail = term->kind == WAIT_LIST && lexer_is(lexer, "|");
    const bool is_replaced = term->is_change && lexer_is(lexer, ":=");
    *taken = term->in_key ? is_replaced || lexer_is(lexer, "=>")
                          : !term->in_tail && (is_tail || lexer_is(lexer, ","));
    if (!*taken)
        return true;
    if (term->in_key)
        term->put = is_replaced ? STEP_REPLACE : STEP_PUT;
    else if (term->is_change && !end_pair(g, term))
        return false;
    term->in_tail = is_tail;
    term->in_key = term->kind == WAIT_MAP && !term->in_key;
    term->num_args++;
    return lexer_next(lexer);
}

bool guard_end_part(struct guard_parser *g, bool *taken, bool *complete)
{
    *taken = *complete = false;
    if (!guard_reduce(g, 0))
        return false;
    struct waiting *top = guard_top(g);
    if (top == NULL || !is_term(top))
        return true;
    if (!accept_separator(g, top, taken))
        return false;
    if (*taken || top->in_key || !lexer_is(g->lexer, terms[top->kind].close))
        return true;
    *taken = *complete = true;
    top->num_args++;
    g->depth--;
    return end_term(g, top) && lexer_next(g->lexer);
}
