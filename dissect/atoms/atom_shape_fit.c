/*
 * atom_shape_fit.c - see atom_shape_fit.h.
 */
#include "atoms/atom_shape_fit.h"

#include "atoms/atom_verdicts.h"
#include "atoms/shape_contexts.h"

#include <math.h>

enum {
    LEAST_WHOLES = 5, /* shapes of an application that identify it */
    LEAST_BESIDE = 2, /* likewise, if another node is known to run it */
    LEAST_COMMON = 8, /* likewise, of the common table */
    MISSES_OF_HITS = 8, /* refuted by more misses than one in so many hits, and than FEW_MISSES */
    FEW_MISSES = 2,
    LOOKED_AT = 64, /* messages alike that are all processed */
    STANDS_FOR = 8, /* then one of so many, on average */
};
static const double LEAST_SHARE = 0.5, ENOUGH_SHARE = 0.4; /* of all shapes; ENOUGH_SHARE to keep a table */
static const double PARTIAL_SHARE = 0.2; /* for a table that is only partly used */
static const double COMMON_SHARE = 0.3; /* of shapes in the common table */
static const double DAMPED = 0.7; /* factor for each further context, as they depend on each other */
static const double MOST_RARE = 5; /* limit of bits for an atom's presence or absence */
static const double COMMON = 3.5; /* bits: at least once in eleven times */
/* Limits for surprise against an atom: larger if its whole message is known. */
static const double MOST_SURPRISE = 8, MOST_SURPRISE_WHOLE = 12;
enum { SURE_NOVELTY = 24 };       /* -4 log2: such contexts hardly have other atoms */
enum { RARE_NOVELTY = 16, LEAST_NOVELTY = 4 }; /* seldom; and the least that scale_of uses */

typedef bool (*is_dropped_fn)(const struct node_atoms *book, unsigned context);

static bool is_built_in(const struct node_atoms *book, unsigned context)
{
    (void)book;
    return !shape_contexts_is_learned(context);
}

static bool is_learned(const struct node_atoms *book, unsigned context)
{
    (void)book;
    return shape_contexts_is_learned(context);
}

/* drop_contexts removes some contexts of a slot. */
static void drop_contexts(const struct node_atoms *book, struct slot_shapes *s, is_dropped_fn is_dropped)
{
    unsigned num = 0;
    for (unsigned i = 0; i < s->num; i++) {
        if (is_dropped(book, s->context[i]))
            continue;
        s->context[num] = s->context[i];
        s->seen_by[num] = s->seen_by[i];
        s->times[num++] = s->times[i];
    }
    s->num = (uint8_t)num;
}

/* forget_learned removes contexts of all slots: learned ones, or those with names. */
static void forget_learned(struct node_atoms *book, is_dropped_fn is_dropped)
{
    for (unsigned i = 0; book->shapes.slots != NULL && i < ATOM_BOOK_SLOTS; i++)
        drop_contexts(book, &book->shapes.slots[i], is_dropped);
    book->generation++;
}

/* forget_contexts removes the contexts of the built-in table of all slots, as numbers mean
 * nothing in another table. Learned contexts stay. */
static void forget_contexts(struct node_atoms *book)
{
    for (unsigned i = 0; book->shapes.slots != NULL && i < ATOM_BOOK_SLOTS; i++)
        drop_contexts(book, &book->shapes.slots[i], is_built_in);
    memset(book->shapes.alike, 0, sizeof book->shapes.alike);
    if (book->shapes.times != NULL)
        memset(book->shapes.times, 0, shape_tables_most() * sizeof *book->shapes.times);
}

void shape_fit_forget(const struct node_atoms *book)
{
    for (struct node_atoms *of = book->books->newest; of != NULL; of = of->older) {
        if (of->creation != book->creation)
            continue;
        for (unsigned i = 0; of->shapes.slots != NULL && i < ATOM_BOOK_SLOTS; i++)
            of->shapes.slots[i].num = 0;
        forget_contexts(of);
        of->generation++;
    }
}

