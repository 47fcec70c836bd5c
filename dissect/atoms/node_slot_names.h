/*
 * node_slot_names.h - the name of a node, found by the slot that others, or the node itself, use
 * for it. The place of the slot in a message shows which node it names; on another connection the
 * same sender has sent the text.
 */
#ifndef DISSECT_NODE_SLOT_NAMES_H
#define DISSECT_NODE_SLOT_NAMES_H

#include "atoms/node_atoms.h"

/* node_slot_names_find returns the name that the sender has in a slot for the node at end.
 * Absent if it is not likely: the slot has no name or two, the sender knows so many nodes that
 * two may well share a slot, or another incarnation has that name. The text lives until the
 * books change. */
struct ds_text node_slot_names_find(const struct all_node_atoms *books, const struct ds_endpoint *sender,
                                    uint16_t slot, const struct ds_endpoint *end);

/* node_slot_names_is_node says whether a slot was seen where only the name of a node can be, or
 * was given such a name. node_slot_names_add records the former; false: already known. */
bool node_slot_names_is_node(const struct node_atoms *book, uint16_t slot);
bool node_slot_names_add(struct node_atoms *book, uint16_t slot);

/* node_slot_names_add_end records that a slot is the name of the node at the other end of a
 * connection of the sender. node_slot_names_end_of returns that node if the slot is in a pid,
 * port or reference with its creation; NULL: unknown. The result is valid until the book
 * changes. */
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
