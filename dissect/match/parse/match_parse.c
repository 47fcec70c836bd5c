/*
 * match_parse.c - compiles the head of a pattern to nodes; see match_program.h.
 *
 *   pattern    head [when guard] [-> return]
 *   head       term | term ':' [term ('(' [term {',' term}] ')' | '/' arity)]
 *   term       atom | integer | float | string ['++' term] | binary | Name ['=' term]
 *            | term '=' term
 *            | '{' [term {',' term}] '}' | '[' [term {',' term} ['|' term]] ']'
 *            | '#{' [term ':=' term {',' term ':=' term}] '}'
 *   binary     see match_binary_parse.c
 *
 * The open containers are on a stack of fixed size; nothing recurses.
 */
#include "match/machine/match_encode.h"
#include "match/parse/match_parse.h"

enum open_kind { OPEN_TUPLE, OPEN_LIST, OPEN_MAP, OPEN_ARGUMENTS, OPEN_CONCAT, OPEN_BOTH };

struct open {
    enum open_kind kind;
    bool is_constant; /* the container and its elements are constants */
    bool in_tail;     /* LIST: after | */
    bool in_key;      /* MAP */
    size_t node, key; /* its node; MAP: the first node of the key */
};

struct stack {
    struct open open[DS_MATCH_MAX_NESTING];
    size_t depth;
};

static struct open *push(struct parser *p, struct stack *stack, enum open_kind kind,
                         enum node_kind node, bool is_constant)
{
    if (stack->depth == DS_MATCH_MAX_NESTING) {
        lexer_fail(&p->lexer, p->lexer.token.at, "expected at most %d levels",
                   DS_MATCH_MAX_NESTING);
        return NULL;
    }
    if (parse_add_node(p, node) == NULL)
        return NULL;
    struct open *open = &stack->open[stack->depth++];
    *open =
        (struct open){.kind = kind, .is_constant = is_constant, .node = p->match->num_nodes - 1};
    return open;
}

/* add_elements opens a list of the characters of the current string; its tail follows. */
static bool add_elements(struct parser *p, struct stack *stack)
{
    const struct lexer *lexer = &p->lexer;
    const struct open *list = push(p, stack, OPEN_CONCAT, NODE_LIST, false);
    if (list == NULL)
        return false;
    p->match->nodes[list->node].num = (uint32_t)lexer->num_chars;
    for (size_t i = 0; i < lexer->num_chars; i++) {
        struct match_node *node = parse_begin_constant(p, NODE_CONSTANT);
        if (node == NULL)
            return false;
        encode_char(&p->match->constants, lexer->chars[i]);
        if (!parse_end_constant(p, node))
            return false;
    }
    return true;
}

/* add_string adds "text"; *open if ++ follows: then the right side of it is to come. */
static bool add_string(struct parser *p, struct stack *stack, bool is_constant, bool *open)
{
    struct lexer *lexer = &p->lexer;
    struct ds_buffer *constants = &p->match->constants;
    const size_t at = constants->len;
    encode_chars(constants, lexer->chars, lexer->num_chars);
    const size_t len = constants->len - at;
    if (constants->failed)
        return parse_no_memory(p);
    if (!lexer_next(lexer))
        return false;
    *open = lexer_is(lexer, "++") && !is_constant;
    if (*open) {
        constants->len = at; /* reading a sign leaves the characters in place */
        return add_elements(p, stack) && lexer_next(lexer);
    }
    struct match_node *node = parse_add_node(p, NODE_CONSTANT);
    if (node == NULL)
        return false;
    node->at = at;
    node->len = len;
    return true;
}

static bool add_variable(struct parser *p, const struct stack *stack, bool is_constant, bool *open)
{
    struct lexer *lexer = &p->lexer;
    enum node_kind kind;
    uint32_t variable;
    if (is_constant)
        return lexer_expected(lexer, "a term without variables");
    if (!parse_bind(p, &kind, &variable))
        return false;
    struct match_node *node = parse_add_node(p, kind);
    if (node == NULL || !lexer_next(lexer))
        return false;
    node->variable = variable;
    /* "text" ++ Name = Pattern would match the whole string. */
    const bool in_concat = stack->depth != 0 && stack->open[stack->depth - 1].kind == OPEN_CONCAT;
    node->is_also = *open = lexer_is(lexer, "=") && !in_concat;
    return !*open || lexer_next(lexer);
}

