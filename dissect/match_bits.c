/*
 * match_bits.c - binaries and bit strings in patterns:
 *
 *     <<"text">>  <<"text"/utf8>>  <<1, 2, 16#ffff:16>>  <<5:3>>
 *     <<"begins with", Rest/binary>>  <<1, _/bitstring>>
 *
 * A segment is a string, a character for each byte or in UTF-8, or an integer of so many bits,
 * 8 of them when nothing else is said. The last one may be the rest.
 */
#include "match_encode.h"
#include "match_parse.h"
#include "utf8.h"

#include <stdlib.h>

struct bits {
    struct ds_buffer bytes;
    uint64_t num; /* bits so far; those of the last byte that are missing are 0 */
};

enum { MAX_SEGMENT_BITS = 4096 };

static void add_bit(struct bits *bits, unsigned bit)
{
    if (bits->num % 8 == 0)
        buffer_add_char(&bits->bytes, 0);
    if (!bits->bytes.failed)
        bits->bytes.data[bits->bytes.len - 1] |= (char)(bit << (7 - bits->num % 8));
    bits->num++;
}

static unsigned bit_of(const struct lexer *lexer, unsigned i)
{
    return i / 8 < lexer->magnitude_len ? lexer->magnitude[i / 8] >> i % 8 & 1 : 0;
}

/* add_integer adds the low num bits of the number of the lexer, the highest first. Those of a
 * negative one are turned round above the lowest that is set. */
static void add_integer(struct bits *bits, const struct lexer *lexer, bool negative, unsigned num)
{
    unsigned lowest = 0;
    while (negative && lowest < num && bit_of(lexer, lowest) == 0)
        lowest++;
    while (num-- != 0)
        add_bit(bits, bit_of(lexer, num) ^ (negative && num > lowest));
}

static void add_byte(struct bits *bits, uint8_t byte)
{
    for (int i = 7; i >= 0; i--)
        add_bit(bits, byte >> i & 1);
}

/* take_type reads /type if one stands here, which must be one of two. */
static bool take_type(struct parser *p, const char *one, const char *other, bool *is_other,
                      const char *expected)
{
    struct lexer *lexer = &p->lexer;
    *is_other = false;
    if (!lexer_is(lexer, "/"))
        return true;
    if (!lexer_next(lexer))
        return false;
    *is_other = lexer_is(lexer, other);
    if (!*is_other && !lexer_is(lexer, one))
        return lexer_expected(lexer, expected);
    return lexer_next(lexer);
}

static bool read_string(struct parser *p, struct bits *bits)
{
    struct lexer *lexer = &p->lexer;
    const size_t at = lexer->token.at, num = lexer->num_chars;
    uint32_t *chars = malloc((num + 1) * sizeof *chars);
    bool is_utf8 = false;
    if (chars == NULL)
        return parse_no_memory(p);
    if (num != 0)
        memcpy(chars, lexer->chars, num * sizeof *chars);
    bool ok = lexer_next(lexer) && take_type(p, "integer", "utf8", &is_utf8, "utf8");
    struct ds_buffer text = {0};
    for (size_t i = 0; i < num && ok; i++) {
        if (is_utf8)
            utf8_add(&text, chars[i]);
        else if (chars[i] < 256)
            buffer_add_char(&text, (char)chars[i]);
        else
            ok = lexer_fail(lexer, at, "expected characters below 256, or \"...\"/utf8");
    }
    for (size_t i = 0; i < text.len && ok && !text.failed; i++)
        add_byte(bits, (uint8_t)text.data[i]);
    bits->bytes.failed |= text.failed;
    ds_buffer_free(&text);
    free(chars);
    return ok;
}

static bool read_size(struct parser *p, unsigned *num)
{
    struct lexer *lexer = &p->lexer;
    *num = 0;
    for (size_t i = lexer->magnitude_len; i-- != 0 && *num <= MAX_SEGMENT_BITS;)
        *num = *num << 8 | lexer->magnitude[i];
    if (lexer->token.kind != LEX_INTEGER || *num > MAX_SEGMENT_BITS)
        return lexer_expected(lexer, "a number of bits, at most 4096");
    return lexer_next(lexer);
}

