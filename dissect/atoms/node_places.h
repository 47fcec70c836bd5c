/*
 * node_places.h - the places of a node: the addresses and ports of its connections, and their other
 * ends. They identify a node whose name is unknown.
 */
#ifndef DISSECT_NODE_PLACES_H
#define DISSECT_NODE_PLACES_H

#include "atoms/node_atoms_parts.h"

bool node_places_has(const struct node_atoms *book, const struct ds_endpoint *end);
bool node_places_has_addr(const struct node_atoms *book, const struct ds_addr *addr);

/* node_places_add stores a place of a node, which identifies it if nothing else does, and the
 * other end of the connection there; NULL: none. */
void node_places_add(struct node_atoms *book, const struct ds_endpoint *end,
                     const struct ds_endpoint *other);

/* node_places_is_beside says whether two nodes were seen at one address: on one host, several
 * may have been started in the same second. */
bool node_places_is_beside(const struct node_atoms *book, const struct node_atoms *other);

/* node_places_find returns the book of a node without a name that is at another port of the address of
 * end; NULL: it may be another node. */
struct node_atoms *node_places_find(const struct all_node_atoms *books, const struct ds_endpoint *end,
                                    const struct ds_endpoint *other);

#endif
