/*
 * user_atoms.c - see user_atoms.h.
 */
#include "atoms/user_atoms.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const struct ds_text *x = a, *y = b;
    const size_t len = x->len < y->len ? x->len : y->len;
    const int order = len != 0 ? memcmp(x->data, y->data, len) : 0;
    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

/* add_texts copies the texts that no other table has. */
static bool add_texts(struct user_atoms *own, const struct ds_text *atoms, size_t num)
{
    own->added = calloc(num + 1, sizeof *own->added);
    if (own->added == NULL)
        return false;
    for (size_t i = 0; i < num; i++) {
        if (atom_table_find(atoms[i]) != ATOM_TABLE_NONE)
            continue;
        char *copy = malloc(atoms[i].len + 1);
        if (copy == NULL)
            return false;
        if (atoms[i].len != 0)
            memcpy(copy, atoms[i].data, atoms[i].len);
        own->added[own->num_added++] = (struct ds_text){copy, atoms[i].len};
    }
    qsort(own->added, own->num_added, sizeof *own->added, compare);
    return true;
}

/* find_alike finds the releases of which this may be another build: most of their common atoms
 * have the same indices here. */
static uint32_t find_alike(const struct user_atoms *own)
{
    uint32_t like = 0;
    for (int t = 0; t < ATOM_TABLES_NUM; t++) {
        const struct atom_table *other = &atom_tables[t];
        uint32_t same = 0;
        for (uint32_t i = 0; i < own->table.num && i < other->num_common; i++)
            same += own->texts[i] == other->texts[i];
        if (same > other->num_common / 2)
            like |= 1u << t;
    }
    return like;
}

static int compare_indices(const void *a, const void *b)
{
    const struct atom_table_index *x = a, *y = b;
    return (x->text > y->text) - (x->text < y->text);
}

struct user_atoms *user_atoms_new(const struct ds_text *atoms, size_t num)
{
    struct user_atoms *own = calloc(1, sizeof *own);
    if (own == NULL || !add_texts(own, atoms, num)) {
        user_atoms_free(own);
        return NULL;
    }
    own->texts = calloc(num + 1, sizeof *own->texts);
    own->indices = calloc(num + 1, sizeof *own->indices);
    if (own->texts == NULL || own->indices == NULL) {
        user_atoms_free(own);
        return NULL;
    }
    for (size_t i = 0; i < num; i++) {
        own->texts[i] = (uint16_t)user_atoms_find(own, atoms[i]);
        own->indices[i] = (struct atom_table_index){own->texts[i], (uint16_t)i};
    }
    qsort(own->indices, num, sizeof *own->indices, compare_indices);
    /* All atoms count as common: the table describes this build alone. */
    own->table = (struct atom_table){"of its own", own->texts, own->indices, (uint32_t)num,
                                     (uint32_t)num};
    own->like = find_alike(own);
    return own;
}

void user_atoms_free(struct user_atoms *own)
{
    if (own == NULL)
        return;
    while (own->num_added != 0)
        free((void *)(uintptr_t)own->added[--own->num_added].data);
    free(own->added);
    free(own->texts);
    free(own->indices);
    free(own);
}

const struct atom_table *user_atoms_table(const struct user_atoms *own, int t)
{
    return t < ATOM_TABLES_NUM ? &atom_tables[t] : own != NULL ? &own->table : NULL;
}

unsigned user_atoms_find(const struct user_atoms *own, struct ds_text text)
{
    const unsigned number = atom_table_find(text);
    if (number != ATOM_TABLE_NONE || own == NULL)
        return number;
    const struct ds_text *found =
        bsearch(&text, own->added, own->num_added, sizeof text, compare);
    return found != NULL ? atom_table_num_texts + (unsigned)(found - own->added) : ATOM_TABLE_NONE;
}

struct ds_text user_atoms_text(const struct user_atoms *own, unsigned number)
{
    return number < atom_table_num_texts ? atom_table_text(number)
                                         : own->added[number - atom_table_num_texts];
}

struct atom_table_use user_atoms_use(const struct user_atoms *own, unsigned number)
{
    (void)own; /* the use of its own atoms is unknown */
    return number < atom_table_num_texts ? atom_table_uses[number] : (struct atom_table_use){0, 0};
}

unsigned user_atoms_index(const struct user_atoms *own, int t, unsigned number)
{
    const struct atom_table *table = user_atoms_table(own, t);
    return table != NULL ? atom_table_index(table, number) : ATOM_TABLE_NONE;
}

bool user_atoms_is_static(const struct user_atoms *own, unsigned number)
{
    if (number >= atom_table_num_texts || atom_table_uses[number].num != 0)
        return true;
    for (int t = 0; t < ATOM_TABLES_ALL; t++) {
        if (user_atoms_index(own, t, number) != ATOM_TABLE_NONE)
            return true;
    }
    return false;
}

bool user_atoms_is_like(const struct user_atoms *own, int t)
{
    return own != NULL && t < ATOM_TABLES_NUM && (own->like & 1u << t) != 0;
}
