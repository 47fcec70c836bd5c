/*
 * atom_roles.h - the roles of atoms in a message: even if the text of an atom was never seen, its
 * places are. A role is a short text, so that their table (atom_uses.def) is readable:
 *
 *     to           the registered name that the message goes to
 *     N0{@ai}      in the payload, sent to a name (N; P to a pid, R to a reference, S arguments of
 *                  a spawn request, X an exit reason, M the {M, F, A} of a spawn request), not
 *                  nested (0), the first of a tuple, followed by an atom and an integer
 *     P1[@|r]      nested once, in a list of one element that ends in a reference
 *     P1{3.1{@p    in a tuple in the second place (from 0) of a tuple of three
 *     N0#k  N1#v   the key or the value of a map
 *
 * The letters: a atom, i integer, f float, b binary, s string, n [], p pid, o port, r reference,
 * e external fun, t tuple, l list, m map, F fun, R record.
 *
 * The coarse form of a role leaves out its neighbours: ~to, ~0{3.1, ~+[. Close forms contain more:
 * the elements of neighbouring tuples and lists, and then a known atom
 *
 *     *N0{@{pl}a             none
 *     *N0{@{pl}a=which       the first one beside it
 *     *N0{@{pl}a>rex         the name that the message goes to, or the function of a spawn request
 *     *N2{@a<$gen_cast       the one at the beginning of the enclosing term
 */
#ifndef DISSECT_ATOM_ROLES_H
#define DISSECT_ATOM_ROLES_H

#include "conn/conn.h"
#include "etf/term.h"
#include "util/fnv1a.h"

#define ATOM_ROLE_NODE "@" /* the node of a pid, port or reference */

enum { ATOM_ROLE_LEN = 40, ATOM_ROLE_CLOSE_LEN = 128, ATOM_ROLE_CLOSE = 4 };

struct atom_role {
    char fine[ATOM_ROLE_LEN], coarse[ATOM_ROLE_LEN];
    char close[ATOM_ROLE_CLOSE][ATOM_ROLE_CLOSE_LEN]; /* the most specific first */
    unsigned num_close;
    uint32_t creation; /* if the atom is the node of a pid, port or reference: its creation; 0: none */
};

/* seen_role is a role as it is looked up: hashes by atom_role_hash. close is the hash of a close
 * form, and rank how specific that is; both are 0 without one. */
struct seen_role {
    uint32_t fine, coarse, close;
    uint16_t rank;
    bool is_argument; /* an argument of a call: rules about lists do not apply */
};

typedef void (*atom_role_fn)(void *context, const struct ds_atom *atom,
                             const struct atom_role *role);

/* atom_roles_walk calls tell with the role of each reference to the atom cache in a message. It
 * skips deeply nested terms, and the rest of a long message. The terms have been checked before. */
void atom_roles_walk(const struct ds_message *message, atom_role_fn tell, void *context);

/* atom_role_hash returns the hash by which a role is looked up. */
static inline uint32_t atom_role_hash(const char *role)
{
    return fnv1a_string(role);
}

/* atom_role_seen returns a role with its most specific close form that the tables contain. */
struct seen_role atom_role_seen(const struct atom_role *role);

#endif
