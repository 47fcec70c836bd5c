/*
 * atom_book.h - what is known of the atoms of one incarnation of a node, the sender of directions,
 * beyond what each of these defined itself. A node takes slot = index in its atom table modulo
 * 2039 for an atom, on all its connections: so what one of them says serves the others, and the
 * atoms that each node of a release begins with (atom_tables.h) say what most slots may mean.
 *
 * What a slot means is told from its candidates, by the roles in which it was seen (atom_roles.h):
 *
 *     score = log2 P(atom is used) + sum over roles of log2 P(role | atom) / P(role)
 *
 * against "some other atom". A candidate that has 99 % of all is likely; else nothing is.
 */
#ifndef DISSECT_ATOM_BOOK_H
#define DISSECT_ATOM_BOOK_H

#include "atom_roles.h"
#include "atoms.h"

#include <distsniff/event.h>

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

/* atom_book_judge returns what a slot most likely means in that direction; absent: nothing is
 * likely. The text lives as long as the book. */
struct ds_text atom_book_judge(struct atom_book *book, uint16_t slot, uint64_t direction);

/* atom_book_guess says what a slot may mean in that direction where nothing is likely. The texts live as
 * long as the book. */
void atom_book_guess(struct atom_book *book, uint16_t slot, uint64_t direction,
                     struct ds_guess *guess);

enum { ATOM_HELD_ROLES = 8 };
#define ATOM_LIKELY_FROM 0.99

/* atom_held is what a slot held before packets were lost. */
struct atom_held {
    struct ds_text text;
    double changed; /* how probable it is that the slot was given another atom since, and */
    double lost;    /* that a definition was not seen */
    struct seen_role roles[ATOM_HELD_ROLES]; /* in which the slot stands now, */
    unsigned num_roles, num_new;             /* the first of them for the first time since */
    uint32_t alike;      /* a bit for each that is of a kind with one before, */
    unsigned num_before; /* of so many */
    double weight; /* what these said; then with the new ones */
    double again;  /* of it, by roles in which it stood once more; the same */
};

enum atom_held_verdict {
    ATOM_HELD_DOUBTFUL,
    ATOM_HELD_STILL, /* beyond doubt */
    ATOM_HELD_GONE,
};

/* atom_book_judge_held says whether a slot still holds what it held. *out is what it likely means
 * in this message: held->text, another text that lives as long as the book, or absent. */
enum atom_held_verdict atom_book_judge_held(struct atom_book *book, uint16_t slot,
                                            uint64_t direction, struct atom_held *held,
                                            struct ds_text *out);

/* atom_book_trusts says whether the sender behaves as a node does. */
bool atom_book_trusts(const struct atom_book *book);

/* atom_books_name returns the name of the node that has been at that address and port with that
 * creation; absent if none is known. It lives as long as the books are not changed. */
struct ds_text atom_books_name(const struct atom_books *books, const struct ds_endpoint *end);

/* atom_books_add_static is ds_atom_memory_add_static. */
bool atom_books_add_static(struct atom_books *books, const struct ds_text *atoms, size_t num);

/* atom_books_each and atom_books_add are ds_atom_memory_each and ds_atom_memory_add. */
void atom_books_each(const struct atom_books *books, ds_learned_fn give, void *context);
bool atom_books_add(struct atom_books *books, const struct ds_learned *learned);

#endif
