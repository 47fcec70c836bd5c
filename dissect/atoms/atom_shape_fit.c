/*
 * atom_shape_fit.c - see atom_shape_fit.h.
 */
#include "atoms/atom_shape_fit.h"

#include <math.h>

enum {
    LEAST_WHOLES = 5, /* shapes of the application that are to be seen before it is told by them */
    MISSES_OF_HITS = 8, /* in one of so many contexts of a table that fits may stand others */
    FEW_MISSES = 2,
};
static const double LEAST_SHARE = 0.5, ENOUGH_SHARE = 0.4; /* of all shapes; the latter to go on */
static const double DAMPED = 0.7; /* what one context more says of what it would say alone */
static const double MOST_RARE = 5; /* bits that it says at most of an atom where it stands, or not */
/* As far as that speaks against it: more, where nothing around it is new. */
static const double MOST_SURPRISE = 8, MOST_SURPRISE_WHOLE = 12;
enum { SURE_NOVELTY = 24 };       /* -4 log2: such contexts hardly have another atom, */
enum { RARE_NOVELTY = 16, LEAST_NOVELTY = 4 }; /* rarely; and where users' own names stand */

/* forget_contexts does it for all slots: numbers of contexts are those of one table. */
static void forget_contexts(struct node_atoms *book)
{
    for (unsigned i = 0; book->shapes.slots != NULL && i < ATOM_BOOK_SLOTS; i++)
        book->shapes.slots[i].num = 0;
    if (book->shapes.times != NULL)
        memset(book->shapes.times, 0, shape_tables_most() * sizeof *book->shapes.times);
}

static bool is_fit(const struct book_shapes *shapes, int t, double share)
{
    return !shapes->is_refuted[t] && shapes->num_known[t] >= LEAST_WHOLES &&
           shapes->num_known[t] >= share * shapes->num_own;
}

static void choose(struct node_atoms *book)
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
    shapes->num_hits = shapes->num_misses = 0;
    memset(shapes->hits, 0, sizeof shapes->hits);
    memset(shapes->misses, 0, sizeof shapes->misses);
    forget_contexts(book);
    book->generation++;
}

void shape_fit_see_whole(struct node_atoms *book, uint32_t whole)
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

/* find_context returns the largest context that the table has, or SHAPE_NONE; *is_whole: none is
 * larger. */
