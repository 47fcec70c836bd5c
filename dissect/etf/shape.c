/*
 * shape.c - see shape.h. A shape is a list of nodes in prefix order, like the terms in memory. A
 * tuple's node is followed by those of its first MAX_SHOWN elements. If a term does not match a
 * node, the node and all below it become ANY. Terms after the last node that is not ANY need not
 * be examined.
 */
#include <distsniff/shape.h>

#include "etf/term.h"

#include <distsniff/identity.h>
#include <stdlib.h>

enum { MAX_NODES = 24, MAX_SHOWN = 8, MAX_DEPTH = 3, MAX_LITERAL = 36, MAX_BYTES = 240 };
enum { MAX_STRUCT_KEYS = 64 };

enum shape_node_kind { NODE_ANY, NODE_TUPLE, NODE_ATOM, NODE_LITERAL, NODE_STRUCT, NODE_TYPE };

struct shape_node {
    uint8_t kind;
    uint8_t class;   /* TYPE: enum term_class */
    bool likely;     /* ATOM: in all terms so far */
    uint8_t at, len; /* ATOM, LITERAL, STRUCT: in bytes */
    uint32_t num;    /* TUPLE: elements */
};

struct ds_shape {
    uint8_t num_nodes, num_fixed; /* fixed: up to the last one that is not ANY */
    uint8_t num_bytes;
    struct shape_node nodes[MAX_NODES];
    uint8_t bytes[MAX_BYTES];
};

static const uint8_t classes[256] = {
#define TAG(code, id, kind) [code] = TERM_##kind,
#include "etf/tags.def"
#undef TAG
};

static uint32_t num_shown(const struct shape_node *node)
{
    return node->kind != NODE_TUPLE ? 0 : node->num < MAX_SHOWN ? node->num : MAX_SHOWN;
}

/* get_word returns the text of an atom that has one. False for other terms, and for latin-1 atoms. */
static bool get_word(const struct term_token *token, struct ds_text *out, bool *likely)
{
    *likely = token->atom != NULL && token->atom->state == DS_ATOM_LIKELY;
    if (token->class != TERM_ATOM || token->latin1 ||
        (token->atom != NULL && !ds_atom_has_name(token->atom->state)))
        return false;
    *out = (struct ds_text){(const char *)token->body.at, cursor_left(&token->body)};
    return out->data != NULL;
}

/* get_struct returns the module of an Elixir struct. */
static bool get_struct(const struct ds_term *all, const struct cursor *at, uint64_t num_terms,
                       struct ds_text *out)
{
    struct ds_term map = *all, name;
    map.data = at->at;
    map.len = cursor_left(at);
    return num_terms <= 2 * MAX_STRUCT_KEYS && ds_term_get_value(&map, "__struct__", &name) &&
           ds_term_get_atom(&name, out) && out->len != 0;
}

/* read_cached and read_small_tuple read the most common beginnings of terms without the full
 * reader. False for any other term, or a truncated one, and nothing moves. */
static inline bool read_cached(struct cursor *at, const struct term_env *env,
                               const struct ds_atom **atom)
{
    struct cursor next = *at;
    uint8_t tag, number;
    if (!cursor_read_u8(&next, &tag) || tag != TERM_TAG_ATOM_CACHE_REF ||
        !cursor_read_u8(&next, &number) || number >= env->num_atoms)
        return false;
    *atom = &env->atoms[number];
    *at = next;
    return true;
}

static inline bool read_small_tuple(struct cursor *at, uint8_t *num)
{
    struct cursor next = *at;
    uint8_t tag;
    if (!cursor_read_u8(&next, &tag) || tag != TERM_TAG_SMALL_TUPLE ||
        !cursor_read_u8(&next, num) || *num > cursor_left(&next))
        return false;
    *at = next;
    return true;
}

/* read_word reads an atom that has a text. False for any other term; at may have moved then. */
static inline bool read_word(struct cursor *at, const struct term_env *env, struct ds_text *out,
                             bool *likely)
{
    const struct ds_atom *atom;
    struct term_token token;
    uint8_t tag;
    if (!read_cached(at, env, &atom))
        return cursor_peek_u8(at, &tag) && classes[tag] == TERM_ATOM &&
               term_read_token(at, env, &token, NULL) == TERM_OK && get_word(&token, out, likely);
    if (!ds_atom_has_name(atom->state) || atom->text == NULL)
        return false;
    *out = (struct ds_text){(const char *)atom->text, atom->len};
    *likely = atom->state == DS_ATOM_LIKELY;
    return true;
}

