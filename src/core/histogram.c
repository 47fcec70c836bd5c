/*
 * histogram.c - see histogram.h. Pieces are numbered: the number of a value below 64 is the value; for
 * larger ones, the power of two and the five bits after the first one make the number.
 */
#include "core/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 5, PIECES = 1 << BITS };

static uint32_t piece_of(uint64_t value)
{
    if (value < 2 * PIECES)
        return (uint32_t)value;
    const unsigned shift = 63 - (unsigned)__builtin_clzll(value) - BITS;
    return shift * PIECES + (uint32_t)(value >> shift);
}

static uint64_t middle_of(uint32_t piece)
{
    if (piece < 2 * PIECES)
        return piece;
    const unsigned shift = piece / PIECES - 1;
    const uint64_t low = (uint64_t)(piece % PIECES + PIECES) << shift;
    return low + (((uint64_t)1 << shift) - 1) / 2;
}

/* cover makes room for a piece. Not inline: it is rarely needed. */
static __attribute__((noinline)) bool cover(struct histogram *h, uint32_t piece)
{
    const uint32_t first = h->num == 0 || piece < h->first ? piece : h->first;
    const uint32_t last = h->num == 0 || piece >= h->first + h->num ? piece : h->first + h->num - 1;
    uint64_t *counts = calloc(last - first + 1, sizeof *counts);
    if (counts == NULL)
        return false;
    if (h->num != 0)
        memcpy(counts + (h->first - first), h->counts, h->num * sizeof *counts);
    free(h->counts);
    h->counts = counts;
    h->first = first;
    h->num = last - first + 1;
    return true;
}

bool histogram_add(struct histogram *h, uint64_t value)
{
    const uint32_t piece = piece_of(value);
    if ((piece < h->first || piece >= h->first + h->num) && !cover(h, piece))
        return false;
    h->counts[piece - h->first]++;
    h->total++;
    return true;
}

bool histogram_add_many(struct histogram *h, uint64_t value, uint64_t num)
{
    const uint32_t piece = piece_of(value);
    if (num == 0)
        return true;
    if (!histogram_add(h, value))
        return false;
    h->counts[piece - h->first] += num - 1;
    h->total += num - 1;
    return true;
}

void histogram_piece(const struct histogram *h, uint32_t i, uint64_t *value, uint64_t *num)
{
    *value = middle_of(h->first + i);
    *num = h->counts[i];
}

uint64_t histogram_quantile(const struct histogram *h, double percent)
{
    const double wanted = ceil((double)h->total * percent / 100);
    uint64_t so_far = 0;
    for (uint32_t i = 0; i < h->num; i++) {
        so_far += h->counts[i];
        if (so_far != 0 && (double)so_far >= wanted)
            return middle_of(h->first + i);
    }
    return 0;
}

uint64_t histogram_count(const struct histogram *h, uint64_t low, uint64_t high)
{
    uint64_t num = 0;
    for (uint32_t i = 0; i < h->num; i++) {
        const uint64_t middle = middle_of(h->first + i);
        if (middle >= low && middle < high)
            num += h->counts[i];
    }
    return num;
}

void histogram_free(struct histogram *h)
{
    free(h->counts);
    *h = (struct histogram){0};
}
