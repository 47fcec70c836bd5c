/*
 * atom_shape_tables.h - which atoms occur in which contexts (atom_shapes.h), as constants that
 * make_shape_tables.c writes at build time from shapes.def: a table for each application and
 * release line, counted in captures of real clusters. The first table is what most applications
 * have in common.
 */
#ifndef DISSECT_ATOM_SHAPE_TABLES_H
#define DISSECT_ATOM_SHAPE_TABLES_H

#include "atoms/atom_tables.h"

enum {
    SHAPE_TABLES_NUM = 7,
    SHAPE_TABLE_COMMON = 0, /* what applications have in common */
    SHAPE_NONE = 65535,
};

struct shape_table {
    const char *name, *title; /* "rabbit310" and "RabbitMQ 3.10" */
    const uint32_t *keys;     /* hashes of its contexts, sorted */
    const uint16_t *keys_at;  /* by the first bits of a key: the first possible context */
    const uint8_t *novelty;   /* of each context: probability of an atom not in the table, as -4 log2 */
    const uint8_t *rarity;    /* of each: how often its atom is a new one, likewise */
    const uint16_t *starts;   /* of each: its first filler; one more entry at the end */
    const uint16_t *fillers;  /* atoms, by number */
    const uint8_t *shares;    /* of each filler: its share in the context, as -4 log2 */
    const uint32_t *wholes;   /* shapes of whole messages that are not common, sorted */
    uint32_t num, num_wholes;
};

extern const struct shape_table shape_tables[SHAPE_TABLES_NUM];

/* shape_tables_most returns the number of contexts of the largest table. */
unsigned shape_tables_most(void);

/* shape_table_find returns the number of a context, or SHAPE_NONE. */
unsigned shape_table_find(const struct shape_table *table, uint32_t key);

/* shape_table_has_whole says whether whole messages of that shape were counted. */
bool shape_table_has_whole(const struct shape_table *table, uint32_t whole);

/* shape_table_bits returns the evidence that a context gives for an atom, compared with any atom
 * not seen there, in bits; 0 for those. *rarity: how rare the atom is there, in bits. */
double shape_table_bits(const struct shape_table *table, unsigned context, unsigned text, double *rarity);

/* shape_table_bits_of returns the same for an atom that was seen in a context with that novelty. */
double shape_table_bits_of(unsigned novelty);

/* shape_table_rarity returns the rarity of an atom that was not seen there. */
double shape_table_rarity(const struct shape_table *table, unsigned context);

#endif
