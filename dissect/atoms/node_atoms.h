/*
 * node_atoms.h - what is known of the atoms of one incarnation of a node, the sender of directions,
 * beyond what each of these defined itself. A node takes slot = index in its atom table modulo
 * 2039 for an atom, on all its connections: so what one of them says serves the others, and the
 * atoms that each node of a release begins with (atom_tables.h) say what most slots may mean, of
 * which atom_inference.h tells which one is likely.
 */
#ifndef DISSECT_NODE_ATOMS_H
#define DISSECT_NODE_ATOMS_H

#include "atoms/atom_roles.h"
#include "atoms/atom_cache.h"

#include <distsniff/dissect.h>

struct node_atoms;
struct all_node_atoms; /* all of them, of one session or several that follow each other */

/* all_node_atoms_new returns an empty shelf of at most max books; NULL when memory ran out. */
struct all_node_atoms *all_node_atoms_new(uint64_t max);
void all_node_atoms_free(struct all_node_atoms *books); /* NULL is allowed */

/* all_node_atoms_find returns the book of that node, made anew if there is none yet: by its name
 * if that is known, else by its address, and by its creation. other: the other end of the connection,
 * NULL where there is none. Creations are seconds, so two nodes of a host may have the same one: without a
 * name, end is at another port of a node that is known only if other is on another host, and has no
 * connection with that node already. In use until it is given back with node_atoms_release. NULL when
 * memory ran out or all books are in use. */
struct node_atoms *all_node_atoms_find(struct all_node_atoms *books, struct dissect_ctx *env,
                                       const struct ds_endpoint *end, const struct ds_endpoint *other);

/* node_atoms_leave takes note of that a connection at that place has ended. */
void node_atoms_leave(struct node_atoms *book, const struct ds_addr *addr, uint16_t port);

/* node_atoms_set_own takes note of the slot that a node which nobody has named has for its name. Two of
 * them are of two nodes: nothing is likely of these any more. */
void node_atoms_set_own(struct node_atoms *book, uint16_t slot);

void node_atoms_release(struct node_atoms *book); /* NULL is allowed */

/* node_atoms_set_time says of when what follows is: of the same packets, read once more, the same is
 * told at the same times. */
void node_atoms_set_time(struct node_atoms *book, int64_t now_ns);

/* node_atoms_is_of says whether a book found earlier is still the one to use. */
bool node_atoms_is_of(const struct node_atoms *book, const struct ds_endpoint *end);

/* How an atom was defined: by a message of its own, whose roles are told too; by one that lists
 * hundreds for the sake of it; or some time ago, in roles that nobody told. */
enum node_atoms_how { ATOM_BOOK_USED, ATOM_BOOK_LISTED, ATOM_BOOK_HEARSAY };

/* node_atoms_define takes note of a definition. direction: which one defined it, if its slot held
 * something else before, so that there it is not what the slot meant before; 0: it may be. */
void node_atoms_define(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot,
                       struct ds_text text, uint64_t direction, enum node_atoms_how how);

/* node_atoms_want takes note of that a message has an atom of which the slot is unknown. */
void node_atoms_want(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot);

/* node_atoms_see takes note of the role of a slot that is unknown in a direction. */
void node_atoms_see(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot, uint64_t direction,
                    const struct atom_role *role);

/* node_atoms_see_known takes note of the role of an atom that direction has defined. is_list: the
 * message is one that lists hundreds. */
void node_atoms_see_known(struct node_atoms *book, uint16_t slot, struct ds_text text,
                          uint64_t direction, bool is_list, const struct atom_role *role);

/* node_atoms_see_held takes note of the role of an atom that a slot held before packets were lost, and
 * beyond doubt still does. */
void node_atoms_see_held(struct node_atoms *book, uint16_t slot, struct ds_text text,
                         struct seen_role role);

/* node_atoms_trusts says whether the sender behaves as a node does. */
bool node_atoms_trusts(const struct node_atoms *book);

/* all_node_atoms_name returns the name of the node that has been at that address and port with that
 * creation; or at another port, if it is the only one there and speaks with another host; absent if none
 * is known. other: the other end. It lives as long as the books are not changed. */
struct ds_text all_node_atoms_name(const struct all_node_atoms *books, const struct ds_endpoint *end,
                                   const struct ds_endpoint *other);

/* all_node_atoms_num_names returns how many names were learned so far, be it as atoms: with each another
 * end may be told. */
uint32_t all_node_atoms_num_names(const struct all_node_atoms *books);

/* all_node_atoms_fits is ds_session_fits. */
void all_node_atoms_fits(const struct all_node_atoms *books, ds_fit_fn fn, void *context);

/* all_node_atoms_add_static is ds_atom_memory_add_static. */
bool all_node_atoms_add_static(struct all_node_atoms *books, const struct ds_text *atoms, size_t num);

/* all_node_atoms_each and all_node_atoms_add are ds_atom_memory_each and ds_atom_memory_add. */
void all_node_atoms_each(const struct all_node_atoms *books, ds_learned_fn give, void *context);
bool all_node_atoms_add(struct all_node_atoms *books, const struct ds_learned *learned);

#endif
