/*
 * identity.c - the numbers of pids, ports and references (erl_ext_dist; see identity.h).
 *
 *     NEW_PID  node id:4 serial:4 creation:4       PID  ... creation:1
 *     V4_PORT  node id:8 creation:4    NEW_PORT  node id:4 creation:4    PORT ... creation:1
 *     NEWER_REFERENCE n:2 node creation:4 n*4      NEW_REFERENCE ... creation:1 n*4
 *     REFERENCE node id:4 creation:1
 */
#include <distsniff/identity.h>

#include "etf/term_token.h"

#include <string.h>

enum {
    MAX_LEN_OF_CREATION = 4,
    MAX_SEARCHED = 4096, /* limit on the bytes of a map that are searched for a key's text */
};

/* layout describes the bytes after the tag. */
struct layout {
    bool known;
    enum ds_identity_kind kind;
    uint8_t num_words;   /* 0: counted by the two bytes before the node */
    uint8_t creation_len;
    bool creation_first; /* before the words */
};

static const struct layout layouts[256] = {
    [TERM_TAG_NEW_PID] = {true, DS_IDENTITY_PID, 2, 4, false},
    [TERM_TAG_PID] = {true, DS_IDENTITY_PID, 2, 1, false},
    [TERM_TAG_V4_PORT] = {true, DS_IDENTITY_PORT, 2, 4, false},
    [TERM_TAG_NEW_PORT] = {true, DS_IDENTITY_PORT, 1, 4, false},
    [TERM_TAG_PORT] = {true, DS_IDENTITY_PORT, 1, 1, false},
    [TERM_TAG_NEWER_REFERENCE] = {true, DS_IDENTITY_REFERENCE, 0, 4, true},
    [TERM_TAG_NEW_REFERENCE] = {true, DS_IDENTITY_REFERENCE, 0, 1, true},
    [TERM_TAG_REFERENCE] = {true, DS_IDENTITY_REFERENCE, 1, 1, false},
};

static bool read_node(struct cursor *at, const struct ds_term *term, struct ds_text *out)
{
    uint8_t tag, len8;
    uint16_t len;
    if (!cursor_read_u8(at, &tag))
        return false;
    if (tag == TERM_TAG_ATOM_CACHE_REF) {
        if (!cursor_read_u8(at, &len8) || len8 >= term->num_atoms)
            return false;
        const struct ds_atom *atom = &term->atoms[len8];
        *out = atom->state == DS_ATOM_UNKNOWN
                   ? (struct ds_text){NULL, 0}
                   : (struct ds_text){(const char *)atom->text, atom->len};
        return true;
    }
    if (tag == TERM_TAG_SMALL_ATOM_UTF8 || tag == TERM_TAG_SMALL_ATOM) {
        if (!cursor_read_u8(at, &len8))
            return false;
        len = len8;
    } else if (tag == TERM_TAG_ATOM_UTF8 || tag == TERM_TAG_ATOM) {
        if (!cursor_read_u16(at, &len))
            return false;
    } else {
        return false;
    }
    struct cursor text;
    if (!cursor_child(at, len, &text))
        return false;
    *out = (struct ds_text){(const char *)text.at, len};
    return true;
}

static bool read_creation(struct cursor *at, unsigned len, uint32_t *out)
{
    uint8_t small;
    if (len == MAX_LEN_OF_CREATION)
        return cursor_read_u32(at, out);
    if (!cursor_read_u8(at, &small))
        return false;
    *out = small;
    return true;
}

