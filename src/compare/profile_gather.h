/*
 * profile_gather.h - makes a profile from records: what each record is counted as.
 *
 * A message counts for the node that sends it, for the link, and for its kind: sender, contents and
 * receiver. A message that could not be read completely counts for node and link, and as unread. The
 * key of a call is the caller, the function and the callee.
 *
 * For --baseline (novelty.h), functions, registered names and shapes are also counted without their
 * nodes.
 */
#ifndef SRC_PROFILE_GATHER_H
#define SRC_PROFILE_GATHER_H

#include "compare/node_roles.h"
#include "compare/novelty.h"
#include "compare/profile.h"
#include "record/record.h"

struct profile_gather {
    struct profile *profile;
    struct node_roles *roles;
    struct novelty *novelty; /* NULL: new things are not reported */
    struct table seen; /* kinds of messages by their attributes as sent: each key is made once */
    struct ds_buffer key, other;
    unsigned num_places; /* with a port, that were stored */
    bool is_unnamed; /* an address was added to the current key */
};

/* profile_gather_init prepares to count records in profile, using roles; the caller owns both. It
 * remembers max kinds of messages at a time. */
void profile_gather_init(struct profile_gather *gather, struct profile *profile,
                         struct node_roles *roles, uint64_t max);
void profile_gather_free(struct profile_gather *gather);

/* profile_gather_record counts a record of a message, another event, a call or a finding. */
void profile_gather_record(struct profile_gather *gather, const struct record *record);

#endif
