/*
 * inspect_struct.h - structs that Elixir's inspect does not write as a map with a name: those with
 * their own text, and those whose fields have an order.
 */
#ifndef DISSECT_INSPECT_STRUCT_H
#define DISSECT_INSPECT_STRUCT_H

#include "etf/text_walk.h"

enum inspect_how {
    INSPECT_AS_OTHERS,  /* nothing was done */
    INSPECT_IS_WRITTEN, /* it was written, and text->at is after it */
    INSPECT_IN_ORDER,   /* write its fields in the order of inspect_order */
};

enum { INSPECT_FIELDS_MAX = 24 };

/* inspect_order describes a struct whose fields have an order: the positions of the shown fields,
 * key and value, and the end of the struct. */
struct inspect_order {
    unsigned num;
    struct cursor fields[INSPECT_FIELDS_MAX];
    struct cursor end;
};

/* inspect_struct decides how to write a struct with that name, a map of num_pairs at text->at; if
 * it has its own text, it writes that. */
enum inspect_how inspect_struct(struct text *text, struct cursor name, uint64_t num_pairs,
                                struct inspect_order *order);

#endif