/* add_container reads the opening of a container; *open if it is not empty. */
static bool add_container(struct parser *p, struct stack *stack, bool is_constant, bool *open)
{
    struct lexer *lexer = &p->lexer;
    const bool is_tuple = lexer_is(lexer, "{"), is_list = lexer_is(lexer, "[");
    struct open *container;
    if (is_tuple || is_list) {
        if (!lexer_next(lexer))
            return false;
        *open = !lexer_is(lexer, is_tuple ? "}" : "]");
        if (!*open)
            return (is_tuple ? parse_add_node(p, NODE_TUPLE) != NULL : parse_nil(p)) &&
                   lexer_next(lexer);
        return push(p, stack, is_tuple ? OPEN_TUPLE : OPEN_LIST, is_tuple ? NODE_TUPLE : NODE_LIST,
                    is_constant) != NULL;
    }
    if (!lexer_next(lexer) || !parse_is_map(p) || !lexer_next(lexer))
        return false;
    *open = !lexer_is(lexer, "}");
    if (!*open)
        return parse_add_node(p, NODE_MAP) != NULL && lexer_next(lexer);
    container = push(p, stack, OPEN_MAP, NODE_MAP, is_constant);
    if (container == NULL)
        return false;
    container->in_key = true;
    container->key = p->match->num_nodes;
    return true;
}

/* is_wildcard: '_' matches anything, as in match specifications. A guard can test for the atom. */
static bool is_wildcard(const struct lexer *lexer)
{
    return lexer->token.is_quoted && lexer->num_chars == 1 && lexer->chars[0] == '_';
}

/* add_term reads a term, or the opening of a container. */
static bool add_term(struct parser *p, struct stack *stack, bool is_constant, bool *open)
{
    struct lexer *lexer = &p->lexer;
    *open = false;
    switch (lexer->token.kind) {
    case LEX_ATOM:
        if (!is_constant && is_wildcard(lexer))
            return parse_add_node(p, NODE_ANY) != NULL && lexer_next(lexer);
        return parse_atom(p);
    case LEX_INTEGER:
    case LEX_FLOAT:
        return parse_number(p, false);
    case LEX_STRING:
        return add_string(p, stack, is_constant, open);
    case LEX_VARIABLE:
        return add_variable(p, stack, is_constant, open);
    case LEX_SIGN:
    case LEX_END:
        break;
    }
    if (lexer_is(lexer, "-") || lexer_is(lexer, "+")) {
        const bool negative = lexer_is(lexer, "-");
        if (!lexer_next(lexer))
            return false;
        return lexer->token.kind == LEX_INTEGER || lexer->token.kind == LEX_FLOAT
                   ? parse_number(p, negative)
                   : lexer_expected(lexer, "a number behind the sign");
    }
    if (lexer_is(lexer, "<<"))
        return lexer_next(lexer) && parse_binary(p, is_constant);
    if (lexer_is(lexer, "{") || lexer_is(lexer, "[") || lexer_is(lexer, "#"))
        return add_container(p, stack, is_constant, open);
    return lexer_expected(lexer, "a term");
}

/* end_key is called after a key, which becomes one constant. */
static bool end_key(struct parser *p, struct open *open)
{
    struct lexer *lexer = &p->lexer;
    size_t at, len;
    if (!lexer_is(lexer, "=>") && (open->is_constant || !lexer_is(lexer, ":=")))
        return lexer_expected(lexer, open->is_constant ? "=> behind the key" : ":= behind the key");
    if (!parse_fold(p, open->key, &at, &len))
        return false;
    struct match_node *node = parse_add_node(p, NODE_CONSTANT);
    if (node == NULL)
        return false;
    node->at = at;
    node->len = len;
    open->in_key = false;
    return lexer_next(lexer);
}

/* end_part is called after a term inside a container. *more: another one follows. */
static bool end_part(struct parser *p, struct open *open, bool *more)
{
    static const struct {
        const char *close, *expected;
    } ends[] = {[OPEN_TUPLE] = {"}", ", or }"},
                [OPEN_LIST] = {"]", ", | or ]"},
                [OPEN_MAP] = {"}", ", or }"},
                [OPEN_ARGUMENTS] = {")", ", or )"}};
    struct lexer *lexer = &p->lexer;
    struct match_node *node = &p->match->nodes[open->node];
    *more = false;
    if (open->kind == OPEN_CONCAT || open->kind == OPEN_BOTH)
        return true;
    if (open->kind == OPEN_MAP && open->in_key) {
        *more = true;
        return end_key(p, open);
    }
    node->num += !open->in_tail;
    const bool is_tail = open->kind == OPEN_LIST && !open->in_tail && lexer_is(lexer, "|");
    if (is_tail || (!open->in_tail && lexer_is(lexer, ","))) {
        *more = true;
        open->in_tail = is_tail;
        open->in_key = open->kind == OPEN_MAP;
        open->key = p->match->num_nodes;
        return lexer_next(lexer);
    }
    if (!lexer_is(lexer, ends[open->kind].close))
        return lexer_expected(lexer, open->in_tail ? "]" : ends[open->kind].expected);
    if ((open->kind == OPEN_LIST || open->kind == OPEN_ARGUMENTS) && !open->in_tail &&
        !parse_nil(p))
        return false;
    return lexer_next(lexer);
}

