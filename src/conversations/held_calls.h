/*
 * held_calls.h - records of calls that wait for their parent: each ended before it was known
 * whether the process that made it was serving another. They wait for a second at most, and
 * there are few of them.
 */
#ifndef DISTSNIFF_HELD_CALLS_H
#define DISTSNIFF_HELD_CALLS_H

#include "record_copy.h"

enum { HELD_CALLS_MAX = 256, HELD_CALLS_NS = 1000000000 };

struct held_calls {
    struct record_block block;
    struct {
        uint64_t number; /* 0: given out */
        int64_t since_ns;
        struct copied_record *copy;
    } calls[HELD_CALLS_MAX];
    size_t num, num_held; /* with and without those given out */
    record_fn emit;
    void *context;
};

/* held_calls_add keeps a copy of the record. False when there is no room: it should be given
 * out at once. */
bool held_calls_add(struct held_calls *held, const struct record *record, int64_t now_ns);

/* held_calls_give gives out the record of that call, with its parent (0: none). False when it is
 * not among them. */
bool held_calls_give(struct held_calls *held, uint64_t number, uint64_t parent, bool ambiguous);

/* held_calls_give_old gives out those that came before that time, as they are. */
void held_calls_give_old(struct held_calls *held, int64_t before_ns);

void held_calls_free(struct held_calls *held);

#endif
