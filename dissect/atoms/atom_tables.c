/*
 * atom_tables.c - searches in the tables of atom_tables.h.
 */
#include "atoms/atom_tables.h"

#include "util/fnv1a.h"

#include <string.h>

struct ds_text atom_table_text(unsigned number)
{
    const uint32_t start = atom_table_start[number];
    return (struct ds_text){(const char *)&atom_table_pool[start],
                            atom_table_start[number + 1] - start};
}

unsigned atom_table_find(struct ds_text text)
{
    uint32_t at = fnv1a(text) & atom_table_places_mask;
    for (; atom_table_places[at] != 0; at = (at + 1) & atom_table_places_mask) {
        const unsigned number = atom_table_places[at] - 1u;
        const struct ds_text other = atom_table_text(number);
        if (other.len == text.len && (text.len == 0 || memcmp(other.data, text.data, text.len) == 0))
            return number;
    }
    return ATOM_TABLE_NONE;
}

unsigned atom_table_index(const struct atom_table *table, unsigned number)
{
    unsigned low = 0, high = table->num;
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        if (table->indices[middle].text < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->num && table->indices[low].text == number ? table->indices[low].index
                                                                  : ATOM_TABLE_NONE;
}

/* first returns the index of the first entry that is not before hash. */
static unsigned first(const struct atom_table_role *roles, const uint16_t *index, uint32_t hash)
{
    const uint32_t bits = hash >> (32 - ATOM_INDEX_BITS);
    unsigned at = index[bits];
    while (at < index[bits + 1] && roles[at].hash < hash)
        at++;
    return at;
}

const struct atom_table_role *atom_table_range(uint32_t hash, unsigned *num)
{
    const unsigned start = first(atom_table_roles, atom_table_roles_at, hash);
    unsigned end = start;
    while (end < atom_table_roles_num && atom_table_roles[end].hash == hash)
        end++;
    *num = end - start;
    return &atom_table_roles[start];
}

unsigned atom_table_count(uint32_t hash, unsigned text)
{
    unsigned num;
    const struct atom_table_role *roles = atom_table_range(hash, &num);
    unsigned low = 0, high = num;
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        if (roles[middle].text < text)
            low = middle + 1;
        else
            high = middle;
    }
    return low < num && roles[low].text == text ? roles[low].num : 0;
}

unsigned atom_table_count_all(uint32_t hash)
{
    const unsigned at = first(atom_table_all, atom_table_all_at, hash);
    return at < atom_table_all_num && atom_table_all[at].hash == hash ? atom_table_all[at].num : 0;
}