static bool node_binds(const struct ds_match *match, const struct match_node *node, uint32_t variable)
{
    if (node->kind != NODE_BITS)
        return node->kind == NODE_VARIABLE && node->variable == variable;
    for (uint32_t i = 0; i < node->num; i++) {
        const struct bit_segment *segment = &match->segments[node->at + i];
        if (segment->kind == NODE_VARIABLE && segment->variable == variable)
            return true;
    }
    return false;
}

/* move_back moves the last node before the nodes that begin at first. */
static void move_back(struct ds_match *match, size_t first)
{
    struct match_node *node = &match->nodes[first];
    const struct match_node last = match->nodes[match->num_nodes - 1];
    memmove(node + 1, node, (match->num_nodes - 1 - first) * sizeof *node);
    *node = last;
}

/* add_alias reads Pattern = Name, at the name: it puts the variable before the nodes of the
 * pattern, which begin at first. */
static bool add_alias(struct parser *p, size_t first)
{
    struct ds_match *match = p->match;
    enum node_kind kind;
    uint32_t variable;
    if (!parse_bind(p, &kind, &variable))
        return false;
    for (size_t i = first; i < match->num_nodes; i++)
        if (kind == NODE_SAME && node_binds(match, &match->nodes[i], variable))
            return lexer_expected(&p->lexer, "a variable that is not in the term itself");
    struct match_node *node = parse_add_node(p, kind);
    if (node == NULL)
        return false;
    node->variable = variable;
    node->is_also = true;
    move_back(match, first);
    return lexer_next(&p->lexer);
}

/* open_both opens Pattern = Pattern, at the second; the nodes of the first begin at first. */
static bool open_both(struct parser *p, struct stack *stack, size_t first)
{
    struct open *both = push(p, stack, OPEN_BOTH, NODE_BOTH, false);
    if (both == NULL)
        return false;
    both->node = first;
    move_back(p->match, first);
    return true;
}

/* end_term is called after a whole term whose nodes begin at first. *more: another one follows. */
static bool end_term(struct parser *p, struct stack *stack, bool is_constant, size_t first, bool *more)
{
    /* "text" ++ Name = Other matches the whole string. */
    const struct open *above = stack->depth != 0 ? &stack->open[stack->depth - 1] : NULL;
    while (!is_constant && !*more && lexer_is(&p->lexer, "=") &&
           (above == NULL || above->kind != OPEN_CONCAT)) {
        if (!lexer_next(&p->lexer))
            return false;
        *more = p->lexer.token.kind != LEX_VARIABLE;
        if (!(*more ? open_both(p, stack, first) : add_alias(p, first)))
            return false;
    }
    return true;
}

/* read_terms reads up to the end of what is open. */
static bool read_terms(struct parser *p, struct stack *stack, bool is_constant)
{
    bool more = true;
    while (more) {
        const struct open *above = stack->depth != 0 ? &stack->open[stack->depth - 1] : NULL;
        bool constant = is_constant || (above != NULL && (above->is_constant || above->in_key));
        size_t first = p->match->num_nodes;
        if (!add_term(p, stack, constant, &more))
            return false;
        while (!more) {
            if (!end_term(p, stack, constant, first, &more))
                return false;
            if (more || stack->depth == 0)
                break;
            struct open *open = &stack->open[stack->depth - 1];
            first = open->node;
            constant = open->is_constant;
            if (!end_part(p, open, &more))
                return false;
            stack->depth -= !more;
        }
    }
    return true;
}

bool parse_term(struct parser *p, bool is_constant)
{
    struct stack stack;
    stack.depth = 0;
    return read_terms(p, &stack, is_constant);
}

bool parse_arguments(struct parser *p)
{
    struct stack stack;
    stack.depth = 0;
    if (lexer_is(&p->lexer, ")"))
        return parse_nil(p) && lexer_next(&p->lexer);
    return push(p, &stack, OPEN_ARGUMENTS, NODE_LIST, false) != NULL &&
           read_terms(p, &stack, false);
}
