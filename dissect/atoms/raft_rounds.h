/*
 * raft_rounds.h - which quorum queue of RabbitMQ a follower answers for. The replicas of a queue
 * have one name on all nodes; a follower sends that name, and nothing else about the queue. But it
 * answers the leader with the index after the last entry that it received:
 *
 *     {append_entries_rpc, Term, {Name, Leader}, _, Previous, _, Entries}
 *     {{Name, Follower}, {append_entries_reply, Term, true, Next, _, _}},  Next = Previous + Entries + 1
 *
 * So the entries sent are remembered for a short time. An answer that fits those of two queues is
 * ambiguous and is not used.
 */
#ifndef DISSECT_RAFT_ROUNDS_H
#define DISSECT_RAFT_ROUNDS_H

#include "atoms/node_atoms_parts.h"

struct raft_round {
    uint32_t leader, follower; /* creations of these nodes */
    uint32_t term, next;
    uint16_t slot; /* of the name at the leader */
    uint16_t name; /* its number (data_name_list.h); 0: unknown */
};

void raft_rounds_add(struct all_node_atoms *books, const struct raft_round *round);

/* raft_rounds_find returns the number of the only name that an answer fits; 0: there is none, or
 * several. */
uint16_t raft_rounds_find(const struct all_node_atoms *books, const struct raft_round *answer);

/* raft_rounds_free frees the remembered rounds. */
void raft_rounds_free(struct all_node_atoms *books);

#endif
