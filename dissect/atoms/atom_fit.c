/*
 * atom_fit.c - see atom_fit.h.
 */
#include "atoms/atom_fit.h"

#include "atoms/atom_weights.h"

#include <math.h>

/* One more atom or one less moves all those after it. So a table is used as far as its atoms
 * explain what was seen: up to the part of PART atoms at which the evidence, added up from the
 * end, exceeds BUILD_BITS. BEYOND_BITS count against the atoms after it. */
enum { PART = 128, MAX_PARTS = DS_STATIC_ATOMS_MAX / PART + 1 };
static const double BUILD_BITS = 10, BEYOND_BITS = 5, OTHER_BUILD_BITS = 2;
enum { LEAST_SLOTS = 2 }; /* a single one proves little */
static const double FIT_BITS = 20; /* by which a table must be better than none, and than another one */
static const double NEIGHBOUR_BITS = 10; /* added if the table fits another node of the capture */
/* The probability of each table before one fits. Roles depend on each other, so the evidence
 * counts for half. It may be that no table fits. */
static const double BELIEVED = 0.5, NONE_BITS = 5;

uint32_t atom_fit_num(const struct node_atoms *book, int t)
{
    const struct atom_table *table = user_atoms_table(book->own, t);
    if (table == NULL || book->fits[t].misses != 0 || (book->has_table && book->usable[t] == 0))
        return 0;
    return book->fits[t].rest_misses != 0 ? table->num_common : table->num;
}

double atom_fit_bits_against(const struct node_atoms *book, int t, uint32_t index)
{
    if (book->has_table)
        return index < book->usable[t] ? 0 : BEYOND_BITS;
    return index < user_atoms_table(book->own, t)->num_common ? 0 : OTHER_BUILD_BITS;
}

/* fit_of returns how much better a table explains what was seen than no table does, in bits, and
 * how many of its atoms are usable. */
static double fit_of(const struct node_atoms *book, int t, uint16_t *usable)
{
    const struct atom_table *table = user_atoms_table(book->own, t);
    const struct table_fit *seen = &book->fits[t];
    const uint32_t num = seen->rest_misses != 0 ? table->num_common : table->num;
    double gains[MAX_PARTS] = {0};
    unsigned slots[MAX_PARTS] = {0}, num_slots = 0; /* with evidence for the table */
    for (uint16_t number = 0; book->slots != NULL && number < ATOM_BOOK_MODULUS; number++) {
        const struct book_slot *slot = &book->slots[number];
        double all = ATOM_OTHERS / (double)ATOM_BOOK_MODULUS;
        if (slot->num_seen == 0)
            continue;
        for (uint32_t index = number; index < num; index += ATOM_BOOK_MODULUS) {
            const double with = all + exp2(atom_weight_of_text(book, slot, table->texts[index]));
            gains[index / PART] += log2(with / all);
            slots[index / PART] += log2(with / all) > 1;
            all = with;
        }
    }
    double fit = log2(ATOM_BOOK_MODULUS) * (seen->hits + (num > table->num_common ? seen->rest_hits : 0));
    double last = 0;
    *usable = 0;
    for (uint32_t part = (num + PART - 1) / PART; part-- > 0;) {
        last += gains[part];
        num_slots += slots[part];
        if (*usable != 0) {
            fit += gains[part];
        } else if ((last > BUILD_BITS && num_slots >= LEAST_SLOTS) ||
                   part * PART < seen->end_of_hits) {
            *usable = (uint16_t)((part + 1) * PART < num ? (part + 1) * PART : num);
            fit += gains[part];
        }
    }
    return fit;
}

/* has_neighbour says whether a table fits another node: the nodes of a cluster mostly have the
 * same release. */
static bool has_neighbour(const struct node_atoms *book, int t)
{
    for (const struct node_atoms *other = book->books->newest; other != NULL; other = other->older) {
        if (other != book && !other->is_liar && other->has_table && other->usable[t] != 0)
            return true;
    }
    return false;
}

/* weigh_tables sets the probability of each table while none fits. */
static void weigh_tables(struct node_atoms *book, const double *fits)
{
    double all = exp2(NONE_BITS);
    for (int t = 0; t < ATOM_TABLES_ALL; t++)
        all += fits[t] > -ATOM_NEVER ? exp2(BELIEVED * fits[t]) : 0;
    for (int t = 0; t < ATOM_TABLES_ALL; t++)
        book->table_bits[t] =
            (float)(fits[t] > -ATOM_NEVER ? BELIEVED * fits[t] - log2(all) : -ATOM_NEVER);
}

double atom_fit_bits_of(const struct node_atoms *book, int t)
{
    return book->has_table ? 0 : book->table_bits[t];
}

void atom_fit_choose(struct node_atoms *book)
{
    double fits[ATOM_TABLES_ALL], best = 0;
    uint16_t usable[ATOM_TABLES_ALL] = {0};
    if (book->num_seen < book->next_fit)
        return;
    book->next_fit = book->num_seen + book->num_seen / 4 + 1;
    book->work += ATOM_BOOK_MODULUS;
    for (int t = 0; t < ATOM_TABLES_ALL; t++) {
        fits[t] = -ATOM_NEVER;
        if (user_atoms_table(book->own, t) == NULL || book->fits[t].misses != 0)
            continue;
        fits[t] = fit_of(book, t, &usable[t]) + (has_neighbour(book, t) ? NEIGHBOUR_BITS : 0);
        best = fits[t] > best ? fits[t] : best;
    }
    for (int t = 0; t < ATOM_TABLES_ALL; t++) {
        /* The user knows best: if the user's table fits, releases like it are not used. */
        if (best < FIT_BITS || fits[t] < best - FIT_BITS ||
            (user_atoms_is_like(book->own, t) && fits[ATOM_TABLE_OWN] >= best - FIT_BITS))
            usable[t] = 0;
    }
    book->generation++;
    memcpy(book->usable, usable, sizeof usable);
    book->has_table = best >= FIT_BITS;
    weigh_tables(book, fits);
}
