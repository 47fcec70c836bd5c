/*
 * inspect_struct.h - structs that Elixir's inspect writes in another way than as a map with a name:
 * those of its own with a text of their own, and those with an order of their fields.
 */
#ifndef DISSECT_INSPECT_STRUCT_H
#define DISSECT_INSPECT_STRUCT_H

#include "etf/text_walk.h"

enum inspect_how {
    INSPECT_AS_OTHERS,  /* nothing was done */
    INSPECT_IS_WRITTEN, /* and passed */
    INSPECT_IN_ORDER,   /* its fields are to be written in that of inspect_order */
};

enum { INSPECT_FIELDS_MAX = 24 };

/* inspect_order is a struct whose fields have an order: where those stand that are shown, key and value,
 * and what follows all of them. */
struct inspect_order {
    unsigned num;
    struct cursor fields[INSPECT_FIELDS_MAX];
    struct cursor end;
};

/* inspect_struct finds out how the struct of that name is written that a map of num_pairs at text->at
 * is; where it has a text of its own, does that. */
enum inspect_how inspect_struct(struct text *text, struct cursor name, uint64_t num_pairs,
                                struct inspect_order *order);

#endif
