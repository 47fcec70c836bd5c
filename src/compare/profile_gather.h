/*
 * profile_gather.h - from records to a profile: what each of them is counted as.
 *
 * A message counts for the node that sends it, for the link, and for its kind: who sends what to
 * whom. What could not be read whole counts for node and link, and as unread. The key of a call is
 * who calls what at whom.
 *
 * For --baseline (novelty.h), functions, registered names and shapes are counted without their nodes,
 * too.
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
    struct novelty *novelty; /* NULL: nobody asks what is new */
    struct table seen; /* kinds of messages by what they have as it was sent: their key is made once */
    struct ds_buffer key, other;
    bool is_unnamed; /* an address was put into the key since that was cleared */
};

/* profile_gather_init has records counted in profile, by roles; both stay the caller's. It knows
 * max kinds of messages at a time. */
void profile_gather_init(struct profile_gather *gather, struct profile *profile,
                         struct node_roles *roles, uint64_t max);
void profile_gather_free(struct profile_gather *gather);

/* profile_gather_record counts a record of a message, another event, a call or a finding. */
void profile_gather_record(struct profile_gather *gather, const struct record *record);

#endif
