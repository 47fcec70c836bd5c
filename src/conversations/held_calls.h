/*
 * held_calls.h - records of calls that ended before all was known of them: the call that they were
 * made for, whether the answer still comes after the caller has given up, whether the caller
 * has ended and not given up, or whether it had given up before the news of its callee's end reached
 * it. They wait for a second at most, and there are few of them.
 */
#ifndef DISTSNIFF_HELD_CALLS_H
#define DISTSNIFF_HELD_CALLS_H

#include "pid_key.h"
#include "record_copy.h"

enum { HELD_CALLS_MAX = 1024, HELD_BLOCK_LEN = 1024 * 1024, HELD_CALLS_NS = 1000000000 };

/* What a process that ends lets go is told in one go. */
enum { DEATH_NS = 50000000 };

/* A caller that gives up as its callee ends sends the end of its monitor after so long at most. */
enum { CROSSED_NS = 100000000 };

/* What a record waits for. */
enum held_for { HELD_FOR_PARENT = 1, HELD_FOR_ANSWER = 2, HELD_FOR_DEATH = 4, HELD_FOR_CROSSING = 8 };

struct held_call {
    struct table_entry entry; /* by caller */
    struct pid_key caller;
    struct ref_key monitor; /* FOR_CROSSING: the monitor whose DOWN ended the call */
    uint64_t number;
    int64_t since_ns;
    unsigned waits; /* enum held_for */
    bool is_alive; /* FOR_ANSWER: the caller went on */
    unsigned block;
    struct copied_record *copy;
};

struct held_calls {
    struct table table;
    struct held_block {
        struct record_block block;
        uint32_t num;
    } blocks[2];      /* one is filled while the other is given out */
    unsigned filling;
    uint32_t num_for_parent, num_for_answer, num_for_death, num_for_crossing;
    record_fn emit;
    void *context;
};

void held_calls_init(struct held_calls *held, record_fn emit, void *context);

/* held_calls_add keeps a copy of the record. NULL when there is no room: it should be given
 * out at once. */
struct held_call *held_calls_add(struct held_calls *held, const struct record *record,
                                 const struct pid_key *caller, unsigned waits,
                                 int64_t now_ns);

/* held_calls_first and held_calls_next walk through those of a caller. */
struct held_call *held_calls_first(const struct held_calls *held, const struct pid_key *caller);
struct held_call *held_calls_next(const struct held_calls *held, const struct held_call *call);

/* held_calls_settle tells that a record need not wait for that any more, and gives it out when
 * there is nothing else. */
void held_calls_settle(struct held_calls *held, struct held_call *call, enum held_for what);

/* held_calls_wait has a record wait for something else, and gives it out when that is nothing. */
void held_calls_wait(struct held_calls *held, struct held_call *call, unsigned waits);

/* held_calls_give_old gives out those that came before that time, as they are. */
void held_calls_give_old(struct held_calls *held, int64_t before_ns);

/* held_calls_give_orphans gives out those that wait for nothing but a parent. */
void held_calls_give_orphans(struct held_calls *held);

void held_calls_free(struct held_calls *held);

#endif
