/*
 * pattern.c - patterns over external terms: the parser and the matcher (see pattern.h).
 *
 * The program is the pattern in prefix order: TUPLE 3, ATOM, ..., one node per term. A LIST node is
 * followed by its elements and its tail. Encoded terms have the same order, so program and bytes
 * advance together; only the parser needs a stack, to count what is still open.
 */
#include "labels/pattern.h"

#include "etf/term_token.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

enum pattern_node_kind {
    NODE_ANY,
    NODE_VARIABLE,
    NODE_ATOM,
    NODE_INTEGER,
    NODE_NIL,
    NODE_TUPLE,
    NODE_LIST
};

struct pattern_node {
    enum pattern_node_kind kind;
    uint32_t num_terms;  /* TUPLE: elements; LIST: elements without the tail */
    int64_t value;       /* INTEGER; VARIABLE: its index */
    struct ds_text text; /* ATOM; ANY, VARIABLE restricted to a struct of Elixir: its module */
    uint32_t classes;    /* ANY, VARIABLE: 1 << enum term_class of each allowed one; 0: all */
};

struct pattern {
    size_t num_nodes, cap_nodes;
    struct pattern_node *nodes;
    char *text; /* atoms and variable names point into this */
    size_t text_len;
    size_t num_variables;
    struct ds_text variable[PATTERN_MAX_VARIABLES];
};

/* pattern_parser is the position of the parser. text from at on is still unparsed. */
struct pattern_parser {
    struct pattern *pattern;
    const char *start, *at, *end;
    const char *expected;
};

static bool parser_fail(struct pattern_parser *p, const char *expected)
{
    if (p->expected == NULL)
        p->expected = expected;
    return false;
}

static void parser_skip_space(struct pattern_parser *p)
{
    while (p->at < p->end && isspace((unsigned char)*p->at))
        p->at++;
}