static unsigned find_context(const struct shape_table *table, const uint32_t *keys, unsigned num,
                             bool *is_whole)
{
    unsigned context = SHAPE_NONE, left = num;
    while (left != 0 && context == SHAPE_NONE)
        context = shape_table_find(table, keys[--left]);
    *is_whole = left + 1 == num;
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

void shape_fit_see(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot,
                   uint64_t direction,
                   const uint32_t *keys, unsigned num)
{
    struct book_shapes *shapes = &book->shapes;
    if (shapes->table == SHAPE_TABLE_COMMON || slot >= ATOM_BOOK_MODULUS || book->is_liar)
        return;
    bool is_whole;
    const unsigned context = find_context(&shape_tables[shapes->table], keys, num, &is_whole);
    if (context == SHAPE_NONE || !node_atoms_has_shapes(book, env))
        return;
    struct slot_shapes *s = &shapes->slots[slot];
    const uint16_t bit = node_atoms_bit_of(book, direction);
    unsigned at = 0;
    while (at < s->num && s->context[at] != context)
        at++;
    /* What is full counts no further, so that the parts of it stay what they are. */
    const bool is_counted = shapes->times[context] < UINT16_MAX;
    shapes->times[context] += is_counted;
    if (at == s->num && !add_context(s, &shape_tables[shapes->table], context, &at))
        return;
    const bool is_new = (s->seen_by[at] & bit) != bit;
    s->seen_by[at] |= bit;
    s->times[at] += is_counted;
    s->is_whole = s->is_whole || is_whole;
    /* That it stands there often tells it from what rarely does: anew at each power of two. */
    if (book->slots != NULL && (is_new || (s->times[at] & (s->times[at] - 1)) == 0))
        book->slots[slot].is_judged = false;
}

/* is_first takes note of a context; false: that was done before. */
static bool is_first(uint32_t *told, unsigned context)
{
    const unsigned at = context % SHAPE_TOLD;
    const uint32_t before = told[at / 32];
    told[at / 32] |= 1u << at % 32;
    return told[at / 32] != before;
}

void shape_fit_see_known(struct node_atoms *book, struct ds_text text, const uint32_t *keys,
                         unsigned num)
{
    struct book_shapes *shapes = &book->shapes;
    if (shapes->table == SHAPE_TABLE_COMMON)
        return;
    const struct shape_table *table = &shape_tables[shapes->table];
    bool is_whole;
    const unsigned context = find_context(table, keys, num, &is_whole);
    if (context == SHAPE_NONE || table->novelty[context] < SURE_NOVELTY)
        return;
    double share;
    const unsigned number = atom_table_find(text);
    /* A message may say the same many times, and so may a list of what is new. */
    if (number != ATOM_TABLE_NONE && shape_table_bits(table, context, number, &share) > 0)
        shapes->num_hits += is_first(shapes->hits, context);
    else
        shapes->num_misses += is_first(shapes->misses, context);
    if (shapes->num_misses > FEW_MISSES && shapes->num_misses > shapes->num_hits / MISSES_OF_HITS) {
        shapes->is_refuted[shapes->table] = true;
        choose(book);
    }
}

/* surprise_of returns how many bits it speaks against an atom, which is what stands in a context once in
 * 2^rarity times, that a slot stands there in some of all times. Many times say less than as many contexts
 * would. */
static double surprise_of(double rarity, unsigned times, unsigned all)
{
    /* -log2(1 - 2^-rarity), for each half a bit from a quarter on */
    static const double otherwise[] = {2.65, 1.32, 0.76, 0.46, 0.29, 0.19, 0.13, 0.09, 0.06, 0.05, 0.03};
    const unsigned at = (unsigned)(2 * rarity);
    const double part = (double)times / all;
    const double others = rarity < 0.125 ? MOST_RARE : at <= 10 ? otherwise[at] : 0;
    return (1 + log2(all)) * (part * (rarity < MOST_RARE ? rarity : MOST_RARE) + (1 - part) * others);
}

/* bits_of returns how many bits a context says for an atom. Where users' own names stand, most clusters
 * have another one, and the same name stands in all such contexts: of contexts after the first one that
 * counts only as far as new atoms are rare there. */
static double bits_of(const struct shape_table *table, unsigned context, unsigned text, bool is_next,
                      double *rarity)
{
    const double bits = shape_table_bits(table, context, text, rarity);
    const unsigned novelty = table->novelty[context];
    if (!is_next || novelty >= RARE_NOVELTY)
        return bits;
    return bits * (novelty > LEAST_NOVELTY ? novelty : LEAST_NOVELTY) / RARE_NOVELTY;
}

struct shape_weight shape_fit_weigh(const struct node_atoms *book, uint16_t slot, unsigned text,
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
        const double x = bits_of(&shape_tables[shapes->table], s->context[i], text,
                                 part[side] < 1, &rarity);
        *(side == 0 ? &weight.here : &weight.there) += x * part[side];
        part[side] *= DAMPED;
        if (side == 0)
            weight.surprise += surprise_of(rarity, s->times[i], shapes->times[s->context[i]]);
        num_here += side == 0;
    }
    weight.surprise /= num_here != 0 ? num_here : 1;
    return weight;
}

double shape_fit_most_surprise(const struct node_atoms *book, uint16_t slot)
{
    return book->shapes.slots[slot].is_whole ? MOST_SURPRISE_WHOLE : MOST_SURPRISE;
}

double shape_fit_most_against_others(const struct node_atoms *book, uint16_t slot)
{
    const struct slot_shapes *s = &book->shapes.slots[slot];
    const double most = shape_fit_most_surprise(book, slot);
    unsigned times = 1;
    for (unsigned i = 0; i < s->num; i++)
        times = s->times[i] > times ? s->times[i] : times;
    const double told = 1 + 2.5 * log2(times);
    return told < most ? told : most;
}
