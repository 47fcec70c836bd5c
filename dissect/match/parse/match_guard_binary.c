/*
 * match_guard_binary.c - binaries with variables that a guard builds: <<Len:16, B/binary>>.
 *
 * The value on the stack is the binary so far; each segment pushes its value on top of it, and its
 * size if that is computed, and a step combines them. A binary of literals is a constant.
 */
#include "match/machine/match_bits.h"
#include "match/parse/match_guard_parse.h"

#include <distsniff/encode.h>
#include <stdlib.h>

/* read_constant reads a binary if it is a constant; otherwise it goes back to its <<. */
static bool read_constant(struct guard_parser *g, bool *complete)
{
    struct ds_match *match = g->match;
    struct lexer *lexer = g->lexer;
    const struct lexer before = *lexer;
    const size_t num_nodes = match->num_nodes, len = match->constants.len;
    size_t at, const_len;
    *complete = lexer_next(lexer) && parse_binary(g->p, true);
    if (!*complete) {
        const bool no_memory = lexer->error->column == 0 || match->constants.failed;
        *lexer = before;
        match->num_nodes = num_nodes;
        match->constants.len = len;
        return !no_memory || parse_no_memory(g->p);
    }
    return parse_fold(g->p, num_nodes, &at, &const_len) && guard_add_constant(g, at);
}

/* begin_binary pushes the empty binary. */
static bool begin_binary(struct guard_parser *g)
{
    struct ds_buffer *constants = &g->match->constants;
    const size_t at = constants->len;
    ds_encode_bits(constants, NULL, 0);
    return guard_add_constant(g, at);
}

bool guard_open_binary(struct guard_parser *g, bool *complete)
{
    if (!read_constant(g, complete))
        return false;
    return *complete ||
           (guard_push(g, WAIT_BINARY) != NULL && begin_binary(g) && lexer_next(g->lexer));
}

bool guard_is_segment(const struct guard_parser *g)
{
    size_t depth = g->depth;
    while (depth != 0 && g->waiting[depth - 1].kind == WAIT_OPERATOR &&
           g->waiting[depth - 1].tightness == TIGHT_UNARY)
        depth--;
    return depth != 0 && g->waiting[depth - 1].kind == WAIT_BINARY;
}

/* add_segment adds the step that combines num_args values. */
static bool add_segment(struct guard_parser *g, const struct bit_segment *segment, uint32_t num_args)
{
    if (!parse_add_segment(g->p, segment))
        return false;
    struct match_step *step = guard_add_step(g, STEP_SEGMENT);
    if (step == NULL)
        return false;
    step->at = g->match->num_segments - 1;
    step->num_args = num_args;
    g->num_values -= num_args - 1;
    guard_top(g)->phase = SEGMENT_WHOLE;
    return true;
}

/* add_chars makes a literal segment of the characters of a string. */
static bool add_chars(struct guard_parser *g, const uint32_t *chars, size_t num,
                      const struct bit_segment *as)
{
    struct ds_buffer *constants = &g->match->constants;
    struct bits bits = {0};
    for (size_t i = 0; i < num; i++) {
        uint8_t bytes[sizeof *chars];
        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)(chars[i] >> 8 * j);
        if (as->type >= SEGMENT_UTF8)
            bits_add_utf(&bits, chars[i], segment_utf_bits(as), as->is_little);
        else
            bits_add_integer(&bits, &(struct magnitude){bytes, sizeof bytes, false},
                             (unsigned)(as->size * as->unit), as->is_little);
    }
    const struct bit_segment literal = {
        .type = SEGMENT_LITERAL, .size = bits.num, .at = constants->len, .len = bits.bytes.len};
    buffer_add_bytes(constants, bits.bytes.data, bits.bytes.len);
    const bool failed = constants->failed || bits.bytes.failed;
    ds_buffer_free(&bits.bytes);
    return failed ? parse_no_memory(g->p) : add_segment(g, &literal, 1);
}

static bool read_string(struct guard_parser *g)
{
    struct lexer *lexer = g->lexer;
    const size_t num = lexer->num_chars;
    struct bit_segment as;
    uint32_t *chars = malloc((num + 1) * sizeof *chars);
    if (chars == NULL)
        return parse_no_memory(g->p);
    if (num != 0)
        memcpy(chars, lexer->chars, num * sizeof *chars);
    bool ok = lexer_next(lexer);
    const size_t at = lexer->token.at;
    ok = ok && parse_segment(g->p, true, &as);
    if (ok && (as.type == SEGMENT_FLOAT || as.type == SEGMENT_BITS ||
               as.size * as.unit > MATCH_MAX_LITERAL_BITS))
        ok = lexer_fail(g->lexer, at,
                        "expected integers of at most %d bits, or utf8, as the type "
                        "of a string",
                        MATCH_MAX_LITERAL_BITS);
    ok = ok && add_chars(g, chars, num, &as);
    free(chars);
    return ok;
}

bool guard_begin_part(struct guard_parser *g, bool *whole)
{
    struct lexer *lexer = g->lexer;
    const struct waiting *top = guard_top(g);
    *whole = false;
    if (top == NULL || top->kind != WAIT_BINARY)
        return true;
    if (top->phase == SEGMENT_SIZE)
        return lexer->token.kind == LEX_INTEGER || lexer->token.kind == LEX_VARIABLE ||
               lexer_is(lexer, "(") ||
               lexer_expected(lexer, "a size: an integer, a variable, or an expression in ( )");
    *whole = lexer->token.kind == LEX_STRING;
    return !*whole || read_string(g);
}

/* end_value is called after the value of a segment, or after its size. */
static bool end_value(struct guard_parser *g, bool has_size)
{
    struct bit_segment segment = {.size_kind = SIZE_STEPS};
    return parse_segment_types(g->p, has_size, guard_top(g)->at, &segment) &&
           add_segment(g, &segment, has_size ? 3 : 2);
}

bool guard_end_segment(struct guard_parser *g, bool *complete)
{
    struct lexer *lexer = g->lexer;
    if (!guard_reduce(g, TIGHT_UNARY))
        return false;
    struct waiting *top = guard_top(g);
    *complete = false;
    if (top->phase == SEGMENT_VALUE && lexer_is(lexer, ":")) {
        top->phase = SEGMENT_SIZE;
        if (!lexer_next(lexer))
            return false;
        top->at = lexer->token.at;
        return true;
    }
    if (top->phase != SEGMENT_WHOLE && !end_value(g, top->phase == SEGMENT_SIZE))
        return false;
    *complete = lexer_is(lexer, ">>");
    if (!*complete && !lexer_is(lexer, ","))
        return lexer_expected(lexer, ", or >>");
    g->depth -= *complete;
    top->phase = SEGMENT_VALUE;
    return lexer_next(lexer);
}
