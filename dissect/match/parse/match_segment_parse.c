/*
 * match_segment_parse.c - the part after the value of a segment: size and type.
 *
 *     [':' size] ['/' type {'-' type}]
 *     size    integer | Name | '(' expression ')'
 *     type    integer | float | binary | ... | signed | unsigned | big | little | unit ':' integer
 */
#include "match/parse/match_parse.h"

enum { MAX_SIZE = INT32_MAX };

/* The aspect that a word of the list sets: each may be given once, or repeated with the same
 * value. */
enum about { ABOUT_TYPE, ABOUT_SIGN, ABOUT_ORDER, ABOUT_UNIT, NUM_ABOUT };

static const struct word {
    const char *text;
    enum about about;
    int value;
    uint32_t unit, size; /* defaults of a type; size 0: the rest */
} words[] = {
    {"integer", ABOUT_TYPE, SEGMENT_INTEGER, 1, 8},
    {"float", ABOUT_TYPE, SEGMENT_FLOAT, 1, 64},
    {"binary", ABOUT_TYPE, SEGMENT_BITS, 8, 0},
    {"bytes", ABOUT_TYPE, SEGMENT_BITS, 8, 0},
    {"bitstring", ABOUT_TYPE, SEGMENT_BITS, 1, 0},
    {"bits", ABOUT_TYPE, SEGMENT_BITS, 1, 0},
    {"utf8", ABOUT_TYPE, SEGMENT_UTF8, 1, 0},
    {"utf16", ABOUT_TYPE, SEGMENT_UTF16, 1, 0},
    {"utf32", ABOUT_TYPE, SEGMENT_UTF32, 1, 0},
    {"unsigned", ABOUT_SIGN, false, 0, 0},
    {"signed", ABOUT_SIGN, true, 0, 0},
    {"big", ABOUT_ORDER, false, 0, 0},
    {"little", ABOUT_ORDER, true, 0, 0},
};

struct said {
    const struct word *words[NUM_ABOUT];
    uint32_t unit;  /* 0: not given */
    size_t unit_at; /* in the text */
    bool has_size;
    size_t size_at;
};

/* read_number reads an integer from min to max. */
static bool read_number(struct lexer *lexer, uint64_t min, uint64_t max, uint64_t *out,
                        const char *expected)
{
    *out = 0;
    for (size_t i = lexer->magnitude_len; i-- != 0 && *out <= max;)
        *out = *out << 8 | lexer->magnitude[i];
    if (lexer->token.kind != LEX_INTEGER || *out < min || *out > max)
        return lexer_expected(lexer, expected);
    return lexer_next(lexer);
}

static bool read_size(struct parser *p, bool only_fixed, struct bit_segment *out)
{
    struct lexer *lexer = &p->lexer;
    out->size_kind = SIZE_FIXED;
    if (only_fixed)
        return read_number(lexer, 0, MATCH_MAX_LITERAL_BITS, &out->size,
                           "a number of bits, at most 4096");
    if (lexer->token.kind == LEX_VARIABLE || lexer_is(lexer, "(")) {
        out->size_kind = SIZE_STEPS;
        return parse_expression(p, &out->first_step, &out->num_steps);
    }
    return read_number(lexer, 0, MAX_SIZE, &out->size,
                       "a size: an integer, a variable, or an expression in ( )");
}

static bool read_unit(struct lexer *lexer, struct said *said)
{
    uint64_t unit;
    said->unit_at = lexer->token.at;
    if (!lexer_next(lexer) || !lexer_is(lexer, ":"))
        return lexer_expected(lexer, ": and a number behind unit");
    if (!lexer_next(lexer) || !read_number(lexer, 1, 256, &unit, "a unit of 1 to 256"))
        return false;
    if (said->unit != 0 && said->unit != unit)
        return lexer_fail(lexer, said->unit_at, "expected one unit only");
    said->unit = (uint32_t)unit;
    return true;
}

static bool read_word(struct lexer *lexer, struct said *said)
{
    if (lexer_is(lexer, "unit"))
        return read_unit(lexer, said);
    if (lexer_is(lexer, "native"))
        return lexer_fail(lexer, lexer->token.at,
                          "expected big or little, not native: no packet tells which that is");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!lexer_is(lexer, words[i].text))
            continue;
        const struct word **before = &said->words[words[i].about];
        if (*before != NULL && (*before)->value != words[i].value)
            return lexer_fail(lexer, lexer->token.at, "expected no %s besides %s", words[i].text,
                              (*before)->text);
        *before = &words[i];
        return lexer_next(lexer);
    }
    return lexer_expected(lexer, "a type (integer, binary, utf8 ...), signed, little or unit:N");
}

/* settle applies the defaults for what was not given. */
static bool settle(struct lexer *lexer, const struct said *said, struct bit_segment *out)
{
    const struct word *type = said->words[ABOUT_TYPE] != NULL ? said->words[ABOUT_TYPE] : words;
    const bool is_utf = type->value >= SEGMENT_UTF8;
    out->type = (enum segment_type)type->value;
    out->is_signed = said->words[ABOUT_SIGN] != NULL && said->words[ABOUT_SIGN]->value != 0;
    out->is_little = said->words[ABOUT_ORDER] != NULL && said->words[ABOUT_ORDER]->value != 0;
    out->unit = said->unit != 0 ? said->unit : type->unit;
    if (is_utf && said->has_size)
        return lexer_fail(lexer, said->size_at, "expected no size for %s", type->text);
    if (is_utf && said->unit != 0)
        return lexer_fail(lexer, said->unit_at, "expected no unit for %s", type->text);
    if (said->unit != 0 && !said->has_size && out->type != SEGMENT_BITS)
        return lexer_fail(lexer, said->unit_at, "expected a size where there is a unit");
    if (out->type == SEGMENT_BITS && type->unit == 1 && out->unit != 1)
        return lexer_fail(lexer, said->unit_at, "expected no unit for %s", type->text);
    if (!said->has_size) {
        out->size = type->size;
        out->size_kind = out->type == SEGMENT_BITS ? SIZE_REST : SIZE_FIXED;
    }
    return true;
}

bool parse_segment_types(struct parser *p, bool has_size, size_t size_at, struct bit_segment *out)
{
    struct lexer *lexer = &p->lexer;
    struct said said = {.has_size = has_size, .size_at = size_at};
    bool more = lexer_is(lexer, "/");
    while (more) {
        if (!lexer_next(lexer) || !read_word(lexer, &said))
            return false;
        more = lexer_is(lexer, "-");
    }
    return settle(lexer, &said, out);
}

bool parse_segment(struct parser *p, bool only_fixed, struct bit_segment *out)
{
    struct lexer *lexer = &p->lexer;
    const bool has_size = lexer_is(lexer, ":");
    *out = (struct bit_segment){.kind = NODE_ANY};
    if (has_size && !lexer_next(lexer))
        return false;
    const size_t size_at = lexer->token.at;
    if (has_size && !read_size(p, only_fixed, out))
        return false;
    return parse_segment_types(p, has_size, size_at, out);
}
