/*
 * match_segments.c - matches binaries against the segments of a pattern, one after the other; see
 * match_program.h. A value is only decoded from the bits of a segment if the pattern uses it; a
 * binary that begins at a byte is not copied.
 */
#include "match/machine/match_bits.h"
#include "match/machine/match_program.h"
#include "util/utf8.h"

#include <math.h>

/* Longer integers would take too long. */
enum { MAX_INTEGER_BITS = 1 << 20 };

/* copy_bits copies bits to memory of the run, with one spare byte. */
static uint8_t *copy_bits(struct run *run, struct bit_reader *r, uint64_t num_bits)
{
    if (num_bits > r->left || !run_step(run, num_bits / (8 * RUN_BYTES_A_STEP)))
        return NULL;
    uint8_t *copy = arena_alloc(&run->arena, (size_t)(num_bits / 8) + 1);
    if (copy == NULL)
        run_fail(run, RUN_NO_MEMORY);
    return copy != NULL && bit_reader_get(r, num_bits, copy) ? copy : NULL;
}

static bool read_integer(struct run *run, struct bit_reader *r, const struct bit_segment *segment,
                         uint64_t num_bits, struct view *out)
{
    uint8_t few[sizeof(uint64_t)], *bytes = few;
    bool negative, got;
    if (num_bits > MAX_INTEGER_BITS)
        return num_bits <= r->left && run_fail(run, RUN_GAVE_UP);
    if (num_bits > 8 * sizeof few)
        got = (bytes = copy_bits(run, r, num_bits)) != NULL;
    else
        got = bit_reader_get(r, num_bits, few);
    if (!got)
        return false;
    size_t len = (size_t)((num_bits + 7) / 8);
    bits_to_magnitude(bytes, num_bits, segment->is_signed, segment->is_little, &negative);
    while (len != 0 && bytes[len - 1] == 0)
        len--;
    uint64_t magnitude = 0;
    for (size_t i = len; i-- != 0 && len <= sizeof magnitude;)
        magnitude = magnitude << 8 | bytes[i];
    if (len > sizeof magnitude || magnitude > INT64_MAX)
        return view_store_integer(run, bytes, len, negative, out);
    *out = view_of_integer(negative ? -(int64_t)magnitude : (int64_t)magnitude);
    return true;
}

/* half_to_float decodes a float of 16 bits: a sign, 5 bits of exponent, 10 of fraction. */
static double half_to_float(unsigned half)
{
    const unsigned exponent = half >> 10 & 31, fraction = half & 0x3ff;
    const double size = exponent == 31  ? INFINITY
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(fraction + 1024, (int)exponent - 25);
    return (half & 0x8000) != 0 ? -size : size;
}

/* read_float reads a float of 16, 32 or 64 bits; 0 bits are 0.0, as in Erlang. */
static bool read_float(struct run *run, struct bit_reader *r, const struct bit_segment *segment,
                       uint64_t num_bits, struct view *out)
{
    uint8_t bytes[sizeof(uint64_t)];
    uint64_t word = 0;
    bool negative;
    if ((num_bits != 0 && num_bits != 16 && num_bits != 32 && num_bits != 64) ||
        !bit_reader_get(r, num_bits, bytes))
        return false;
    bits_to_magnitude(bytes, num_bits, false, segment->is_little, &negative);
    for (size_t i = (size_t)num_bits / 8; i-- != 0;)
        word = word << 8 | bytes[i];
    const uint32_t low = (uint32_t)word;
    float single;
    double real;
    memcpy(&single, &low, sizeof single);
    memcpy(&real, &word, sizeof real);
    return view_store_float(run,
                            num_bits == 16   ? half_to_float(low)
                            : num_bits == 32 ? (double)single
                                             : real,
                            out);
}

static bool read_word(struct bit_reader *r, unsigned num_bits, bool is_little, uint32_t *out)
{
    uint8_t bytes[sizeof(uint32_t)];
    bool negative;
    if (!bit_reader_get(r, num_bits, bytes))
        return false;
    bits_to_magnitude(bytes, num_bits, false, is_little, &negative);
    *out = 0;
    for (size_t i = num_bits / 8; i-- != 0;)
        *out = *out << 8 | bytes[i];
    return true;
}

static bool read_utf8(struct bit_reader *r, uint32_t *out)
{
    uint8_t bytes[UTF8_LEN_MAX];
    struct bit_reader ahead = *r;
    const size_t len = r->left / 8 < sizeof bytes ? (size_t)(r->left / 8) : sizeof bytes;
    if (!bit_reader_get(&ahead, 8 * len, bytes))
        return false;
    struct cursor c = cursor_make(bytes, len);
    const struct cursor start = c;
    return utf8_read(&c, out) && bit_reader_skip(r, 8 * cursor_offset(&c, &start));
}

