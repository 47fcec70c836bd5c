/*
 * atom_shape_tables.c - searches in the tables of atom_shape_tables.h.
 */
#include "atoms/atom_shape_tables.h"

static const double CODES_A_BIT = 4;
static const double LOG_OTHERS = 6.9; /* log2 of 120 atoms, one of which is new to a context */

/* find returns the index of a number in a sorted row, or num. */
static uint32_t find(const uint32_t *row, uint32_t num, uint32_t number)
{
    uint32_t low = 0, high = num;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (row[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < num && row[low] == number ? low : num;
}

unsigned shape_tables_most(void)
{
    unsigned most = 0;
    for (int t = 0; t < SHAPE_TABLES_NUM; t++)
        most = shape_tables[t].num > most ? shape_tables[t].num : most;
    return most;
}

unsigned shape_table_find(const struct shape_table *table, uint32_t key)
{
    const uint32_t bits = key >> (32 - ATOM_INDEX_BITS);
    uint32_t at = table->keys_at[bits];
    const uint32_t end = table->keys_at[bits + 1];
    while (at < end && table->keys[at] < key)
        at++;
    return at < end && table->keys[at] == key ? at : SHAPE_NONE;
}

bool shape_table_has_whole(const struct shape_table *table, uint32_t whole)
{
    return find(table->wholes, table->num_wholes, whole) < table->num_wholes;
}

double shape_table_rarity(const struct shape_table *table, unsigned context)
{
    return table->rarity[context] / CODES_A_BIT;
}

double shape_table_bits_of(unsigned novelty)
{
    return LOG_OTHERS + novelty / CODES_A_BIT;
}

double shape_table_bits(const struct shape_table *table, unsigned context, unsigned text, double *rarity)
{
    for (unsigned i = table->starts[context]; i < table->starts[context + 1]; i++) {
        if (table->fillers[i] == text) {
            *rarity = table->shares[i] / CODES_A_BIT;
            return shape_table_bits_of(table->novelty[context]);
        }
    }
    *rarity = shape_table_rarity(table, context);
    return 0;
}
