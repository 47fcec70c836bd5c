/*
 * value.h - the leaves of a term as numbers. erl_interface (ei) decodes rare ones; it knows nothing
 * of lengths, of the atom cache or of the end of memory. So each function requires a token that the
 * reader of term_token.h has checked, and only value.c and float_text.c include <ei.h>. For atoms
 * in UTF-8, strings and binaries use token.body.
 */
#ifndef DISSECT_VALUE_H
#define DISSECT_VALUE_H

#include "etf/term.h"
#include "util/byte_order.h"

/* A bignum's magnitude in digits of 16 bits, the lowest first, stored as bytes with the lowest
 * first on any machine. value_digit returns a digit as a number. */
struct value_big {
    bool negative;
    size_t num_digits;
    uint16_t *digits; /* release with value_big_free */
    uint16_t few[64];
};

static inline uint16_t value_digit(const struct value_big *big, size_t i)
{
    return le16toh(big->digits[i]);
}

static inline size_t value_big_len(const struct value_big *big)
{
    return big->num_digits * sizeof *big->digits;
}

struct value_pid {
    uint32_t id, serial, creation;
};

struct value_port {
    uint64_t id;
    uint32_t creation;
};

struct value_reference {
    uint32_t words[5]; /* in the order of the wire */
    unsigned num_words;
    uint32_t creation;
};

struct value_fun {
    struct cursor module; /* as on the wire: one atom, tag first */
    int64_t index, uniq;
};

/* value_get_i64 and value_get_u64 return false when the integer does not fit. */
bool value_get_i64(const struct term_token *token, int64_t *out);
bool value_get_u64(const struct term_token *token, uint64_t *out);

/* value_get_big decodes an integer of tag SMALL_BIG or LARGE_BIG; false if memory ran out. */
bool value_get_big(const struct term_token *token, struct value_big *out);
void value_big_free(struct value_big *big);

bool value_get_float(const struct term_token *token, double *out);

bool value_get_pid(const struct term_token *token, struct value_pid *out);
bool value_get_port(const struct term_token *token, struct value_port *out);
bool value_get_reference(const struct term_token *token, struct value_reference *out);
bool value_get_fun(const struct term_token *token, const struct term_env *env, struct value_fun *out);

/* value_get_bits decodes a bit string: its bytes, and how many bits of the last byte count. */
bool value_get_bits(const struct term_token *token, struct cursor *bytes, unsigned *last_bits);

/* value_get_latin1 converts the text of a latin-1 atom to UTF-8. out has VALUE_ATOM_LEN bytes. */
enum { VALUE_ATOM_LEN = 255 * 4 + 1 };
bool value_get_latin1(const struct cursor *text, char *out, size_t *len);

#endif
