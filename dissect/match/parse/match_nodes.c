/*
 * match_nodes.c - builds the nodes of a pattern; see match_parse.h.
 */
#include "etf/term_encode.h"
#include "match/parse/match_parse.h"

#include <stdlib.h>

bool parse_no_memory(struct parser *p)
{
    *p->lexer.error = (struct ds_match_error){0, "out of memory"};
    return false;
}

struct match_node *parse_add_node(struct parser *p, enum node_kind kind)
{
    struct ds_match *match = p->match;
    if (match->num_nodes == match->cap_nodes) {
        const size_t cap = match->cap_nodes == 0 ? 16 : match->cap_nodes * 2;
        struct match_node *nodes = realloc(match->nodes, cap * sizeof *nodes);
        if (nodes == NULL) {
            parse_no_memory(p);
            return NULL;
        }
        match->nodes = nodes;
        match->cap_nodes = cap;
    }
    struct match_node *node = &match->nodes[match->num_nodes++];
    *node = (struct match_node){.kind = kind};
    return node;
}

bool parse_add_segment(struct parser *p, const struct bit_segment *segment)
{
    struct ds_match *match = p->match;
    if (match->num_segments == match->cap_segments) {
        const size_t cap = match->cap_segments == 0 ? 8 : match->cap_segments * 2;
        struct bit_segment *segments = realloc(match->segments, cap * sizeof *segments);
        if (segments == NULL)
            return parse_no_memory(p);
        match->segments = segments;
        match->cap_segments = cap;
    }
    match->segments[match->num_segments++] = *segment;
    return true;
}

int parse_find_variable(const struct parser *p)
{
    const struct lex_token *token = &p->lexer.token;
    for (uint32_t i = 0; i < p->match->num_variables; i++)
        if (p->names[i].len == token->len &&
            memcmp(p->lexer.text + p->names[i].at, p->lexer.text + token->at, token->len) == 0)
            return (int)i;
    return -1;
}

bool parse_bind(struct parser *p, enum node_kind *kind, uint32_t *variable)
{
    const struct lex_token *token = &p->lexer.token;
    struct ds_match *match = p->match;
    *kind = NODE_ANY;
    *variable = 0;
    if (token->kind != LEX_VARIABLE)
        return lexer_expected(&p->lexer, "a variable");
    if (token->len == 1 && p->lexer.text[token->at] == '_')
        return true;
    const int found = parse_find_variable(p);
    *kind = found >= 0 ? NODE_SAME : NODE_VARIABLE;
    *variable = found >= 0 ? (uint32_t)found : match->num_variables;
    if (found >= 0)
        return true;
    if (match->num_variables == DS_MATCH_MAX_VARIABLES)
        return lexer_fail(&p->lexer, token->at, "expected at most %d variables",
                          DS_MATCH_MAX_VARIABLES);
    p->names[match->num_variables].at = token->at;
    p->names[match->num_variables++].len = token->len;
    return true;
}

bool parse_fold(struct parser *p, size_t first, size_t *at, size_t *len)
{
    static const uint8_t tags[] = {[NODE_TUPLE] = TERM_TAG_LARGE_TUPLE,
                                   [NODE_LIST] = TERM_TAG_LIST,
                                   [NODE_MAP] = TERM_TAG_MAP};
    struct ds_match *match = p->match;
    struct ds_buffer *constants = &match->constants;
    *at = constants->len;
    for (size_t i = first; i < match->num_nodes; i++) {
        const struct match_node *node = &match->nodes[i];
        if (node->kind != NODE_ATOM && node->kind != NODE_CONSTANT)
            encode_count(constants, tags[node->kind], node->num);
        else if (ds_buffer_reserve(constants, node->len)) /* before copying within itself */
            ds_buffer_add(constants, constants->data + node->at, node->len);
    }
    match->num_nodes = first;
    *len = constants->len - *at;
    return !constants->failed || parse_no_memory(p);
}
