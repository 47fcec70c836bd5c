/*
 * atom_shapes.c - see atom_shapes.h. A message is read once into a list of its terms, each with the
 * hash of its shape, which is complete after its last element; then the contexts of each atom are
 * collected from its term upwards.
 */
#include "atoms/atom_shapes.h"

#include "etf/term.h"

enum {
    MAX_TERMS = 1024,
    MAX_NESTING = 32,
    LISTED = 2, /* elements of a list that are part of its shape */
    LARGE = 6,  /* terms in a large context; contexts up to this size are small */
    NONE = UINT16_MAX,
};

/* Values that differ from classes of terms. */
enum { SEED = 0x51ed270b, IS_ROOT = 0x101, IS_FUN_MODULE = 0x102, IS_VALUE = 0x103, IS_KEY = 0x104,
       IS_NODE = 0x105 };

struct shape_term {
    const struct ds_atom *atom; /* NULL: not an atom of the cache */
    uint32_t hash;              /* of its shape; 0: not complete */
    uint32_t place;             /* in the enclosing term */
    uint16_t parent, end; /* end: index after the last term in it */
    uint32_t form;              /* of the enclosing term: its class, and the size of a tuple */
};

struct shape_level {
    uint64_t num, done;
    uint32_t hash, key; /* hash so far; key: hash of the present key */
    uint32_t form;      /* of its terms */
    uint16_t term, key_term;
    enum term_class class;
};

struct context_walk {
    struct term_env env;
    atom_shape_fn report;
    atom_is_node_fn is_node; /* NULL: no nodes are known */
    void *context;
    unsigned num_terms;
    int depth;
    struct shape_level levels[MAX_NESTING];
    struct shape_term terms[MAX_TERMS];
};

static uint32_t mix(uint32_t hash, uint32_t value)
{
    hash = (hash ^ value) * 0x9e3779b1u;
    hash ^= hash >> 15;
    hash *= 0x85ebca77u;
    return hash ^ hash >> 13;
}

/* class_of returns the class as shapes distinguish it. */
static uint32_t class_of(enum term_class class)
{
    return class == TERM_BIT_BINARY ? TERM_BINARY : class;
}

/* add_term adds a term at place in parent; NULL if there is no room. */
static struct shape_term *add_term(struct context_walk *w, uint16_t parent, uint32_t place)
{
    if (w->num_terms == MAX_TERMS)
        return NULL;
    struct shape_term *term = &w->terms[w->num_terms++];
    *term = (struct shape_term){.place = place, .parent = parent};
    return term;
}

static uint32_t place_in(const struct shape_level *level)
{
    if (level->class == TERM_LIST)
        return 0;
    if (level->class == TERM_MAP)
        return level->done % 2 == 0 ? IS_KEY : mix(IS_VALUE, level->key);
    return (uint32_t)level->done + 1;
}

/* add_to_level adds the shape of an element, a term by its number, to that of its level. In a
 * map, the place of a key includes the shape of its value. */
static void add_to_level(struct context_walk *w, struct shape_level *level, uint16_t number,
                         uint32_t hash, enum term_class class)
{
    const uint64_t at = level->done++;
    if (level->class == TERM_LIST) {
        const bool is_tail = at + 1 == level->num;
        if (is_tail ? class != TERM_NIL : at < LISTED)
            level->hash = mix(level->hash, is_tail ? ~hash : hash);
    } else if (level->class == TERM_MAP) {
        if (at % 2 == 0) {
            level->key = hash;
            level->key_term = number;
        } else {
            level->hash += mix(mix(IS_VALUE, level->key), hash);
            w->terms[level->key_term].place = mix(IS_KEY, hash);
        }
    } else {
        level->hash = mix(level->hash, hash);
    }
}

/* is_node says whether an atom is known to be the name of a node. */
static bool is_node(const struct context_walk *w, const struct term_token *token)
{
    const struct ds_atom *atom = token->atom;
    if (atom == NULL)
        return memchr(token->body.at, '@', cursor_left(&token->body)) != NULL;
    if (atom->state == DS_ATOM_UNKNOWN)
        return w->is_node != NULL && w->is_node(w->context, atom->slot);
    return atom->state == DS_ATOM_ADDRESS ||
           (ds_atom_has_name(atom->state) && memchr(atom->text, '@', atom->len) != NULL);
}

/* shape_of returns the hash of a term without elements. */
static uint32_t shape_of(const struct context_walk *w, const struct term_token *token)
{
    return mix(SEED, token->class == TERM_ATOM && is_node(w, token) ? IS_NODE : class_of(token->class)) | 1;
}

/* close_levels closes levels that are complete. */
static void close_levels(struct context_walk *w, int lowest)
{
    while (w->depth > lowest && w->levels[w->depth - 1].done == w->levels[w->depth - 1].num) {
        const struct shape_level level = w->levels[--w->depth];
        const uint32_t hash = mix(level.hash, class_of(level.class)) | 1;
        w->terms[level.term].hash = hash;
        w->terms[level.term].end = (uint16_t)w->num_terms;
        if (w->depth != 0)
            add_to_level(w, &w->levels[w->depth - 1], level.term, hash, level.class);
    }
}

