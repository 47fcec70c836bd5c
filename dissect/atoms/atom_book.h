/*
 * atom_book.h - what is known of the atoms of one incarnation of a node, the sender of directions,
 * beyond what each of these defined itself. A node takes slot = index in its atom table modulo
 * 2039 for an atom, on all its connections: so what one of them says serves the others, and the
 * atoms that each node of a release begins with (atom_tables.h) say what most slots may mean, of
 * which atom_judge.h tells which one is likely.
 */
#ifndef DISSECT_ATOM_BOOK_H
#define DISSECT_ATOM_BOOK_H

#include "atom_roles.h"
#include "atom_cache.h"

#include <distsniff/dissect.h>

struct atom_book;
struct atom_books; /* all of them, of one session or several that follow each other */

/* atom_books_new returns an empty shelf of at most max books; NULL when memory ran out. */
struct atom_books *atom_books_new(uint64_t max);
void atom_books_free(struct atom_books *books); /* NULL is allowed */

/* atom_books_find returns the book of that node, made anew if there is none yet: by its name
 * if that is known, else by address and port, and by its creation. In use until it is given back
 * with atom_book_release. NULL when memory ran out or all books are in use. */
struct atom_book *atom_books_find(struct atom_books *books, struct env *env,
                                  const struct ds_endpoint *end);
void atom_book_release(struct atom_book *book); /* NULL is allowed */

/* atom_book_set_time says of when what follows is: of the same packets, read once more, the same is
 * told at the same times. */
void atom_book_set_time(struct atom_book *book, int64_t now_ns);

/* atom_book_is_of says whether a book found earlier is still the one to use. */
bool atom_book_is_of(const struct atom_book *book, const struct ds_endpoint *end);

/* How an atom was defined: by a message of its own, whose roles are told too; by one that lists
 * hundreds for the sake of it; or some time ago, in roles that nobody told. */
enum atom_book_how { ATOM_BOOK_USED, ATOM_BOOK_LISTED, ATOM_BOOK_HEARSAY };

/* atom_book_define takes note of a definition. direction: which one defined it, if its slot held
 * something else before, so that there it is not what the slot meant before; 0: it may be. */
void atom_book_define(struct atom_book *book, struct env *env, uint16_t slot, struct ds_text text,
                      uint64_t direction, enum atom_book_how how);

/* atom_book_want takes note of that a message has an atom of which the slot is unknown. */
void atom_book_want(struct atom_book *book, struct env *env, uint16_t slot);

/* atom_book_see takes note of the role of a slot that is unknown in a direction. */
void atom_book_see(struct atom_book *book, struct env *env, uint16_t slot, uint64_t direction,
                   const struct atom_role *role);

/* atom_book_see_known takes note of the role of an atom that direction has defined. is_list: the
 * message is one that lists hundreds. */
void atom_book_see_known(struct atom_book *book, uint16_t slot, struct ds_text text,
                         uint64_t direction, bool is_list, const struct atom_role *role);

/* atom_book_see_held takes note of the role of an atom that a slot held before packets were lost, and
 * beyond doubt still does. */
void atom_book_see_held(struct atom_book *book, uint16_t slot, struct ds_text text,
                        struct seen_role role);

/* atom_book_trusts says whether the sender behaves as a node does. */
bool atom_book_trusts(const struct atom_book *book);

/* atom_books_name returns the name of the node that has been at that address and port with that
 * creation; or at another port, if it is the only one there and speaks with another host; absent if none
 * is known. other: the other end. It lives as long as the books are not changed. */
struct ds_text atom_books_name(const struct atom_books *books, const struct ds_endpoint *end,
                               const struct ds_endpoint *other);

/* atom_books_num_names returns how many names were learned so far: with each another end may be told. */
uint32_t atom_books_num_names(const struct atom_books *books);

/* atom_books_fits is ds_session_fits. */
void atom_books_fits(const struct atom_books *books, ds_fit_fn fn, void *context);

/* atom_books_add_static is ds_atom_memory_add_static. */
bool atom_books_add_static(struct atom_books *books, const struct ds_text *atoms, size_t num);

/* atom_books_each and atom_books_add are ds_atom_memory_each and ds_atom_memory_add. */
void atom_books_each(const struct atom_books *books, ds_learned_fn give, void *context);
bool atom_books_add(struct atom_books *books, const struct ds_learned *learned);

#endif