/* least_wholes returns how many shapes of a table identify it: fewer if another node of the
 * capture runs that application. */
static unsigned least_wholes(const struct node_atoms *book, int t)
{
    for (const struct node_atoms *other = book->books->newest; other != NULL; other = other->older) {
        if (other != book && !other->is_liar && other->shapes.table == t && !other->shapes.is_partial &&
            other->shapes.num_known[t] >= LEAST_WHOLES)
            return LEAST_BESIDE;
    }
    return LEAST_WHOLES;
}

static bool is_fit(const struct node_atoms *book, int t, double share)
{
    const struct book_shapes *shapes = &book->shapes;
    return !shapes->is_refuted[t] && shapes->num_known[t] >= LEAST_BESIDE &&
           shapes->num_known[t] >= share * shapes->num_own &&
           shapes->num_known[t] >= least_wholes(book, t);
}

/* choose_common decides whether the common table is used for a node that runs none of the
 * applications. */
static void choose_common(struct node_atoms *book)
{
    struct book_shapes *shapes = &book->shapes;
    const unsigned num = (unsigned)(shapes->num_wholes - shapes->num_own);
    const bool is_common = !shapes->is_refuted[SHAPE_TABLE_COMMON] && num >= LEAST_COMMON &&
                           num >= COMMON_SHARE * shapes->num_wholes;
    if (shapes->table == SHAPE_TABLE_COMMON && shapes->is_common && !is_common) {
        forget_contexts(book);
        book->generation++;
    }
    shapes->is_common = is_common;
}

/* choose_partial returns the table that has most shapes of a node, if none has enough to fit.
 * Records in messages of Mnesia, for example, depend on the program that uses it. */
static int choose_partial(const struct book_shapes *shapes)
{
    int best = SHAPE_TABLE_COMMON;
    for (int t = SHAPE_TABLE_COMMON + 1; t < SHAPE_TABLES_NUM; t++) {
        if (!shapes->is_refuted[t] && shapes->num_known[t] >= LEAST_BESIDE &&
            shapes->num_known[t] >= PARTIAL_SHARE * shapes->num_own &&
            (best == SHAPE_TABLE_COMMON || shapes->num_known[t] > shapes->num_known[best]))
            best = t;
    }
    return best;
}

static void choose(struct node_atoms *book)
{
    struct book_shapes *shapes = &book->shapes;
    int best = shapes->is_partial ? SHAPE_TABLE_COMMON : shapes->table;
    if (best != SHAPE_TABLE_COMMON && !is_fit(book, best, ENOUGH_SHARE))
        best = SHAPE_TABLE_COMMON;
    for (int t = SHAPE_TABLE_COMMON + 1; t < SHAPE_TABLES_NUM; t++) {
        if (is_fit(book, t, LEAST_SHARE) &&
            (best == SHAPE_TABLE_COMMON ||
             shapes->num_known[t] > shapes->num_known[best] + shapes->num_known[best] / 8))
            best = t;
    }
    shapes->is_partial = best == SHAPE_TABLE_COMMON;
    if (shapes->is_partial)
        best = choose_partial(shapes);
    if (best == shapes->table)
        return;
    shapes->table = best;
    shapes->proof = (struct shape_proof){0};
    forget_contexts(book);
    book->generation++;
}

/* choose_others chooses again for other nodes, for which fewer shapes are enough from now on. */
static void choose_others(const struct node_atoms *book, int t)
{
    for (struct node_atoms *other = book->books->newest; other != NULL; other = other->older) {
        if (other != book && (other->shapes.table != t || other->shapes.is_partial) &&
            other->shapes.num_known[t] >= LEAST_BESIDE)
            choose(other);
    }
}

/* fit_names decides whether learned names are those of a node: its name, or its address while it
 * has none, is that of a node from which they were learned. */
