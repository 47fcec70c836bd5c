/*
 * term_keywords.c - see term_keywords.h. A walk with a stack: for each open container, the number
 * of terms to come and whether its keys were atoms so far.
 *
 *     list of pairs    LIST n, then n times SMALL_TUPLE 2, atom, any term; then NIL
 *     map              MAP n, then n times atom, any term
 */
#include "etf/term_keywords.h"
#include "util/escape.h"
#include "etf/inspect_word.h"
#include "util/stack.h"
#include "etf/term_token.h"

#include <stdlib.h>

enum {
    KEYWORDS_FRAMES = 32,
#define LIMIT(id, name, value, what) id##_MAX = (value),
#include <distsniff/limits.def>
#undef LIMIT
};

enum keywords_kind {
    KEYWORDS_OTHER,
    KEYWORDS_LIST,
    KEYWORDS_PAIR,
    KEYWORDS_MAP,
    KEYWORDS_KEY_PAIR, /* that is the key of a map */
};

struct keywords_frame {
    uint64_t left; /* terms to come */
    size_t offset;
    uint8_t kind; /* KEYWORDS_OTHER as soon as it no longer fits its first kind */
    uint8_t names; /* keys of a map found so far, of enum keywords_name */
    bool is_map;   /* a map that is to be shown */
    bool is_named; /* the last key was __struct__ */
    bool is_set;   /* so far the values are all [] */
    bool is_pairs; /* and the keys pairs */
    bool has_twice; /* one of names is duplicate */
    uint8_t num_pairs; /* 255: that many or more */
};

/* Keys that make a map a struct, set or exception. */
enum keywords_name { NAME_STRUCT = 1, NAME_MAP = 2, NAME_VERSION = 4, NAME_EXCEPTION = 8 };

struct keywords_walk {
    struct term_keywords *found;
    struct ds_buffer asks; /* for is_stopped; nothing is written to it */
    bool inspect;
    struct keywords_frame few[KEYWORDS_FRAMES];
    struct keywords_frame *frames;
    size_t num, cap;
};

static bool keywords_push(struct keywords_walk *walk, struct keywords_frame frame)
{
    if (walk->num == walk->cap) {
        struct keywords_frame *frames =
            stack_grow(walk->frames, walk->few, &walk->cap, sizeof *frames);
        if (frames == NULL)
            return false;
        walk->frames = frames;
    }
    walk->frames[walk->num++] = frame;
    return true;
}

bool term_keywords_is_key(const struct term_token *token)
{
    size_t len = cursor_left(&token->body);
    return token->class == TERM_ATOM && (token->latin1 ? 2 * len : len) <= CODE_KEY_LEN_MAX &&
           (token->latin1 || escape_reads_back(token->body));
}

static enum keywords_kind keywords_kind(const struct term_token *token)
{
    if (token->class == TERM_LIST)
        return token->num_terms > 1 ? KEYWORDS_LIST : KEYWORDS_OTHER;
    return token->class == TERM_MAP ? KEYWORDS_MAP : KEYWORDS_OTHER;
}

static bool keywords_is_key(const struct keywords_walk *walk, const struct term_token *token)
{
    if (!walk->inspect)
        return term_keywords_is_key(token);
    return token->class == TERM_ATOM && inspect_is_key(token->body);
}

/* keywords_add_struct records that the map of a frame is a struct with the name at that offset. */
static bool keywords_add_struct(struct term_keywords *found, const struct keywords_frame *frame,
                                size_t name)
{
    if (found->num_structs == KEYWORDS_MAX_STRUCTS)
        return true;
    if (found->num_structs == found->cap_structs) {
        const size_t cap = found->cap_structs != 0 ? found->cap_structs * 2 : 8;
        struct keywords_struct *structs = realloc(found->structs, cap * sizeof *structs);
        if (structs == NULL)
            return false;
        found->structs = structs;
        found->cap_structs = cap;
    }
    found->structs[found->num_structs++] = (struct keywords_struct){frame->offset, name};
    return true;
}

