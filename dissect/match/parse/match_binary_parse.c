/*
 * match_binary_parse.c - binaries and bit strings in patterns, as in Erlang:
 *
 *     <<"text">>  <<"text"/utf8>>  <<1, 2, 16#ffff:16/little>>  <<5:3>>  <<1.5/float>>
 *     <<"GET ", Rest/binary>>  <<Len:16, Body:Len/binary, _/bits>>
 *
 * Literal segments become bits at once, and neighbours one segment; if there are no others, the
 * whole is a constant. Literals that bits cannot represent exactly, such as floats and integers too
 * large for their segment, are compared with the decoded value.
 */
#include "match/machine/match_bits.h"
#include "match/parse/match_parse.h"

#include <distsniff/encode.h>
#include <stdlib.h>

struct binary {
    struct parser *p;
    bool is_constant;
    struct bits bits; /* literal, since the last other segment */
    size_t first;     /* its index */
    bool is_complete; /* no segment may follow */
};

/* end_literal makes a segment of the bits so far. */
static bool end_literal(struct binary *b)
{
    struct ds_buffer *constants = &b->p->match->constants;
    const struct bit_segment segment = {.type = SEGMENT_LITERAL,
                                        .size = b->bits.num,
                                        .at = constants->len,
                                        .len = b->bits.bytes.len};
    if (b->bits.num == 0)
        return true;
    buffer_add_bytes(constants, b->bits.bytes.data, b->bits.bytes.len);
    constants->failed |= b->bits.bytes.failed;
    b->bits.num = 0;
    b->bits.bytes.len = 0;
    return !constants->failed ? parse_add_segment(b->p, &segment) : parse_no_memory(b->p);
}

/* add_value adds a segment that is not literal. */
static bool add_value(struct binary *b, const struct bit_segment *segment)
{
    b->is_complete = segment->size_kind == SIZE_REST;
    return end_literal(b) && parse_add_segment(b->p, segment);
}

/* add_chars adds the characters of a string at position at of the text. */
static bool add_chars(struct binary *b, const uint32_t *chars, size_t num, size_t at,
                      const struct bit_segment *as)
{
    for (size_t i = 0; i < num; i++) {
        const uint8_t byte = (uint8_t)chars[i];
        if (as->type >= SEGMENT_UTF8)
            bits_add_utf(&b->bits, chars[i], segment_utf_bits(as), as->is_little);
        else if (chars[i] < 256)
            bits_add_bits(&b->bits, cursor_make(&byte, 1), 8);
        else
            return lexer_fail(&b->p->lexer, at, "expected characters below 256, or \"...\"/utf8");
    }
    return true;
}

static bool read_string(struct binary *b)
{
    struct lexer *lexer = &b->p->lexer;
    const size_t at = lexer->token.at, num = lexer->num_chars;
    struct bit_segment as;
    uint32_t *chars = malloc((num + 1) * sizeof *chars);
    if (chars == NULL)
        return parse_no_memory(b->p);
    if (num != 0)
        memcpy(chars, lexer->chars, num * sizeof *chars);
    bool ok = lexer_next(lexer);
    const size_t spec_at = lexer->token.at;
    ok = ok && parse_segment(b->p, true, &as);
    const bool is_plain = ok && as.type == SEGMENT_INTEGER && as.size * as.unit == 8;
    if (ok && !is_plain && as.type < SEGMENT_UTF8)
        ok = lexer_fail(lexer, spec_at,
                        "expected no size or type for a string but utf8, utf16 "
                        "or utf32");
    ok = ok && add_chars(b, chars, num, at, &as);
    free(chars);
    return ok;
}

enum { FEW = 4 };

/* read_magnitude reads an integer as ds_encode_integer wrote it; few is room for it. */
static struct magnitude read_magnitude(const uint8_t *term, uint8_t few[FEW])
{
    if (term[0] == TERM_TAG_INTEGER) {
        const bool negative = term[1] >= 0x80;
        for (int i = 0, carry = negative; i < FEW; i++) {
            const int byte = (negative ? 0xff - term[FEW - i] : term[FEW - i]) + carry;
            few[i] = (uint8_t)byte;
            carry = byte >> 8;
        }
        return (struct magnitude){few, FEW, negative};
    }
    if (term[0] == TERM_TAG_SMALL_INTEGER)
        return (struct magnitude){term + 1, 1, false};
    if (term[0] == TERM_TAG_SMALL_BIG)
        return (struct magnitude){term + 3, term[1], term[2] != 0};
    const size_t len = (size_t)term[3] << 8 | term[4]; /* 16 bits suffice: the text is short */
    return (struct magnitude){term + 6, len, term[5] != 0};
}

/* add_integer adds an integer as bits if these represent it exactly. */
static bool add_integer(struct binary *b, struct bit_segment *as)
{
    uint8_t few[FEW];
    const struct magnitude integer =
        read_magnitude((const uint8_t *)b->p->match->constants.data + as->at, few);
    const unsigned num = (unsigned)(as->size * as->unit);
    /* Building truncates an integer that does not fit; matching it always fails. */
    if (as->size_kind != SIZE_FIXED ||
        (!b->is_constant && !magnitude_fits(&integer, num, as->is_signed)))
        return add_value(b, as);
    bits_add_integer(&b->bits, &integer, num, as->is_little);
    return true;
}

