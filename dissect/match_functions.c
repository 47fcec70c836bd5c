/*
 * match_functions.c - the functions of guards, one line each in the table at the end. What
 * Erlang raises badarg for has no value here either.
 */
#include "match_program.h"

static bool give_bool(bool value, struct view *out)
{
    *out = view_of_bool(value);
    return true;
}

static bool give_size(uint64_t size, struct view *out)
{
    *out = view_of_integer((int64_t)size);
    return true;
}

static bool bad(struct run *run)
{
    return run_fail(run, RUN_BAD);
}

/* Types: what a term of each order answers. */

static bool has_order(struct run *run, const struct view *args, uint32_t orders, struct view *out)
{
    struct head head;
    return view_read(run, args, &head) && give_bool((orders >> head.order & 1) != 0, out);
}

#define TYPE(name, orders)                                                                        \
    static bool name(struct run *run, const struct view *args, uint32_t num, struct view *out)    \
    {                                                                                              \
        (void)num;                                                                                 \
        return has_order(run, args, (orders), out);                                                \
    }

TYPE(is_atom, 1u << ORDER_ATOM)
TYPE(is_bitstring, 1u << ORDER_BITS)
TYPE(is_list, 1u << ORDER_LIST | 1u << ORDER_NIL)
TYPE(is_map, 1u << ORDER_MAP)
TYPE(is_number, 1u << ORDER_NUMBER)
TYPE(is_pid, 1u << ORDER_PID)
TYPE(is_port, 1u << ORDER_PORT)
TYPE(is_reference, 1u << ORDER_REFERENCE)
TYPE(is_tuple, 1u << ORDER_TUPLE)

static bool is_float_head(const struct head *head)
{
    return head->view.kind == VIEW_TERM && head->token.class == TERM_FLOAT;
}

static bool is_float(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    return view_read(run, args, &head) && give_bool(is_float_head(&head), out);
}

static bool is_integer(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    return view_read(run, args, &head) &&
           give_bool(head.order == ORDER_NUMBER && !is_float_head(&head), out);
}

static bool is_binary(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    struct cursor bytes;
    uint64_t num_bits;
    (void)num;
    return view_read(run, args, &head) &&
           give_bool(head_get_bits(&head, &bytes, &num_bits) && num_bits % 8 == 0, out);
}

static const struct ds_text true_text = {"true", 4}, false_text = {"false", 5};

/* An unknown atom may be one of the two. */
static bool is_unknown_atom(const struct head *head)
{
    return head->order == ORDER_ATOM && head->token.atom != NULL &&
           head->token.atom->text == NULL;
}

static bool is_boolean(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    if (!view_read(run, args, &head) || is_unknown_atom(&head))
        return bad(run);
    return give_bool(view_is_atom(run, args, true_text) || view_is_atom(run, args, false_text),
                     out);
}

/* get_int reads an integer; one that takes more than 63 bits is bad, whatever it is for. */
static bool get_int(struct run *run, const struct view *view, int64_t *out)
{
    struct head head;
    struct number number;
    if (!view_read(run, view, &head) || !number_read(run, &head, &number))
        return false;
    const bool ok = number.kind == NUMBER_INT;
    *out = number.integer;
    number_free(&number);
    return ok || bad(run);
}

/* A fun has its arity behind its size; an export at its end. */
static bool is_function(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    int64_t wanted;
    uint8_t arity = 0;
    if (!view_read(run, args, &head))
        return false;
    const bool is_fun = head.order == ORDER_FUN || head.order == ORDER_EXPORT;
    if (num == 1)
        return give_bool(is_fun, out);
    struct view number = args[1];
    struct head arity_head;
    if (!view_read(run, &number, &arity_head) || arity_head.order != ORDER_NUMBER ||
        is_float_head(&arity_head) || !get_int(run, &number, &wanted) || wanted < 0)
        return bad(run);
    if (!is_fun)
        return give_bool(false, out);
    struct cursor c = head.token.bytes;
    const size_t len = cursor_left(&c);
    const size_t before = head.token.class == TERM_EXPORT ? len - 1
                          : head.token.tag == TERM_TAG_NEW_FUN ? 1 + 4
                                                                : len;
    if (!cursor_skip(&c, before) || !cursor_read_u8(&c, &arity))
        return bad(run); /* the old form does not say */
    return give_bool(arity == wanted, out);
}

static bool is_record(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head, name;
    int64_t size = 0;
    if (!view_read(run, &args[1], &name) || name.order != ORDER_ATOM ||
        (num == 3 && (!get_int(run, &args[2], &size) || size < 1)))
        return bad(run);
    if (!view_read(run, args, &head))
        return false;
    if (head.order != ORDER_TUPLE || head.token.num_terms == 0 ||
        (num == 3 && head.token.num_terms != (uint64_t)size))
        return give_bool(false, out);
    const struct view first = view_at(head.rest, &head.view.env);
    int order;
    return view_compare(run, &first, &args[1], COMPARE_SAME, &order) && give_bool(order == 0, out);
}

/* Sizes. */

static bool get_head(struct run *run, const struct view *view, enum order order, struct head *out)
{
    return view_read(run, view, out) && (out->order == order || bad(run));
}

static bool get_bits(struct run *run, const struct view *view, struct cursor *bytes,
                     uint64_t *num_bits)
{
    struct head head;
    return view_read(run, view, &head) && (head_get_bits(&head, bytes, num_bits) || bad(run));
}

static bool tuple_size(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    return get_head(run, args, ORDER_TUPLE, &head) && give_size(head.token.num_terms, out);
}

static bool map_size(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    return get_head(run, args, ORDER_MAP, &head) && give_size(head.token.num_terms / 2, out);
}

