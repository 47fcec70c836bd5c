/*
 * match_build_bits.c - builds binaries in a guard, a segment at a time: it copies the binary so far
 * and appends the bits of a value.
 */
#include "match/machine/match_bits.h"
#include "match/machine/match_program.h"

enum { MAX_SEGMENT_BITS = 1 << 20 };

static bool add_integer(struct run *run, const struct bit_segment *segment,
                        const struct number *number, uint64_t num_bits, struct bits *bits)
{
    uint8_t bytes[sizeof(uint64_t)];
    if (number->kind == NUMBER_FLOAT)
        return run_fail(run, RUN_BAD);
    struct magnitude integer = {bytes, sizeof bytes, number->integer < 0};
    if (number->kind == NUMBER_BIG) {
        integer.bytes = (const uint8_t *)number->big.digits;
        integer.len = value_big_len(&number->big);
        integer.negative = number->big.negative;
    } else {
        uint64_t word = (uint64_t)number->integer;
        word = integer.negative ? 0 - word : word;
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(word >> 8 * i);
    }
    bits_add_integer(bits, &integer, (unsigned)num_bits, segment->is_little);
    return true;
}

static bool add_number(struct run *run, const struct bit_segment *segment, const struct head *value,
                       uint64_t num_bits, struct bits *bits)
{
    struct number number;
    double real;
    bool ok;
    if (num_bits > MAX_SEGMENT_BITS)
        return run_fail(run, RUN_GAVE_UP);
    if (!run_step(run, num_bits / RUN_BITS_A_STEP) || !number_read(run, value, &number))
        return false;
    if (segment->type == SEGMENT_INTEGER) {
        ok = add_integer(run, segment, &number, num_bits, bits);
    } else {
        ok =
            (num_bits == 16 || num_bits == 32 || num_bits == 64) && number_to_float(&number, &real);
        if (ok)
            bits_add_float(bits, real, (unsigned)num_bits, segment->is_little);
    }
    number_free(&number);
    return ok || run_fail(run, RUN_BAD);
}

static bool add_character(struct run *run, const struct bit_segment *segment,
                          const struct view *value, struct bits *bits)
{
    int64_t code;
    if (!view_get_int(run, value, &code))
        return false;
    if (code < 0 || code > 0x10ffff || (code & ~0x7ff) == 0xd800)
        return run_fail(run, RUN_BAD);
    bits_add_utf(bits, (uint32_t)code, segment_utf_bits(segment), segment->is_little);
    return true;
}

/* add_bits appends a binary, or num_bits of it. */
static bool add_bits(struct run *run, const struct bit_segment *segment, const struct head *value,
                     uint64_t num_bits, struct bits *bits)
{
    struct cursor bytes;
    uint64_t has;
    if (!head_get_bits(value, &bytes, &has))
        return run_fail(run, RUN_BAD);
    if (segment->size_kind == SIZE_REST)
        num_bits = has;
    if (num_bits > has || num_bits % segment->unit != 0)
        return run_fail(run, RUN_BAD);
    const bool is_moved = bits->num % 8 != 0;
    if (!run_step(run, num_bits / (is_moved ? RUN_BITS_A_STEP : 8 * RUN_BYTES_A_STEP)))
        return false;
    bits_add_bits(bits, bytes, num_bits);
    return true;
}

static bool add_value(struct run *run, const struct bit_segment *segment, const struct view *args,
                      struct bits *bits)
{
    struct head head;
    int64_t size = (int64_t)segment->size;
    uint64_t num_bits;
    if (segment->type >= SEGMENT_UTF8)
        return add_character(run, segment, &args[0], bits);
    if (segment->size_kind == SIZE_STEPS && !view_get_int(run, &args[1], &size))
        return false;
    if (size < 0 || __builtin_mul_overflow((uint64_t)size, segment->unit, &num_bits))
        return run_fail(run, RUN_BAD);
    if (!view_read(run, &args[0], &head))
        return false;
    return segment->type == SEGMENT_BITS ? add_bits(run, segment, &head, num_bits, bits)
                                         : add_number(run, segment, &head, num_bits, bits);
}

static bool store(struct run *run, const struct bits *bits, struct view *out)
{
    const size_t len = bits->bytes.len;
    uint8_t *copy = bits->bytes.failed ? NULL : arena_alloc(&run->arena, len + 1);
    if (copy == NULL)
        return run_fail(run, RUN_NO_MEMORY);
    if (len != 0)
        memcpy(copy, bits->bytes.data, len);
    *out = (struct view){.kind = VIEW_BITS, .at = cursor_make(copy, len), .num = bits->num};
    return true;
}

bool build_segment(struct ds_match *match, const struct bit_segment *segment,
                   const struct view *args, struct view *out)
{
    struct run *run = &match->run;
    struct bits bits = {0};
    struct head before;
    struct cursor bytes;
    uint64_t num_bits;
    bool ok = view_read(run, &args[0], &before) && head_get_bits(&before, &bytes, &num_bits) &&
              run_step(run, num_bits / (8 * RUN_BYTES_A_STEP));
    if (ok) {
        bits_add_bits(&bits, bytes, num_bits);
        if (segment->type == SEGMENT_LITERAL)
            bits_add_bits(&bits, constant_view(match, segment->at, segment->len).at, segment->size);
        else
            ok = add_value(run, segment, &args[1], &bits);
    }
    ok = ok && store(run, &bits, out);
    ds_buffer_free(&bits.bytes);
    return ok;
}
