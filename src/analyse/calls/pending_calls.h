/*
 * pending_calls.h - records of calls that ended before everything was known about them: the parent
 * call; whether the answer still comes after the caller has stopped waiting; whether the caller ended
 * rather than stopped waiting; or whether it had stopped waiting before the end of its callee was
 * reported to it.
 * They wait for a second at most, and there are few of them.
 */
#ifndef DISTSNIFF_PENDING_CALLS_H
#define DISTSNIFF_PENDING_CALLS_H

#include "analyse/calls/pid_key.h"
#include "record/record_copy.h"

enum { PENDING_CALLS_MAX = 1024, HELD_BLOCK_LEN = 1024 * 1024, PENDING_CALLS_NS = 1000000000 };

/* The signals of a process that ends are sent within this time. */
enum { DEATH_NS = 50000000 };

/* A caller that stops waiting as its callee ends sends the end of its monitor within this time. */
enum { CROSSED_NS = 100000000 };

/* What a record waits for. */
enum pending_for { HELD_FOR_PARENT = 1, HELD_FOR_ANSWER = 2, HELD_FOR_DEATH = 4,
                  HELD_FOR_CROSSING = 8 };

struct pending_call {
    struct table_entry entry; /* by caller */
    struct pid_key caller;
    struct ref_key monitor; /* HELD_FOR_CROSSING: the monitor whose DOWN ended the call */
    uint64_t number;
    int64_t since_ns;
    unsigned waits; /* flags of enum pending_for */
    bool is_alive; /* HELD_FOR_ANSWER: the caller went on */
    bool is_elsewhere;     /* HELD_FOR_CROSSING: the place is ANSWER_ELSEWHERE (open_call.h) */
    bool may_be_elsewhere; /* likewise: ANSWER_PLACE_UNKNOWN */
    unsigned block;
    struct copied_record *copy;
};

struct pending_calls {
    struct table table;
    struct pending_block {
        struct record_block block;
        uint32_t num;
    } blocks[2];      /* one is filled while the other is emptied */
    unsigned filling;
    uint32_t num_for_parent, num_for_answer, num_for_death, num_for_crossing;
    record_fn emit;
    void *context;
};

void pending_calls_init(struct pending_calls *held, record_fn emit, void *context);

/* pending_calls_add keeps a copy of the record. NULL if there is no room: emit the record at once. */
struct pending_call *pending_calls_add(struct pending_calls *held, const struct record *record,
                                       const struct pid_key *caller, unsigned waits, int64_t now_ns);

/* pending_calls_first and pending_calls_next iterate over the records of a caller. */
struct pending_call *pending_calls_first(const struct pending_calls *held,
                                         const struct pid_key *caller);
struct pending_call *pending_calls_next(const struct pending_calls *held,
                                        const struct pending_call *call);

/* pending_calls_settle ends one of the reasons for which a record waits, and emits the record if no
 * other is left. */
void pending_calls_settle(struct pending_calls *held, struct pending_call *call, enum pending_for what);

/* pending_calls_wait replaces the reasons for which a record waits, and emits the record if there
 * is none. */
void pending_calls_wait(struct pending_calls *held, struct pending_call *call, unsigned waits);

/* pending_calls_release_old emits the records that came before that time, as they are. */
void pending_calls_release_old(struct pending_calls *held, int64_t before_ns);

/* pending_calls_release_orphans emits those that wait only for a parent. */
void pending_calls_release_orphans(struct pending_calls *held);

void pending_calls_free(struct pending_calls *held);

#endif