static uint8_t keywords_name(const struct term_token *token)
{
    static const struct {
        const char *text;
        uint8_t name;
    } names[] = {
        {"__struct__", NAME_STRUCT},
        {"map", NAME_MAP},
        {"version", NAME_VERSION},
        {"__exception__", NAME_EXCEPTION},
    };
    const size_t len = cursor_left(&token->body);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i].text) == len && memcmp(names[i].text, token->body.at, len) == 0)
            return names[i].name;
    }
    return 0;
}

/* keywords_note_map examines a key or value of a map that is to be shown. False if memory ran out. */
static bool keywords_note_map(struct keywords_walk *walk, struct keywords_frame *frame,
                              const struct term_token *token, size_t offset)
{
    if (frame->left % 2 == 0) {
        const bool is_known = token->atom == NULL || ds_atom_has_name(token->atom->state);
        const uint8_t name = token->class == TERM_ATOM && is_known ? keywords_name(token) : 0;
        frame->has_twice = frame->has_twice || (frame->names & name) != 0;
        frame->names |= name;
        frame->is_named = name == NAME_STRUCT;
        frame->is_pairs =
            frame->is_pairs && token->class == TERM_TUPLE && token->num_terms == 2;
        return true;
    }
    frame->is_set = frame->is_set && token->class == TERM_NIL;
    return !frame->is_named || token->class != TERM_ATOM ||
           keywords_add_struct(walk->found, frame, offset);
}

/* keywords_record examines the next term of the open container. True: it is the pair of a list. */
static bool keywords_record(struct keywords_walk *walk, const struct term_token *token)
{
    struct keywords_frame *frame = &walk->frames[walk->num - 1];
    bool key = keywords_is_key(walk, token), ok = true, pair = false;
    switch (frame->kind) {
    case KEYWORDS_LIST:
        pair = frame->left > 1 && token->class == TERM_TUPLE && token->num_terms == 2;
        ok = pair || (frame->left == 1 && token->class == TERM_NIL);
        break;
    case KEYWORDS_PAIR:
        if (frame->left == 2 && !key)
            frame[-1].kind = KEYWORDS_OTHER; /* the list that contains it */
        break;
    case KEYWORDS_KEY_PAIR:
        if (frame->left == 2 && !key)
            frame[-1].is_pairs = false;
        break;
    case KEYWORDS_MAP:
        ok = frame->left % 2 != 0 || key;
        break;
    default:
        break;
    }
    if (!ok)
        frame->kind = KEYWORDS_OTHER;
    frame->left--;
    return pair;
}

static void keywords_set(struct keywords_walk *walk, size_t offset, enum keywords_bit bit)
{
    offset += bit;
    walk->found->bits[offset / 8] |= (uint8_t)(1u << offset % 8);
}

static void keywords_pop(struct keywords_walk *walk)
{
    while (walk->num != 0 && walk->frames[walk->num - 1].left == 0) {
        const struct keywords_frame *frame = &walk->frames[--walk->num];
        const uint8_t set = NAME_STRUCT | NAME_MAP;
        if (frame->kind == KEYWORDS_LIST || frame->kind == KEYWORDS_MAP)
            keywords_set(walk, frame->offset, KEYWORDS_ALL);
        if (frame->is_set)
            keywords_set(walk, frame->offset, KEYWORDS_IS_SET);
        if (frame->is_pairs)
            keywords_set(walk, frame->offset, KEYWORDS_IS_PAIRS);
        if ((frame->num_pairs == 2 && frame->names == set) ||
            (frame->num_pairs == 3 && frame->names == (set | NAME_VERSION)))
            keywords_set(walk, frame->offset, KEYWORDS_IS_MAPSET);
        if ((frame->names & NAME_EXCEPTION) != 0 && !frame->has_twice)
            keywords_set(walk, frame->offset, KEYWORDS_IS_ERROR);
    }
}

/* keywords_open begins to examine the terms of a container. False if memory ran out. */
static bool keywords_open(struct keywords_walk *walk, const struct term_token *token, size_t offset,
                          enum keywords_kind kind)
{
    const bool is_map = token->class == TERM_MAP && walk->inspect;
    return keywords_push(walk, (struct keywords_frame){
                                   .left = token->num_terms,
                                   .offset = offset,
                                   .kind = (uint8_t)kind,
                                   .is_map = is_map,
                                   .is_set = is_map,
                                   .is_pairs = is_map,
                                   .num_pairs = token->num_terms < 2 * UINT8_MAX
                                                    ? (uint8_t)(token->num_terms / 2)
                                                    : UINT8_MAX,
                               });
}

