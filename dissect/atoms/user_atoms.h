/*
 * user_atoms.h - the tables of atom_tables.h and one more, which the user provides for another
 * build: ds_atom_memory_add_static. Its texts that no other table has are numbered after the
 * others.
 *
 * own may be NULL everywhere: then there is no such table.
 */
#ifndef DISSECT_USER_ATOMS_H
#define DISSECT_USER_ATOMS_H

#include "atoms/atom_tables.h"

enum {
    ATOM_TABLE_OWN = ATOM_TABLES_NUM, /* the user's, after those of releases */
    ATOM_TABLES_ALL,
};

struct user_atoms {
    struct atom_table table;
    uint16_t *texts; /* of the table, as indices is */
    struct atom_table_index *indices;
    struct ds_text *added; /* texts that no other table has, sorted */
    unsigned num_added;
    uint32_t like; /* a bit for each release that has more than half of its atoms at the same indices */
};

/* user_atoms_new returns a table with copies of the texts; NULL if memory ran out. num is at
 * most DS_STATIC_ATOMS_MAX. */
struct user_atoms *user_atoms_new(const struct ds_text *atoms, size_t num);
void user_atoms_free(struct user_atoms *own);

/* user_atoms_table returns table t; NULL if that is the user's and there is none. */
const struct atom_table *user_atoms_table(const struct user_atoms *own, int t);

/* Like the functions of atom_tables.h; user_atoms_index returns the index in table t, or NONE. */
unsigned user_atoms_find(const struct user_atoms *own, struct ds_text text);
struct ds_text user_atoms_text(const struct user_atoms *own, unsigned number);
struct atom_table_use user_atoms_use(const struct user_atoms *own, unsigned number);
unsigned user_atoms_index(const struct user_atoms *own, int t, unsigned number);

/* user_atoms_is_static says whether a table has an atom, or its use was counted. */
bool user_atoms_is_static(const struct user_atoms *own, unsigned number);

/* user_atoms_is_like says whether the user's table may be another build of release t. */
bool user_atoms_is_like(const struct user_atoms *own, int t);

#endif
