/*
 * atom_memory.c - see atom_memory.h and <distsniff/dissect.h>.
 */
#include "atoms/atom_memory.h"

#include "atoms/node_atoms_parts.h"

#include <stdlib.h>

struct ds_atom_memory *ds_atom_memory_new(uint64_t max_nodes)
{
    struct ds_atom_memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return NULL;
    memory->books = all_node_atoms_new(max_nodes);
    if (memory->books == NULL) {
        free(memory);
        return NULL;
    }
    return memory;
}

void ds_atom_memory_free(struct ds_atom_memory *memory)
{
    if (memory == NULL)
        return;
    all_node_atoms_free(memory->books);
    free(memory);
}

void ds_atom_memory_each(const struct ds_atom_memory *memory, ds_learned_fn give, void *context)
{
    all_node_atoms_each(memory->books, give, context);
}

bool ds_atom_memory_add(struct ds_atom_memory *memory, const struct ds_learned *learned)
{
    return all_node_atoms_add(memory->books, learned);
}

void ds_atom_memory_each_shape(const struct ds_atom_memory *memory, ds_learned_shape_fn give,
                               void *context)
{
    if (memory->books->learned != NULL)
        learned_shapes_each(memory->books->learned, give, context);
}

bool ds_atom_memory_add_shape(struct ds_atom_memory *memory, const struct ds_learned_shape *shape)
{
    struct learned_shapes *shapes = all_node_atoms_shapes(memory->books);
    return shapes != NULL && learned_shapes_add(shapes, shape);
}

bool ds_atom_memory_add_static(struct ds_atom_memory *memory, const struct ds_text *atoms, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (atoms[i].data == NULL || atoms[i].len > ATOM_MAX_LEN)
            return false;
    }
    return num != 0 && num <= DS_STATIC_ATOMS_MAX &&
           all_node_atoms_add_static(memory->books, atoms, num);
}