/* get_form returns the form of a term: its class, the number of elements of a tuple, and its first
 * word. It sets only the class and number of token. */
static bool get_form(const struct ds_term *term, struct cursor *at, uint64_t *form,
                     struct ds_text *word, bool *is_likely, struct term_token *token)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    const struct cursor start = *at;
    uint8_t num;
    *is_likely = false;
    if (read_small_tuple(at, &num)) {
        token->class = TERM_TUPLE;
        token->num_terms = num;
        *form = TERM_TUPLE + 1u + ((uint64_t)num << 8);
        return true;
    }
    if (term_read_token(at, &env, token, NULL) != TERM_OK)
        return false;
    *form = token->class + 1u + (token->class == TERM_TUPLE ? token->num_terms << 8 : 0);
    if (token->class == TERM_ATOM)
        get_word(token, word, is_likely);
    else if (token->class == TERM_MAP)
        get_struct(term, &start, token->num_terms, word);
    return true;
}

bool ds_shape_get_head(const struct ds_term *term, struct ds_shape_head *out)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    struct term_token token;
    *out = (struct ds_shape_head){0};
    if (term->data == NULL || !get_form(term, &at, &out->form, &out->word, &out->is_likely, &token))
        return false;
    if (token.class != TERM_TUPLE || token.num_terms == 0)
        return true;
    bool likely;
    struct cursor next = at;
    if (read_word(&next, &env, &out->word, &likely)) {
        out->is_likely = likely;
        return true;
    }
    if (token.num_terms == 1 || term_skip(&at, &env, 1, NULL) != TERM_OK ||
        !get_form(term, &at, &out->inner_form, &out->inner_word, &likely, &token))
        return true;
    if (token.class == TERM_TUPLE && token.num_terms != 0)
        read_word(&at, &env, &out->inner_word, &likely);
    return true;
}

/* keep stores a node's text. False if there is no more room: then the node is ANY. */
static bool keep(struct ds_shape *shape, struct shape_node *node, const void *bytes, size_t len)
{
    if (len == 0 || len > (size_t)(MAX_BYTES - shape->num_bytes))
        return false;
    node->at = shape->num_bytes;
    node->len = (uint8_t)len;
    memcpy(shape->bytes + node->at, bytes, len);
    shape->num_bytes = (uint8_t)(shape->num_bytes + len);
    return true;
}

static bool is_short_constant(const struct term_token *token)
{
    switch (token->class) {
    case TERM_INTEGER:
    case TERM_FLOAT:
    case TERM_BINARY:
    case TERM_STRING:
    case TERM_NIL:
        return cursor_left(&token->bytes) <= MAX_LITERAL;
    default:
        return false;
    }
}

/* make_node makes the node of a term that was just read. room: nodes left for a tuple's elements. */
static void make_node(struct ds_shape *shape, const struct ds_term *term,
                      const struct cursor *start, const struct term_token *token, size_t depth,
                      size_t room, struct shape_node *node)
{
    struct ds_text word = {0};
    *node = (struct shape_node){.kind = NODE_ANY};
    if (token->class == TERM_TUPLE && depth < MAX_DEPTH) {
        node->kind = NODE_TUPLE;
        node->num = (uint32_t)token->num_terms;
        if (num_shown(node) > room)
            *node = (struct shape_node){.kind = NODE_ANY};
    } else if (get_word(token, &word, &node->likely)) {
        node->kind = keep(shape, node, word.data, word.len) ? NODE_ATOM : NODE_ANY;
    } else if (depth != 0 && is_short_constant(token)) {
        const bool kept = keep(shape, node, token->bytes.at, cursor_left(&token->bytes));
        node->kind = kept ? NODE_LITERAL : NODE_ANY;
    } else if (token->class == TERM_MAP && get_struct(term, start, token->num_terms, &word) &&
               keep(shape, node, word.data, word.len)) {
        node->kind = NODE_STRUCT;
    } else if (depth == 0) {
        node->kind = NODE_TYPE;
        node->class = (uint8_t)token->class;
    }
}

static void count_fixed(struct ds_shape *shape)
{
    shape->num_fixed = shape->num_nodes;
    while (shape->num_fixed != 0 && shape->nodes[shape->num_fixed - 1].kind == NODE_ANY)
        shape->num_fixed--;
}

