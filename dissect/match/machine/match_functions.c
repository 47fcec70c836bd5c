/*
 * match_functions.c - guard functions for sizes, parts and numbers, one line each in the table at
 * the end, and the lookup of functions.
 */
#include "match/machine/match_functions.h"

static bool set_size(uint64_t size, struct view *out)
{
    *out = view_of_integer((int64_t)size);
    return true;
}

/* --- sizes --- */

static bool get_head(struct run *run, const struct view *view, enum order order, struct head *out)
{
    return view_read(run, view, out) && (out->order == order || function_bad(run));
}

static bool get_bits(struct run *run, const struct view *view, struct cursor *bytes, uint64_t *num_bits)
{
    struct head head;
    return view_read(run, view, &head) &&
           (head_get_bits(&head, bytes, num_bits) || function_bad(run));
}

static bool tuple_size(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    return get_head(run, args, ORDER_TUPLE, &head) && set_size(head.num_parts, out);
}

static bool map_size(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    return get_head(run, args, ORDER_MAP, &head) && set_size(head.num_parts / 2, out);
}

static bool bit_size(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct cursor bytes;
    uint64_t num_bits;
    (void)num;
    return get_bits(run, args, &bytes, &num_bits) && set_size(num_bits, out);
}

static bool byte_size(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct cursor bytes;
    uint64_t num_bits;
    (void)num;
    return get_bits(run, args, &bytes, &num_bits) && set_size((num_bits + 7) / 8, out);
}

/* size returns the size of a tuple or a binary; the last bits of a bit string do not count. */
static bool size(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    struct cursor bytes;
    uint64_t num_bits;
    if (!view_read(run, args, &head))
        return false;
    if (head.order == ORDER_TUPLE)
        return tuple_size(run, args, num, out);
    return (head_get_bits(&head, &bytes, &num_bits) || function_bad(run)) &&
           set_size(num_bits / 8, out);
}

static bool length(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct view rest = *args, first;
    struct head head;
    uint64_t len = 0;
    (void)num;
    for (; view_read(run, &rest, &head); len++) {
        if (head.order == ORDER_NIL)
            return set_size(len, out);
        if (head.order != ORDER_LIST)
            return function_bad(run);
        if (!view_split(run, &head, &first, &rest))
            return false;
    }
    return false;
}

/* --- parts --- */

static bool hd(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    struct view tail;
    (void)num;
    return get_head(run, args, ORDER_LIST, &head) && view_split(run, &head, out, &tail);
}

static bool tl(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    struct view first;
    (void)num;
    return get_head(run, args, ORDER_LIST, &head) && view_split(run, &head, &first, out);
}

static bool element(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    int64_t i;
    (void)num;
    if (!view_get_int(run, &args[0], &i) || !get_head(run, &args[1], ORDER_TUPLE, &head))
        return false;
    if (i < 1 || (uint64_t)i > head.num_parts)
        return function_bad(run);
    *out = view_parts(&head);
    return view_skip(run, out, (uint64_t)i - 1);
}

static bool find_key(struct run *run, const struct view *args, struct view *value, bool *found)
{
    struct head head;
    if (!get_head(run, &args[1], ORDER_MAP, &head))
        return false;
    const struct view pairs = view_parts(&head);
    return view_find_key(run, &pairs, head.num_parts / 2, &args[0], value, found);
}

static bool is_map_key(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct view value;
    bool found;
    (void)num;
    return find_key(run, args, &value, &found) && function_return_bool(found, out);
}

static bool map_get(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    bool found;
    (void)num;
    return find_key(run, args, out, &found) && (found || function_bad(run));
}

/* binary_part(Bits, Pos, Len), or with {Pos, Len}; a negative Len counts backwards. A bit string is
 * allowed, but its last bits do not count. */
