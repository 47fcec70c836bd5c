/*
 * learned_shapes.h - contexts of atoms (atom_shapes.h) that this run and earlier ones counted in
 * the user's own traffic: like atom_shape_tables.h, which was counted in other clusters without
 * their names. Contexts do not depend on slots, so they are valid after a node restarts, and for
 * other nodes of the application.
 *
 * Atoms have the numbers of atom_tables.h, followed by those of atoms that no table has, which may
 * be names that users chose. Contexts with such an atom are used for nodes known to use these names
 * (atom_shape_fit.h).
 *
 * The numbers of contexts, atoms, shapes and places are capped; when there is no room, new ones are
 * dropped.
 */
#ifndef DISSECT_LEARNED_SHAPES_H
#define DISSECT_LEARNED_SHAPES_H

#include "atoms/atom_tables.h"
#include "util/memcap.h"

#include <distsniff/dissect.h>

enum {
    LEARNED_CONTEXTS = 32768,
    LEARNED_FILLERS = 6,    /* atoms of a context */
    LEARNED_ATOMS = 4096,   /* that no table has */
    LEARNED_WHOLES = 4096,  /* shapes of whole messages */
    LEARNED_PLACES = 256,   /* nodes whose messages were counted */
    LEARNED_NONE = UINT32_MAX,
};

struct learned_shapes;

/* learned_shapes_new returns an empty set, which reserves its memory from memcap; NULL if memory
 * ran out. */
struct learned_shapes *learned_shapes_new(struct memcap *memcap);
void learned_shapes_free(struct learned_shapes *shapes); /* NULL is allowed */

/* learned_shapes_wants says whether to count a message of that shape: the first ones are
 * counted, then only some, so that repeated traffic costs little. 0 is the shape of a long
 * message. */
bool learned_shapes_wants(struct learned_shapes *shapes, uint32_t whole);

/* learned_shapes_count counts a certain atom in its contexts, the smallest first. */
void learned_shapes_count(struct learned_shapes *shapes, struct ds_text text, const uint32_t *keys,
                          unsigned num);

/* learned_shapes_add_whole adds the shape of a message whose atoms are all certain; false: it is
 * already there, or there is no room. */
bool learned_shapes_add_whole(struct learned_shapes *shapes, uint32_t whole);

/* learned_shapes_add_place stores the address and the name of a counted node; the name may be
 * absent. */
void learned_shapes_add_place(struct learned_shapes *shapes, const struct ds_addr *addr,
                              struct ds_text name);

/* learned_shapes_names_at returns which learned names are used for a node at that address; NONE
 * for loopback addresses, which each host has. learned_shapes_names_of returns it for a node
 * with that name. */
enum learned_names learned_shapes_names_at(const struct learned_shapes *shapes,
                                           const struct ds_addr *addr);
enum learned_names learned_shapes_names_of(const struct learned_shapes *shapes, struct ds_text name);

bool learned_shapes_has_whole(const struct learned_shapes *shapes, uint32_t whole);
uint32_t learned_shapes_num_wholes(const struct learned_shapes *shapes);

/* Which contexts with atoms that no table has are used for a node: those that only this run
 * counted, if this run counted the node; all, if an earlier run did. */
enum learned_names { LEARNED_NAMES_NONE, LEARNED_NAMES_THIS_RUN, LEARNED_NAMES_ALL };

/* learned_shapes_find returns the number of a context; LEARNED_NONE if it is unknown, or has too
 * many different atoms to be of use. */
uint32_t learned_shapes_find(const struct learned_shapes *shapes, uint32_t key, enum learned_names names);

/* learned_shapes_has_names says whether a context has an atom that no table has. */
bool learned_shapes_has_names(const struct learned_shapes *shapes, uint32_t context);

/* Like the columns of struct shape_table. */
uint8_t learned_shapes_novelty(const struct learned_shapes *shapes, uint32_t context);
double learned_shapes_rarity(const struct learned_shapes *shapes, uint32_t context);

/* learned_shapes_filler returns the number of atom i of a context, ATOM_TABLE_NONE after the
 * last one; learned_shapes_filler_rarity how rare it is there, in bits. */
unsigned learned_shapes_filler(const struct learned_shapes *shapes, uint32_t context, unsigned i);
double learned_shapes_filler_rarity(const struct learned_shapes *shapes, uint32_t context, unsigned i);

/* learned_shapes_atom returns the number of an atom; ATOM_TABLE_NONE if it has none. If shapes
 * is NULL, only the built-in table is searched. */
unsigned learned_shapes_atom(const struct learned_shapes *shapes, struct ds_text text);

/* learned_shapes_text returns the text of an atom; it lives as long as shapes. */
struct ds_text learned_shapes_text(const struct learned_shapes *shapes, unsigned atom);

/* learned_shapes_each and learned_shapes_add are ds_atom_memory_each_shape and ds_atom_memory_add_shape. */
void learned_shapes_each(const struct learned_shapes *shapes, ds_learned_shape_fn give, void *context);
bool learned_shapes_add(struct learned_shapes *shapes, const struct ds_learned_shape *shape);

#endif