/* add_export adds the module and the function of an external fun. */
static bool add_export(struct context_walk *w, const struct term_token *token, uint16_t parent)
{
    struct cursor at = token->bytes;
    if (!cursor_skip(&at, 1))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        struct term_token part;
        struct shape_term *term = add_term(w, parent, i + 1);
        if (term == NULL || term_read_token(&at, &w->env, &part, NULL) != TERM_OK)
            return false;
        term->atom = part.atom;
        term->hash = mix(SEED, TERM_ATOM) | 1;
        term->form = mix(TERM_EXPORT, 2);
    }
    return true;
}

/* add_module adds the module of a fun, in a separate shape: the 16 bytes that identify this
 * version of the module. */
static bool add_module(struct context_walk *w, const struct term_token *token)
{
    enum { SIZE_AND_ARITY = 5, UNIQUE_WORDS = 4, INDEX_AND_FREE = 8 };
    struct cursor at = token->bytes;
    struct term_token module;
    uint32_t hash = IS_FUN_MODULE, word;
    if (token->tag != TERM_TAG_NEW_FUN || !cursor_skip(&at, 1 + SIZE_AND_ARITY))
        return true;
    for (int i = 0; i < UNIQUE_WORDS; i++) {
        if (!cursor_read_u32(&at, &word))
            return true;
        hash = mix(hash, word);
    }
    if (!cursor_skip(&at, INDEX_AND_FREE) ||
        term_read_token(&at, &w->env, &module, NULL) != TERM_OK || module.atom == NULL)
        return true;
    struct shape_term *unique = add_term(w, NONE, 0);
    struct shape_term *term = unique != NULL ? add_term(w, (uint16_t)(unique - w->terms), 0) : NULL;
    if (term == NULL)
        return false;
    unique->hash = hash | 1;
    term->atom = module.atom;
    term->hash = mix(SEED, TERM_ATOM) | 1;
    return true;
}

/* add_tree adds a term with all its contents to the innermost level. False if it is incomplete. */
static bool add_tree(struct context_walk *w, const struct ds_term *tree, uint32_t code)
{
    struct cursor at = cursor_make(tree->data, tree->data != NULL ? tree->len : 0);
    const int lowest = w->depth;
    bool is_first = true;
    w->env = (struct term_env){tree->atoms, tree->num_atoms};
    do {
        struct shape_level *level = &w->levels[w->depth - 1];
        const uint16_t number = (uint16_t)w->num_terms;
        struct shape_term *term = add_term(w, level->term, place_in(level));
        struct term_token token;
        if (term == NULL || term_read_token(&at, &w->env, &token, NULL) != TERM_OK)
            return false;
        term->form = level->form;
        if (token.class == TERM_ATOM)
            term->atom = token.atom;
        if ((token.class == TERM_EXPORT && !add_export(w, &token, number)) ||
            (token.class == TERM_FUN && !add_module(w, &token)))
            return false;
        if (token.num_terms != 0 && w->depth < MAX_NESTING) {
            w->levels[w->depth++] = (struct shape_level){
                .num = token.num_terms, .hash = is_first ? mix(SEED, code) : SEED, .term = number,
                .class = token.class,
                .form = mix(token.class, token.class == TERM_TUPLE ? (uint32_t)token.num_terms : 0)};
            is_first = false;
            continue;
        }
        if (token.num_terms != 0 && term_skip(&at, &w->env, token.num_terms, NULL) != TERM_OK)
            return false;
        is_first = false;
        term->hash = shape_of(w, &token);
        add_to_level(w, level, number, term->hash, token.class);
        close_levels(w, lowest);
    } while (w->depth > lowest);
    return true;
}

/* report reports an atom with its contexts. */
static void report(const struct context_walk *w, const struct shape_term *atom)
{
    struct atom_contexts contexts = {.num = 1, .num_small = 1, .whole = w->terms[0].hash};
    uint32_t path = SEED;
    const struct shape_term *term = atom;
    contexts.keys[0] = mix(mix(SEED, atom->form), atom->place);
    while (contexts.num < ATOM_SHAPE_KEYS && term->parent != NONE) {
        path = mix(path, term->place);
        term = &w->terms[term->parent];
        if (term->hash == 0)
            break;
        contexts.keys[contexts.num] = mix(mix(path, term->hash), contexts.num);
        contexts.num++;
        if (term->end - (term - w->terms) <= LARGE)
            contexts.num_small = contexts.num;
    }
    w->report(w->context, atom->atom, &contexts);
}

uint32_t atom_shapes_walk(const struct ds_message *message, atom_shape_fn fn, atom_is_node_fn is_node_slot,
                          void *context)
{
    struct context_walk w;
    w.report = fn;
    w.is_node = is_node_slot;
    w.context = context;
    w.num_terms = 1;
    w.depth = 1;
    w.terms[0] = (struct shape_term){.parent = NONE};
    w.levels[0] = (struct shape_level){.num = message->payload.data != NULL ? 2 : 1,
                                       .hash = SEED, .class = TERM_TUPLE};
    w.levels[0].form = mix(TERM_TUPLE, (uint32_t)w.levels[0].num);
    if (message->control.data == NULL)
        return 0;
    if (add_tree(&w, &message->control, (uint32_t)message->code) && message->payload.data != NULL)
        (void)add_tree(&w, &message->payload, 0);
    if (w.levels[0].done == w.levels[0].num)
        w.terms[0].hash = mix(w.levels[0].hash, IS_ROOT) | 1;
    w.terms[0].end = (uint16_t)w.num_terms;
    for (unsigned i = 1; i < w.num_terms; i++) {
        if (w.terms[i].atom != NULL)
            report(&w, &w.terms[i]);
    }
    return w.terms[0].hash;
}
