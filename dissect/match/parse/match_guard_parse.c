/*
 * match_guard_parse.c - compiles the part after "when" to steps; see match_program.h.
 *
 *   guard       tests {';' tests}          tests       test {',' test}
 *   test        operand | prefix test | test infix test | '(' test ')'
 *   operand     constant term | Name | function '(' [test {',' test}] ')'
 *             | '{' [test {',' test}] '}' | '[' [test {',' test} ['|' test]] ']'
 *             | '#{' [test '=>' test {',' test '=>' test}] '}'
 *             | operand '#{' test ('=>' | ':=') test {',' test ('=>' | ':=') test} '}'
 *             | '<<' [segment {',' segment}] '>>', a segment as in match_segment_parse.c
 *
 * Operators bind as in Erlang. Those whose right side is not complete are on a stack of fixed size
 * (Dijkstra's shunting yard), so nothing recurses.
 */
#include "match/machine/match_functions.h"
#include "match/parse/match_guard_parse.h"

static const struct guard_operator *find_operator(const struct lexer *lexer, uint8_t num_args)
{
    for (size_t i = 0; i < guard_num_operators; i++)
        if (guard_operators[i].num_args == num_args && lexer_is(lexer, guard_operators[i].text))
            return &guard_operators[i];
    return NULL;
}

static bool add_constant(struct guard_parser *g)
{
    const size_t first = g->match->num_nodes;
    size_t at, len;
    return parse_term(g->p, true) && parse_fold(g->p, first, &at, &len) && guard_add_constant(g, at);
}

static bool add_variable(struct guard_parser *g)
{
    const int found = parse_find_variable(g->p);
    if (found < 0)
        return lexer_expected(g->lexer, g->variable);
    struct match_step *step = guard_add_value(g, STEP_VARIABLE);
    if (step == NULL)
        return false;
    step->variable = (uint32_t)found;
    return lexer_next(g->lexer);
}

/* followed_by says whether the next word begins with a character. */
static bool followed_by(const struct lexer *lexer, char c)
{
    const char *next = lexer->text + lexer->at;
    next += strspn(next, " \t\r\n");
    return *next == c;
}

/* end_call is called at the ) of a function. */
static bool end_call(struct guard_parser *g, const struct waiting *call)
{
    bool is_known;
    const struct guard_function *function =
        guard_find_function(call->name, call->num_args, &is_known);
    if (function == NULL)
        return lexer_fail(g->lexer, call->at, "expected another number of arguments for %.*s",
                          (int)call->name.len, call->name.data);
    if (function->call == NULL)
        return lexer_fail(g->lexer, call->at,
                          "expected no %s(): no packet tells in which "
                          "process this would be",
                          function->name);
    g->num_values -= call->num_args;
    struct match_step *step = guard_add_value(g, STEP_CALL);
    if (step == NULL)
        return false;
    step->function = function;
    step->num_args = call->num_args;
    return true;
}

/* begin_call reads Function(. *complete: it has no arguments. */
static bool begin_call(struct guard_parser *g, bool *complete)
{
    struct lexer *lexer = g->lexer;
    const struct lex_token *token = &lexer->token;
    const struct ds_text name = {lexer->text + token->at, token->len};
    bool is_known;
    if (guard_find_function(name, 0, &is_known) == NULL && !is_known)
        return lexer_expected(lexer, "a function that guards have");
    struct waiting *call = guard_push(g, WAIT_CALL);
    if (call == NULL)
        return false;
    call->name = name;
    if (!lexer_next(lexer) || !lexer_next(lexer))
        return false;
    *complete = lexer_is(lexer, ")");
    if (!*complete)
        return true;
    g->depth--;
    return end_call(g, call) && lexer_next(lexer);
}

static bool is_keyword(const struct lexer *lexer)
{
    return lexer_is(lexer, "andalso") || lexer_is(lexer, "orelse") || lexer_is(lexer, "when") ||
           find_operator(lexer, 1) != NULL || find_operator(lexer, 2) != NULL;
}

/* read_operand reads an operand, or what may precede one. */
static bool read_operand(struct guard_parser *g, bool *complete)
{
    struct lexer *lexer = g->lexer;
    const struct guard_operator *op = find_operator(lexer, 1);
    *complete = false;
    bool whole;
    if (!guard_begin_part(g, &whole))
        return false;
    if (whole) {
        *complete = true;
        return true;
    }
    if (op != NULL) {
        struct waiting *waiting = guard_push(g, WAIT_OPERATOR);
        if (waiting == NULL)
            return false;
        waiting->tightness = TIGHT_UNARY;
        waiting->step = STEP_OPERATOR;
        waiting->op = op;
        return lexer_next(lexer);
    }
    if (lexer_is(lexer, "("))
        return guard_push(g, WAIT_PAREN) != NULL && lexer_next(lexer);
    if (lexer_is(lexer, "erlang") && followed_by(lexer, ':')) {
        if (!lexer_next(lexer) || !lexer_next(lexer))
            return false;
        if (lexer->token.kind != LEX_ATOM || !followed_by(lexer, '('))
            return lexer_expected(lexer, "a function and its arguments");
    }
    if (lexer->token.kind == LEX_ATOM && !is_keyword(lexer) && followed_by(lexer, '('))
        return begin_call(g, complete);
    if (lexer_is(lexer, "<<"))
        return guard_open_binary(g, complete);
    if (guard_is_term(g))
        return guard_open_term(g, complete);
    *complete = true;
    if (lexer->token.kind == LEX_VARIABLE)
        return add_variable(g);
    if (lexer->token.kind == LEX_END || is_keyword(lexer))
        return lexer_expected(lexer, "a value");
    return add_constant(g);
}