static void fit_names(struct node_atoms *book)
{
    const struct learned_shapes *learned = book->books->learned;
    struct learned_fit *fit = book->shapes.learned;
    enum learned_names names = LEARNED_NAMES_NONE;
    if (book->name != NULL)
        names = learned_shapes_names_of(learned, (struct ds_text){book->name, book->name_len});
    for (unsigned i = 0; i < book->num_places && book->name == NULL; i++) {
        const enum learned_names at = learned_shapes_names_at(learned, &book->places[i].addr);
        names = at > names ? at : names;
    }
    names = fit->has_other_names ? LEARNED_NAMES_NONE : names;
    if (names < fit->names)
        forget_learned(book, shape_contexts_has_names);
    else if (names > fit->names)
        book->generation++;
    fit->names = names;
    fit->had_name = book->name != NULL;
}

/* fit_learned decides again whether learned contexts are used for a node, when there are more. */
static void fit_learned(struct node_atoms *book, bool is_new)
{
    struct book_shapes *shapes = &book->shapes;
    const struct learned_shapes *learned = book->books->learned;
    struct learned_fit *fit = shapes->learned;
    const uint32_t num = learned != NULL ? learned_shapes_num_wholes(learned) : 0;
    if (fit == NULL && num != 0)
        fit = shapes->learned = node_atoms_learned_fit(book);
    if (fit != NULL && fit->had_name != (book->name != NULL))
        fit_names(book);
    if (fit == NULL || fit->is_refuted || (!is_new && num <= fit->num_wholes + fit->num_wholes / 8))
        return;
    fit_names(book);
    fit->num_wholes = num;
    fit->num_known = 0;
    for (unsigned i = 0; i < SHAPE_WHOLES; i++)
        fit->num_known += shapes->wholes[i] != 0 &&
                          !shape_table_has_whole(&shape_tables[SHAPE_TABLE_COMMON], shapes->wholes[i]) &&
                          learned_shapes_has_whole(learned, shapes->wholes[i]);
    const double share = fit->is_fit ? ENOUGH_SHARE : LEAST_SHARE;
    const bool is_fit = fit->num_known >= LEAST_WHOLES && fit->num_known >= share * shapes->num_own;
    if (fit->is_fit && !is_fit)
        forget_learned(book, is_learned);
    fit->is_fit = is_fit;
}

unsigned shape_fit_wants(struct node_atoms *book, uint32_t hash)
{
    struct messages_alike *alike = &book->shapes.alike[hash % SHAPE_ALIKE];
    if (alike->hash != hash)
        *alike = (struct messages_alike){hash, 0};
    if (alike->num < LOOKED_AT) {
        alike->num++;
        return 1;
    }
    /* The choice is not periodic, as messages may be. */
    alike->num += alike->num < UINT32_MAX;
    return (alike->num * 0x9e3779b1u) >> 16 & (STANDS_FOR - 1) ? 0 : STANDS_FOR;
}

void shape_fit_see_whole(struct node_atoms *book, uint32_t whole)
{
    struct book_shapes *shapes = &book->shapes;
    unsigned at = whole % SHAPE_WHOLES;
    bool is_known = false;
    fit_learned(book, false);
    if (whole == 0 || shapes->num_wholes >= SHAPE_WHOLES - SHAPE_WHOLES / 4)
        return;
    for (; shapes->wholes[at] != 0; at = (at + 1) % SHAPE_WHOLES) {
        if (shapes->wholes[at] == whole)
            return;
    }
    shapes->wholes[at] = whole;
    shapes->num_wholes++;
    if (shape_table_has_whole(&shape_tables[SHAPE_TABLE_COMMON], whole)) {
        choose_common(book);
        return;
    }
    for (int t = SHAPE_TABLE_COMMON + 1; t < SHAPE_TABLES_NUM; t++) {
        const bool has = shape_table_has_whole(&shape_tables[t], whole);
        shapes->num_known[t] += has;
        is_known = is_known || has;
    }
    shapes->num_own++;
    const int before = shapes->table;
    choose(book);
    choose_common(book);
    const int table = shapes->table;
    if (table != SHAPE_TABLE_COMMON && (shapes->num_known[table] == LEAST_WHOLES ||
                                        (shapes->num_known[table] > LEAST_WHOLES && table != before)))
        choose_others(book, table);
    fit_learned(book, true);
}

