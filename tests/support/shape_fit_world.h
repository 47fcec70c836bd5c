/*
 * shape_fit_world.h - nodes that send shapes and contexts of the table of an application, for tests of what these show.
 */
#ifndef TESTS_SHAPE_FIT_WORLD_H
#define TESTS_SHAPE_FIT_WORLD_H

#include "atoms/atom_shapes.h"
#include "atoms/node_slot_names.h"
#include "etf_maker.h"
#include "node_atoms_world.h"

static inline struct node_atoms *meet(struct all_node_atoms *books, const char *name, uint8_t host,
                                      uint32_t creation)
{
    struct ds_endpoint end = end_of(name, host, creation);
    if (name == NULL)
        end.port = 40000;
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    node_atoms_release(book);
    return book;
}

enum { RABBIT = 1 }; /* the table of an application */

static inline void see_wholes(struct node_atoms *book, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++)
        shape_fit_see_whole(book, shape_tables[RABBIT].wholes[i]);
}

/* sure_context_from returns the first context of the table, from number *at on, that has only one
 * atom, which no release has. */
static inline uint32_t sure_context_from(uint32_t *at, unsigned *text)
{
    const struct shape_table *table = &shape_tables[RABBIT];
    for (; *at < table->num; (*at)++) {
        *text = table->fillers[table->starts[*at]];
        if (table->starts[*at + 1] == table->starts[*at] + 1 && table->novelty[*at] >= 32 &&
            !user_atoms_is_static(NULL, *text))
            return table->keys[(*at)++];
    }
    fail();
    return 0;
}

static inline uint32_t sure_context(unsigned *text)
{
    uint32_t at = 0;
    return sure_context_from(&at, text);
}

#endif
