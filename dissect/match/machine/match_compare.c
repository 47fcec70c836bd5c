/*
 * match_compare.c - compares encoded terms in Erlang's order.
 *
 * Two terms are walked in parallel; the first difference decides. Open containers are on a stack of
 * frames: elements (tuples, the variables of funs, the values of records), lists, whose frames
 * follow the tails, and maps. The keys of a map are in any order, so each is looked up on the other
 * side, where it nearly always has the same position. If the order of maps is needed, the keys are
 * compared from the smallest on; finding the next one scans all keys. Keys that are maps need a
 * comparison inside the comparison, up to MAX_LEVELS.
 */
#include "match/machine/match_view.h"

enum { MAX_LEVELS = 4 };

static bool compare(struct run *run, struct view a, struct view b, enum compare_mode mode,
                    unsigned level, int *order);

/* find_key looks up a key. A key with an unknown atom in it may or may not be equal: the result is
 * only certain if the key is found elsewhere. */
static bool find_key(struct run *run, struct view pair, uint64_t num, const struct view *key,
                     unsigned level, struct view *value, bool *found)
{
    bool is_unsure = false;
    *found = false;
    for (; num != 0; num--) {
        int order;
        if (!compare(run, pair, *key, COMPARE_SAME, level, &order)) {
            if (run->trouble != RUN_BAD)
                return false;
            run->trouble = RUN_NO_TROUBLE;
            is_unsure = true;
            order = 1;
        }
        if (!view_skip(run, &pair, 1))
            return false;
        if (order == 0) {
            *value = pair;
            *found = true;
            return true;
        }
        if (!view_skip(run, &pair, 1))
            return false;
    }
    return !is_unsure || run_fail(run, RUN_BAD);
}

/* next_key finds the smallest key of a map that is greater than after, if that is not NULL. */
static bool next_key(struct run *run, const struct view *map, uint64_t num, const struct view *after,
                     unsigned level, struct view *key, struct view *value)
{
    struct view at = *map;
    bool found = false;
    for (; num != 0; num--) {
        const struct view here = at;
        int order = 1;
        if (after != NULL && !compare(run, here, *after, COMPARE_KEYS, level, &order))
            return false;
        if (order > 0 && found && !compare(run, *key, here, COMPARE_KEYS, level, &order))
            return false;
        if (!view_skip(run, &at, 1))
            return false;
        if (order > 0) {
            *key = here;
            *value = at;
            found = true;
        }
        if (!view_skip(run, &at, 1))
            return false;
    }
    return found || run_fail(run, RUN_BAD); /* a key occurs twice */
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

/* open_both compares the heads of two terms, and opens a frame for their elements. */
static bool open_both(struct run *run, const struct view *a, const struct view *b,
                      enum compare_mode mode, unsigned level, int *order)
{
    struct head x, y;
    if (!view_read(run, a, &x) || !view_read(run, b, &y))
        return false;
    *order = (x.order > y.order) - (x.order < y.order);
    if (*order != 0 || !leaf_compare(run, &x, &y, mode, order) || *order != 0)
        return run->trouble == RUN_NO_TROUBLE;
    struct compare_frame *frame;
    switch (x.order) {
    case ORDER_TUPLE:
    case ORDER_RECORD:
    case ORDER_FUN:
        *order = compare_counts(x.num_parts, y.num_parts);
        if (*order != 0 || x.num_parts == 0)
            return true;
        frame = push(run, COMPARE_ELEMENTS, x.num_parts);
        if (frame == NULL)
            return false;
        frame->a = view_parts(&x);
        frame->b = view_parts(&y);
        return true;
    case ORDER_LIST:
        frame = push(run, COMPARE_LISTS, 0);
        if (frame == NULL)
            return false;
        frame->a = x.view;
        frame->b = y.view;
        return true;
    case ORDER_MAP: {
        const struct view in_a = view_parts(&x), in_b = view_parts(&y);
        const uint64_t num = x.num_parts / 2;
        *order = compare_counts(x.num_parts, y.num_parts);
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
        !find_key(run, frame->b, frame->num, &key, level + 1, b, &found))
        return false;
    frame->key = key;
    *order = found ? 0 : 1;
    return true;
}

/* next_by_place finds the next two values in the order of a's pairs. It looks for the key at the
 * same position in b, frame->key, then anywhere. */
static bool next_by_place(struct run *run, struct compare_frame *frame, unsigned level,
                          struct view *a, struct view *b, int *order)
{
    bool found;
    if (!frame->begun)
        frame->key = frame->b;
    else if (!view_skip(run, &frame->a, 2) || !view_skip(run, &frame->key, 2))
        return false;
    *a = frame->a;
    if (!view_skip(run, a, 1) ||
        !find_key(run, frame->key, 1, &frame->a, level + 1, b, &found))
        return false;
    if (!found && !find_key(run, frame->b, frame->num, &frame->a, level + 1, b, &found))
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

/* next_pair finds the next terms to compare in the top frame; *done if there are none. */
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
        run->num_frames--; /* the tails come last */
        return true;
    }
    *done = frame->left == 0;
    if (*done)
        return true;
    if (frame->kind == COMPARE_MAPS)
        return next_of_maps(run, frame, mode, level, a, b, order);
    if (frame->begun && (!view_skip(run, &frame->a, 1) || !view_skip(run, &frame->b, 1)))
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

bool view_is_same(struct run *run, const struct view *a, const struct view *b)
{
    int order;
    return compare(run, *a, *b, COMPARE_SAME, 0, &order) && order == 0;
}

bool view_find_key(struct run *run, const struct view *pairs, uint64_t num,
                   const struct view *key, struct view *value, bool *found)
{
    return find_key(run, *pairs, num, key, 0, value, found);
}
