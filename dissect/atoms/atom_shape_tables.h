/*
 * atom_shape_tables.h - which atoms stand in which contexts (atom_shapes.h), as constants that
 * make_shape_tables.c writes at build time from shapes.def: a table for each application and release
 * line, counted in captures of real clusters, and a first one of what most of these have in common.
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
    const char *name, *title; /* "rabbit310", "RabbitMQ 3.10" */
    const uint32_t *keys;     /* of its contexts, sorted */
    const uint16_t *keys_at;  /* by the first bits of a key: the first one that may be it */
    const uint8_t *novelty;   /* of each: how many other atoms are to be expected there, as -4 log2 */
    const uint8_t *rarity;    /* of each: how often it is such a one, likewise */
    const uint16_t *starts;   /* of each: where its atoms begin in what follows; one more than there are */
    const uint16_t *fillers;  /* atoms, by number */
    const uint8_t *shares;    /* of them: how often it is that one, as -4 log2 */
    const uint32_t *wholes;   /* shapes of whole messages, sorted, that are not common */
    uint32_t num, num_wholes;
};

extern const struct shape_table shape_tables[SHAPE_TABLES_NUM];

/* shape_tables_most returns how many contexts a table has at most. */
unsigned shape_tables_most(void);

/* shape_table_find returns the number of a context, or SHAPE_NONE. */
unsigned shape_table_find(const struct shape_table *table, uint32_t key);

/* shape_table_has_whole says whether whole messages of that shape were counted. */
bool shape_table_has_whole(const struct shape_table *table, uint32_t whole);

/* shape_table_bits returns how many bits it speaks for an atom that it is in a context, against any atom
 * that was not seen there; 0 for such. *rarity: how rarely what stands there is the atom, in bits. */
double shape_table_bits(const struct shape_table *table, unsigned context, unsigned text, double *rarity);

/* shape_table_bits_of returns that of an atom that was seen in a context with that novelty. */
double shape_table_bits_of(unsigned novelty);

/* shape_table_rarity returns that of an atom that was not seen there. */
double shape_table_rarity(const struct shape_table *table, unsigned context);

#endif