/* shape_walk is the position in a term: for each open tuple, the number of elements to come, and of
 * further elements that are not examined. */
struct shape_walk {
    struct cursor at;
    struct term_env env;
    size_t depth;
    struct {
        uint32_t left, hidden;
    } open[MAX_DEPTH];
};

/* walk_next advances to the next term. False if the term is damaged, or there is none. */
static bool walk_next(struct shape_walk *w)
{
    while (w->depth != 0 && w->open[w->depth - 1].left == 0) {
        w->depth--;
        if (term_skip(&w->at, &w->env, w->open[w->depth].hidden, NULL) != TERM_OK)
            return false;
    }
    if (w->depth != 0)
        w->open[w->depth - 1].left--;
    return true;
}

static void walk_enter(struct shape_walk *w, const struct shape_node *node)
{
    const uint32_t shown = num_shown(node);
    w->open[w->depth].left = shown;
    w->open[w->depth++].hidden = node->num - shown;
}

struct ds_shape *ds_shape_new(const struct ds_term *term)
{
    struct ds_shape *shape = calloc(1, sizeof *shape);
    struct shape_walk w = {.at = cursor_make(term->data, term->data != NULL ? term->len : 0),
                           .env = {term->atoms, term->num_atoms}};
    size_t to_come = 1; /* nodes */
    bool damaged = false;
    if (shape == NULL)
        return NULL;
    for (; to_come != 0; to_come--) {
        struct shape_node *node = &shape->nodes[shape->num_nodes++];
        struct term_token token;
        damaged = damaged || !walk_next(&w);
        const struct cursor start = w.at;
        damaged = damaged || term_read_token(&w.at, &w.env, &token, NULL) != TERM_OK;
        if (damaged)
            continue; /* the rest is ANY */
        make_node(shape, term, &start, &token, w.depth,
                  MAX_NODES - (shape->num_nodes + to_come - 1), node);
        if (node->kind == NODE_TUPLE) {
            to_come += num_shown(node);
            walk_enter(&w, node);
        } else {
            w.at = start;
            damaged = term_skip(&w.at, &w.env, 1, NULL) != TERM_OK;
        }
    }
    count_fixed(shape);
    return shape;
}

void ds_shape_free(struct ds_shape *shape)
{
    free(shape);
}

/* fits_tuple and fits_atom read the common forms directly. */
static bool fits_tuple(struct shape_walk *w, uint32_t num)
{
    struct cursor next = w->at;
    struct term_token token;
    uint8_t tag, small;
    if (cursor_read_u8(&next, &tag) && tag == TERM_TAG_SMALL_TUPLE) {
        if (!cursor_read_u8(&next, &small) || small != num)
            return false;
        w->at = next;
        return true;
    }
    return term_read_token(&w->at, &w->env, &token, NULL) == TERM_OK && token.class == TERM_TUPLE &&
           token.num_terms == num;
}

static bool fits_atom(struct shape_walk *w, const uint8_t *text, struct shape_node *node)
{
    struct ds_text word;
    bool likely;
    if (!read_word(&w->at, &w->env, &word, &likely) || word.len != node->len ||
        memcmp(word.data, text, word.len) != 0)
        return false;
    node->likely = node->likely && likely;
    return true;
}

static bool fits_struct(struct shape_walk *w, const struct ds_term *term, const uint8_t *text,
                        size_t len)
{
    struct cursor next = w->at;
    struct term_token token;
    struct ds_text word;
    return term_read_token(&next, &w->env, &token, NULL) == TERM_OK && token.class == TERM_MAP &&
           get_struct(term, &w->at, token.num_terms, &word) && word.len == len &&
           memcmp(word.data, text, len) == 0 && term_skip(&w->at, &w->env, 1, NULL) == TERM_OK;
}

