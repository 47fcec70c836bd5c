/*
 * atom_memory.h - books that outlive a session: ds_atom_memory.
 */
#ifndef DISSECT_ATOM_MEMORY_H
#define DISSECT_ATOM_MEMORY_H

#include "atom_book.h"

struct ds_atom_memory {
    struct atom_books *books;
};

#endif
