/*
 * node_slot_names.h - how a node is called, by the number that others, or it itself, have for its name.
 * The place of the number says whose name it is; and on another connection the same sender has sent the
 * text.
 */
#ifndef DISSECT_NODE_SLOT_NAMES_H
#define DISSECT_NODE_SLOT_NAMES_H

#include "atoms/node_atoms.h"

/* node_slot_names_find returns the name of the node at end that the sender has in that slot; absent
 * where it is not likely: nothing or two names are known of the slot, the sender knows so many nodes that
 * two may well share a slot, or another incarnation has that name. It lives as long as the books are not
 * changed. */
struct ds_text node_slot_names_find(const struct all_node_atoms *books, const struct ds_endpoint *sender,
                                    uint16_t slot, const struct ds_endpoint *end);

/* node_slot_names_is_node says whether a slot stood where only the name of a node does, or was given one.
 * node_slot_names_add takes note of the former; false: that was known before. */
bool node_slot_names_is_node(const struct node_atoms *book, uint16_t slot);
bool node_slot_names_add(struct node_atoms *book, uint16_t slot);

/* node_slot_names_add_end takes note of that a slot is the name of the node at the other end of a
 * connection of the sender. node_slot_names_end_of returns which node that is, where the slot stands in
 * something of that creation, a pid say; NULL: it is not known. It lives as long as the book is not
 * changed. */
void node_slot_names_add_end(struct node_atoms *book, uint16_t slot, const struct ds_endpoint *end);
const struct ds_endpoint *node_slot_names_end_of(const struct node_atoms *book, uint16_t slot,
                                                 uint32_t creation);

/* node_slot_names_is_name says whether an atom may be the name of a node: name@host. */
static inline bool node_slot_names_is_name(struct ds_text text)
{
    size_t num_at = 0;
    for (size_t i = 0; i < text.len; i++) {
        if ((uint8_t)text.data[i] <= ' ' || text.data[i] == 0x7f)
            return false;
        num_at += text.data[i] == '@';
    }
    return num_at == 1 && text.data[0] != '@' && text.data[text.len - 1] != '@';
}

#endif