/* fits says whether the next term matches a node, and advances past it then. */
static bool fits(struct shape_walk *w, const struct ds_term *term, struct ds_shape *shape,
                 struct shape_node *node)
{
    const uint8_t *bytes = shape->bytes + node->at;
    uint8_t tag;
    switch ((enum shape_node_kind)node->kind) {
    case NODE_TUPLE:
        return fits_tuple(w, node->num);
    case NODE_ATOM:
        return fits_atom(w, bytes, node);
    case NODE_LITERAL: /* its first bytes determine its end */
        return cursor_left(&w->at) >= node->len && memcmp(w->at.at, bytes, node->len) == 0 &&
               cursor_skip(&w->at, node->len);
    case NODE_STRUCT:
        return fits_struct(w, term, bytes, node->len);
    case NODE_TYPE:
        return cursor_peek_u8(&w->at, &tag) && classes[tag] == node->class &&
               term_skip(&w->at, &w->env, 1, NULL) == TERM_OK;
    case NODE_ANY:
        break;
    }
    return term_skip(&w->at, &w->env, 1, NULL) == TERM_OK;
}

/* generalise makes node i ANY, and removes the nodes below it. */
static void generalise(struct ds_shape *shape, size_t i)
{
    size_t end = i;
    for (uint32_t to_come = 1; to_come != 0; to_come--)
        to_come += num_shown(&shape->nodes[end++]);
    shape->nodes[i] = (struct shape_node){.kind = NODE_ANY};
    memmove(&shape->nodes[i + 1], &shape->nodes[end],
            (shape->num_nodes - end) * sizeof shape->nodes[0]);
    shape->num_nodes = (uint8_t)(shape->num_nodes - (end - i - 1));
    count_fixed(shape);
}

void ds_shape_fit(struct ds_shape *shape, const struct ds_term *term)
{
    struct shape_walk w = {.at = cursor_make(term->data, term->data != NULL ? term->len : 0),
                           .env = {term->atoms, term->num_atoms}};
    for (size_t i = 0; i < shape->num_fixed; i++) {
        struct shape_node *node = &shape->nodes[i];
        if (!walk_next(&w))
            return;
        const struct cursor start = w.at;
        if (!fits(&w, term, shape, node)) {
            w.at = start;
            generalise(shape, i);
            if (term_skip(&w.at, &w.env, 1, NULL) != TERM_OK)
                return;
        } else if (node->kind == NODE_TUPLE) {
            walk_enter(&w, node);
        }
    }
}

/* find_word_node finds the node of the first word of the terms, if the shape examines nothing after
 * it. NULL if it examines more, or there is no such word. */
static struct shape_node *find_word_node(struct ds_shape *shape)
{
    const bool is_tuple = shape->nodes[0].kind == NODE_TUPLE;
    struct shape_node *node = &shape->nodes[is_tuple];
    return shape->num_fixed == 1u + is_tuple && node->kind == NODE_ATOM ? node : NULL;
}

/* is_type says whether the terms share only their type, such as map, which the head contains. */
static bool is_type(const struct ds_shape *shape)
{
    return shape->num_fixed == 1 && shape->nodes[0].kind == NODE_TYPE;
}

void ds_shape_fit_headed(struct ds_shape *shape, const struct ds_term *term,
                         const struct ds_shape_head *head)
{
    struct shape_node *word = find_word_node(shape);
    if (word != NULL && head->word.data != NULL)
        word->likely = word->likely && head->is_likely;
    else if (shape->num_fixed != 0 && (term->damaged || !is_type(shape)))
        ds_shape_fit(shape, term);
}

static const char *type_name(uint8_t class)
{
    static const char *const names[TERM_NUM_CLASSES] = {
        [TERM_INTEGER] = "integer",
        [TERM_FLOAT] = "float",
        [TERM_BINARY] = "binary",
        [TERM_BIT_BINARY] = "bitstring",
        [TERM_STRING] = "list",
        [TERM_NIL] = "list",
        [TERM_PID] = "pid",
        [TERM_PORT] = "port",
        [TERM_REFERENCE] = "reference",
        [TERM_EXPORT] = "function",
        [TERM_LIST] = "list",
        [TERM_MAP] = "map",
        [TERM_FUN] = "function",
        [TERM_RECORD] = "record",
    };
    return class < TERM_NUM_CLASSES ? names[class] : NULL;
}

