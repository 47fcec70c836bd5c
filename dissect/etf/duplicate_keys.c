/*
 * duplicate_keys.c - see duplicate_keys.h. One walk with a stack: each term becomes a hash that is
 * the same for all its encodings. A leaf's hash is that of its text; a container's combines those
 * of its elements in order, except that the pairs of a map have no order. The hashes of a map's
 * keys are kept until the map ends, or until a duplicate is found: the walk looks for one whenever
 * memory for many keys is full. So memory grows only with distinct keys, of which a term has room
 * for far fewer.
 */
#include "etf/duplicate_keys.h"
#include "etf/code_leaf.h"
#include "util/stack.h"
#include "etf/term_token.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { TWICE_FRAMES = 32, TWICE_MANY = 65536 };

enum twice_kind { TWICE_ORDERED, TWICE_LIST, TWICE_MAP };

struct twice_frame {
    uint64_t left; /* terms to come */
    uint64_t hash, key;
    size_t offset;    /* of the token */
    size_t keys_from; /* index in the keys of the walk */
    uint8_t kind;
    bool is_found; /* a map with a duplicate key: its keys are not kept any more */
};

struct twice {
    struct duplicate_keys *found;
    enum term_zeros zeros;
    struct leaf leaf;
    struct ds_buffer text;
    struct twice_frame few[TWICE_FRAMES];
    struct twice_frame *frames;
    size_t num, cap;
    uint64_t *keys;
    size_t num_keys, cap_keys;
    bool failed, is_too_deep;
};

static uint64_t twice_mix(uint64_t a, uint64_t b)
{
    const uint64_t both[] = {a, b};
    return XXH3_64bits(both, sizeof both);
}

static uint64_t twice_text(struct twice *walk)
{
    walk->failed = walk->failed || walk->text.failed;
    return walk->text.len != 0 ? XXH3_64bits(walk->text.data, walk->text.len) : 0;
}

static uint64_t twice_number(struct twice *walk, uint64_t number)
{
    walk->text.len = 0;
    code_add_number(&walk->leaf.w, number);
    return twice_text(walk);
}

static uint64_t twice_word(struct twice *walk, const char *word)
{
    walk->text.len = 0;
    ds_buffer_add_text(&walk->text, word);
    return twice_text(walk);
}

static bool twice_is_negative_zero(const struct twice *walk)
{
    static const char text[] = "-0.0";
    return walk->zeros == TERM_ZEROS_EQUAL && walk->text.len == sizeof text - 1 &&
           memcmp(walk->text.data, text, sizeof text - 1) == 0;
}

static uint64_t twice_leaf(struct twice *walk, const struct term_token *token)
{
    walk->text.len = 0;
    leaf_add(&walk->leaf, token);
    walk->failed = walk->failed || walk->leaf.failed;
    return token->class == TERM_FLOAT && twice_is_negative_zero(walk) ? twice_word(walk, "0.0")
                                                                      : twice_text(walk);
}

/* twice_head returns the hash of the part of a container before its terms. */
static uint64_t twice_head(struct twice *walk, const struct term_token *token)
{
    const size_t before_uniq = 1 + 4 + 1, uniq_len = 16;
    struct cursor names = token->record_names, c = token->bytes, uniq;
    walk->text.len = 0;
    code_add_number(&walk->leaf.w, token->class);
    if (token->class == TERM_FUN) {
        leaf_fun(&walk->leaf, token);
        if (token->tag == TERM_TAG_NEW_FUN && cursor_skip(&c, before_uniq) &&
            cursor_child(&c, uniq_len, &uniq))
            buffer_add_cursor(&walk->text, &uniq);
    }
    while (token->class == TERM_RECORD && cursor_left(&names) != 0)
        leaf_read_atom(&walk->leaf, &names);
    return twice_text(walk);
}

static void twice_push(struct twice *walk, struct twice_frame frame)
{
    if (walk->num == DUPLICATE_KEYS_DEPTH) {
        walk->is_too_deep = true;
        return;
    }
    if (walk->num == walk->cap) {
        struct twice_frame *frames =
            stack_grow(walk->frames, walk->few, &walk->cap, sizeof *frames);
        if (frames == NULL) {
            walk->failed = true;
            return;
        }
        walk->frames = frames;
    }
    walk->frames[walk->num++] = frame;
}