/* keywords_run examines a damaged term as far as it goes. */
static bool keywords_run(struct keywords_walk *walk, const struct ds_term *term, uint64_t max_depth)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    const struct token_source source = {.env = &env};
    struct cursor start = cursor_make(term->data, term->len), at = start;
    struct term_token token;
    const char *what;
    uint64_t num_steps = 0;
    do {
        if (buffer_is_stopped(&walk->asks, ++num_steps))
            return false;
        size_t offset = cursor_offset(&at, &start);
        if (token_read(&at, &source, &token, &what) != TERM_OK)
            return true;
        enum keywords_kind kind = keywords_kind(&token);
        struct keywords_frame *frame = walk->num != 0 ? &walk->frames[walk->num - 1] : NULL;
        if (frame != NULL && frame->is_map && !keywords_note_map(walk, frame, &token, offset))
            return false;
        const bool is_key = frame != NULL && frame->is_map && frame->left % 2 == 0;
        if (frame != NULL && keywords_record(walk, &token))
            kind = KEYWORDS_PAIR;
        else if (is_key && frame->is_pairs)
            kind = KEYWORDS_KEY_PAIR;
        if (token.num_terms != 0 && max_depth != 0 && walk->num >= max_depth) {
            if (kind == KEYWORDS_PAIR) /* its first element is not examined */
                walk->frames[walk->num - 1].kind = KEYWORDS_OTHER;
            if (term_skip(&at, &env, token.num_terms, NULL) != TERM_OK)
                return true;
        } else if (token.num_terms != 0 && !keywords_open(walk, &token, offset, kind)) {
            return false;
        }
        keywords_pop(walk);
    } while (walk->num != 0);
    return true;
}

static int compare_structs(const void *a, const void *b)
{
    const struct keywords_struct *x = a, *y = b;
    if (x->map != y->map)
        return x->map < y->map ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* keywords_find allocates bits for all bytes of the term, and for those that may be asked for after
 * it. */
static bool keywords_find(struct term_keywords *keywords, const struct ds_term *term,
                          uint64_t max_depth, bool inspect, bool (*is_stopped)(void))
{
    struct keywords_walk walk = {.found = keywords,
                                 .asks = {.is_stopped = is_stopped},
                                 .inspect = inspect,
                                 .cap = KEYWORDS_FRAMES};
    *keywords = (struct term_keywords){.bits = calloc((term->len + KEYWORDS_NUM_BITS) / 8 + 1, 1)};
    if (keywords->bits == NULL)
        return false;
    walk.frames = walk.few;
    bool ok = keywords_run(&walk, term, max_depth);
    if (walk.frames != walk.few)
        free(walk.frames);
    if (keywords->num_structs > 1)
        qsort(keywords->structs, keywords->num_structs, sizeof *keywords->structs, compare_structs);
    if (!ok)
        term_keywords_free(keywords);
    return ok;
}

bool term_keywords_find(struct term_keywords *keywords, const struct ds_term *term,
                        uint64_t max_depth, bool (*is_stopped)(void))
{
    return keywords_find(keywords, term, max_depth, false, is_stopped);
}

bool term_keywords_inspect(struct term_keywords *keywords, const struct ds_term *term,
                           bool (*is_stopped)(void))
{
    return keywords_find(keywords, term, DEPTH_MAX, true, is_stopped);
}

bool term_keywords_struct(const struct term_keywords *keywords, size_t offset, size_t *name)
{
    size_t first = 0, last = keywords->num_structs;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (keywords->structs[middle].map < offset)
            first = middle + 1;
        else
            last = middle;
    }
    if (first == keywords->num_structs || keywords->structs[first].map != offset ||
        (first + 1 < keywords->num_structs && keywords->structs[first + 1].map == offset))
        return false;
    *name = keywords->structs[first].name;
    return true;
}

void term_keywords_free(struct term_keywords *keywords)
{
    free(keywords->bits);
    free(keywords->structs);
    *keywords = (struct term_keywords){0};
}