void shape_fit_learn_whole(const struct node_atoms *book, uint32_t whole)
{
    struct learned_shapes *learned = book->books->learned;
    if (learned == NULL || !learned_shapes_add_whole(learned, whole))
        return;
    for (unsigned i = 0; i < book->num_places; i++)
        learned_shapes_add_place(learned, &book->places[i].addr,
                                 (struct ds_text){book->name, book->name_len});
}

static bool is_sure(const struct book_shapes *shapes)
{
    return shapes->table == SHAPE_TABLE_COMMON ? shapes->is_common : !shapes->is_partial;
}

bool shape_fit_is_sure(const struct node_atoms *book)
{
    return is_sure(&book->shapes);
}

/* least_key returns the first key of an atom for which the built-in table is used; contexts->num
 * if there is none. */
static unsigned least_key(const struct book_shapes *shapes, const struct atom_contexts *contexts)
{
    if (is_sure(shapes))
        return 0;
    if (shapes->is_refuted[shapes->table])
        return contexts->num;
    if (contexts->whole != 0 &&
        (shape_table_has_whole(&shape_tables[SHAPE_TABLE_COMMON], contexts->whole) ||
         shape_table_has_whole(&shape_tables[shapes->table], contexts->whole)))
        return 0;
    return shapes->table != SHAPE_TABLE_COMMON || shapes->num_wholes - shapes->num_own >= LEAST_BESIDE
               ? contexts->num_small
               : contexts->num;
}

/* find_context returns the largest context in the built-in table, or SHAPE_NONE. */
static unsigned find_context(const struct book_shapes *shapes, const struct atom_contexts *contexts)
{
    const unsigned least = least_key(shapes, contexts);
    unsigned context = SHAPE_NONE, left = contexts->num;
    while (left > least && context == SHAPE_NONE)
        context = shape_table_find(&shape_tables[shapes->table], contexts->keys[--left]);
    return context;
}

/* is_telling_more says whether context a says more than b: it has fewer atoms, or the same
 * number and fewer new ones. */
static bool is_telling_more(const struct node_atoms *book, unsigned a, unsigned b)
{
    const int more = (int)shape_contexts_num(book, a) - (int)shape_contexts_num(book, b);
    return more < 0 ||
           (more == 0 && shape_contexts_novelty(book, a) > shape_contexts_novelty(book, b));
}

/* add_context adds a context to those of a slot, which are sorted by how much they say; *at is
 * its place. False if the list is full and none in it says less. */