/* get_plain_pid decodes a pid whose node is a reference to the cache, as nearly all are. */
static inline bool get_plain_pid(const struct ds_term *term, struct ds_identity *out)
{
    enum { PLAIN_PID_LEN = 1 + 2 + 3 * 4 };
    struct cursor at = cursor_make(term->data, term->len), pid; /* of known length */
    uint8_t tag, node_tag, number;
    if (term->len != PLAIN_PID_LEN || !cursor_child(&at, PLAIN_PID_LEN, &pid) ||
        !cursor_read_u8(&pid, &tag) || tag != TERM_TAG_NEW_PID ||
        !cursor_read_u8(&pid, &node_tag) || node_tag != TERM_TAG_ATOM_CACHE_REF ||
        !cursor_read_u8(&pid, &number) || number >= term->num_atoms ||
        term->atoms[number].state == DS_ATOM_UNKNOWN)
        return false;
    const struct ds_atom *atom = &term->atoms[number];
    out->kind = DS_IDENTITY_PID;
    out->num_words = 2;
    out->node = (struct ds_text){(const char *)atom->text, atom->len};
    return cursor_read_u32(&pid, &out->word[0]) && cursor_read_u32(&pid, &out->word[1]) &&
           cursor_read_u32(&pid, &out->creation);
}

/* read_words reads the creation and the words of a reference. */
static inline bool read_words(struct cursor *at, uint16_t num_words, struct ds_identity *out)
{
    struct cursor words;
    if (!cursor_child(at, (1u + num_words) * sizeof out->word[0], &words) ||
        !cursor_read_u32(&words, &out->creation))
        return false;
    for (uint16_t i = 0; i < num_words; i++)
        if (!cursor_read_u32(&words, &out->word[i]))
            return false;
    return true;
}

/* get_plain_reference does the same for a reference, usually of three words: then its length is
 * known. */
static inline bool get_plain_reference(const struct ds_term *term, struct ds_identity *out)
{
    enum { USUAL_WORDS = 3 };
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    uint8_t tag, node_tag, number;
    uint16_t num_words;
    if (!cursor_read_u8(&at, &tag) || tag != TERM_TAG_NEWER_REFERENCE ||
        !cursor_read_u16(&at, &num_words) || num_words == 0 ||
        num_words > DS_IDENTITY_MAX_WORDS || !cursor_read_u8(&at, &node_tag) ||
        node_tag != TERM_TAG_ATOM_CACHE_REF || !cursor_read_u8(&at, &number) ||
        number >= term->num_atoms || term->atoms[number].state == DS_ATOM_UNKNOWN)
        return false;
    const struct ds_atom *atom = &term->atoms[number];
    out->kind = DS_IDENTITY_REFERENCE;
    out->num_words = num_words;
    out->node = (struct ds_text){(const char *)atom->text, atom->len};
    return num_words == USUAL_WORDS ? read_words(&at, USUAL_WORDS, out)
                                    : read_words(&at, num_words, out);
}

/* get_any does the same for all forms. Not inline, or the plain ones would have to save registers. */
static __attribute__((noinline)) bool get_any(const struct ds_term *term, struct ds_identity *out)
{
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    uint8_t tag;
    if (!cursor_read_u8(&at, &tag) || !layouts[tag].known)
        return false;
    const struct layout *layout = &layouts[tag];
    uint16_t num_words = layout->num_words;
    if (num_words == 0 && (!cursor_read_u16(&at, &num_words) || num_words == 0 ||
                           num_words > DS_IDENTITY_MAX_WORDS))
        return false;
    out->kind = layout->kind;
    out->num_words = num_words;
    if (!read_node(&at, term, &out->node))
        return false;
    if (layout->creation_first && !read_creation(&at, layout->creation_len, &out->creation))
        return false;
    for (uint16_t i = 0; i < num_words; i++)
        if (!cursor_read_u32(&at, &out->word[i]))
            return false;
    return layout->creation_first || read_creation(&at, layout->creation_len, &out->creation);
}

bool ds_term_get_identity(const struct ds_term *term, struct ds_identity *out)
{
    return get_plain_pid(term, out) || get_plain_reference(term, out) || get_any(term, out);
}

