/*
 * likely.h - what one direction tells the book of its sender (node_atoms.h), and asks of it.
 */
#ifndef DISSECT_LIKELY_H
#define DISSECT_LIKELY_H

#include "atoms/node_atoms.h"
#include "dist/dist_header.h"

/* likely is what a direction keeps for this. Zero-initialise it. */
struct likely {
    struct node_atoms *book;
    bool has_told; /* the book what the slots held when it was asked for first */
    struct ds_addr addr; /* of the sender, when the book was found, */
    uint16_t port;       /* and its port */
    uint64_t direction;  /* what this one is called there */
    bool has_listed;     /* all atoms of the sender, in messages that did nothing else: what was in the
                            slots is gone */
    bool has_defined;    /* the message at hand did */
    bool is_list;        /* and it is one of those */
};

/* likely_define takes note of what a header, as read but not applied, defines; and the first time
 * of what the slots hold. As long as no atom was in doubt there is no book. */
void likely_define(struct likely *likely, struct dissect_ctx *env, const struct conn *conn, int dir,
                   const struct atom_cache *cache, const struct dist_header *header);

/* likely_resolve takes note of the roles of the atoms of a message, and gives those that are
 * unknown what they likely mean; those that are likely because the slot held them before packets
 * were lost only stay so where that is likely still. refs are those that the terms of the message
 * refer to. The counts of the event are brought up to date. may_learn: that this is a message is
 * beyond doubt. */
void likely_resolve(struct likely *likely, struct dissect_ctx *env, const struct conn *conn,
                    struct atom_cache *cache, struct ds_atom *refs, uint32_t num_refs,
                    bool may_learn, struct ds_event *event);

void likely_free(struct likely *likely);

#endif