static void print_node(const struct ds_shape *shape, const struct shape_node *node,
                       enum ds_syntax syntax, struct ds_buffer *out)
{
    const struct ds_term_print_options options = {.syntax = syntax};
    const struct ds_text text = {(const char *)shape->bytes + node->at, node->len};
    const struct ds_term literal = {.data = shape->bytes + node->at, .len = node->len};
    switch ((enum shape_node_kind)node->kind) {
    case NODE_ANY:
        ds_buffer_add_text(out, "_");
        break;
    case NODE_TUPLE:
        ds_buffer_add_text(out, node->num == 0 ? "{}" : "{");
        break;
    case NODE_ATOM:
        ds_buffer_add_text(out, node->likely ? "?" : "");
        ds_term_print_atom_as(text, syntax, out);
        break;
    case NODE_LITERAL:
        ds_term_print(&literal, &options, out);
        break;
    case NODE_STRUCT:
        ds_buffer_add_text(out, syntax == DS_SYNTAX_ELIXIR ? "%" : "#");
        ds_term_print_atom_as(text, syntax, out);
        ds_buffer_add_text(out, "{...}");
        break;
    case NODE_TYPE:
        ds_buffer_printf(out, "_%s%s", type_name(node->class) != NULL ? "::" : "",
                         type_name(node->class) != NULL ? type_name(node->class) : "");
        break;
    }
}

/* print_form appends the beginning of a term, in the form made by get_form. */
static void print_form(uint64_t form, struct ds_text word, struct ds_buffer *out)
{
    const unsigned class = (unsigned)(form & 0xff) - 1;
    if (class == TERM_MAP && word.data != NULL) {
        ds_buffer_add_text(out, "#");
        ds_term_print_atom(word, out);
        ds_buffer_add_text(out, "{...}");
    } else if (word.data != NULL) {
        ds_term_print_atom(word, out);
    } else {
        const char *type = form != 0 ? type_name((uint8_t)class) : NULL;
        ds_buffer_printf(out, "_%s%s", type != NULL ? "::" : "", type != NULL ? type : "");
    }
}

static bool is_tuple(uint64_t form)
{
    return (form & 0xff) == TERM_TUPLE + 1u;
}

/* print_rest ends a tuple after num_printed printed elements. */
static void print_rest(uint64_t form, uint64_t num_printed, struct ds_buffer *out)
{
    uint64_t num = form >> 8;
    for (; num_printed < num && num_printed < MAX_SHOWN; num_printed++)
        ds_buffer_add_text(out, num_printed != 0 ? ",_" : "_");
    ds_buffer_add_text(out, num_printed < num ? ",...}" : "}");
}

static void print_inner(const struct ds_shape_head *head, struct ds_buffer *out)
{
    if (!is_tuple(head->inner_form)) {
        print_form(head->inner_form, head->inner_word, out);
        return;
    }
    ds_buffer_add_text(out, "{");
    if (head->inner_word.data != NULL)
        ds_term_print_atom(head->inner_word, out);
    print_rest(head->inner_form, head->inner_word.data != NULL, out);
}

void ds_shape_head_print(const struct ds_shape_head *head, struct ds_buffer *out)
{
    if (!is_tuple(head->form)) {
        print_form(head->form, head->word, out);
        return;
    }
    const bool has_inner = head->word.data == NULL && head->inner_form != 0;
    ds_buffer_add_text(out, "{");
    if (head->word.data != NULL)
        ds_term_print_atom(head->word, out);
    else if (has_inner)
        ds_buffer_add_text(out, "_,");
    if (has_inner)
        print_inner(head, out);
    print_rest(head->form, head->word.data != NULL ? 1 : has_inner ? 2 : 0, out);
}

void ds_shape_print(const struct ds_shape *shape, struct ds_buffer *out)
{
    ds_shape_print_as(shape, DS_SYNTAX_ERLANG, out);
}

void ds_shape_print_as(const struct ds_shape *shape, enum ds_syntax syntax, struct ds_buffer *out)
{
    const bool spaced = syntax == DS_SYNTAX_ELIXIR;
    struct shape_walk w = {.depth = 0}; /* used only for its counts */
    for (size_t i = 0; i < shape->num_nodes; i++) {
        const struct shape_node *node = &shape->nodes[i];
        print_node(shape, node, syntax, out);
        if (num_shown(node) != 0) {
            walk_enter(&w, node);
        } else {
            for (; w.depth != 0 && w.open[w.depth - 1].left == 0; w.depth--)
                ds_buffer_add_text(out, w.open[w.depth - 1].hidden == 0 ? "}"
                                        : spaced                         ? ", ...}"
                                                                         : ",...}");
            ds_buffer_add_text(out, w.depth == 0 ? "" : spaced ? ", " : ",");
        }
        if (w.depth != 0)
            w.open[w.depth - 1].left--;
    }
}
