/*
 * atom_shapes.h - the contexts in which atoms stand: of each the shape of what is around it, with its
 * place in that. A shape knows types alone, not what integers, binaries and atoms are: so
 *
 *     {append_entries_rpc, 7, {x, <0.1.0>}}    and    {?, 9, {?, <0.4.0>}}
 *
 * have the same one, and what stood in its places before most likely stands there again.
 * A list counts by its first two elements, a map whatever the order of its keys. The control
 * message and the payload are one shape: the name that a message goes to is told by what is sent.
 */
#ifndef DISSECT_ATOM_SHAPES_H
#define DISSECT_ATOM_SHAPES_H

#include <distsniff/event.h>

/* So many terms around an atom are looked at, each as a context of its own; and, smaller than those, how
 * many elements the tuple has that it stands in, and which of them it is. */
enum { ATOM_SHAPE_KEYS = 7 };

/* atom_contexts are the hashes of the contexts of an atom, the smallest first: its place, the term that it
 * stands in, the term around that, and so on. From num_small on they are so large that hardly two
 * applications have the same one by chance. whole: what atom_shapes_walk is going to return. */
struct atom_contexts {
    uint32_t keys[ATOM_SHAPE_KEYS];
    unsigned num, num_small;
    uint32_t whole;
};

/* atom_shape_fn receives an atom and its contexts. */
typedef void (*atom_shape_fn)(void *context, const struct ds_atom *atom,
                              const struct atom_contexts *contexts);

/* atom_is_node_fn says whether a slot that is unknown is known to be the name of a node. */
typedef bool (*atom_is_node_fn)(void *context, uint16_t slot);

/* atom_shapes_walk tells of each reference to the atom cache in a message, but for nodes of pids,
 * ports and references. Of a long or deep message only what is complete within bounds is told.
 * is_node may be NULL. Returns the hash of the whole message's shape; 0: it is longer or deeper. */
uint32_t atom_shapes_walk(const struct ds_message *message, atom_shape_fn tell, atom_is_node_fn is_node,
                          void *context);

#endif