/* make_float converts an integer that is not too large to a float. */
static bool make_float(struct binary *b, struct bit_segment *as)
{
    struct ds_buffer *constants = &b->p->match->constants;
    uint8_t few[FEW];
    const struct magnitude integer =
        read_magnitude((const uint8_t *)constants->data + as->at, few);
    double real = 0;
    if (integer.len > 6)
        return false;
    for (size_t i = integer.len; i-- != 0;)
        real = real * 256 + integer.bytes[i];
    as->at = constants->len;
    ds_encode_float(constants, integer.negative ? -real : real);
    as->len = constants->len - as->at;
    return true;
}

static bool read_number(struct binary *b, bool negative)
{
    struct lexer *lexer = &b->p->lexer;
    struct ds_buffer *constants = &b->p->match->constants;
    const bool is_float = lexer->token.kind == LEX_FLOAT;
    const size_t at = constants->len, text_at = lexer->token.at;
    struct bit_segment as;
    if (is_float)
        ds_encode_float(constants, negative ? -lexer->real : lexer->real);
    else
        ds_encode_integer(constants, negative, lexer->magnitude, lexer->magnitude_len);
    const size_t len = constants->len - at;
    if (constants->failed)
        return parse_no_memory(b->p);
    if (!lexer_next(lexer) || !parse_segment(b->p, b->is_constant, &as))
        return false;
    if (as.size * as.unit > MATCH_MAX_LITERAL_BITS)
        return lexer_fail(lexer, text_at, "expected a literal of at most %d bits",
                          MATCH_MAX_LITERAL_BITS);
    as.kind = NODE_CONSTANT;
    as.at = at;
    as.len = len;
    if (as.type == SEGMENT_INTEGER && !is_float)
        return add_integer(b, &as);
    if (b->is_constant || as.type == SEGMENT_BITS || (is_float && as.type != SEGMENT_FLOAT))
        return lexer_fail(lexer, text_at, "expected an integer as a literal here");
    if (as.type == SEGMENT_FLOAT && !is_float && !make_float(b, &as))
        return lexer_fail(lexer, text_at, "expected a float, or an integer below 2^48");
    return add_value(b, &as);
}

static bool read_variable(struct binary *b)
{
    struct lexer *lexer = &b->p->lexer;
    const struct lex_token name = lexer->token;
    struct bit_segment segment;
    if (!lexer_next(lexer) || !parse_segment(b->p, false, &segment))
        return false;
    /* The name is only bound after its size: go back to it for a moment. */
    const struct lex_token behind = lexer->token;
    lexer->token = name;
    if (!parse_bind(b->p, &segment.kind, &segment.variable))
        return false;
    lexer->token = behind;
    return add_value(b, &segment);
}

static bool read_value(struct binary *b)
{
    struct lexer *lexer = &b->p->lexer;
    const bool negative = lexer_is(lexer, "-");
    const bool has_sign = negative || lexer_is(lexer, "+");
    if (has_sign && !lexer_next(lexer))
        return false;
    if (lexer->token.kind == LEX_INTEGER || lexer->token.kind == LEX_FLOAT)
        return read_number(b, negative);
    if (has_sign)
        return lexer_expected(lexer, "a number behind the sign");
    if (lexer->token.kind == LEX_STRING)
        return read_string(b);
    if (lexer->token.kind == LEX_VARIABLE && !b->is_constant)
        return read_variable(b);
    return lexer_expected(lexer, b->is_constant ? "a string or a number"
                                                : "a string, a number or a variable");
}

static bool read_segments(struct binary *b)
{
    struct lexer *lexer = &b->p->lexer;
    while (!lexer_is(lexer, ">>")) {
        if (!read_value(b))
            return false;
        if (lexer_is(lexer, ">>"))
            break;
        if (b->is_complete)
            return lexer_expected(lexer, ">> behind the rest of a binary");
        if (!lexer_is(lexer, ","))
            return lexer_expected(lexer, ", or >>");
        if (!lexer_next(lexer))
            return false;
        if (lexer_is(lexer, ">>"))
            return lexer_expected(lexer, "a segment");
    }
    return true;
}

static bool add_node(struct binary *b)
{
    struct ds_match *match = b->p->match;
    const bool is_literal = match->num_segments == b->first;
    if (b->bits.bytes.failed)
        return parse_no_memory(b->p);
    if (!is_literal && !end_literal(b))
        return false;
    struct match_node *node = parse_add_node(b->p, is_literal ? NODE_CONSTANT : NODE_BITS);
    if (node == NULL)
        return false;
    node->at = is_literal ? match->constants.len : b->first;
    node->num = (uint32_t)(match->num_segments - b->first);
    if (is_literal) {
        ds_encode_bits(&match->constants, b->bits.bytes.data, b->bits.num);
        node->len = match->constants.len - node->at;
    }
    return !match->constants.failed || parse_no_memory(b->p);
}

bool parse_binary(struct parser *p, bool is_constant)
{
    struct binary b = {.p = p, .is_constant = is_constant, .first = p->match->num_segments};
    const bool ok = read_segments(&b) && add_node(&b);
    ds_buffer_free(&b.bits.bytes);
    return ok && lexer_next(&p->lexer);
}