static bool read_integer(struct parser *p, struct bits *bits, bool negative)
{
    struct lexer *lexer = &p->lexer;
    const size_t len = lexer->magnitude_len;
    uint8_t *magnitude = malloc(len + 1);
    unsigned num = 8;
    if (magnitude == NULL)
        return parse_no_memory(p);
    if (len != 0)
        memcpy(magnitude, lexer->magnitude, len);
    bool ok = lexer_next(lexer);
    if (ok && lexer_is(lexer, ":"))
        ok = lexer_next(lexer) && read_size(p, &num);
    if (ok) {
        const struct lexer number = {.magnitude = magnitude, .magnitude_len = len};
        add_integer(bits, &number, negative, num);
    }
    free(magnitude);
    return ok;
}

/* read_rest reads Name/binary, the last segment. */
static bool read_rest(struct parser *p, const struct bits *bits)
{
    static const char types[] = "/binary or /bitstring behind the variable";
    struct lexer *lexer = &p->lexer;
    enum node_kind kind;
    uint32_t variable = 0;
    bool is_bits = false;
    if (bits->num % 8 != 0)
        return lexer_expected(lexer, "whole bytes before the rest of a binary");
    if (bits->bytes.failed)
        return parse_no_memory(p);
    if (!parse_bind(p, &kind, &variable) || !lexer_next(lexer))
        return false;
    if (!lexer_is(lexer, "/") || !lexer_next(lexer))
        return lexer_expected(lexer, types);
    is_bits = lexer_is(lexer, "bitstring") || lexer_is(lexer, "bits");
    if (!is_bits && !lexer_is(lexer, "binary") && !lexer_is(lexer, "bytes"))
        return lexer_expected(lexer, types);
    struct node *node = parse_add_node(p, NODE_PREFIX);
    if (node == NULL)
        return false;
    struct ds_buffer *constants = &p->match->constants;
    node->tail = kind;
    node->variable = variable;
    node->whole_bytes = !is_bits;
    node->at = constants->len;
    node->len = bits->bytes.len;
    buffer_add_bytes(constants, bits->bytes.data, bits->bytes.len);
    if (!lexer_next(lexer))
        return false;
    return lexer_is(lexer, ">>") || lexer_expected(lexer, ">> behind the rest");
}

/* read_segments reads up to >>. *is_prefix: the node has been added. */
static bool read_segments(struct parser *p, bool is_constant, struct bits *bits, bool *is_prefix)
{
    struct lexer *lexer = &p->lexer;
    *is_prefix = false;
    while (!lexer_is(lexer, ">>")) {
        const bool negative = lexer_is(lexer, "-");
        if (negative && !lexer_next(lexer))
            return false;
        if (lexer->token.kind == LEX_INTEGER) {
            if (!read_integer(p, bits, negative))
                return false;
        } else if (lexer->token.kind == LEX_STRING && !negative) {
            if (!read_string(p, bits))
                return false;
        } else if (lexer->token.kind == LEX_VARIABLE && !negative && !is_constant) {
            *is_prefix = true;
            return read_rest(p, bits);
        } else {
            return lexer_expected(lexer, is_constant
                                             ? "a string or an integer"
                                             : "a string, an integer, or the rest: Name/binary");
        }
        if (lexer_is(lexer, ">>"))
            break;
        if (!lexer_is(lexer, ","))
            return lexer_expected(lexer, ", or >>");
        if (!lexer_next(lexer))
            return false;
        if (lexer_is(lexer, ">>"))
            return lexer_expected(lexer, "a segment");
    }
    return true;
}

bool parse_bits(struct parser *p, bool is_constant)
{
    struct bits bits = {0};
    bool is_prefix;
    bool ok = read_segments(p, is_constant, &bits, &is_prefix);
    if (ok && bits.bytes.failed)
        ok = parse_no_memory(p);
    if (ok && !is_prefix) {
        struct ds_buffer *constants = &p->match->constants;
        struct node *node = parse_add_node(p, NODE_CONSTANT);
        ok = node != NULL;
        if (ok) {
            node->at = constants->len;
            encode_bits(constants, bits.bytes.data, bits.num);
            node->len = constants->len - node->at;
        }
    }
    if (ok && p->match->constants.failed)
        ok = parse_no_memory(p);
    ds_buffer_free(&bits.bytes);
    return ok && lexer_next(&p->lexer);
}
