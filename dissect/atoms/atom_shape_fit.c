/*
 * atom_shape_fit.c - see atom_shape_fit.h.
 */
#include "atom_shape_fit.h"

#include <math.h>

enum {
    LEAST_WHOLES = 5, /* shapes of the application that are to be seen before it is told by them */
    MISSES_OF_HITS = 32, /* atoms of a table that fits may be others once in so many */
    FEW_MISSES = 2,
};
static const double LEAST_SHARE = 0.5, ENOUGH_SHARE = 0.4; /* of all shapes; the latter to go on */
static const double DAMPED = 0.7; /* what one context more says of what it would say alone */
enum { SURE_NOVELTY = 24 };       /* -4 log2: such contexts hardly have another atom */

/* forget_contexts does it for all slots: numbers of contexts are those of one table. */
static void forget_contexts(struct atom_book *book)
{
    for (unsigned i = 0; book->shapes.slots != NULL && i < ATOM_BOOK_SLOTS; i++)
        book->shapes.slots[i].num = 0;
}

static bool is_fit(const struct book_shapes *shapes, int t, double share)
{
    return !shapes->is_refuted[t] && shapes->num_known[t] >= LEAST_WHOLES &&
           shapes->num_known[t] >= share * shapes->num_own;
}

static void choose(struct atom_book *book)
{
    struct book_shapes *shapes = &book->shapes;
    int best = shapes->table;
    if (best != SHAPE_TABLE_COMMON && !is_fit(shapes, best, ENOUGH_SHARE))
        best = SHAPE_TABLE_COMMON;
    for (int t = SHAPE_TABLE_COMMON + 1; t < SHAPE_TABLES_NUM; t++) {
        if (is_fit(shapes, t, LEAST_SHARE) &&
            (best == SHAPE_TABLE_COMMON ||
             shapes->num_known[t] > shapes->num_known[best] + shapes->num_known[best] / 8))
            best = t;
    }
    if (best == shapes->table)
        return;
    shapes->table = best;
    forget_contexts(book);
    book->generation++;
}

void shape_fit_see_whole(struct atom_book *book, uint32_t whole)
{
    struct book_shapes *shapes = &book->shapes;
    unsigned at = whole % SHAPE_WHOLES;
    bool is_known = false;
    if (whole == 0 || shapes->num_wholes >= SHAPE_WHOLES - SHAPE_WHOLES / 4)
        return;
    for (; shapes->wholes[at] != 0; at = (at + 1) % SHAPE_WHOLES) {
        if (shapes->wholes[at] == whole)
            return;
    }
    shapes->wholes[at] = whole;
    shapes->num_wholes++;
    if (shape_table_has_whole(&shape_tables[SHAPE_TABLE_COMMON], whole))
        return;
    for (int t = SHAPE_TABLE_COMMON + 1; t < SHAPE_TABLES_NUM; t++) {
        const bool has = shape_table_has_whole(&shape_tables[t], whole);
        shapes->num_known[t] += has;
        is_known = is_known || has;
    }
    shapes->num_own++;
    choose(book);
}

/* find_context returns the largest context that the table has, or SHAPE_NONE. */
static unsigned find_context(const struct shape_table *table, const uint32_t *keys, unsigned num)
{
    unsigned context = SHAPE_NONE;
    while (num != 0 && context == SHAPE_NONE)
        context = shape_table_find(table, keys[--num]);
    return context;
}

/* is_telling_more says whether a context tells more than another: it has fewer atoms, or hardly a new
 * one. */
static bool is_telling_more(const struct shape_table *table, unsigned a, unsigned b)
{
    const int more =
        (table->starts[a + 1] - table->starts[a]) - (table->starts[b + 1] - table->starts[b]);
    return more < 0 || (more == 0 && table->novelty[a] > table->novelty[b]);
}

/* add_context adds a context to those of a slot, which are sorted by how much they tell; *at is where.
 * False when others that tell as much are as many as are kept. */
