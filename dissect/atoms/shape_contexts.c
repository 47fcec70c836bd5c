/*
 * shape_contexts.c - see shape_contexts.h. Learned contexts are numbered downwards from SHAPE_NONE
 * - 1.
 */
#include "atoms/shape_contexts.h"

enum { LEARNED_LAST = SHAPE_NONE - 1 };

static uint32_t learned_of(unsigned context)
{
    return LEARNED_LAST - context;
}

static const struct learned_shapes *learned(const struct node_atoms *book)
{
    return book->books->learned;
}

static const struct shape_table *table_of(const struct node_atoms *book)
{
    return &shape_tables[book->shapes.table];
}

bool shape_contexts_is_learned(unsigned context)
{
    return context > LEARNED_LAST - LEARNED_CONTEXTS;
}

/* is_same_atom says whether each of two contexts has only one atom, the same one. */
static bool is_same_atom(const struct node_atoms *book, unsigned a, unsigned b)
{
    return shape_contexts_num(book, a) == 1 && shape_contexts_num(book, b) == 1 &&
           shape_contexts_filler(book, a, 0) == shape_contexts_filler(book, b, 0);
}

unsigned shape_contexts_find(const struct node_atoms *book, const uint32_t *keys, unsigned num,
                             unsigned least, bool *is_whole)
{
    const struct book_shapes *shapes = &book->shapes;
    const struct learned_fit *fit = shapes->learned;
    const bool has_learned = fit != NULL && fit->is_fit;
    unsigned found = SHAPE_NONE;
    for (unsigned left = num; left-- != 0;) {
        const uint32_t own = has_learned && found == SHAPE_NONE
                                 ? learned_shapes_find(learned(book), keys[left], fit->names)
                                 : LEARNED_NONE;
        const unsigned context = left >= least ? shape_table_find(table_of(book), keys[left]) : SHAPE_NONE;
        if (own != LEARNED_NONE || (context != SHAPE_NONE && found == SHAPE_NONE))
            *is_whole = left + 1 == num;
        /* The built-in table was counted in several clusters, but it has no names of users. */
        if (own != LEARNED_NONE && learned_shapes_has_names(learned(book), own))
            return LEARNED_LAST - own;
        /* The built-in table has no context that says the same as a smaller one. */
        if (context != SHAPE_NONE)
            return found == SHAPE_NONE || is_same_atom(book, found, context) ? context : found;
        if (own != LEARNED_NONE)
            found = LEARNED_LAST - own;
    }
    return found;
}

bool shape_contexts_has_names(const struct node_atoms *book, unsigned context)
{
    return shape_contexts_is_learned(context) &&
           learned_shapes_has_names(learned(book), learned_of(context));
}

unsigned shape_contexts_novelty(const struct node_atoms *book, unsigned context)
{
    return shape_contexts_is_learned(context)
               ? learned_shapes_novelty(learned(book), learned_of(context))
               : table_of(book)->novelty[context];
}

unsigned shape_contexts_num(const struct node_atoms *book, unsigned context)
{
    const struct shape_table *table = table_of(book);
    unsigned num = 0;
    if (!shape_contexts_is_learned(context))
        return table->starts[context + 1] - table->starts[context];
    while (learned_shapes_filler(learned(book), learned_of(context), num) != ATOM_TABLE_NONE)
        num++;
    return num;
}

unsigned shape_contexts_filler(const struct node_atoms *book, unsigned context, unsigned i)
{
    const struct shape_table *table = table_of(book);
    if (!shape_contexts_is_learned(context))
        return table->fillers[table->starts[context] + i];
    return learned_shapes_filler(learned(book), learned_of(context), i);
}

double shape_contexts_bits(const struct node_atoms *book, unsigned context, unsigned atom,
                           double *rarity)
{
    unsigned filler;
    if (!shape_contexts_is_learned(context))
        return shape_table_bits(table_of(book), context, atom, rarity);
    const uint32_t own = learned_of(context);
    for (unsigned i = 0; (filler = learned_shapes_filler(learned(book), own, i)) != ATOM_TABLE_NONE; i++) {
        if (filler != atom)
            continue;
        *rarity = learned_shapes_filler_rarity(learned(book), own, i);
        return shape_table_bits_of(learned_shapes_novelty(learned(book), own));
    }
    *rarity = learned_shapes_rarity(learned(book), own);
    return 0;
}

uint16_t *shape_contexts_times(const struct node_atoms *book, unsigned context)
{
    return shape_contexts_is_learned(context) ? &book->shapes.learned->times[learned_of(context)]
                                              : &book->shapes.times[context];
}

unsigned shape_contexts_atom(const struct node_atoms *book, struct ds_text text)
{
    return learned_shapes_atom(learned(book), text);
}

struct ds_text shape_contexts_text(const struct node_atoms *book, unsigned atom)
{
    return learned_shapes_text(learned(book), atom);
}

unsigned shape_contexts_num_atoms(void)
{
    return atom_table_num_texts + LEARNED_ATOMS;
}
