/*
 * likely.h - what one direction adds to the book of its sender (node_atoms.h), and looks up in it.
 */
#ifndef DISSECT_LIKELY_H
#define DISSECT_LIKELY_H

#include "atoms/node_atoms.h"
#include "dist/dist_header.h"

/* likely is the state of a direction for this. Zero-initialise it. */
struct likely {
    struct node_atoms *book;
    bool has_told; /* the book has what the slots contained when it was first used */
    struct ds_addr addr; /* of the sender, when the book was found, */
    uint16_t port;       /* and its port */
    uint64_t direction;  /* id of this direction in the book */
    bool has_listed;     /* it listed all atoms of the sender, in messages that did nothing else:
                          * the old contents of the slots are gone */
    bool has_defined;    /* the current message defined atoms */
    bool is_list;        /* and it is one of those lists */
};

/* likely_define records what a header, as read but not yet applied, defines; the first time, also
 * what the slots contain. There is no book until an atom is in doubt. */
void likely_define(struct likely *likely, struct dissect_ctx *env, const struct conn *conn, int dir,
                   const struct atom_cache *cache, const struct dist_header *header);

/* likely_resolve records the roles of the atoms of a message, and sets unknown ones to what they
 * likely mean. Atoms that are likely because their slot had them before packets were lost stay so
 * only while that is still likely. refs are those that the terms of the message refer to. The
 * counts of the event are updated. may_learn: the bytes are certainly a message. */
void likely_resolve(struct likely *likely, struct dissect_ctx *env, const struct conn *conn,
                    struct atom_cache *cache, struct ds_atom *refs, uint32_t num_refs,
                    bool may_learn, struct ds_event *event);

void likely_free(struct likely *likely);

#endif