static bool add_context(struct slot_shapes *s, const struct shape_table *table, unsigned context,
                        unsigned *at)
{
    unsigned last = s->num;
    if (s->num == SHAPE_CONTEXTS && !is_telling_more(table, context, s->context[--last]))
        return false;
    s->num = (uint8_t)(last + 1);
    for (; last > 0 && is_telling_more(table, context, s->context[last - 1]); last--) {
        s->context[last] = s->context[last - 1];
        s->seen_by[last] = s->seen_by[last - 1];
        s->times[last] = s->times[last - 1];
    }
    s->context[last] = (uint16_t)context;
    s->seen_by[last] = 0;
    s->times[last] = 0;
    *at = last;
    return true;
}

void shape_fit_see(struct atom_book *book, struct env *env, uint16_t slot, uint64_t direction,
                   const uint32_t *keys, unsigned num)
{
    struct book_shapes *shapes = &book->shapes;
    if (shapes->table == SHAPE_TABLE_COMMON || slot >= ATOM_BOOK_MODULUS || book->is_liar)
        return;
    const unsigned context = find_context(&shape_tables[shapes->table], keys, num);
    if (context == SHAPE_NONE || !atom_book_has_shapes(book, env))
        return;
    struct slot_shapes *s = &shapes->slots[slot];
    const uint16_t bit = atom_book_bit_of(book, direction);
    unsigned at = 0;
    while (at < s->num && s->context[at] != context)
        at++;
    if (at == s->num && !add_context(s, &shape_tables[shapes->table], context, &at))
        return;
    const bool is_new = (s->seen_by[at] & bit) != bit;
    s->seen_by[at] |= bit;
    s->times[at] += s->times[at] < UINT8_MAX;
    /* That it stands there often tells it from what rarely does: anew at each power of two. */
    if (book->slots != NULL && (is_new || (s->times[at] & (s->times[at] - 1)) == 0))
        book->slots[slot].is_judged = false;
}

void shape_fit_see_known(struct atom_book *book, struct ds_text text, const uint32_t *keys,
                         unsigned num)
{
    struct book_shapes *shapes = &book->shapes;
    if (shapes->table == SHAPE_TABLE_COMMON)
        return;
    const struct shape_table *table = &shape_tables[shapes->table];
    const unsigned context = find_context(table, keys, num);
    if (context == SHAPE_NONE || table->novelty[context] < SURE_NOVELTY)
        return;
    double share;
    const unsigned number = atom_table_find(text);
    if (number != ATOM_TABLE_NONE && shape_table_bits(table, context, number, &share) > 0)
        shapes->num_hits++;
    else if (++shapes->num_misses > FEW_MISSES && shapes->num_misses > shapes->num_hits / MISSES_OF_HITS) {
        shapes->is_refuted[shapes->table] = true;
        shapes->num_hits = shapes->num_misses = 0;
        choose(book);
    }
}

struct shape_weight shape_fit_weigh(const struct atom_book *book, uint16_t slot, unsigned text,
                                    uint16_t bit)
{
    const struct book_shapes *shapes = &book->shapes;
    struct shape_weight weight = {0, 0, 0};
    double part[2] = {1, 1};
    unsigned num_here = 0;
    const struct slot_shapes *s = &shapes->slots[slot];
    for (unsigned i = 0; i < s->num; i++) {
        const unsigned side = (s->seen_by[i] & bit) == 0;
        double rarity;
        const double x = shape_table_bits(&shape_tables[shapes->table], s->context[i], text, &rarity);
        *(side == 0 ? &weight.here : &weight.there) += x * part[side];
        part[side] *= DAMPED;
        weight.rarity += side == 0 ? rarity : 0;
        num_here += side == 0;
    }
    weight.rarity /= num_here != 0 ? num_here : 1;
    return weight;
}

double shape_fit_most_rarity(const struct atom_book *book, uint16_t slot)
{
    const struct slot_shapes *s = &book->shapes.slots[slot];
    unsigned times = 1;
    for (unsigned i = 0; i < s->num; i++)
        times = s->times[i] > times ? s->times[i] : times;
    return log2(times) + 1;
}
