/*
 * atom_shapes.h - the contexts in which atoms occur: the shape of the surrounding term, with the
 * place of the atom in it. A shape knows types alone, not the values of integers, binaries and
 * atoms: so
 *
 *     {append_entries_rpc, 7, {x, <0.1.0>}}    and    {?, 9, {?, <0.4.0>}}
 *
 * have the same shape, and most likely the same atoms in the same places. A list counts by its
 * first two elements, a map in any order of its keys. The control message and the payload are one
 * shape: what is sent indicates the name that it is sent to.
 */
#ifndef DISSECT_ATOM_SHAPES_H
#define DISSECT_ATOM_SHAPES_H

#include <distsniff/event.h>

/* Number of contexts of an atom. The smallest is its place: the class and size of the tuple that
 * contains it, and its index there. Each other one is a term around it. */
enum { ATOM_SHAPE_KEYS = 7 };

/* atom_contexts are the hashes of the contexts of an atom, the smallest first: its place, the
 * term that contains it, the term around that, and so on. From num_small on they are so large
 * that two applications hardly have the same one by chance. whole: the result of
 * atom_shapes_walk. */
struct atom_contexts {
    uint32_t keys[ATOM_SHAPE_KEYS];
    unsigned num, num_small;
    uint32_t whole;
};

/* atom_shape_fn receives an atom and its contexts. */
typedef void (*atom_shape_fn)(void *context, const struct ds_atom *atom,
                              const struct atom_contexts *contexts);

/* atom_is_node_fn says whether an unknown slot is known to be the name of a node. */
typedef bool (*atom_is_node_fn)(void *context, uint16_t slot);

/* atom_shapes_walk calls tell with each reference to the atom cache in a message, except nodes
 * of pids, ports and references. Of a long or deep message it reports only contexts within its
 * limits. is_node may be NULL. Returns the hash of the whole message's shape; 0: the message is
 * over the limits. */
uint32_t atom_shapes_walk(const struct ds_message *message, atom_shape_fn tell, atom_is_node_fn is_node,
                          void *context);

#endif
