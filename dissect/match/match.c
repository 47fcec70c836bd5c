/*
 * match.c - compiles the text of a pattern and runs it; see match.h.
 */
#include <distsniff/match.h>

#include "match/parse/match_advice.h"
#include "match/parse/match_elixir.h"
#include "match/parse/match_language.h"
#include "match/parse/match_parse.h"

#include <distsniff/encode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words that users of redbug and recon may try, and why they are not supported. */
static const struct {
    const char *word, *why;
} unknowable[] = {
    {"stack", "the stack of a process is in no packet"},
    {"caller", "the function that calls is in no packet"},
    {"time", "the time a function takes is in no packet; that of the call is shown with its reply"},
    {"count", "a pattern counts nothing"},
    {"arity", "write Mod:Fun/Arity"},
};

/* read_actions reads the words after ->. */
static bool read_actions(struct parser *p)
{
    struct lexer *lexer = &p->lexer;
    do {
        if (!lexer_next(lexer))
            return false;
        for (size_t i = 0; i < sizeof unknowable / sizeof unknowable[0]; i++)
            if (lexer_is(lexer, unknowable[i].word))
                return lexer_fail(lexer, lexer->token.at, "expected return, not %s: %s",
                                  unknowable[i].word, unknowable[i].why);
        if (!lexer_is(lexer, "return"))
            return lexer_expected(lexer, "return");
        p->match->wants_return = true;
        if (!lexer_next(lexer))
            return false;
    } while (lexer_is(lexer, ",") || lexer_is(lexer, ";"));
    return true;
}

/* read_arity reads the number after Mod:Fun/, and adds a list of that many arguments. */
static bool read_arity(struct parser *p)
{
    struct lexer *lexer = &p->lexer;
    if (lexer->token.kind != LEX_INTEGER || lexer->magnitude_len > 1)
        return lexer_expected(lexer, "an arity of 0 to 255");
    const unsigned arity = lexer->magnitude_len != 0 ? lexer->magnitude[0] : 0;
    struct match_node *list = parse_add_node(p, NODE_LIST);
    if (list == NULL)
        return false;
    list->num = arity;
    for (unsigned i = 0; i < arity; i++)
        if (parse_add_node(p, NODE_ANY) == NULL)
            return false;
    struct match_node *nil = parse_add_node(p, NODE_CONSTANT);
    if (nil == NULL)
        return false;
    nil->at = p->match->constants.len;
    ds_encode_nil(&p->match->constants);
    nil->len = p->match->constants.len - nil->at;
    return !p->match->constants.failed ? lexer_next(lexer) : parse_no_memory(p);
}

/* read_call reads the rest of a call after Mod:, whose node has been added. */
static bool read_call(struct parser *p)
{
    struct lexer *lexer = &p->lexer;
    if (lexer->token.kind != LEX_ATOM && lexer->token.kind != LEX_VARIABLE)
        return lexer_expected(lexer, "a function");
    if (!parse_term(p, false))
        return false;
    if (lexer_is(lexer, "/"))
        return lexer_next(lexer) && read_arity(p);
    if (lexer_is(lexer, "("))
        return lexer_next(lexer) && parse_arguments(p);
    return parse_add_node(p, NODE_ANY) != NULL;
}

static bool read_head(struct parser *p)
{
    struct lexer *lexer = &p->lexer;
    struct ds_match *match = p->match;
    const enum lex_kind first = lexer->token.kind;
    if (!parse_term(p, false))
        return false;
    match->for_terms = true;
    match->for_calls = first == LEX_ATOM;
    if ((first == LEX_ATOM || first == LEX_VARIABLE) && match->num_nodes == 1 &&
        lexer_is(lexer, ":")) {
        match->for_terms = false;
        match->for_calls = true;
        return lexer_next(lexer) && read_call(p);
    }
    /* An atom alone may be a module: any function, any arguments. */
    return !match->for_calls ||
           (parse_add_node(p, NODE_ANY) != NULL && parse_add_node(p, NODE_ANY) != NULL);
}