static bool binary_part(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct cursor bytes, part;
    uint64_t num_bits;
    int64_t at, len;
    struct view both[2];
    if (num == 2) {
        struct head head;
        if (!get_head(run, &args[1], ORDER_TUPLE, &head) || head.num_parts != 2)
            return function_bad(run);
        both[0] = both[1] = view_parts(&head);
        if (!view_skip(run, &both[1], 1))
            return false;
    } else {
        both[0] = args[1];
        both[1] = args[2];
    }
    if (!get_bits(run, args, &bytes, &num_bits) || !view_get_int(run, &both[0], &at) ||
        !view_get_int(run, &both[1], &len))
        return function_bad(run);
    bytes = cursor_first(bytes, (size_t)(num_bits / 8));
    if (len < 0 && (len < -(int64_t)cursor_left(&bytes) || __builtin_add_overflow(at, len, &at)))
        return function_bad(run);
    len = len < 0 ? -len : len;
    if (at < 0 || !cursor_skip(&bytes, (size_t)at) || !cursor_child(&bytes, (size_t)len, &part))
        return function_bad(run);
    *out = (struct view){.kind = VIEW_BITS, .at = part, .num = (uint64_t)len * 8};
    return true;
}

/* node_of returns the node of a pid, port or reference: the atom in it. */
static bool node_of(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    if (!view_read(run, args, &head))
        return false;
    const bool is_counted =
        head.view.kind == VIEW_TERM &&
        (head.token.tag == TERM_TAG_NEWER_REFERENCE || head.token.tag == TERM_TAG_NEW_REFERENCE);
    if ((head.order != ORDER_PID && head.order != ORDER_PORT && head.order != ORDER_REFERENCE) ||
        !cursor_skip(&head.view.at, is_counted ? 1 + 2 : 1))
        return function_bad(run);
    *out = view_at(head.view.at, &head.view.env);
    return true;
}

static bool pick(struct run *run, const struct view *args, int sign, struct view *out)
{
    int order;
    if (!view_compare(run, &args[0], &args[1], COMPARE_ORDER, &order))
        return false;
    *out = args[order * sign >= 0 ? 0 : 1];
    return true;
}

static bool run_max(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    (void)num;
    return pick(run, args, 1, out);
}

static bool run_min(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    (void)num;
    return pick(run, args, -1, out);
}

#define ARITHMETIC(name, which)                                                                    \
    static bool name(struct run *run, const struct view *args, uint32_t num, struct view *out)     \
    {                                                                                              \
        (void)num;                                                                                 \
        return arithmetic_apply(run, (which), args, out);                                          \
    }

ARITHMETIC(take_abs, ABS)
ARITHMETIC(take_trunc, TRUNC)
ARITHMETIC(take_round, ROUND)
ARITHMETIC(take_floor, FLOOR)
ARITHMETIC(take_ceil, CEIL)
ARITHMETIC(take_float, TO_FLOAT)

static const struct guard_function lines[] = {
    {"is_map_key", 2, 2, is_map_key},
    {"abs", 1, 1, take_abs},
    {"binary_part", 2, 3, binary_part},
    {"bit_size", 1, 1, bit_size},
    {"byte_size", 1, 1, byte_size},
    {"ceil", 1, 1, take_ceil},
    {"element", 2, 2, element},
    {"float", 1, 1, take_float},
    {"floor", 1, 1, take_floor},
    {"hd", 1, 1, hd},
    {"length", 1, 1, length},
    {"map_get", 2, 2, map_get},
    {"map_size", 1, 1, map_size},
    {"max", 2, 2, run_max},
    {"min", 2, 2, run_min},
    {"node", 1, 1, node_of},
    {"round", 1, 1, take_round},
    {"size", 1, 1, size},
    {"tl", 1, 1, tl},
    {"trunc", 1, 1, take_trunc},
    {"tuple_size", 1, 1, tuple_size},
    {"self", 0, 0, NULL},
    {"node", 0, 0, NULL},
};

const struct guard_functions guard_part_functions = {lines, sizeof lines / sizeof lines[0]};

static const struct guard_functions *const tables[] = {&guard_type_functions,
                                                       &guard_part_functions};

const struct guard_function *guard_find_function(struct ds_text name, uint32_t num_args, bool *is_known)
{
    *is_known = false;
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (size_t i = 0; i < tables[t]->num; i++) {
            const struct guard_function *line = &tables[t]->lines[i];
            if (strlen(line->name) != name.len || memcmp(line->name, name.data, name.len) != 0)
                continue;
            *is_known = true;
            if (line->min_args <= num_args && line->max_args >= num_args)
                return line;
        }
    }
    return NULL;
}