/* is_of says by the tag whether a term may be of that kind. */
static inline bool is_of(const struct ds_term *term, enum ds_identity_kind kind)
{
    const struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    uint8_t tag;
    return cursor_peek_u8(&at, &tag) && layouts[tag].known && layouts[tag].kind == kind;
}

bool ds_term_get_pid(const struct ds_term *term, struct ds_identity *out)
{
    return is_of(term, DS_IDENTITY_PID) && (get_plain_pid(term, out) || get_any(term, out));
}

bool ds_term_get_reference(const struct ds_term *term, struct ds_identity *out)
{
    return is_of(term, DS_IDENTITY_REFERENCE) &&
           (get_plain_reference(term, out) || get_any(term, out));
}

bool ds_term_is_pid_of(const struct ds_term *term, uint32_t creation)
{
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    uint32_t last;
    uint8_t tag;
    return cursor_read_u8(&at, &tag) && tag == TERM_TAG_NEW_PID && cursor_left(&at) >= sizeof last &&
           cursor_skip(&at, cursor_left(&at) - sizeof last) && cursor_read_u32(&at, &last) &&
           last == creation;
}

bool ds_term_get_atom(const struct ds_term *term, struct ds_text *out)
{
    return term_get_atom(term, out);
}

bool ds_term_get_node_atom(const struct ds_term *term, struct ds_text *out)
{
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    uint8_t tag, number;
    if (term_get_atom(term, out))
        return true;
    if (!cursor_read_u8(&at, &tag) || tag != TERM_TAG_ATOM_CACHE_REF || !cursor_read_u8(&at, &number) ||
        number >= term->num_atoms || term->atoms[number].state != DS_ATOM_ADDRESS)
        return false;
    *out = (struct ds_text){(const char *)term->atoms[number].text, term->atoms[number].len};
    return true;
}

bool ds_term_is_unknown_atom(const struct ds_term *term)
{
    return term_is_unknown_atom(term);
}

bool ds_term_get_integer(const struct ds_term *term, int64_t *out)
{
    return term_get_integer(term, out);
}

bool ds_term_get_binary(const struct ds_term *term, struct ds_text *out)
{
    return term_get_binary(term, out);
}

/* read_head_of_two skips the head of a container of that class with two terms. */
static bool read_head_of_two(struct cursor *at, enum term_class class)
{
    uint8_t tag, num;
    uint32_t large_num;
    if (!cursor_read_u8(at, &tag) || token_classes[tag] != class)
        return false;
    if (tag == TERM_TAG_SMALL_TUPLE)
        return cursor_read_u8(at, &num) && num == 2;
    return cursor_read_u32(at, &large_num) && large_num == (tag == TERM_TAG_LIST ? 1 : 2);
}

/* skip_term skips one term; a plain one quickly. */
static inline bool skip_term(struct cursor *at, const struct term_env *env)
{
    const struct ds_atom *atom;
    return token_skip_plain(at, env, &atom) || term_skip(at, env, 1, NULL) == TERM_OK;
}

/* get_two reads the terms of a tuple or list that has exactly two. */
static bool get_two(const struct ds_term *term, enum term_class class, struct ds_term *first,
                    struct ds_term *second)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    if (!read_head_of_two(&at, class))
        return false;
    const struct cursor start = at;
    if (!skip_term(&at, &env))
        return false;
    const struct cursor middle = at;
    if (!skip_term(&at, &env))
        return false;
    *first = *second = *term;
    first->data = start.at;
    first->len = cursor_offset(&middle, &start);
    second->data = middle.at;
    second->len = cursor_offset(&at, &middle);
    return true;
}

bool ds_term_get_cons(const struct ds_term *term, struct ds_term *head, struct ds_term *tail)
{
    return get_two(term, TERM_LIST, head, tail);
}

bool ds_term_get_pair(const struct ds_term *term, struct ds_term *first, struct ds_term *second)
{
    return get_two(term, TERM_TUPLE, first, second);
}

bool ds_term_get_element(const struct ds_term *tuple, uint32_t i, struct ds_term *out)
{
    return term_get_element(tuple, i, out);
}