/* add_jump is called after the left side of andalso or orelse. */
static bool add_jump(struct guard_parser *g, enum step_kind kind)
{
    const uint8_t tightness = kind == STEP_ANDALSO ? TIGHT_ANDALSO : TIGHT_ORELSE;
    if (!guard_reduce(g, tightness) || guard_add_step(g, kind) == NULL)
        return false;
    struct waiting *waiting = guard_push(g, WAIT_OPERATOR);
    if (waiting == NULL)
        return false;
    waiting->tightness = tightness;
    waiting->step = kind;
    waiting->at = g->match->num_steps - 1;
    g->num_values--;
    return lexer_next(g->lexer);
}

static bool add_infix(struct guard_parser *g, const struct guard_operator *op)
{
    const bool compares = op->tightness == TIGHT_COMPARE;
    if (!guard_reduce(g, (uint8_t)(op->tightness + compares)))
        return false;
    const struct waiting *top = guard_top(g);
    if (compares && top != NULL && top->kind == WAIT_OPERATOR && top->tightness == TIGHT_COMPARE)
        return lexer_expected(g->lexer, "andalso, or parentheses");
    struct waiting *waiting = guard_push(g, WAIT_OPERATOR);
    if (waiting == NULL)
        return false;
    waiting->tightness = op->tightness;
    waiting->step = STEP_OPERATOR;
    waiting->op = op;
    return lexer_next(g->lexer);
}

/* close_paren is called at a ) after an operand. */
static bool close_paren(struct guard_parser *g)
{
    if (!guard_reduce(g, 0))
        return false;
    struct waiting *top = guard_top(g);
    if (top == NULL)
        return lexer_expected(g->lexer, "( before it");
    if (top->kind != WAIT_CALL && top->kind != WAIT_PAREN)
        return lexer_expected(g->lexer, guard_expected(g));
    g->depth--;
    if (top->kind == WAIT_CALL) {
        top->num_args++;
        if (!end_call(g, top))
            return false;
    }
    return lexer_next(g->lexer);
}

static bool begin_alternative(struct guard_parser *g)
{
    g->alternative = g->match->num_steps;
    return guard_add_step(g, STEP_ALTERNATIVE) != NULL;
}

/* end_test is called after a whole test; is_last: it is the last one of an alternative. */
static bool end_test(struct guard_parser *g, bool is_last)
{
    if (!guard_reduce(g, 0) || guard_add_step(g, STEP_TEST) == NULL)
        return false;
    g->num_values--;
    if (!is_last)
        return true;
    if (guard_add_step(g, STEP_ACCEPT) == NULL)
        return false;
    g->match->steps[g->alternative].target = g->match->num_steps;
    return true;
}

/* end_part is called at a , or ; after an operand. */
static bool end_part(struct guard_parser *g)
{
    const bool is_semicolon = lexer_is(g->lexer, ";");
    if (!guard_reduce(g, 0))
        return false;
    struct waiting *top = guard_top(g);
    if (top != NULL && (top->kind != WAIT_CALL || is_semicolon))
        return lexer_expected(g->lexer, top->kind == WAIT_PAREN ? ")" : guard_expected(g));
    if (top != NULL) {
        top->num_args++;
        return lexer_next(g->lexer);
    }
    return end_test(g, is_semicolon) && (!is_semicolon || begin_alternative(g)) &&
           lexer_next(g->lexer);
}

/* read_operator reads what may follow an operand; *more if there was something. */
static bool read_operator(struct guard_parser *g, bool *complete, bool *more)
{
    struct lexer *lexer = g->lexer;
    const struct guard_operator *op = find_operator(lexer, 2);
    *complete = false;
    *more = true;
    if (guard_is_segment(g))
        return guard_end_segment(g, complete);
    if (op != NULL)
        return add_infix(g, op);
    if (lexer_is(lexer, "andalso"))
        return add_jump(g, STEP_ANDALSO);
    if (lexer_is(lexer, "orelse"))
        return add_jump(g, STEP_ORELSE);
    if (lexer_is(lexer, "#"))
        return guard_open_change(g);
    bool taken;
    if (!guard_end_part(g, &taken, complete))
        return false;
    if (taken)
        return true;
    if (lexer_is(lexer, ",") || lexer_is(lexer, ";"))
        return end_part(g);
    *complete = true;
    if (lexer_is(lexer, ")"))
        return close_paren(g);
    *more = false;
    return true;
}

static void begin(struct guard_parser *g, struct parser *p)
{
    g->p = p;
    g->lexer = &p->lexer;
    g->match = p->match;
    g->depth = 0;
    g->num_values = 0;
    g->variable = "a variable of the pattern";
}

bool parse_expression(struct parser *p, size_t *first, size_t *num)
{
    struct guard_parser g;
    bool complete = false, more = true;
    begin(&g, p);
    g.variable = "a variable that stands before it";
    *first = p->match->num_steps;
    do {
        if (!(complete ? read_operator(&g, &complete, &more) : read_operand(&g, &complete)))
            return false;
    } while (g.depth != 0 && (!complete || more));
    *num = p->match->num_steps - *first;
    return g.depth == 0 || lexer_expected(g.lexer, guard_expected(&g));
}

bool parse_guard(struct parser *p)
{
    struct guard_parser g;
    bool complete = false, more = true;
    begin(&g, p);
    if (!begin_alternative(&g))
        return false;
    while (more) {
        if (!(complete ? read_operator(&g, &complete, &more) : read_operand(&g, &complete)))
            return false;
    }
    if (!guard_reduce(&g, 0))
        return false;
    if (g.depth != 0)
        return lexer_expected(g.lexer, guard_expected(&g));
    return end_test(&g, true);
}
