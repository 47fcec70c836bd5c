/*
 * pending_calls.h - records of calls that ended before all was known of them: the call that they were
 * made for, whether the answer still comes after the caller has given up, whether the caller
 * has ended and not given up, or whether it had given up before the news of its callee's end reached
 * it. They wait for a second at most, and there are few of them.
 */
#ifndef DISTSNIFF_PENDING_CALLS_H
#define DISTSNIFF_PENDING_CALLS_H

#include "analyse/calls/pid_key.h"
#include "record/record_copy.h"

enum { PENDING_CALLS_MAX = 1024, HELD_BLOCK_LEN = 1024 * 1024, PENDING_CALLS_NS = 1000000000 };

/* What a process that ends lets go is told in one go. */
enum { DEATH_NS = 50000000 };

/* A caller that gives up as its callee ends sends the end of its monitor after so long at most. */
enum { CROSSED_NS = 100000000 };

/* What a record waits for. */
enum pending_for { HELD_FOR_PARENT = 1, HELD_FOR_ANSWER = 2, HELD_FOR_DEATH = 4,
                  HELD_FOR_CROSSING = 8 };

struct pending_call {
    struct table_entry entry; /* by caller */
    struct pid_key caller;
    struct ref_key monitor; /* FOR_CROSSING: the monitor whose DOWN ended the call */
    uint64_t number;
    int64_t since_ns;
    unsigned waits; /* enum pending_for */
    bool is_alive; /* FOR_ANSWER: the caller went on */
    bool is_elsewhere;     /* FOR_CROSSING: ANSWER_ELSEWHERE of open_call.h */
    bool may_be_elsewhere; /* likewise: ANSWER_PLACE_UNKNOWN */
    unsigned block;
    struct copied_record *copy;
};

struct pending_calls {
    struct table table;
    struct pending_block {
        struct record_block block;
        uint32_t num;
    } blocks[2];      /* one is filled while the other is given out */
    unsigned filling;
    uint32_t num_for_parent, num_for_answer, num_for_death, num_for_crossing;
    record_fn emit;
    void *context;
};

void pending_calls_init(struct pending_calls *held, record_fn emit, void *context);

/* pending_calls_add keeps a copy of the record. NULL when there is no room: it should be given
 * out at once. */
struct pending_call *pending_calls_add(struct pending_calls *held, const struct record *record,
                                       const struct pid_key *caller, unsigned waits, int64_t now_ns);

/* pending_calls_first and pending_calls_next walk through those of a caller. */
struct pending_call *pending_calls_first(const struct pending_calls *held,
                                         const struct pid_key *caller);
struct pending_call *pending_calls_next(const struct pending_calls *held,
                                        const struct pending_call *call);

/* pending_calls_settle tells that a record need not wait for that any more, and gives it out when
 * there is nothing else. */
void pending_calls_settle(struct pending_calls *held, struct pending_call *call, enum pending_for what);

/* pending_calls_wait has a record wait for something else, and gives it out when that is nothing. */
void pending_calls_wait(struct pending_calls *held, struct pending_call *call, unsigned waits);

/* pending_calls_give_old gives out those that came before that time, as they are. */
void pending_calls_give_old(struct pending_calls *held, int64_t before_ns);

/* pending_calls_give_orphans gives out those that wait for nothing but a parent. */
void pending_calls_give_orphans(struct pending_calls *held);

void pending_calls_free(struct pending_calls *held);

#endif