static bool bit_size(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct cursor bytes;
    uint64_t num_bits;
    (void)num;
    return get_bits(run, args, &bytes, &num_bits) && give_size(num_bits, out);
}

static bool byte_size(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct cursor bytes;
    uint64_t num_bits;
    (void)num;
    return get_bits(run, args, &bytes, &num_bits) && give_size((num_bits + 7) / 8, out);
}

/* size is of tuples and of binaries, whose last bits do not count. */
static bool size(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    struct cursor bytes;
    uint64_t num_bits;
    if (!view_read(run, args, &head))
        return false;
    if (head.order == ORDER_TUPLE)
        return tuple_size(run, args, num, out);
    return (head_get_bits(&head, &bytes, &num_bits) || bad(run)) && give_size(num_bits / 8, out);
}

static bool length(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct view rest = *args, first;
    struct head head;
    uint64_t len = 0;
    (void)num;
    for (; view_read(run, &rest, &head); len++) {
        if (head.order == ORDER_NIL)
            return give_size(len, out);
        if (head.order != ORDER_LIST)
            return bad(run);
        if (!view_split(run, &head, &first, &rest))
            return false;
    }
    return false;
}

/* Parts. */

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
    if (!get_int(run, &args[0], &i) || !get_head(run, &args[1], ORDER_TUPLE, &head))
        return false;
    if (i < 1 || (uint64_t)i > head.token.num_terms)
        return bad(run);
    *out = view_at(head.rest, &head.view.env);
    return view_skip(run, &out->at, &out->env, (uint64_t)i - 1);
}

static bool find_key(struct run *run, const struct view *args, struct view *value, bool *found)
{
    struct head head;
    return get_head(run, &args[1], ORDER_MAP, &head) &&
           view_find_key(run, head.rest, &head.view.env, head.token.num_terms / 2, &args[0], value,
                         found);
}

static bool is_map_key(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct view value;
    bool found;
    (void)num;
    return find_key(run, args, &value, &found) && give_bool(found, out);
}

static bool map_get(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    bool found;
    (void)num;
    return find_key(run, args, out, &found) && (found || bad(run));
}

/* binary_part(Bytes, At, Len), or with {At, Len}; a negative Len counts backwards. */
static bool binary_part(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct cursor bytes, part;
    uint64_t num_bits;
    int64_t at, len;
    struct view both[2];
    if (num == 2) {
        struct head head;
        if (!get_head(run, &args[1], ORDER_TUPLE, &head) || head.token.num_terms != 2)
            return bad(run);
        both[0] = both[1] = view_at(head.rest, &head.view.env);
        if (!view_skip(run, &both[1].at, &both[1].env, 1))
            return false;
    } else {
        both[0] = args[1];
        both[1] = args[2];
    }
    if (!get_bits(run, args, &bytes, &num_bits) || num_bits % 8 != 0 ||
        !get_int(run, &both[0], &at) || !get_int(run, &both[1], &len))
        return bad(run);
    if (len < 0 && (len < -(int64_t)cursor_left(&bytes) || __builtin_add_overflow(at, len, &at)))
        return bad(run);
    len = len < 0 ? -len : len;
    if (at < 0 || !cursor_skip(&bytes, (size_t)at) || !cursor_child(&bytes, (size_t)len, &part))
        return bad(run);
    *out = (struct view){.kind = VIEW_BITS, .at = part, .num = (uint64_t)len * 8};
    return true;
}

/* The node of a pid, port or reference: the atom that stands in it. */
static bool node_of(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    if (!view_read(run, args, &head))
        return false;
    const bool is_counted = head.view.kind == VIEW_TERM &&
                            (head.token.tag == TERM_TAG_NEWER_REFERENCE ||
                             head.token.tag == TERM_TAG_NEW_REFERENCE);
    if ((head.order != ORDER_PID && head.order != ORDER_PORT && head.order != ORDER_REFERENCE) ||
        !cursor_skip(&head.view.at, is_counted ? 1 + 2 : 1))
        return bad(run);
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

static bool take_max(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    (void)num;
    return pick(run, args, 1, out);
}

static bool take_min(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    (void)num;
    return pick(run, args, -1, out);
}

#define ARITHMETIC(name, which)                                                                   \
    static bool name(struct run *run, const struct view *args, uint32_t num, struct view *out)    \
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

const struct guard_function guard_functions[] = {
    {"is_atom", 1, 1, is_atom},
    {"is_binary", 1, 1, is_binary},
    {"is_bitstring", 1, 1, is_bitstring},
    {"is_boolean", 1, 1, is_boolean},
    {"is_float", 1, 1, is_float},
    {"is_function", 1, 2, is_function},
    {"is_integer", 1, 1, is_integer},
    {"is_list", 1, 1, is_list},
    {"is_map", 1, 1, is_map},
    {"is_map_key", 2, 2, is_map_key},
    {"is_number", 1, 1, is_number},
    {"is_pid", 1, 1, is_pid},
    {"is_port", 1, 1, is_port},
    {"is_record", 2, 3, is_record},
    {"is_reference", 1, 1, is_reference},
    {"is_tuple", 1, 1, is_tuple},
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
    {"max", 2, 2, take_max},
    {"min", 2, 2, take_min},
    {"node", 1, 1, node_of},
    {"round", 1, 1, take_round},
    {"size", 1, 1, size},
    {"tl", 1, 1, tl},
    {"trunc", 1, 1, take_trunc},
    {"tuple_size", 1, 1, tuple_size},
    {"self", 0, 0, NULL},
    {"node", 0, 0, NULL},
};

const size_t guard_num_functions = sizeof guard_functions / sizeof guard_functions[0];
