/*
 * value.c - leaves decoded by erl_interface. Two things keep it safe. A leaf has been checked
 * byte by byte before, so that ei finds all it reads. And where a leaf holds an atom (pids,
 * ports, references, funs), ei gets a copy with a one-letter atom in its place: ei takes cache
 * references for something else, and the node has been read already.
 */
#include "value.h"
#include "term_token.h"

#include <ei.h>
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>

static const char *value_bytes(const struct cursor *leaf)
{
    return (const char *)leaf->at;
}

bool value_get_i64(const struct term_token *token, int64_t *out)
{
    int index = 0;
    EI_LONGLONG value;
    if (token->class != TERM_INTEGER || cursor_left(&token->body) > sizeof value ||
        ei_decode_longlong(value_bytes(&token->bytes), &index, &value) != 0)
        return false;
    *out = value;
    return true;
}

bool value_get_u64(const struct term_token *token, uint64_t *out)
{
    int index = 0;
    EI_ULONGLONG value;
    if (token->class != TERM_INTEGER || cursor_left(&token->body) > sizeof value ||
        ei_decode_ulonglong(value_bytes(&token->bytes), &index, &value) != 0)
        return false;
    *out = value;
    return true;
}

bool value_get_big(const struct term_token *token, struct value_big *out)
{
    size_t len = cursor_left(&token->body);
    out->num_digits = len / 2 + len % 2;
    out->digits = out->few;
    /* Its length is that of bytes which are there. */
    if (out->num_digits > sizeof out->few / sizeof out->few[0])
        out->digits = malloc(out->num_digits * sizeof *out->digits);
    if (out->digits == NULL)
        return false;
    if (out->num_digits != 0)
        out->digits[out->num_digits - 1] = 0; /* an odd byte fills half of it */
    int index = 0;
    erlang_big big = {.arity = (unsigned)len, .digits = out->digits};
    if (ei_decode_big(value_bytes(&token->bytes), &index, &big) != 0) {
        value_big_free(out);
        return false;
    }
    for (size_t i = 0; i < out->num_digits; i++)
        out->digits[i] = htole16(out->digits[i]);
    out->negative = big.is_neg != 0;
    return true;
}

void value_big_free(struct value_big *big)
{
    if (big->digits != big->few)
        free(big->digits);
    big->digits = NULL;
}

bool value_get_float(const struct term_token *token, double *out)
{
    int index = 0;
    if (token->tag == TERM_TAG_FLOAT)
        return value_float_text(&token->body, out);
    return token->tag == TERM_TAG_NEW_FLOAT &&
           ei_decode_double(value_bytes(&token->bytes), &index, out) == 0;
}

static bool value_read_digits(struct cursor *text)
{
    uint8_t c;
    bool any = false;
    while (cursor_peek_u8(text, &c) && c >= '0' && c <= '9' && cursor_skip(text, 1))
        any = true;
    return any;
}

static void value_read_sign(struct cursor *text)
{
    uint8_t c;
    if (cursor_peek_u8(text, &c) && (c == '+' || c == '-') && cursor_skip(text, 1))
        return;
}

/* ei reads the text with sscanf, which wants a NUL, takes more than Erlang does, and expects
 * the decimal point of the program's locale: so all three are seen to here. */
bool value_float_text(const struct cursor *text, double *out)
{
    const char *point = nl_langinfo(RADIXCHAR);
    char leaf[1 + TOKEN_FLOAT_LEN + 16] = {ERL_FLOAT_EXT};
    struct cursor c = *text;
    uint8_t byte;

    value_read_sign(&c);
    if (!value_read_digits(&c) || !cursor_read_u8(&c, &byte) || byte != '.')
        return false;
    size_t whole_len = cursor_offset(&c, text) - 1;
    struct cursor rest = c;
    if (!value_read_digits(&c))
        return false;
    if (cursor_peek_u8(&c, &byte) && (byte == 'e' || byte == 'E')) {
        if (!cursor_skip(&c, 1))
            return false;
        value_read_sign(&c);
        if (!value_read_digits(&c))
            return false;
    }
    if (cursor_read_u8(&c, &byte) && byte != 0) /* behind a NUL nobody looks */
        return false;

    size_t point_len = strlen(point);
    size_t rest_len = cursor_left(&rest);
    if (1 + whole_len + point_len + rest_len >= sizeof leaf)
        return false;
    memcpy(&leaf[1], text->at, whole_len);
    memcpy(&leaf[1 + whole_len], point, point_len);
    memcpy(&leaf[1 + whole_len + point_len], rest.at, rest_len);
    int index = 0;
    double value;
    if (ei_decode_double(leaf, &index, &value) != 0 || !isfinite(value))
        return false;
    *out = value;
    return true;
}

/* The copy of a leaf with its node replaced. A reference has the number of its words first. */
enum { VALUE_LEAF_LEN = 64 };

struct value_leaf {
    char bytes[VALUE_LEAF_LEN];
    size_t len;
};
_Static_assert(1 + 2 + 3 + 4 + 4 * TOKEN_REFERENCE_WORDS_MAX <= VALUE_LEAF_LEN,
               "the longest reference fits");

static void value_leaf_add(struct value_leaf *leaf, const void *bytes, size_t len)
{
    memcpy(&leaf->bytes[leaf->len], bytes, len);
    leaf->len += len;
}

