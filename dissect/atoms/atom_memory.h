/*
 * atom_memory.h - books that outlive a session: ds_atom_memory.
 */
#ifndef DISSECT_ATOM_MEMORY_H
#define DISSECT_ATOM_MEMORY_H

#include "atoms/node_atoms.h"

struct ds_atom_memory {
    struct all_node_atoms *books;
};

#endif
