/*
 * node_atoms.h - the atoms of one incarnation of a node, the sender of directions, beyond those
 * that each direction defined itself. A node uses slot = index in its atom table modulo 2039 for an
 * atom, on all its connections: so definitions on one connection help to read the others, and the
 * atoms that each node of a release starts with (atom_tables.h) are candidates for most slots.
 * atom_inference.h judges which one is likely.
 */
#ifndef DISSECT_NODE_ATOMS_H
#define DISSECT_NODE_ATOMS_H

#include "atoms/atom_roles.h"
#include "atoms/atom_cache.h"

#include <distsniff/dissect.h>

struct node_atoms;
struct all_node_atoms; /* of one session, or of several in sequence */

/* all_node_atoms_new returns an empty set of at most max books; NULL if memory ran out. */
struct all_node_atoms *all_node_atoms_new(uint64_t max);
void all_node_atoms_free(struct all_node_atoms *books); /* NULL is allowed */

/* all_node_atoms_find returns the book of a node, which it creates if needed. It finds a node by
 * its creation and its name, or its address if the name is unknown. other: the other end of the
 * connection, NULL if there is none. A creation is a time in seconds, so two nodes of a host may
 * have the same one: without a name, end counts as another port of a known node only if other is
 * on another host and has no connection with that node. The caller releases the book with
 * node_atoms_release. NULL if memory ran out or all books are in use. */
struct node_atoms *all_node_atoms_find(struct all_node_atoms *books, struct dissect_ctx *env,
                                       const struct ds_endpoint *end, const struct ds_endpoint *other);

/* node_atoms_leave records that a connection at that place has ended. */
void node_atoms_leave(struct node_atoms *book, const struct ds_addr *addr, uint16_t port);

/* node_atoms_set_own records the slot that a node without a known name uses for its own name. If
 * there are two, there are two nodes, and nothing is likely in this book any more. */
void node_atoms_set_own(struct node_atoms *book, uint16_t slot);

void node_atoms_release(struct node_atoms *book); /* NULL is allowed */

/* node_atoms_set_time sets the time of the calls that follow: if the same packets are read
 * again, they have the same times. */
void node_atoms_set_time(struct node_atoms *book, int64_t now_ns);

/* node_atoms_is_of says whether a book that was found earlier is still the right one. */
bool node_atoms_is_of(const struct node_atoms *book, const struct ds_endpoint *end);

/* How an atom was defined: by a message whose roles are reported as well; by one that only lists
 * hundreds of atoms; or some time ago, without its roles. */
enum node_atoms_how { ATOM_BOOK_USED, ATOM_BOOK_LISTED, ATOM_BOOK_HEARSAY };

/* node_atoms_define records a definition. direction: the one that defined it, if its slot
 * contained another atom before, so that there it did not mean this one; 0: it may have. */
void node_atoms_define(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot,
                       struct ds_text text, uint64_t direction, enum node_atoms_how how);

/* node_atoms_request records that a message contains an atom whose slot is unknown. */
void node_atoms_request(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot);

/* node_atoms_see records the role of a slot that is unknown in a direction. */
void node_atoms_see(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot, uint64_t direction,
                    const struct atom_role *role);

/* node_atoms_see_known records the role of an atom that direction has defined. is_list: the
 * message is one that lists hundreds. */
void node_atoms_see_known(struct node_atoms *book, uint16_t slot, struct ds_text text,
                          uint64_t direction, bool is_list, const struct atom_role *role);

/* node_atoms_see_held records the role of an atom that was in a slot before packets were lost,
 * and certainly still is. */
void node_atoms_see_held(struct node_atoms *book, uint16_t slot, struct ds_text text,
                         struct seen_role role);

/* node_atoms_trusts says whether the sender behaves like a node. */
bool node_atoms_trusts(const struct node_atoms *book);

/* all_node_atoms_name returns the name of the node with that creation that was at that address
 * and port; or at another port, if it is the only one there and other is on another host. Absent
 * if unknown. other: the other end. The text lives until the books change. */
struct ds_text all_node_atoms_name(const struct all_node_atoms *books, const struct ds_endpoint *end,
                                   const struct ds_endpoint *other);

/* all_node_atoms_num_names returns how many names of nodes, also as atoms, were learned so far:
 * each may identify another end. */
uint32_t all_node_atoms_num_names(const struct all_node_atoms *books);

/* all_node_atoms_fits is ds_session_fits. */
void all_node_atoms_fits(const struct all_node_atoms *books, ds_fit_fn fn, void *context);

/* all_node_atoms_add_static is ds_atom_memory_add_static. */
bool all_node_atoms_add_static(struct all_node_atoms *books, const struct ds_text *atoms, size_t num);

/* all_node_atoms_each and all_node_atoms_add are ds_atom_memory_each and ds_atom_memory_add. */
void all_node_atoms_each(const struct all_node_atoms *books, ds_learned_fn give, void *context);
bool all_node_atoms_add(struct all_node_atoms *books, const struct ds_learned *learned);

#endif
