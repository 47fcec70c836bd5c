/*
 * node_atoms_world.h - senders whose atoms are learned, for tests of the books of atoms: their ends,
 * atoms of the tables of a release, and roles.
 */
#ifndef TEST_ATOM_BOOK_WORLD_H
#define TEST_ATOM_BOOK_WORLD_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "atoms/atom_held.h"
#include "atoms/atom_inference.h"
#include "atoms/atom_shape_fit.h"
#include "atoms/atom_tables.h"
#include "atoms/node_atoms_parts.h"
#include "failing_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dissect_ctx env;

static inline struct ds_text text_of(const char *text)
{
    return (struct ds_text){text, strlen(text)};
}

static inline struct ds_endpoint end_of(const char *name, uint8_t host, uint32_t creation)
{
    return (struct ds_endpoint){.addr = {4, {10, 0, 0, host}},
                                .port = 25672,
                                .node = name != NULL ? text_of(name) : (struct ds_text){NULL, 0},
                                .creation = creation};
}

static const struct atom_role alias_role = {.fine = "N2{2.1[@|r", .coarse = "~+["};

/* slot_in returns the slot of an atom in the table of a release. */
static inline uint16_t slot_in(int table, const char *text)
{
    const unsigned number = atom_table_find(text_of(text));
    assert_int_not_equal(number, ATOM_TABLE_NONE);
    return (uint16_t)(atom_table_index(&atom_tables[table], number) % 2039);
}

/* define_static defines the atom with this index in the table of a release. */
static inline void define_static(struct node_atoms *book, int table, uint16_t index)
{
    node_atoms_define(book, &env, index, atom_table_text(atom_tables[table].texts[index]), 1,
                      ATOM_BOOK_USED);
}

/* fit defines atoms of the first release until it is known that the release fits. */
static inline void fit(struct node_atoms *book)
{
    static const char *const atoms[] = {"ok", "true", "undefined", "erlang", "normal"};
    for (size_t i = 0; i < sizeof atoms / sizeof atoms[0]; i++)
        node_atoms_define(book, &env, slot_in(0, atoms[i]), text_of(atoms[i]), 1, ATOM_BOOK_USED);
}

/* small_contexts returns contexts in a message of a shape that no table has. */
static inline struct atom_contexts small_contexts(const uint32_t *keys, unsigned num)
{
    struct atom_contexts contexts = {.num = num, .num_small = num, .whole = 2}; /* no hash is even */
    memcpy(contexts.keys, keys, num * sizeof *keys);
    return contexts;
}

/* see_in and see_known_in report a slot, or an atom, in such contexts. */
static inline void see_in(struct node_atoms *book, uint16_t slot, uint64_t direction, const uint32_t *keys,
                          unsigned num)
{
    const struct atom_contexts contexts = small_contexts(keys, num);
    shape_fit_see(book, &env, slot, direction, &contexts, 1);
}

/* weigh_in returns the weight that the contexts of a slot give an atom, by its number. */
static inline struct shape_weight weigh_in(const struct node_atoms *book, uint16_t slot, unsigned text,
                                           uint16_t bit)
{
    struct shape_weight weight;
    shape_fit_weigh(book, slot, bit, &text, 1, &weight);
    return weight;
}

static inline void see_known_in(struct node_atoms *book, struct ds_text text, const uint32_t *keys,
                                unsigned num)
{
    const struct atom_contexts contexts = small_contexts(keys, num);
    shape_fit_see_known(book, text, &contexts);
}

static inline bool judges(struct node_atoms *book, const char *text)
{
    const uint16_t slot = slot_in(0, text);
    node_atoms_see(book, &env, slot, 1, &alias_role);
    const struct ds_text found = atom_infer(book, slot, 1);
    assert_true(found.data == NULL ||
                (found.len == strlen(text) && memcmp(found.data, text, found.len) == 0));
    return found.data != NULL;
}

#endif
