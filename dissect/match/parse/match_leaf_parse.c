/*
 * match_leaf_parse.c - terms of a pattern without elements: atoms, numbers, [].
 */
#include "match/machine/match_encode.h"
#include "match/parse/match_parse.h"

#include <distsniff/encode.h>

/* Operators that are words, and are only atoms if quoted. */
static const char *const keywords[] = {
    "when", "andalso", "orelse", "not",  "and",  "or",  "xor", "div",
    "rem",  "band",    "bor",    "bxor", "bnot", "bsl", "bsr",
};

bool parse_end_constant(struct parser *p, struct match_node *node)
{
    node->len = p->match->constants.len - node->at;
    return !p->match->constants.failed || parse_no_memory(p);
}

struct match_node *parse_begin_constant(struct parser *p, enum node_kind kind)
{
    struct match_node *node = parse_add_node(p, kind);
    if (node != NULL)
        node->at = p->match->constants.len;
    return node;
}

bool parse_nil(struct parser *p)
{
    struct match_node *node = parse_begin_constant(p, NODE_CONSTANT);
    if (node == NULL)
        return false;
    ds_encode_nil(&p->match->constants);
    return parse_end_constant(p, node);
}

static bool is_keyword(const struct lexer *lexer)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (lexer_is(lexer, keywords[i]))
            return true;
    return false;
}

bool parse_atom(struct parser *p)
{
    const struct lexer *lexer = &p->lexer;
    if (is_keyword(lexer))
        return lexer_expected(&p->lexer, "a term");
    if (lexer->num_chars > 255)
        return lexer_fail(&p->lexer, lexer->token.at, "expected at most 255 characters in an atom");
    struct match_node *node = parse_begin_constant(p, NODE_ATOM);
    if (node == NULL)
        return false;
    encode_atom(&p->match->constants, lexer->chars, lexer->num_chars);
    if (!parse_end_constant(p, node))
        return false;
    if (node->len > 2 + 255)
        node->kind = NODE_CONSTANT; /* with a length of two bytes */
    return lexer_next(&p->lexer);
}

bool parse_number(struct parser *p, bool negative)
{
    const struct lexer *lexer = &p->lexer;
    struct match_node *node = parse_begin_constant(p, NODE_CONSTANT);
    if (node == NULL)
        return false;
    if (lexer->token.kind == LEX_FLOAT)
        ds_encode_float(&p->match->constants, negative ? -lexer->real : lexer->real);
    else
        ds_encode_integer(&p->match->constants, negative, lexer->magnitude, lexer->magnitude_len);
    return parse_end_constant(p, node) && lexer_next(&p->lexer);
}