/* may_hold_key says whether the atom of a key is among the message's references, or its text in the
 * map. Most maps do not have the wanted key, and searching for its text takes a tenth of a walk. */
static bool may_hold_key(const struct ds_term *map, const char *key, size_t len)
{
    if (map->len > MAX_SEARCHED)
        return true; /* for example large binaries, which a walk skips */
    for (uint32_t i = 0; i < map->num_atoms; i++) {
        const struct ds_atom *atom = &map->atoms[i];
        if (atom->len == len && atom->text != NULL && memcmp(atom->text, key, len) == 0)
            return true;
    }
    struct cursor at = cursor_make(map->data, map->len);
    return cursor_find(&at, (uint8_t)key[0]) && /* "_", as in __struct__, is rare */
           memmem(at.at, cursor_left(&at), key, len) != NULL;
}

bool ds_term_get_value(const struct ds_term *map, const char *key, struct ds_term *out)
{
    const struct term_env env = {map->atoms, map->num_atoms};
    struct cursor at = cursor_make(map->data, map->data != NULL ? map->len : 0);
    const size_t key_len = strlen(key);
    struct term_token token;
    struct ds_text text;
    bool found = false;
    if (term_read_token(&at, &env, &token, NULL) != TERM_OK || token.class != TERM_MAP ||
        !may_hold_key(map, key, key_len))
        return false;
    for (uint64_t i = 0; i < token.num_terms; i++) {
        const struct cursor start = at;
        if (term_skip(&at, &env, 1, NULL) != TERM_OK)
            return false;
        struct ds_term term = *map;
        term.data = start.at;
        term.len = cursor_offset(&at, &start);
        if (found) {
            *out = term;
            return true;
        }
        found = i % 2 == 0 && ds_term_get_atom(&term, &text) && text.len == key_len &&
                memcmp(text.data, key, key_len) == 0;
    }
    return false;
}

/* get_items lists the terms in a term of that class, except for the last num_left_out. */
static bool get_items(const struct ds_term *term, enum term_class class, uint32_t num_left_out,
                      struct ds_term_list *out)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    struct term_token token;
    if (term_read_token(&at, &env, &token, NULL) != TERM_OK ||
        token.class != class)
        return false;
    out->rest = *term;
    out->rest.data = at.at;
    out->rest.len = cursor_left(&at);
    out->left = (uint32_t)token.num_terms - num_left_out;
    return true;
}

bool ds_term_get_list(const struct ds_term *term, struct ds_term_list *out)
{
    return get_items(term, TERM_LIST, 1, out) || get_items(term, TERM_NIL, 0, out);
}

bool ds_term_get_map(const struct ds_term *term, struct ds_term_list *out)
{
    return get_items(term, TERM_MAP, 0, out);
}

bool ds_term_list_next(struct ds_term_list *list, struct ds_term *item)
{
    const struct term_env env = {list->rest.atoms, list->rest.num_atoms};
    if (list->left == 0)
        return false;
    const struct cursor start = cursor_make(list->rest.data, list->rest.len);
    struct cursor at = start;
    if (term_skip(&at, &env, 1, NULL) != TERM_OK)
        return false;
    *item = list->rest;
    item->len = cursor_offset(&at, &start);
    list->rest.data = at.at;
    list->rest.len = cursor_left(&at);
    list->left--;
    return true;
}

bool ds_term_get_length(const struct ds_term *term, uint32_t *length)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    struct term_token token;
    if (term_read_token(&at, &env, &token, NULL) != TERM_OK)
        return false;
    if (token.class == TERM_LIST)
        *length = (uint32_t)token.num_terms - 1;
    else if (token.class == TERM_STRING || token.class == TERM_NIL)
        *length = token.class == TERM_NIL ? 0 : (uint32_t)cursor_left(&token.body);
    else
        return false;
    return true;
}