static bool parser_next_is(struct pattern_parser *p, char c)
{
    parser_skip_space(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

static struct pattern_node *parser_add(struct pattern_parser *p, enum pattern_node_kind kind)
{
    struct pattern *pattern = p->pattern;
    if (pattern->num_nodes == pattern->cap_nodes) {
        size_t cap = pattern->cap_nodes == 0 ? 16 : pattern->cap_nodes * 2;
        struct pattern_node *nodes = realloc(pattern->nodes, cap * sizeof *nodes);
        if (nodes == NULL) {
            parser_fail(p, "more memory");
            return NULL;
        }
        pattern->nodes = nodes;
        pattern->cap_nodes = cap;
    }
    struct pattern_node *node = &pattern->nodes[pattern->num_nodes++];
    *node = (struct pattern_node){.kind = kind};
    return node;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '@' || (unsigned char)c >= 0x80;
}

static struct ds_text parser_read_name(struct pattern_parser *p)
{
    const char *start = p->at;
    while (p->at < p->end && is_name_char(*p->at))
        p->at++;
    return (struct ds_text){start, (size_t)(p->at - start)};
}

/* parser_read_quoted reads 'an atom'; a backslash escapes the next character. The text is unescaped
 * in place: the pattern owns it. */
static bool parser_read_quoted(struct pattern_parser *p, struct ds_text *out)
{
    char *to = p->pattern->text + (p->at - p->start);
    const char *begin = to;
    while (p->at < p->end && *p->at != '\'') {
        if (*p->at == '\\' && p->at + 1 < p->end)
            p->at++;
        *to++ = *p->at++;
    }
    if (p->at == p->end)
        return parser_fail(p, "a closing '");
    p->at++;
    *out = (struct ds_text){begin, (size_t)(to - begin)};
    return true;
}

/* The types that a variable can be restricted to, as in Name::pid. */
static const struct {
    const char *name;
    uint32_t classes;
} types[] = {
    {"pid", 1u << TERM_PID},
    {"port", 1u << TERM_PORT},
    {"reference", 1u << TERM_REFERENCE},
    {"atom", 1u << TERM_ATOM},
    {"integer", 1u << TERM_INTEGER},
    {"binary", 1u << TERM_BINARY},
    {"tuple", 1u << TERM_TUPLE},
    {"map", 1u << TERM_MAP},
    {"list", 1u << TERM_LIST | 1u << TERM_NIL | 1u << TERM_STRING},
    {"function", 1u << TERM_FUN | 1u << TERM_EXPORT},
};
_Static_assert(TERM_NUM_CLASSES <= 32, "classes are bits of a word");

const char *pattern_type_name(size_t i)
{
    return i < sizeof types / sizeof types[0] ? types[i].name : NULL;
}

/* parser_read_type reads what may follow a variable: nothing, ::type, or ::'Module' of a struct. */
static bool parser_read_type(struct pattern_parser *p, uint32_t *classes, struct ds_text *module)
{
    *classes = 0;
    *module = (struct ds_text){NULL, 0};
    if (p->end - p->at < 2 || p->at[0] != ':' || p->at[1] != ':')
        return true;
    p->at += 2;
    if (p->at < p->end && *p->at == '\'') {
        p->at++;
        *classes = 1u << TERM_MAP;
        return parser_read_quoted(p, module);
    }
    struct ds_text name = parser_read_name(p);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == name.len && memcmp(types[i].name, name.data, name.len) == 0)
            *classes = types[i].classes;
    return *classes != 0 || parser_fail(p, "a type: pid, reference, atom, list ...");
}

static bool parser_add_variable(struct pattern_parser *p, struct ds_text name)
{
    struct pattern *pattern = p->pattern;
    uint32_t classes;
    struct ds_text module;
    if (!parser_read_type(p, &classes, &module))
        return false;
    if (name.len == 1 && name.data[0] == '_') {
        struct pattern_node *any = parser_add(p, NODE_ANY);
        if (any == NULL)
            return false;
        any->classes = classes;
        any->text = module;
        return true;
    }
    if (pattern->num_variables == PATTERN_MAX_VARIABLES)
        return parser_fail(p, "fewer variables");
    for (size_t i = 0; i < pattern->num_variables; i++)
        if (pattern->variable[i].len == name.len &&
            memcmp(pattern->variable[i].data, name.data, name.len) == 0)
            return parser_fail(p, "each variable once");
    struct pattern_node *node = parser_add(p, NODE_VARIABLE);
    if (node == NULL)
        return false;
    node->value = (int64_t)pattern->num_variables;
    node->classes = classes;
    node->text = module;
    pattern->variable[pattern->num_variables++] = name;
    return true;
}

static bool parser_add_integer(struct pattern_parser *p)
{
    char *end;
    errno = 0;
    long long value = strtoll(p->at, &end, 10);
    if (end == p->at || errno != 0)
        return parser_fail(p, "an integer of 64 bits");
    p->at = end;
    struct pattern_node *node = parser_add(p, NODE_INTEGER);
    if (node == NULL)
        return false;
    node->value = value;
    return true;
}

/* parser_add_leaf reads a term without elements. */
static bool parser_add_leaf(struct pattern_parser *p)
{
    char c = p->at < p->end ? *p->at : '\0';
    if (isdigit((unsigned char)c) || c == '-')
        return parser_add_integer(p);
    if (isupper((unsigned char)c) || c == '_')
        return parser_add_variable(p, parser_read_name(p));
    struct ds_text text;
    if (c == '\'') {
        p->at++;
        if (!parser_read_quoted(p, &text))
            return false;
    } else if (islower((unsigned char)c)) {
        text = parser_read_name(p);
    } else {
        return parser_fail(p, "a term");
    }
    struct pattern_node *node = parser_add(p, NODE_ATOM);
    if (node == NULL)
        return false;
    node->text = text;
    return true;
}

/* parser_read reads one whole term. open contains the index of each open container. */
static bool parser_read(struct pattern_parser *p)
{
    size_t open[PATTERN_MAX_NESTING];
    bool in_tail[PATTERN_MAX_NESTING];
    size_t depth = 0;
    do {
        bool is_tuple = parser_next_is(p, '{');
        if (is_tuple || parser_next_is(p, '[')) {
            if (depth == PATTERN_MAX_NESTING)
                return parser_fail(p, "less nesting");
            bool empty = parser_next_is(p, is_tuple ? '}' : ']');
            enum pattern_node_kind kind = is_tuple ? NODE_TUPLE : empty ? NODE_NIL : NODE_LIST;
            if (parser_add(p, kind) == NULL)
                return false;
            if (!empty) {
                in_tail[depth] = false;
                open[depth++] = p->pattern->num_nodes - 1;
                continue;
            }
        } else if (!parser_add_leaf(p)) {
            return false;
        }
        /* A term is complete: count it, and close the containers that it completes. */
        while (depth != 0) {
            struct pattern_node *above = &p->pattern->nodes[open[depth - 1]];
            if (!in_tail[depth - 1])
                above->num_terms++;
            if (!in_tail[depth - 1] && parser_next_is(p, ','))
                break;
            if (above->kind == NODE_LIST && !in_tail[depth - 1] && parser_next_is(p, '|')) {
                in_tail[depth - 1] = true;
                break;
            }
            if (!parser_next_is(p, above->kind == NODE_TUPLE ? '}' : ']'))
                return parser_fail(p, above->kind == NODE_TUPLE ? "',' or '}'" : "',', '|' or ']'");
            if (above->kind == NODE_LIST && !in_tail[depth - 1] && parser_add(p, NODE_NIL) == NULL)
                return false;
            depth--;
        }
    } while (depth != 0);
    parser_skip_space(p);
    return p->at == p->end || parser_fail(p, "the end");
}

struct pattern *pattern_compile(struct ds_text text, struct pattern_error *error)
{
    *error = (struct pattern_error){.column = 1, .expected = "more memory"};
    struct pattern *pattern = calloc(1, sizeof *pattern);
    if (pattern == NULL)
        return NULL;
    pattern->text = malloc(text.len + 1);
    if (pattern->text == NULL) {
        pattern_free(pattern);
        return NULL;
    }
    memcpy(pattern->text, text.data, text.len);
    pattern->text[text.len] = '\0';
    struct pattern_parser p = {.pattern = pattern,
                               .start = pattern->text,
                               .at = pattern->text,
                               .end = pattern->text + text.len};
    if (!parser_read(&p)) {
        *error = (struct pattern_error){(size_t)(p.at - p.start) + 1, p.expected};
        pattern_free(pattern);
        return NULL;
    }
    return pattern;
}

void pattern_free(struct pattern *pattern)
{
    if (pattern == NULL)
        return;
    free(pattern->nodes);
    free(pattern->text);
    free(pattern);
}

static bool token_is_atom(const struct term_token *token, struct ds_text text)
{
    if (token->class != TERM_ATOM)
        return false;
    if (token->atom != NULL)
        return token->atom->text != NULL && token->atom->len == text.len &&
               memcmp(token->atom->text, text.data, text.len) == 0;
    return cursor_left(&token->body) == text.len &&
           memcmp(token->body.at, text.data, text.len) == 0;
}

static inline bool tag_may_be(const struct cursor *at, enum term_class class)
{
    uint8_t tag;
    return cursor_peek_u8(at, &tag) && token_classes[tag] == class;
}

/* match_tuple and match_atom read small tuples and cached atoms directly: the first bytes of most
 * terms rule them out. */
static bool match_tuple(struct cursor *at, const struct term_env *env, uint32_t arity)
{
    struct cursor next = *at;
    uint8_t tag, small;
    if (cursor_read_u8(&next, &tag) && tag == TERM_TAG_SMALL_TUPLE) {
        if (!cursor_read_u8(&next, &small) || small != arity)
            return false;
        *at = next;
        return true;
    }
    struct term_token token;
    return tag_may_be(at, TERM_TUPLE) && term_read_token(at, env, &token, NULL) == TERM_OK &&
           token.num_terms == arity;
}

static bool match_atom(struct cursor *at, const struct term_env *env, struct ds_text text)
{
    struct cursor next = *at;
    uint8_t tag, number;
    if (cursor_read_u8(&next, &tag) && tag == TERM_TAG_ATOM_CACHE_REF) {
        if (!cursor_read_u8(&next, &number) || number >= env->num_atoms)
            return false;
        const struct ds_atom *atom = &env->atoms[number];
        *at = next;
        return atom->text != NULL && atom->len == text.len &&
               memcmp(atom->text, text.data, text.len) == 0;
    }
    struct term_token token;
    return tag_may_be(at, TERM_ATOM) && term_read_token(at, env, &token, NULL) == TERM_OK &&
           token_is_atom(&token, text);
}

/* is_struct says whether the next map is a struct of this module: one key is '__struct__'. */
static bool is_struct(struct cursor at, const struct term_env *env, struct ds_text module)
{
    static const struct ds_text key = {"__struct__", 10};
    struct term_token token;
    if (term_read_token(&at, env, &token, NULL) != TERM_OK)
        return false;
    for (uint64_t pairs = token.num_terms / 2; pairs > 0; pairs--) {
        struct cursor here = at;
        if (match_atom(&here, env, key))
            return match_atom(&here, env, module);
        if (term_skip(&at, env, 2, NULL) != TERM_OK)
            return false;
    }
    return false;
}

/* skip_one skips one term if it has the type that the node requires. */
static bool skip_one(struct cursor *at, const struct term_env *env, const struct pattern_node *node,
                     bool is_lenient)
{
    uint8_t tag;
    if (!cursor_peek_u8(at, &tag) ||
        (node->classes != 0 && (node->classes & 1u << token_classes[tag]) == 0) ||
        (node->text.data != NULL && !is_lenient && !is_struct(*at, env, node->text)))
        return false;
    return term_skip(at, env, 1, NULL) == TERM_OK;
}

/* match_unknown skips a reference to an atom whose name is not known. */
static bool match_unknown(struct cursor *at, const struct term_env *env)
{
    struct cursor next = *at;
    uint8_t tag, number;
    if (!cursor_read_u8(&next, &tag) || tag != TERM_TAG_ATOM_CACHE_REF ||
        !cursor_read_u8(&next, &number) || number >= env->num_atoms ||
        ds_atom_has_name(env->atoms[number].state))
        return false;
    *at = next;
    return true;
}

/* run is pattern_run, or, if is_lenient, pattern_may_match. */
static inline __attribute__((always_inline)) bool run(const struct pattern *pattern,
                                                      const struct ds_term *term,
                                                      struct pattern_match *match, bool is_lenient)
{
    struct cursor at = cursor_make(term->data, term->len);
    const struct term_env env = {term->atoms, term->num_atoms};
    struct term_token token;
    for (size_t i = 0; i < pattern->num_nodes; i++) {
        const struct pattern_node *node = &pattern->nodes[i];
        const struct cursor start = at;
        if (node->kind == NODE_ANY || node->kind == NODE_VARIABLE) {
            /* The last node matches all remaining bytes: the term ends with it. */
            if (i + 1 == pattern->num_nodes && node->classes == 0 && cursor_left(&at) != 0)
                at.at = at.end;
            else if (!skip_one(&at, &env, node, is_lenient))
                return false;
            if (node->kind == NODE_VARIABLE)
                match->variable[node->value] =
                    (struct ds_term){.data = start.at,
                                     .len = cursor_offset(&at, &start),
                                     .atoms = term->atoms,
                                     .num_atoms = term->num_atoms,
                                     .damaged = term->damaged && at.at == at.end};
            continue;
        }
        if (is_lenient && node->kind == NODE_ATOM && match_unknown(&at, &env))
            continue;
        if (node->kind == NODE_TUPLE || node->kind == NODE_ATOM) {
            if (node->kind == NODE_TUPLE ? !match_tuple(&at, &env, node->num_terms)
                                         : !match_atom(&at, &env, node->text))
                return false;
            continue;
        }
        if (term_read_token(&at, &env, &token, NULL) != TERM_OK)
            return false;
        switch (node->kind) {
        case NODE_INTEGER: {
            struct ds_term leaf = {.data = start.at, .len = cursor_offset(&at, &start)};
            int64_t value;
            if (token.class != TERM_INTEGER || !term_get_integer(&leaf, &value) ||
                value != node->value)
                return false;
            break;
        }
        case NODE_NIL:
            if (token.class != TERM_NIL)
                return false;
            break;
        case NODE_LIST:
            /* A tail that matches further elements would need a list that does not exist in the
             * bytes; so a list matches element by element, with the tail as sent. */
            if (token.class != TERM_LIST || token.num_terms != (uint64_t)node->num_terms + 1)
                return false;
            break;
        case NODE_ANY:
        case NODE_VARIABLE:
        case NODE_TUPLE:
        case NODE_ATOM:
            break;
        }
    }
    return true;
}

bool pattern_run(const struct pattern *pattern, const struct ds_term *term, struct pattern_match *match)
{
    return run(pattern, term, match, false);
}

bool pattern_may_match(const struct pattern *pattern, const struct ds_term *term)
{
    struct pattern_match match;
    return run(pattern, term, &match, true);
}

int pattern_find_variable(const struct pattern *pattern, const char *name)
{
    for (size_t i = 0; i < pattern->num_variables; i++)
        if (pattern->variable[i].len == strlen(name) &&
            memcmp(pattern->variable[i].data, name, pattern->variable[i].len) == 0)
            return (int)i;
    return -1;
}

int pattern_head(const struct pattern *pattern, struct ds_text *first_atom)
{
    *first_atom = (struct ds_text){NULL, 0};
    if (pattern->nodes[0].kind != NODE_TUPLE)
        return -1;
    if (pattern->nodes[0].num_terms != 0 && pattern->nodes[1].kind == NODE_ATOM)
        *first_atom = pattern->nodes[1].text;
    return (int)pattern->nodes[0].num_terms;
}

uint32_t pattern_classes(const struct pattern *pattern)
{
    const bool is_tuple = pattern->nodes[0].kind == NODE_TUPLE;
    if (is_tuple && pattern->nodes[0].num_terms == 0)
        return UINT32_MAX;
    const struct pattern_node *node = &pattern->nodes[is_tuple ? 1 : 0];
    switch (node->kind) {
    case NODE_ATOM:
        return 1u << TERM_ATOM;
    case NODE_INTEGER:
        return 1u << TERM_INTEGER;
    case NODE_TUPLE:
        return 1u << TERM_TUPLE;
    case NODE_LIST:
        return 1u << TERM_LIST;
    case NODE_NIL:
        return 1u << TERM_NIL;
    case NODE_ANY:
    case NODE_VARIABLE:
        break;
    }
    return node->classes != 0 ? node->classes : UINT32_MAX;
}
