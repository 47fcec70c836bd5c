/*
 * match_leaf.c - the order of terms without elements, and of the heads of other terms: numbers,
 * atoms, pids, ports, references, funs, bit strings. As in Erlang.
 */
#include "match/machine/match_view.h"

#include <distsniff/identity.h>

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
        return true; /* whether it is known or not */
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

/* compare_words compares numbers, the last word first; missing words are 0. */
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

/* order_port moves the high word of a port, if it has one, after the low one. */
static void order_port(struct ds_identity *of)
{
    const uint32_t high = of->num_words > 1 ? of->word[0] : 0;
    of->word[0] = of->word[of->num_words - 1];
    of->word[1] = high;
    of->num_words = 2;
}

/* compare_identities compares the node first for ports and references, the numbers first for pids. */
static bool compare_identities(struct run *run, const struct head *a, const struct head *b, int *order)
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

/* compare_funs compares module, index and uniq; the caller compares the variables. */
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

bool leaf_compare(struct run *run, const struct head *a, const struct head *b,
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
            return true; /* the caller compares their sizes, which decide */
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