static bool read_pattern(struct parser *p)
{
    struct lexer *lexer = &p->lexer;
    if (!lexer_next(lexer) || !read_head(p))
        return false;
    p->match->guard = p->match->num_steps;
    if (lexer_is(lexer, "when") && !(lexer_next(lexer) && parse_guard(p)))
        return false;
    if (p->match->num_stack != 0) {
        p->match->stack = calloc(p->match->num_stack, sizeof *p->match->stack);
        if (p->match->stack == NULL)
            return parse_no_memory(p);
    }
    if (lexer_is(lexer, "->"))
        return read_actions(p) && (lexer->token.kind == LEX_END || lexer_expected(lexer, "the end"));
    const bool has_guard = p->match->guard != p->match->num_steps;
    return lexer->token.kind == LEX_END ||
           lexer_expected(lexer,
                          has_guard ? "an operator, -> or the end" : "when, -> or the end");
}

/* compile_erlang compiles a pattern in Erlang's syntax. */
static struct ds_match *compile_erlang(const char *text, struct ds_match_error *error)
{
    struct parser p = {.match = NULL};
    *error = (struct ds_match_error){0, "out of memory"};
    if (!lexer_init(&p.lexer, text, error))
        return NULL;
    p.match = calloc(1, sizeof *p.match);
    const bool ok = p.match != NULL && read_pattern(&p);
    lexer_free(&p.lexer);
    if (ok)
        return p.match;
    ds_match_free(p.match);
    return NULL;
}

/* compile_elixir compiles a pattern in Elixir's syntax. */
static struct ds_match *compile_elixir(const char *text, struct ds_match_error *error)
{
    struct match_elixir erlang;
    struct ds_match *match = NULL;
    *error = (struct ds_match_error){0, "out of memory"};
    if (match_elixir_write(text, &erlang, error)) {
        match = compile_erlang(erlang.text.data, error);
        if (match == NULL)
            match_elixir_place(&erlang, text, error);
    }
    match_elixir_free(&erlang);
    return match;
}

struct ds_match *ds_match_compile(const char *text, struct ds_match_error *error)
{
    struct ds_match_error other;
    if (strlen(text) > DS_MATCH_MAX_LEN) {
        *error = (struct ds_match_error){.column = DS_MATCH_MAX_LEN + 1};
        snprintf(error->what, sizeof error->what, "expected at most %d bytes", DS_MATCH_MAX_LEN);
        return NULL;
    }
    const bool is_elixir = match_is_elixir(text);
    struct ds_match *match = is_elixir ? compile_elixir(text, error) : compile_erlang(text, error);
    /* A text that looks like one language, but is invalid in it, may be in the other. */
    if (match == NULL && error->column != 0 && is_elixir)
        match = compile_erlang(text, &other);
    if (match == NULL)
        match_advise(text, is_elixir, error);
    return match;
}

void ds_match_free(struct ds_match *match)
{
    if (match == NULL)
        return;
    free(match->nodes);
    free(match->steps);
    free(match->stack);
    free(match->segments);
    ds_buffer_free(&match->constants);
    arena_free(&match->run.arena);
    free(match);
}

bool ds_match_is_for_terms(const struct ds_match *match)
{
    return match->for_terms;
}

bool ds_match_is_for_calls(const struct ds_match *match)
{
    return match->for_calls;
}

bool ds_match_wants_return(const struct ds_match *match)
{
    return match->wants_return;
}

static enum ds_match_result run(struct ds_match *match, const struct view *terms, size_t num_terms)
{
    struct run *run = &match->run;
    run->steps = RUN_MAX_STEPS;
    run->trouble = RUN_NO_TROUBLE;
    run->num_frames = 0;
    const bool matches = walk_terms(match, terms, num_terms) && guard_is_true(match);
    if (run->arena.blocks != NULL)
        arena_reset(&run->arena);
    return matches                             ? DS_MATCH_YES
           : run->trouble == RUN_GAVE_UP   ? DS_MATCH_GAVE_UP
           : run->trouble == RUN_NO_MEMORY ? DS_MATCH_NO_MEMORY
                                           : DS_MATCH_NO;
}

enum ds_match_result ds_match_run_term(struct ds_match *match, const struct ds_term *term)
{
    const struct view view = view_of_term(term);
    return run(match, &view, 1);
}

enum ds_match_result ds_match_run_call(struct ds_match *match, const struct ds_term *mod,
                                 const struct ds_term *fun, const struct ds_term *args)
{
    const struct view terms[] = {view_of_term(mod), view_of_term(fun), view_of_term(args)};
    return run(match, terms, 3);
}
