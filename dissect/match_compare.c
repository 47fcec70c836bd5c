/*
 * match_compare.c - the order of Erlang's terms, over their bytes.
 *
 * Two terms are walked side by side; the first difference decides. What is open waits on a
 * stack of frames: elements (tuples, the variables of funs, the values of records), lists, of
 * which a frame follows the tails, and maps. The keys of a map come in any order, so each is
 * looked up on the other side, where it nearly always has the same place; and where order is
 * asked for they are taken by size, the next one found by a look at all. Keys that are maps
 * themselves need a comparison inside the comparison: so many of these and no more.
 */
#include "match_view.h"

#include <distsniff/identity.h>

enum { MAX_LEVELS = 4 };

static bool compare(struct run *run, struct view a, struct view b, enum compare_mode mode,
                    unsigned level, int *order);

static int compare_bytes(const void *a, size_t a_len, const void *b, size_t b_len)
{
    const size_t len = a_len < b_len ? a_len : b_len;
    const int order = len != 0 ? memcmp(a, b, len) : 0;
    return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

static bool compare_numbers(struct run *run, const struct head *a, const struct head *b,
                            enum compare_mode mode, int *order)
{
    struct number x, y;
    if (!number_read(run, a, &x))
        return false;
    if (!number_read(run, b, &y)) {
        number_free(&x);
        return false;
    }
    const int a_is_float = x.kind == NUMBER_FLOAT, b_is_float = y.kind == NUMBER_FLOAT;
    if (a_is_float != b_is_float && (mode == COMPARE_SAME || mode == COMPARE_KEYS))
        *order = a_is_float - b_is_float;
    else
        *order = number_compare(&x, &y);
    number_free(&x);
    number_free(&y);
    return true;
}

static bool compare_atoms(struct run *run, const struct term_token *a,
                          const struct term_token *b, int *order)
{
    struct atom_text x, y;
    *order = 0;
    if (a->atom != NULL && a->atom == b->atom)
        return true; /* be it known or not */
    if (!token_get_text(a, &x) || !token_get_text(b, &y))
        return run_fail(run, RUN_BAD);
    *order = compare_bytes(x.data, x.len, y.data, y.len);
    return true;
}

/* compare_nodes compares the nodes of two identities, then their creations. */
static bool compare_nodes(struct run *run, const struct head *const *heads,
                          const struct ds_identity *of, int *order)
{
    const bool is_one_atom =
        heads[0]->token.atom != NULL && heads[0]->token.atom == heads[1]->token.atom;
    *order = 0;
    if (!is_one_atom) {
        if (of[0].node.data == NULL || of[1].node.data == NULL)
            return run_fail(run, RUN_BAD);
        *order = compare_bytes(of[0].node.data, of[0].node.len, of[1].node.data, of[1].node.len);
    }
    if (*order == 0)
        *order = (of[0].creation > of[1].creation) - (of[0].creation < of[1].creation);
    return true;
}

/* compare_words compares numbers, the last word first; those of a shorter row are 0. */
static int compare_words(const struct ds_identity *of)
{
    int order = 0;
    for (uint32_t i = DS_IDENTITY_MAX_WORDS; i-- != 0 && order == 0;) {
        const uint32_t x = i < of[0].num_words ? of[0].word[i] : 0;
        const uint32_t y = i < of[1].num_words ? of[1].word[i] : 0;
        order = (x > y) - (x < y);
    }
    return order;
}

/* order_port turns the words of a port round: they have the high one first, if they have it. */
static void order_port(struct ds_identity *of)
{
    const uint32_t high = of->num_words > 1 ? of->word[0] : 0;
    of->word[0] = of->word[of->num_words - 1];
    of->word[1] = high;
    of->num_words = 2;
}

/* Of ports and references the node comes first, of pids the numbers do. */
static bool compare_identities(struct run *run, const struct head *a, const struct head *b,
                               int *order)
{
    const struct head *const heads[] = {a, b};
    struct ds_identity of[2];
    for (int i = 0; i < 2; i++) {
        const struct view *view = &heads[i]->view;
        const struct ds_term term = {.data = view->at.at,
                                     .len = cursor_left(&view->at),
                                     .atoms = view->env.atoms,
                                     .num_atoms = view->env.num_atoms};
        if (!ds_term_get_identity(&term, &of[i]))
            return run_fail(run, RUN_BAD);
        if (a->order == ORDER_PORT)
            order_port(&of[i]);
    }
    const int words = compare_words(of);
    *order = words;
    if (a->order == ORDER_PID && words != 0)
        return true;
    if (!compare_nodes(run, heads, of, order))
        return false;
    if (*order == 0)
        *order = words;
    return true;
}

static bool compare_bits(struct run *run, const struct head *a, const struct head *b, int *order)
{
    struct cursor x, y;
    uint64_t x_bits, y_bits;
    uint8_t x_byte = 0, y_byte = 0;
    if (!head_get_bits(a, &x, &x_bits) || !head_get_bits(b, &y, &y_bits))
        return run_fail(run, RUN_BAD);
    const uint64_t num = x_bits < y_bits ? x_bits : y_bits;
    const size_t whole = (size_t)(num / 8);
    *order = compare_bytes(x.at, whole, y.at, whole);
    if (*order == 0 && num % 8 != 0 && cursor_skip(&x, whole) && cursor_skip(&y, whole) &&
        cursor_read_u8(&x, &x_byte) && cursor_read_u8(&y, &y_byte))
        *order = (x_byte >> (8 - num % 8)) - (y_byte >> (8 - num % 8));
    if (*order == 0)
        *order = (x_bits > y_bits) - (x_bits < y_bits);
    return run_step(run, whole / 64);
}

/* compare_parts compares num tokens of two heads, atoms and small integers. */
static bool compare_parts(struct run *run, struct cursor a, const struct term_env *a_env,
                          struct cursor b, const struct term_env *b_env, uint64_t num, int *order)
{
    struct term_token x, y;
    for (*order = 0; num != 0 && *order == 0; num--) {
        int64_t i, j;
        if (!run_step(run, 1))
            return false;
        if (term_read_token(&a, a_env, &x, NULL) != TERM_OK ||
            term_read_token(&b, b_env, &y, NULL) != TERM_OK)
            return run_fail(run, RUN_BAD);
        if (value_get_i64(&x, &i) && value_get_i64(&y, &j))
            *order = (i > j) - (i < j);
        else if (!compare_atoms(run, &x, &y, order))
            return false;
    }
    return true;
}

/* A fun is its module, its place and version there, and its variables. */
static bool compare_funs(struct run *run, const struct head *a, const struct head *b, int *order)
{
    struct value_fun x, y;
    if (!value_get_fun(&a->token, &a->view.env, &x) || !value_get_fun(&b->token, &b->view.env, &y))
        return run_fail(run, RUN_BAD);
    if (!compare_parts(run, x.module, &a->view.env, y.module, &b->view.env, 1, order))
        return false;
    if (*order == 0)
        *order = (x.index > y.index) - (x.index < y.index);
    if (*order == 0)
        *order = (x.uniq > y.uniq) - (x.uniq < y.uniq);
    return true;
}

static bool compare_leaves(struct run *run, const struct head *a, const struct head *b,
                           enum compare_mode mode, int *order)
{
    struct cursor x = a->view.at, y = b->view.at;
    *order = 0;
    switch (a->order) {
    case ORDER_NUMBER:
        return compare_numbers(run, a, b, mode, order);
    case ORDER_ATOM:
        return compare_atoms(run, &a->token, &b->token, order);
    case ORDER_REFERENCE:
    case ORDER_PORT:
    case ORDER_PID:
        return compare_identities(run, a, b, order);
    case ORDER_FUN:
        return compare_funs(run, a, b, order);
    case ORDER_EXPORT:
        return (cursor_skip(&x, 1) && cursor_skip(&y, 1))
                   ? compare_parts(run, x, &a->view.env, y, &b->view.env, 3, order)
                   : run_fail(run, RUN_BAD);
    case ORDER_BITS:
        return compare_bits(run, a, b, order);
    case ORDER_LOCAL:
        *order = compare_bytes(a->token.body.at, cursor_left(&a->token.body), b->token.body.at,
                               cursor_left(&b->token.body));
        return true;
    case ORDER_RECORD:
        if (a->token.num_terms != b->token.num_terms)
            return true; /* their sizes decide, which the caller compares */
        return compare_parts(run, a->token.record_names, &a->view.env, b->token.record_names,
                             &b->view.env, a->token.num_terms + 2, order);
    case ORDER_TUPLE:
    case ORDER_MAP:
    case ORDER_NIL:
    case ORDER_LIST:
        break;
    }
    return true;
}

/* find_key looks for a key. One with an unknown atom in it may be another, or may not: then it
 * can only be told when the key is found elsewhere. */
static bool find_key(struct run *run, struct cursor pairs, const struct term_env *env,
                     uint64_t num, const struct view *key, unsigned level, struct view *value,
                     bool *found)
{
    bool is_unsure = false;
    *found = false;
    for (; num != 0; num--) {
        const struct view here = view_at(pairs, env);
        int order;
        if (!compare(run, here, *key, COMPARE_SAME, level, &order)) {
            if (run->trouble != RUN_BAD)
                return false;
            run->trouble = RUN_NO_TROUBLE;
            is_unsure = true;
            order = 1;
        }
        if (!view_skip(run, &pairs, env, 1))
            return false;
        if (order == 0) {
            *value = view_at(pairs, env);
            *found = true;
            return true;
        }
        if (!view_skip(run, &pairs, env, 1))
            return false;
    }
    return !is_unsure || run_fail(run, RUN_BAD);
}

/* next_key finds the smallest key of a map that is greater than after, if that is not NULL. */
static bool next_key(struct run *run, const struct view *map, uint64_t num,
                     const struct view *after, unsigned level, struct view *key,
                     struct view *value)
{
    struct cursor at = map->at;
    bool found = false;
    for (; num != 0; num--) {
        const struct view here = view_at(at, &map->env);
        int order = 1;
        if (after != NULL && !compare(run, here, *after, COMPARE_KEYS, level, &order))
            return false;
        if (order > 0 && found && !compare(run, *key, here, COMPARE_KEYS, level, &order))
            return false;
        if (!view_skip(run, &at, &map->env, 1))
            return false;
        if (order > 0) {
            *key = here;
            *value = view_at(at, &map->env);
            found = true;
        }
        if (!view_skip(run, &at, &map->env, 1))
            return false;
    }
    return found || run_fail(run, RUN_BAD); /* a key that stands in it twice */
}

/* compare_all_keys compares the keys of two maps of num pairs, from the smallest on. */
static bool compare_all_keys(struct run *run, const struct view *a, const struct view *b,
                             uint64_t num, unsigned level, int *order)
{
    struct view x, y, value;
    *order = 0;
    for (uint64_t i = 0; i < num && *order == 0; i++) {
        struct view last_x = x, last_y = y;
        if (!next_key(run, a, num, i != 0 ? &last_x : NULL, level, &x, &value) ||
            !next_key(run, b, num, i != 0 ? &last_y : NULL, level, &y, &value) ||
            !compare(run, x, y, COMPARE_KEYS, level, order))
            return false;
    }
    return true;
}

static struct compare_frame *push(struct run *run, int kind, uint64_t left)
{
    if (run->num_frames == RUN_MAX_FRAMES) {
        run_fail(run, RUN_GAVE_UP);
        return NULL;
    }
    struct compare_frame *frame = &run->frames[run->num_frames++];
    frame->kind = kind;
    frame->begun = false;
    frame->left = frame->num = left;
    return frame;
}

static int compare_counts(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* open_both compares what two terms begin with, and opens a frame for what is in them. */
static bool open_both(struct run *run, const struct view *a, const struct view *b,
                      enum compare_mode mode, unsigned level, int *order)
{
    struct head x, y;
    if (!view_read(run, a, &x) || !view_read(run, b, &y))
        return false;
    *order = (x.order > y.order) - (x.order < y.order);
    if (*order != 0 || !compare_leaves(run, &x, &y, mode, order) || *order != 0)
        return run->trouble == RUN_NO_TROUBLE;
    struct compare_frame *frame;
    switch (x.order) {
    case ORDER_TUPLE:
    case ORDER_RECORD:
    case ORDER_FUN:
        *order = compare_counts(x.token.num_terms, y.token.num_terms);
        if (*order != 0 || x.token.num_terms == 0)
            return true;
        frame = push(run, COMPARE_ELEMENTS, x.token.num_terms);
        if (frame == NULL)
            return false;
        frame->a = view_at(x.rest, &x.view.env);
        frame->b = view_at(y.rest, &y.view.env);
        return true;
    case ORDER_LIST:
        frame = push(run, COMPARE_LISTS, 0);
        if (frame == NULL)
            return false;
        frame->a = x.view;
        frame->b = y.view;
        return true;
    case ORDER_MAP: {
        const struct view in_a = view_at(x.rest, &x.view.env), in_b = view_at(y.rest, &y.view.env);
        const uint64_t num = x.token.num_terms / 2;
        *order = compare_counts(x.token.num_terms, y.token.num_terms);
        if (*order == 0 && (mode == COMPARE_ORDER || mode == COMPARE_KEYS) &&
            !compare_all_keys(run, &in_a, &in_b, num, level + 1, order))
            return false;
        if (*order != 0 || num == 0)
            return true;
        frame = push(run, COMPARE_MAPS, num);
        if (frame == NULL)
            return false;
        frame->a = in_a;
        frame->b = in_b;
        return true;
    }
    default:
        return true;
    }
}

/* next_by_key finds the next two values in the order of keys. */
static bool next_by_key(struct run *run, struct compare_frame *frame, unsigned level,
                        struct view *a, struct view *b, int *order)
{
    bool found;
    struct view key;
    if (!next_key(run, &frame->a, frame->num, frame->begun ? &frame->key : NULL, level + 1, &key,
                  a) ||
        !find_key(run, frame->b.at, &frame->b.env, frame->num, &key, level + 1, b, &found))
        return false;
    frame->key = key;
    *order = found ? 0 : 1;
    return true;
}

/* next_by_place finds the next two values in the order of a's pairs. The key stands in the
 * same place of b, where frame->key is, or anywhere. */
static bool next_by_place(struct run *run, struct compare_frame *frame, unsigned level,
                          struct view *a, struct view *b, int *order)
{
    bool found;
    if (!frame->begun)
        frame->key = frame->b;
    else if (!view_skip(run, &frame->a.at, &frame->a.env, 2) ||
             !view_skip(run, &frame->key.at, &frame->key.env, 2))
        return false;
    *a = frame->a;
    if (!view_skip(run, &a->at, &a->env, 1) ||
        !find_key(run, frame->key.at, &frame->key.env, 1, &frame->a, level + 1, b, &found))
        return false;
    if (!found && !find_key(run, frame->b.at, &frame->b.env, frame->num, &frame->a, level + 1, b,
                            &found))
        return false;
    *order = found ? 0 : 1;
    return true;
}

static bool next_of_maps(struct run *run, struct compare_frame *frame, enum compare_mode mode,
                         unsigned level, struct view *a, struct view *b, int *order)
{
    const bool by_key = mode == COMPARE_ORDER || mode == COMPARE_KEYS;
    const bool ok = by_key ? next_by_key(run, frame, level, a, b, order)
                           : next_by_place(run, frame, level, a, b, order);
    frame->begun = true;
    frame->left--;
    return ok;
}

/* next_pair finds what is to be compared next in the frame on top; *done when there is no
 * more. */
static bool next_pair(struct run *run, struct compare_frame *frame, enum compare_mode mode,
                      unsigned level, struct view *a, struct view *b, int *order, bool *done)
{
    *done = false;
    if (frame->kind == COMPARE_LISTS) {
        struct head x, y;
        if (!view_read(run, &frame->a, &x) || !view_read(run, &frame->b, &y))
            return false;
        if (x.order == ORDER_LIST && y.order == ORDER_LIST)
            return view_split(run, &x, a, &frame->a) && view_split(run, &y, b, &frame->b);
        *a = x.view;
        *b = y.view;
        run->num_frames--; /* the tails are the last of it */
        return true;
    }
    *done = frame->left == 0;
    if (*done)
        return true;
    if (frame->kind == COMPARE_MAPS)
        return next_of_maps(run, frame, mode, level, a, b, order);
    if (frame->begun && (!view_skip(run, &frame->a.at, &frame->a.env, 1) ||
                         !view_skip(run, &frame->b.at, &frame->b.env, 1)))
        return false;
    frame->begun = true;
    frame->left--;
    *a = frame->a;
    *b = frame->b;
    return true;
}

static bool compare(struct run *run, struct view a, struct view b, enum compare_mode mode,
                    unsigned level, int *order)
{
    const size_t base = run->num_frames;
    bool done, ok = level <= MAX_LEVELS || run_fail(run, RUN_GAVE_UP);
    *order = 0;
    while (ok) {
        ok = open_both(run, &a, &b, mode, level, order);
        for (done = true; ok && done && *order == 0 && run->num_frames != base;
             run->num_frames -= done)
            ok = next_pair(run, &run->frames[run->num_frames - 1], mode, level, &a, &b, order,
                           &done);
        if (!ok || *order != 0 || done)
            break;
    }
    run->num_frames = base;
    return ok;
}

bool view_compare(struct run *run, const struct view *a, const struct view *b,
                  enum compare_mode mode, int *order)
{
    return compare(run, *a, *b, mode, 0, order);
}

bool view_find_key(struct run *run, struct cursor pairs, const struct term_env *env, uint64_t num,
                   const struct view *key, struct view *value, bool *found)
{
    return find_key(run, pairs, env, num, key, 0, value, found);
}
