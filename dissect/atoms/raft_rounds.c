/*
 * raft_rounds.c - see raft_rounds.h.
 */
#include "atoms/raft_rounds.h"

#include <stdlib.h>

enum { ROUNDS = 64 }; /* remembered: the latest ones */

struct raft_rounds {
    unsigned next; /* index of the next one to replace */
    struct raft_round rounds[ROUNDS]; /* leader 0: free */
};

void raft_rounds_add(struct all_node_atoms *books, const struct raft_round *round)
{
    if (round->leader == 0 || round->follower == 0)
        return;
    if (books->raft_rounds == NULL)
        books->raft_rounds = memcap_calloc(&books->memcap, sizeof *books->raft_rounds);
    if (books->raft_rounds == NULL)
        return;
    books->raft_rounds->rounds[books->raft_rounds->next] = *round;
    books->raft_rounds->next = (books->raft_rounds->next + 1) % ROUNDS;
}

uint16_t raft_rounds_find(const struct all_node_atoms *books, const struct raft_round *answer)
{
    const struct raft_round *found = NULL;
    for (unsigned i = 0; books->raft_rounds != NULL && i < ROUNDS; i++) {
        const struct raft_round *r = &books->raft_rounds->rounds[i];
        if (r->leader != answer->leader || r->follower != answer->follower || r->leader == 0 ||
            r->term != answer->term || r->next != answer->next)
            continue;
        if (found != NULL && (found->slot != r->slot || found->name != r->name))
            return 0;
        found = r;
    }
    return found != NULL ? found->name : 0;
}

void raft_rounds_free(struct all_node_atoms *books)
{
    if (books->raft_rounds != NULL)
        memcap_free(&books->memcap, books->raft_rounds, sizeof *books->raft_rounds);
    books->raft_rounds = NULL;
}
