/*
 * atom_tables.h - atoms known in advance, as constants that make_atom_tables.c writes at build
 * time: the atoms that every node of a release has before it reads its command line, always with
 * the same indices (otpNN.def, and otp_patches.def for differences of patch releases); and how
 * atoms of OTP are used (atom_uses.def).
 *
 * A text is represented by its number in the sorted list of texts.
 */
#ifndef DISSECT_ATOM_TABLES_H
#define DISSECT_ATOM_TABLES_H

#include <distsniff/term.h>

enum { ATOM_TABLES_NUM = 8, ATOM_TABLE_NONE = 65535, ATOM_INDEX_BITS = 12 /* of hashes */ };

struct atom_table_index {
    uint16_t text, index;
};

struct atom_table {
    const char *release;
    const uint16_t *texts;                  /* of each index */
    const struct atom_table_index *indices; /* sorted by text */
    uint32_t num;            /* of indices; those after num_common depend on the configuration */
    uint32_t num_common;     /* in every build of the release: atom.names and bif.tab of its source */
};

struct atom_table_use {
    uint16_t families; /* kinds of programs that use it, of atom_table_families */
    uint16_t num;      /* how often, in all its roles together */
};

struct atom_table_role {
    uint32_t hash; /* of the role; sorted by it, then by text */
    uint16_t text;
    uint16_t num;
};

extern const struct atom_table atom_tables[ATOM_TABLES_NUM];
extern const unsigned atom_table_num_texts;
extern const struct atom_table_use atom_table_uses[]; /* by text */
extern const unsigned atom_table_families, atom_table_total;
extern const struct atom_table_role atom_table_roles[]; /* of single texts */
extern const unsigned atom_table_roles_num;
extern const uint16_t atom_table_roles_at[]; /* by the first bits of a hash: the first possible entry */
extern const struct atom_table_role atom_table_all[]; /* of all atoms together; text is 0 */
extern const unsigned atom_table_all_num;
extern const uint16_t atom_table_all_at[];

/* The pool, for atom_tables.c, and a hash table of its texts: the number of each, from 1. */
extern const uint8_t atom_table_pool[];
extern const uint32_t atom_table_start[];
extern const uint16_t atom_table_places[];
extern const uint32_t atom_table_places_mask;

/* atom_table_find returns the number of a text, or NONE. */
unsigned atom_table_find(struct ds_text text);

/* atom_table_text returns the text with a number. */
struct ds_text atom_table_text(unsigned number);

/* atom_table_index returns the index of a text in a table, or NONE. */
unsigned atom_table_index(const struct atom_table *table, unsigned number);

/* atom_table_range returns the first entry of a role; *num is the number of its entries. */
const struct atom_table_role *atom_table_range(uint32_t hash, unsigned *num);

/* atom_table_count returns how often a text was seen in a role; atom_table_count_all how often
 * all atoms were. */
unsigned atom_table_count(uint32_t hash, unsigned text);
unsigned atom_table_count_all(uint32_t hash);

#endif
