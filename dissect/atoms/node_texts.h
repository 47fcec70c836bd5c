/*
 * node_texts.h - the texts that slots of a node were seen to be given: a few of each.
 */
#ifndef DISSECT_NODE_TEXTS_H
#define DISSECT_NODE_TEXTS_H

#include "atoms/node_atoms_parts.h"

static inline bool node_texts_equal(struct ds_text a, const void *data, size_t len)
{
    return a.len == len && (len == 0 || memcmp(a.data, data, len) == 0);
}

/* node_texts_copy returns a copy, reserved from memcap; NULL if memory ran out. It is one byte
 * longer than the text, so that the copy of an empty text is not NULL. */
char *node_texts_copy(struct memcap *memcap, struct ds_text text);

/* node_texts_find returns what was learned of a slot with that text; NULL: nothing was. */
struct learned *node_texts_find(struct node_atoms *book, uint16_t slot, struct ds_text text);

/* node_texts_add adds a new text; if the slot has too many, it replaces the oldest. NULL if
 * memory ran out. */
struct learned *node_texts_add(struct node_atoms *book, uint16_t slot, struct ds_text text);

#endif
