/*
 * match_types.c - the type tests of guards, one line each in the table at the end.
 */
#include "match/machine/match_functions.h"

static bool has_order(struct run *run, const struct view *args, uint32_t orders, struct view *out)
{
    struct head head;
    return view_read(run, args, &head) && function_return_bool((orders >> head.order & 1) != 0, out);
}

#define TYPE(name, orders)                                                                         \
    static bool name(struct run *run, const struct view *args, uint32_t num, struct view *out)     \
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

static bool is_float(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    return view_read(run, args, &head) && function_return_bool(head_is_float(&head), out);
}

static bool is_integer(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    return view_read(run, args, &head) &&
           function_return_bool(head.order == ORDER_NUMBER && !head_is_float(&head), out);
}

static bool is_binary(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    struct cursor bytes;
    uint64_t num_bits;
    (void)num;
    return view_read(run, args, &head) &&
           function_return_bool(head_get_bits(&head, &bytes, &num_bits) && num_bits % 8 == 0, out);
}

static const struct ds_text true_text = {"true", 4}, false_text = {"false", 5};

/* is_unknown_atom: such an atom may be true or false. */
static bool is_unknown_atom(const struct head *head)
{
    return head->order == ORDER_ATOM && head->token.atom != NULL &&
           !ds_atom_has_name(head->token.atom->state);
}

static bool is_boolean(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    (void)num;
    if (!view_read(run, args, &head) || is_unknown_atom(&head))
        return function_bad(run);
    return function_return_bool(
        view_is_atom(run, args, true_text) || view_is_atom(run, args, false_text), out);
}

/* is_function: a fun has its arity after its size; an export at its end. */
static bool is_function(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head;
    int64_t wanted;
    uint8_t arity = 0;
    if (!view_read(run, args, &head))
        return false;
    const bool is_fun = head.order == ORDER_FUN || head.order == ORDER_EXPORT;
    if (num == 1)
        return function_return_bool(is_fun, out);
    struct view number = args[1];
    struct head arity_head;
    if (!view_read(run, &number, &arity_head) || arity_head.order != ORDER_NUMBER ||
        head_is_float(&arity_head) || !view_get_int(run, &number, &wanted) || wanted < 0)
        return function_bad(run);
    if (!is_fun)
        return function_return_bool(false, out);
    struct cursor c = head.token.bytes;
    const size_t len = cursor_left(&c);
    const size_t before = head.token.class == TERM_EXPORT      ? len - 1
                          : head.token.tag == TERM_TAG_NEW_FUN ? 1 + 4
                                                               : len;
    if (!cursor_skip(&c, before) || !cursor_read_u8(&c, &arity))
        return function_bad(run); /* the old form does not contain it */
    return function_return_bool(arity == wanted, out);
}

static bool is_record(struct run *run, const struct view *args, uint32_t num, struct view *out)
{
    struct head head, name;
    int64_t size = 0;
    if (!view_read(run, &args[1], &name) || name.order != ORDER_ATOM ||
        (num == 3 && (!view_get_int(run, &args[2], &size) || size < 1)))
        return function_bad(run);
    if (!view_read(run, args, &head))
        return false;
    if (head.order != ORDER_TUPLE || head.num_parts == 0 ||
        (num == 3 && head.num_parts != (uint64_t)size))
        return function_return_bool(false, out);
    const struct view first = view_parts(&head);
    int order;
    return view_compare(run, &first, &args[1], COMPARE_SAME, &order) &&
           function_return_bool(order == 0, out);
}

static const struct guard_function lines[] = {
    {"is_atom", 1, 1, is_atom},
    {"is_binary", 1, 1, is_binary},
    {"is_bitstring", 1, 1, is_bitstring},
    {"is_boolean", 1, 1, is_boolean},
    {"is_float", 1, 1, is_float},
    {"is_function", 1, 2, is_function},
    {"is_integer", 1, 1, is_integer},
    {"is_list", 1, 1, is_list},
    {"is_map", 1, 1, is_map},
    {"is_number", 1, 1, is_number},
    {"is_pid", 1, 1, is_pid},
    {"is_port", 1, 1, is_port},
    {"is_record", 2, 3, is_record},
    {"is_reference", 1, 1, is_reference},
    {"is_tuple", 1, 1, is_tuple},
};

const struct guard_functions guard_type_functions = {lines, sizeof lines / sizeof lines[0]};
