/*
 * own_atoms.h - the tables of atom_tables.h and one more, which the user gives of a build of his own:
 * ds_atom_memory_add_static. Its texts that no other table has are numbered behind those.
 *
 * own may be NULL everywhere: then there is none.
 */
#ifndef DISSECT_OWN_ATOMS_H
#define DISSECT_OWN_ATOMS_H

#include "atom_tables.h"

enum {
    ATOM_TABLE_OWN = ATOM_TABLES_NUM, /* the user's, behind those of releases */
    ATOM_TABLES_ALL,
    ATOM_TABLE_UNKNOWN = ATOM_TABLES_ALL, /* no table is known to fit */
};

struct own_atoms {
    struct atom_table table;
    uint16_t *texts, *indices; /* of the table */
    struct ds_text *added;     /* texts of its own, sorted */
    unsigned num_added;
    int like; /* the release that has more than half of its atoms at the same indices */
};

/* own_atoms_new returns a table, whose texts are copied; NULL when memory ran out. num is at most
 * DS_STATIC_ATOMS_MAX. */
struct own_atoms *own_atoms_new(const struct ds_text *atoms, size_t num);
void own_atoms_free(struct own_atoms *own);

/* own_atoms_table returns table t, NULL where it is the user's and there is none. */
const struct atom_table *own_atoms_table(const struct own_atoms *own, int t);

/* As the functions of atom_tables.h; own_atoms_index is the index in table t, or NONE. */
unsigned own_atoms_find(const struct own_atoms *own, struct ds_text text);
struct ds_text own_atoms_text(const struct own_atoms *own, unsigned number);
struct atom_table_use own_atoms_use(const struct own_atoms *own, unsigned number);
unsigned own_atoms_index(const struct own_atoms *own, int t, unsigned number);

/* own_atoms_are_alike says whether two tables are so much the same that both fit. */
bool own_atoms_are_alike(const struct own_atoms *own, int a, int b);

#endif