/* twice_sort_few sorts a few hashes, and says whether two are equal. */
static bool twice_sort_few(uint64_t *keys, size_t num)
{
    for (size_t i = 1; i < num; i++) {
        const uint64_t key = keys[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
        if (at > 0 && keys[at - 1] == key)
            return true;
    }
    return false;
}

/* twice_part moves the hashes in which a bit is set behind the others, and returns the number of
 * the others. */
static size_t twice_part(uint64_t *keys, size_t num, unsigned bit)
{
    size_t low = 0, high = num;
    while (low < high) {
        const uint64_t key = keys[low];
        if ((key >> bit & 1) == 0) {
            low++;
        } else {
            keys[low] = keys[--high];
            keys[high] = key;
        }
    }
    return low;
}

/* twice_has_equal partitions the hashes by one bit after the other, from the highest, until a
 * partition is small. It needs no memory, and at most 64 steps per hash. After each partition it
 * asks whether to stop, because millions of hashes are slow. */
static bool twice_has_equal(struct twice *walk, uint64_t *keys, size_t num)
{
    enum { BITS = 64, FEW = 16 };
    struct {
        uint64_t *keys;
        size_t num;
        unsigned bits; /* in which they may differ */
    } left[BITS + 1], part = {keys, num, BITS};
    size_t num_left = 0;
    uint64_t num_done = 0;
    for (;;) {
        if (part.num > FEW && part.bits == 0)
            return true;
        if (part.num > FEW) {
            const size_t low = twice_part(part.keys, part.num, --part.bits);
            left[num_left] = part;
            left[num_left].keys += low;
            left[num_left++].num -= low;
            num_done += part.num;
            part.num = low;
        } else if (twice_sort_few(part.keys, part.num)) {
            return true;
        } else if (num_left != 0) {
            part = left[--num_left];
        } else {
            return false;
        }
        if (num_done >= BUFFER_ASK_EVERY) {
            if (buffer_is_stopped(&walk->text, 0))
                return false;
            num_done = 0;
        }
    }
}

static void twice_record(struct twice *walk, size_t offset)
{
    uint8_t **bits = &walk->found->bits;
    if (*bits == NULL)
        *bits = calloc(walk->leaf.term.len / 8 + 1, 1);
    if (*bits == NULL)
        walk->failed = true;
    else
        (*bits)[offset / 8] |= (uint8_t)(1u << offset % 8);
}

/* twice_check records whether a map has a duplicate key. Its own keys end at end. */
static void twice_check(struct twice *walk, struct twice_frame *frame, size_t end)
{
    const size_t num = end - frame->keys_from;
    if (!frame->is_found && num > 1 &&
        twice_has_equal(walk, &walk->keys[frame->keys_from], num)) {
        frame->is_found = true;
        twice_record(walk, frame->offset);
    }
}

/* twice_sift drops the keys of those open maps that have a duplicate. */
static void twice_sift(struct twice *walk)
{
    size_t num_left = 0;
    for (size_t i = 0; i < walk->num; i++) {
        struct twice_frame *frame = &walk->frames[i];
        const size_t from = frame->keys_from;
        const size_t end = i + 1 < walk->num ? walk->frames[i + 1].keys_from : walk->num_keys;
        twice_check(walk, frame, end);
        const size_t num = frame->is_found ? 0 : end - from;
        memmove(&walk->keys[num_left], &walk->keys[from], num * sizeof *walk->keys);
        frame->keys_from = num_left;
        num_left += num;
    }
    walk->num_keys = num_left;
}

static void twice_grow(struct twice *walk)
{
    const size_t cap = walk->cap_keys != 0 ? walk->cap_keys * 2 : TWICE_FRAMES;
    uint64_t *keys = realloc(walk->keys, cap * sizeof *keys);
    if (keys == NULL) {
        walk->failed = true;
        return;
    }
    walk->keys = keys;
    walk->cap_keys = cap;
}

static void twice_add_key(struct twice *walk, uint64_t key)
{
    if (walk->num_keys == walk->cap_keys) {
        if (walk->num_keys >= TWICE_MANY)
            twice_sift(walk);
        if (walk->num_keys >= walk->cap_keys / 2)
            twice_grow(walk);
    }
    if (!walk->failed && !walk->frames[walk->num - 1].is_found)
        walk->keys[walk->num_keys++] = key;
}

/* twice_close ends the innermost open container, and returns its hash. */
static uint64_t twice_close(struct twice *walk)
{
    struct twice_frame *frame = &walk->frames[--walk->num];
    if (frame->kind == TWICE_MAP)
        twice_check(walk, frame, walk->num_keys);
    walk->num_keys = frame->keys_from;
    return frame->hash;
}

/* twice_put adds a hash to the open container. */
static void twice_put(struct twice *walk, uint64_t hash)
{
    struct twice_frame *frame = &walk->frames[walk->num - 1];
    frame->left--;
    if (frame->kind != TWICE_MAP) {
        frame->hash = twice_mix(frame->hash, hash);
    } else if (frame->left % 2 != 0) {
        frame->key = hash;
        twice_add_key(walk, hash);
    } else {
        frame->hash += twice_mix(frame->key, hash);
    }
}

/* twice_in_tail says whether the next term is the tail of the open list. */
static bool twice_in_tail(const struct twice *walk)
{
    if (walk->num == 0)
        return false;
    const struct twice_frame *frame = &walk->frames[walk->num - 1];
    return frame->kind == TWICE_LIST && frame->left == 1;
}

enum { TWICE_LIST_SEED = TERM_LIST, TWICE_DEEP = TERM_NUM_CLASSES };

/* twice_string hashes a string as the list of its bytes, or as the rest of the open list. */
static uint64_t twice_string(struct twice *walk, const struct term_token *token)
{
    const bool in_tail = twice_in_tail(walk), is_empty = cursor_left(&token->body) == 0;
    uint64_t own = TWICE_LIST_SEED;
    uint64_t *list = in_tail ? &walk->frames[walk->num - 1].hash : &own;
    struct cursor body = token->body;
    uint8_t byte;
    while (cursor_read_u8(&body, &byte))
        *list = twice_mix(*list, twice_number(walk, byte));
    const uint64_t nil = twice_word(walk, "[]");
    return in_tail || is_empty ? nil : twice_mix(own, nil);
}

static bool twice_is_container(const struct term_token *token)
{
    return token->class == TERM_TUPLE || token->class == TERM_MAP || token->class == TERM_FUN ||
           token->class == TERM_RECORD;
}

static void twice_open(struct twice *walk, const struct term_token *token)
{
    struct twice_frame frame = {
        .left = token->num_terms,
        .offset = (size_t)(token->bytes.at - walk->leaf.term.data),
        .keys_from = walk->num_keys,
    };
    if (token->class != TERM_LIST) {
        frame.kind = token->class == TERM_MAP ? TWICE_MAP : TWICE_ORDERED;
        frame.hash = twice_head(walk, token);
    } else if (twice_in_tail(walk)) {
        walk->frames[walk->num - 1].left = token->num_terms;
        return;
    } else if (token->num_terms == 1) { /* no elements: the tail is the term */
        return;
    } else {
        frame.kind = TWICE_LIST;
        frame.hash = TWICE_LIST_SEED;
    }
    twice_push(walk, frame);
}

enum twice_step { TWICE_WHOLE, TWICE_OPENED, TWICE_DAMAGED };

/* twice_read reads a token. For WHOLE or DAMAGED, *hash is that of a term. */
static enum twice_step twice_read(struct twice *walk, struct cursor *at, uint64_t max_depth,
                                  uint64_t *hash)
{
    const struct token_source source = {.env = &walk->leaf.env};
    struct term_token token;
    const char *what;
    enum twice_step step = TWICE_WHOLE;
    if (token_read(at, &source, &token, &what) != TERM_OK) {
        *hash = twice_word(walk, "'" LEAF_DAMAGED "'");
        return TWICE_DAMAGED;
    }
    if (token.num_terms != 0 && max_depth != 0 && walk->num >= max_depth) {
        if (term_skip(at, &walk->leaf.env, token.num_terms, NULL) != TERM_OK)
            step = TWICE_DAMAGED;
        *hash = twice_mix(TWICE_DEEP, (uint64_t)(at->at - token.bytes.at));
    } else if (token.num_terms != 0) {
        twice_open(walk, &token);
        step = TWICE_OPENED;
    } else if (token.class == TERM_STRING) {
        *hash = twice_string(walk, &token);
    } else {
        *hash = twice_is_container(&token) ? twice_head(walk, &token) : twice_leaf(walk, &token);
    }
    return step;
}

/* twice_add adds a term to the open container, ends the containers that it completes, and adds
 * each of them to the next one; if damaged, it ends all, as the rest is missing. */
static void twice_add(struct twice *walk, uint64_t hash, bool damaged)
{
    while (walk->num != 0) {
        const struct twice_frame *frame = &walk->frames[walk->num - 1];
        twice_put(walk, hash);
        if (damaged && frame->kind == TWICE_MAP && frame->left % 2 != 0)
            twice_put(walk, twice_word(walk, "'" LEAF_DAMAGED "'"));
        if (frame->left != 0 && !damaged)
            break;
        hash = twice_close(walk);
    }
}

/* twice_is_possible says whether there is a map of two or more keys: most terms have none and need
 * no further work. */
static bool twice_is_possible(const struct ds_term *term)
{
    const struct term_env env = {term->atoms, term->num_atoms};
    const struct token_source source = {.env = &env};
    struct cursor at = cursor_make(term->data, term->len);
    struct term_token token;
    const char *what;
    for (uint64_t num_terms = 1; num_terms != 0; num_terms += token.num_terms - 1) {
        if (token_read(&at, &source, &token, &what) != TERM_OK)
            return false;
        if (token.class == TERM_MAP && token.num_terms > 2)
            return true;
    }
    return false;
}

enum duplicate_keys_status duplicate_keys_find(struct duplicate_keys *twice, const struct ds_term *term,
                                               uint64_t max_depth, enum term_zeros zeros,
                                               bool (*is_stopped)(void))
{
    static const struct ds_code_options options = {.language = DS_CODE_ERLANG};
    struct twice walk = {.found = twice,
                         .zeros = zeros,
                         .leaf = {.options = &options, .term = *term},
                         .text = {.is_stopped = is_stopped},
                         .cap = TWICE_FRAMES};
    uint64_t num_steps = 0;
    struct cursor at = cursor_make(term->data, term->len);
    enum twice_step step = TWICE_OPENED;
    uint64_t hash = 0;
    twice->bits = NULL;
    if (term->data == NULL || !twice_is_possible(term))
        return DUPLICATE_KEYS_OK;
    walk.frames = walk.few;
    walk.leaf.w = code_writer_make(&options, &walk.text);
    walk.leaf.env = (struct term_env){term->atoms, term->num_atoms};
    while (!walk.failed && !walk.is_too_deep && step != TWICE_DAMAGED &&
           (step == TWICE_OPENED || walk.num != 0)) {
        step = twice_read(&walk, &at, max_depth, &hash);
        if (step != TWICE_OPENED)
            twice_add(&walk, hash, step == TWICE_DAMAGED);
        if (buffer_is_stopped(&walk.text, ++num_steps))
            walk.failed = true;
    }
    if (walk.frames != walk.few)
        free(walk.frames);
    free(walk.keys);
    ds_buffer_free(&walk.text);
    if (walk.failed || walk.is_too_deep)
        duplicate_keys_free(twice);
    return walk.failed        ? DUPLICATE_KEYS_FAILED
           : walk.is_too_deep ? DUPLICATE_KEYS_TOO_DEEP
                              : DUPLICATE_KEYS_OK;
}

void duplicate_keys_free(struct duplicate_keys *twice)
{
    free(twice->bits);
    twice->bits = NULL;
}

bool ds_term_has_twice(const struct ds_term *term, bool *twice, bool (*is_stopped)(void))
{
    struct duplicate_keys found;
    if (duplicate_keys_find(&found, term, 0, TERM_ZEROS_DIFFER, is_stopped) ==
        DUPLICATE_KEYS_FAILED)
        return false;
    *twice = found.bits != NULL;
    duplicate_keys_free(&found);
    return true;
}
