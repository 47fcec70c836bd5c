/*
 * raft_rounds.h - which quorum queue of RabbitMQ a follower answers for. The replicas of a queue have one
 * name on all nodes; a follower says that name, and nothing else of the queue. But it answers the leader
 * with the index that comes behind the last entry it was sent:
 *
 *     {append_entries_rpc, Term, {Name, Leader}, _, Previous, _, Entries}
 *     {{Name, Follower}, {append_entries_reply, Term, true, Next, _, _}},  Next = Previous + Entries + 1
 *
 * So what is sent is remembered for a short time. Where the answer fits what was sent for two queues, it
 * says nothing.
 */
#ifndef DISSECT_RAFT_ROUNDS_H
#define DISSECT_RAFT_ROUNDS_H

#include "atoms/node_atoms_parts.h"

struct raft_round {
    uint32_t leader, follower; /* creations of these nodes */
    uint32_t term, next;
    uint16_t slot; /* of the name, at the leader, */
    uint16_t name; /* and its number (data_name_list.h); 0: it is not known */
};

void raft_rounds_add(struct all_node_atoms *books, const struct raft_round *round);

/* raft_rounds_find returns the number of the only name that an answer fits; 0: there is none, or
 * several. */
uint16_t raft_rounds_find(const struct all_node_atoms *books, const struct raft_round *answer);

/* raft_rounds_free gives back what was remembered. */
void raft_rounds_free(struct all_node_atoms *books);

#endif