static bool read_utf16(struct bit_reader *r, bool is_little, uint32_t *out)
{
    uint32_t low;
    if (!read_word(r, 16, is_little, out) || (*out & 0xfc00) == 0xdc00)
        return false;
    if ((*out & 0xfc00) != 0xd800)
        return true;
    if (!read_word(r, 16, is_little, &low) || (low & 0xfc00) != 0xdc00)
        return false;
    *out = 0x10000 + ((*out & 0x3ff) << 10) + (low & 0x3ff);
    return true;
}

static bool read_character(struct bit_reader *r, const struct bit_segment *segment, struct view *out)
{
    uint32_t code = 0;
    const bool ok = segment->type == SEGMENT_UTF8    ? read_utf8(r, &code)
                    : segment->type == SEGMENT_UTF16 ? read_utf16(r, segment->is_little, &code)
                                                     : read_word(r, 32, segment->is_little, &code);
    *out = view_of_integer(code);
    return ok && code <= 0x10ffff && (code & ~0x7ffu) != 0xd800;
}

static bool read_bits(struct run *run, struct bit_reader *r, uint64_t num_bits, struct view *out)
{
    *out = (struct view){.kind = VIEW_BITS, .num = num_bits};
    if (bit_reader_view(r, num_bits, &out->at))
        return true;
    const uint8_t *copy = copy_bits(run, r, num_bits);
    if (copy != NULL)
        out->at = cursor_make(copy, (size_t)((num_bits + 7) / 8));
    return copy != NULL;
}

/* is_literal compares the next bits with those of the pattern. */
static bool is_literal(struct ds_match *match, struct bit_reader *r, const struct bit_segment *segment)
{
    const uint64_t num = segment->size;
    const struct view wanted = constant_view(match, segment->at, segment->len);
    struct bit_reader w = bit_reader_make(wanted.at, num);
    struct cursor a, b;
    if (bit_reader_view(r, num / 8 * 8, &a) && bit_reader_view(&w, num / 8 * 8, &b) &&
        cursor_left(&a) != 0 && memcmp(a.at, b.at, cursor_left(&a)) != 0)
        return false;
    while (w.left != 0) {
        const uint64_t some = w.left < 8 ? w.left : 8;
        uint8_t x, y;
        if (!bit_reader_get(r, some, &x) || !bit_reader_get(&w, some, &y) || x != y)
            return false;
    }
    return true;
}

/* get_size returns how many bits a segment has; false if its size is invalid. */
static bool get_size(struct ds_match *match, const struct bit_segment *segment, uint64_t left,
                     uint64_t *num_bits)
{
    struct view value;
    int64_t size = (int64_t)segment->size;
    *num_bits = left;
    if (segment->size_kind == SIZE_REST)
        return left % segment->unit == 0;
    if (segment->size_kind == SIZE_STEPS &&
        (!guard_compute(match, segment->first_step, segment->num_steps, &value) ||
         !view_get_int(&match->run, &value, &size)))
        return false;
    return size >= 0 && !__builtin_mul_overflow((uint64_t)size, segment->unit, num_bits);
}

static bool read_value(struct ds_match *match, struct bit_reader *r,
                       const struct bit_segment *segment, struct view *out)
{
    uint64_t num_bits = 0;
    if (segment->type >= SEGMENT_UTF8)
        return read_character(r, segment, out);
    if (!get_size(match, segment, r->left, &num_bits))
        return false;
    if (segment->type == SEGMENT_FLOAT)
        return read_float(&match->run, r, segment, num_bits, out);
    if (segment->kind == NODE_ANY)
        return bit_reader_skip(r, num_bits);
    return segment->type == SEGMENT_BITS ? read_bits(&match->run, r, num_bits, out)
                                         : read_integer(&match->run, r, segment, num_bits, out);
}

static bool match_segment(struct ds_match *match, struct bit_reader *r,
                          const struct bit_segment *segment)
{
    struct view value = {0};
    if (segment->type == SEGMENT_LITERAL)
        return is_literal(match, r, segment);
    if (!read_value(match, r, segment, &value))
        return false;
    if (segment->kind != NODE_CONSTANT)
        return match_variable(match, segment->kind, segment->variable, &value);
    const struct view wanted = constant_view(match, segment->at, segment->len);
    return view_is_same(&match->run, &wanted, &value);
}

bool match_segments(struct ds_match *match, const struct match_node *node, const struct view *value)
{
    struct head head;
    struct cursor bytes;
    uint64_t num_bits;
    if (!view_read(&match->run, value, &head) || !head_get_bits(&head, &bytes, &num_bits))
        return false;
    struct bit_reader r = bit_reader_make(bytes, num_bits);
    for (uint32_t i = 0; i < node->num; i++)
        if (!run_step(&match->run, 1) || !match_segment(match, &r, &match->segments[node->at + i]))
            return false;
    return r.left == 0;
}
