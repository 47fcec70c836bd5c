/*
 * atom_roles.h - in which roles atoms stand in a message: what an atom that was never seen is seen
 * to do. A role is a short text, so that the table of them (atom_uses.def) can be read:
 *
 *     to           the registered name that the message goes to
 *     N0{@ai}      in the payload, sent to a name (N; P to a pid, R to a reference, S arguments of
 *                  a spawn request, X an exit reason, M the {M, F, A} of a spawn request), not
 *                  nested (0), the first of a tuple with an atom and an integer behind it
 *     P1[@|r]      nested once, in a list of one element that ends in a reference
 *     P1{3.1{@p    in a tuple in the second place (from 0) of a tuple of three
 *     N0#k  N1#v   the key or the value of a map
 *
 * The letters: a atom, i integer, f float, b binary, s string, n [], p pid, o port, r reference,
 * e external fun, t tuple, l list, m map, F fun, R record.
 *
 * The coarse form of a role leaves out what stands beside it: ~to, ~0{3.1, ~+[. Close forms say
 * more: of what the tuples and lists beside it consist, and after that which atom is known
 *
 *     *N0{@{pl}a             none of interest
 *     *N0{@{pl}a=which       the first one beside it
 *     *N0{@{pl}a>rex         the name that the message goes to, or the function of a spawn request
 *     *N2{@a<$gen_cast       the one at the beginning of what it is nested in
 */
#ifndef DISSECT_ATOM_ROLES_H
#define DISSECT_ATOM_ROLES_H

#include "conn/conn.h"
#include "etf/term.h"
#include "util/fnv1a.h"

#define ATOM_ROLE_NODE "@" /* of a pid, port or reference */

enum { ATOM_ROLE_LEN = 40, ATOM_ROLE_CLOSE_LEN = 128, ATOM_ROLE_CLOSE = 4 };

struct atom_role {
    char fine[ATOM_ROLE_LEN], coarse[ATOM_ROLE_LEN];
    char close[ATOM_ROLE_CLOSE][ATOM_ROLE_CLOSE_LEN]; /* what says most comes first */
    unsigned num_close;
    uint32_t creation; /* of the node that the atom is the name of, in a pid, port or reference; 0: none */
};

/* seen_role is one as it is looked up: by atom_role_hash. close is that of a close form, and rank
 * how much that says; both are 0 without. */
struct seen_role {
    uint32_t fine, coarse, close;
    uint16_t rank;
    bool is_argument; /* of a call: what it says of lists does not hold */
};

typedef void (*atom_role_fn)(void *context, const struct ds_atom *atom,
                             const struct atom_role *role);

/* atom_roles_walk tells of each reference to the atom cache in a message what its role is. Of what
 * is nested deeply, or stands far behind in a long message, nothing is told. The terms have been
 * walked before. */
void atom_roles_walk(const struct ds_message *message, atom_role_fn tell, void *context);

/* atom_role_hash is what a role is looked up by. */
static inline uint32_t atom_role_hash(const char *role)
{
    return fnv1a_string(role);
}

/* atom_role_seen is a role with the closest form of which anything is known beforehand. */
struct seen_role atom_role_seen(const struct atom_role *role);

#endif