/* value_leaf_add_numbers adds a node in the place of the token's own, and what follows. */
static void value_leaf_add_numbers(struct value_leaf *leaf, const struct term_token *token)
{
    static const char atom[] = {ERL_SMALL_ATOM_UTF8_EXT, 1, 'n'};
    value_leaf_add(leaf, atom, sizeof atom);
    value_leaf_add(leaf, token->body.at, cursor_left(&token->body));
}

bool value_get_pid(const struct term_token *token, struct value_pid *out)
{
    struct value_leaf leaf;
    erlang_pid pid;
    int index = 0;
    if (token->class != TERM_PID)
        return false;
    leaf.bytes[0] = (char)token->tag;
    leaf.len = 1;
    value_leaf_add_numbers(&leaf, token);
    if (ei_decode_pid(leaf.bytes, &index, &pid) != 0)
        return false;
    *out = (struct value_pid){pid.num, pid.serial, pid.creation};
    return true;
}

bool value_get_port(const struct term_token *token, struct value_port *out)
{
    struct value_leaf leaf;
    erlang_port port;
    int index = 0;
    if (token->class != TERM_PORT)
        return false;
    leaf.bytes[0] = (char)token->tag;
    leaf.len = 1;
    value_leaf_add_numbers(&leaf, token);
    if (ei_decode_port(leaf.bytes, &index, &port) != 0)
        return false;
    /* ei extends the sign of the older ids, which have 32 bits. */
    *out = (struct value_port){token->tag == TERM_TAG_V4_PORT ? port.id : (uint32_t)port.id,
                               port.creation};
    return true;
}

bool value_get_reference(const struct term_token *token, struct value_reference *out)
{
    struct value_leaf leaf;
    erlang_ref reference;
    int index = 0;
    if (token->class != TERM_REFERENCE)
        return false;
    if (token->tag == TERM_TAG_REFERENCE) {
        /* ei does not know this oldest form: one word, then the creation. */
        struct cursor numbers = token->body;
        uint8_t creation;
        *out = (struct value_reference){.num_words = 1};
        if (!cursor_read_u32(&numbers, &out->words[0]) || !cursor_read_u8(&numbers, &creation))
            return false;
        out->creation = creation;
        return true;
    }
    size_t creation_len = token->tag == TERM_TAG_NEWER_REFERENCE ? 4 : 1;
    leaf.bytes[0] = (char)token->tag;
    leaf.bytes[1] = 0;
    leaf.bytes[2] = (char)((cursor_left(&token->body) - creation_len) / 4);
    leaf.len = 3;
    value_leaf_add_numbers(&leaf, token);
    if (ei_decode_ref(leaf.bytes, &index, &reference) != 0 ||
        reference.len > TOKEN_REFERENCE_WORDS_MAX)
        return false;
    *out = (struct value_reference){.num_words = (unsigned)reference.len,
                                    .creation = reference.creation};
    for (unsigned i = 0; i < out->num_words; i++)
        out->words[i] = reference.n[i];
    return true;
}

static bool value_read_integer(struct cursor *at, int64_t *out)
{
    const struct term_env no_atoms = {0};
    struct term_token token;
    return term_read_token(at, &no_atoms, &token, NULL) == TERM_OK && value_get_i64(&token, out);
}

/* Of a fun only three parts are shown. ei_decode_fun would copy all free variables first, so
 * its parts are read one by one, and the integers decoded by ei. */
bool value_get_fun(const struct term_token *token, const struct term_env *env,
                   struct value_fun *out)
{
    const size_t before_module = 1 + 4 + 1 + 16 + 4 + 4;
    struct cursor c = token->bytes;
    struct term_token part;
    if (token->tag == TERM_TAG_FUN) {
        if (!cursor_skip(&c, 1 + 4) || term_read_token(&c, env, &part, NULL) != TERM_OK)
            return false;
    } else if (token->tag != TERM_TAG_NEW_FUN || !cursor_skip(&c, before_module)) {
        return false;
    }
    if (term_read_token(&c, env, &part, NULL) != TERM_OK)
        return false;
    out->module = part.bytes;
    return value_read_integer(&c, &out->index) && value_read_integer(&c, &out->uniq);
}

bool value_get_bits(const struct term_token *token, struct cursor *bytes, unsigned *last_bits)
{
    const char *first;
    unsigned offset;
    size_t num_bits;
    int index = 0;
    if (token->class != TERM_BIT_BINARY ||
        ei_decode_bitstring(value_bytes(&token->bytes), &index, &first, &offset, &num_bits) != 0)
        return false;
    *bytes = cursor_make(first, (num_bits + 7) / 8);
    *last_bits = num_bits % 8 != 0 || num_bits == 0 ? num_bits % 8 : 8;
    return true;
}

bool value_get_latin1(const struct cursor *text, char *out, size_t *len)
{
    char leaf[1 + 1 + TOKEN_ATOM_CHARS_MAX];
    int index = 0;
    struct cursor c = *text;
    uint8_t byte;
    if (cursor_left(text) > TOKEN_ATOM_CHARS_MAX)
        return false;
    leaf[0] = ERL_SMALL_ATOM_EXT;
    leaf[1] = (char)cursor_left(text);
    memcpy(&leaf[2], text->at, cursor_left(text));
    if (ei_decode_atom_as(leaf, &index, out, VALUE_ATOM_LEN, ERLANG_UTF8, NULL, NULL) != 0)
        return false;
    /* Not strlen: a NUL is a character like others. */
    *len = cursor_left(text);
    while (cursor_read_u8(&c, &byte))
        *len += byte >= 0x80;
    return true;
}