static bool add_context(const struct node_atoms *book, struct slot_shapes *s, unsigned context,
                        unsigned *at)
{
    unsigned last = s->num;
    if (s->num == SHAPE_CONTEXTS && !is_telling_more(book, context, s->context[--last]))
        return false;
    s->num = (uint8_t)(last + 1);
    for (; last > 0 && is_telling_more(book, context, s->context[last - 1]); last--) {
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
                   uint64_t direction, const struct atom_contexts *contexts, unsigned num)
{
    struct book_shapes *shapes = &book->shapes;
    if (slot >= ATOM_BOOK_MODULUS || book->is_liar)
        return;
    bool is_whole;
    const unsigned context = shape_contexts_find(book, contexts->keys, contexts->num,
                                                 least_key(shapes, contexts), &is_whole);
    if (context == SHAPE_NONE || !node_atoms_has_shapes(book, env))
        return;
    struct slot_shapes *s = &shapes->slots[slot];
    const uint16_t bit = node_atoms_bit_of(book, direction);
    unsigned at = 0;
    while (at < s->num && s->context[at] != context)
        at++;
    /* A full counter does not count further, so that shares stay as they are. */
    uint16_t *times = shape_contexts_times(book, context);
    const unsigned room = UINT16_MAX - (unsigned)*times, counted = num < room ? num : room;
    *times = (uint16_t)(*times + counted);
    if (at == s->num && !add_context(book, s, context, &at))
        return;
    const bool is_new = (s->seen_by[at] & bit) != bit;
    const unsigned before = s->times[at], after = before + counted;
    s->seen_by[at] |= bit;
    s->times[at] = (uint16_t)after;
    s->is_whole = s->is_whole || is_whole;
    /* Counts distinguish a frequent atom from a rare one. The slot is judged again when its
     * count reaches a power of two: then the highest bit changes. */
    if (is_new || (before ^ after) > before)
        atom_verdicts_forget(book, slot);
}

/* is_first marks a context; false: it was marked before. */
static bool is_first(uint32_t *told, unsigned context)
{
    const unsigned at = context % SHAPE_TOLD;
    const uint32_t before = told[at / 32];
    told[at / 32] |= 1u << at % 32;
    return told[at / 32] != before;
}

/* prove compares a known atom with a context. Returns whether the table is refuted. */
static bool prove(struct shape_proof *proof, unsigned context, bool is_hit)
{
    /* Each context counts once, as a message or a list may repeat the same. */
    if (is_hit)
        proof->num_hits += is_first(proof->hits, context);
    else
        proof->num_misses += is_first(proof->misses, context);
    return proof->num_misses > FEW_MISSES && proof->num_misses > proof->num_hits / MISSES_OF_HITS;
}

/* prove_names does the same for contexts with users' names. */
static void prove_names(struct node_atoms *book, unsigned context, bool is_name, bool is_hit)
{
    struct learned_fit *fit = book->shapes.learned;
    if (is_hit && !is_name)
        return;
    if (prove(&fit->name_proof, context, is_hit) && fit->names != LEARNED_NAMES_NONE) {
        fit->has_other_names = true;
        fit->names = LEARNED_NAMES_NONE;
        forget_learned(book, shape_contexts_has_names);
    }
}

/* see_known_learned compares the learned contexts with a known atom. */
static void see_known_learned(struct node_atoms *book, struct ds_text text,
                              const struct atom_contexts *contexts)
{
    struct learned_fit *fit = book->shapes.learned;
    const struct learned_shapes *learned = book->books->learned;
    uint32_t own = LEARNED_NONE;
    for (unsigned left = contexts->num; left != 0 && own == LEARNED_NONE;)
        own = learned_shapes_find(learned, contexts->keys[--left], LEARNED_NAMES_ALL);
    if (own == LEARNED_NONE || learned_shapes_novelty(learned, own) < RARE_NOVELTY)
        return;
    const unsigned atom = learned_shapes_atom(learned, text);
    const bool has_names = learned_shapes_has_names(learned, own);
    bool is_hit = false;
    unsigned filler;
    for (unsigned i = 0; (filler = learned_shapes_filler(learned, own, i)) != ATOM_TABLE_NONE; i++)
        is_hit = is_hit || filler == atom;
    if (has_names) {
        prove_names(book, own, atom >= atom_table_num_texts, is_hit);
    } else if (prove(&fit->proof, own, is_hit) && !fit->is_refuted) {
        fit->is_refuted = true;
        fit->is_fit = false;
        forget_learned(book, is_learned);
    }
}

void shape_fit_see_known(struct node_atoms *book, struct ds_text text,
                         const struct atom_contexts *contexts)
{
    struct book_shapes *shapes = &book->shapes;
    if (shapes->learned != NULL && shapes->learned->is_fit)
        see_known_learned(book, text, contexts);
    const struct shape_table *table = &shape_tables[shapes->table];
    const unsigned context = find_context(shapes, contexts);
    if (context == SHAPE_NONE || table->novelty[context] < SURE_NOVELTY)
        return;
    bool is_hit = false;
    for (unsigned i = table->starts[context]; i < table->starts[context + 1] && !is_hit; i++) {
        const struct ds_text filler = atom_table_text(table->fillers[i]);
        is_hit = filler.len == text.len && memcmp(filler.data, text.data, text.len) == 0;
    }
    if (prove(&shapes->proof, context, is_hit)) {
        shapes->is_refuted[shapes->table] = true;
        choose(book);
        choose_common(book);
    }
}

/* context_at is the use of one context for a slot. */
struct context_at {
    unsigned context;
    double part;   /* share of this slot among unknown slots seen there */
    double draws;  /* weight of that share */
    bool is_alone; /* the share is all */
    bool is_here;  /* in the direction that is judged */
    double scale;  /* of the evidence for an atom */
};

/* surprise_of returns the evidence, in bits, against an atom that is in a context once in
 * 2^rarity times, if the slot has a part of all times there. Many times count less than as many
 * contexts would. A common atom may be all that one cluster sends there, so if all times are of
 * one slot, they count as one. */
static double surprise_of(const struct context_at *at, double rarity)
{
    /* -log2(1 - 2^-rarity), from 0.25 on in steps of half a bit */
    static const double otherwise[] = {2.65, 1.32, 0.76, 0.46, 0.29, 0.19, 0.13, 0.09, 0.06, 0.05, 0.03};
    const unsigned row = (unsigned)(2 * rarity);
    const double others = rarity < 0.125 ? MOST_RARE : row <= 10 ? otherwise[row] : 0;
    const double draws = at->is_alone && rarity < COMMON ? 1 : at->draws;
    return draws * (at->part * (rarity < MOST_RARE ? rarity : MOST_RARE) + (1 - at->part) * others);
}

/* scale_of returns how much of a context's evidence for an atom counts. In contexts with users'
 * names most clusters have another name, and the same name is in all such contexts: after the
 * first context they count only as far as new atoms are rare there. */
static double scale_of(const struct node_atoms *book, unsigned context, double part)
{
    const unsigned novelty = shape_contexts_novelty(book, context);
    if (part == 1 || novelty >= RARE_NOVELTY)
        return part;
    return part * (novelty > LEAST_NOVELTY ? novelty : LEAST_NOVELTY) / RARE_NOVELTY;
}

void shape_fit_weigh(const struct node_atoms *book, uint16_t slot, uint16_t bit, const unsigned *texts,
                     unsigned num, struct shape_weight *weights)
{
    double part[2] = {1, 1};
    unsigned num_here = 0;
    const struct slot_shapes *s = &book->shapes.slots[slot];
    memset(weights, 0, num * sizeof *weights);
    for (unsigned i = 0; i < s->num; i++) {
        const unsigned side = (s->seen_by[i] & bit) == 0;
        const unsigned all = *shape_contexts_times(book, s->context[i]);
        const struct context_at at = {.context = s->context[i], .part = (double)s->times[i] / all,
                                      .draws = side == 0 ? 1 + log2(all) : 0,
                                      .is_alone = s->times[i] == all, .is_here = side == 0,
                                      .scale = scale_of(book, s->context[i], part[side])};
        part[side] *= DAMPED;
        num_here += at.is_here;
        for (unsigned t = 0; t < num; t++) {
            double rarity;
            const double bits = shape_contexts_bits(book, at.context, texts[t], &rarity) * at.scale;
            *(at.is_here ? &weights[t].here : &weights[t].there) += bits;
            if (at.is_here)
                weights[t].surprise += surprise_of(&at, rarity);
        }
    }
    for (unsigned t = 0; t < num; t++)
        weights[t].surprise /= num_here != 0 ? num_here : 1;
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
