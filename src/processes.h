/*
 * processes.h - what was learned of processes: their registered names, from the pid that
 * answers for a name, and which open calls each is serving.
 *
 * A name belongs to one incarnation of a node: the creation is part of every pid. What is
 * not needed any more is forgotten; at the cap, the oldest.
 */
#ifndef DISTSNIFF_PROCESSES_H
#define DISTSNIFF_PROCESSES_H

#include "keys.h"

/* process is one that has a name, or is serving calls, or has made calls that may turn out
 * to be made for one. */
struct process {
    struct table_entry entry;
    struct pid_key key;
    uint32_t name;        /* interned; 0 not known */
    uint32_t serving;     /* head of a list of open calls */
    uint32_t num_serving;
    uint32_t num_made; /* calls it made while it was serving none that is known */
    struct made_call *made;
};

/* made_call is a call that has no parent yet. */
struct made_call {
    uint64_t number;
    int64_t start_ns;
    uint32_t call; /* its place in the table of calls; gone if the number differs */
};

enum { MAX_MADE = 16 };

struct processes {
    struct table table;    /* of struct process, by pid */
    struct table bindings; /* (node, name) to pid */
    struct intern *intern;
    uint64_t num_dropped;
};

void processes_init(struct processes *p, struct intern *intern, uint64_t max);
void processes_free(struct processes *p);

struct process *processes_find(const struct processes *p, const struct pid_key *key);

/* processes_add finds or makes one. At the cap the oldest is given up: on_drop is called
 * with it first. NULL when memory ran out. */
struct process *processes_add(struct processes *p, const struct pid_key *key,
                              void (*on_drop)(void *context, struct process *process),
                              void *context);

/* processes_release forgets the process if there is nothing left to know about it. */
void processes_release(struct processes *p, struct process *process);

/* processes_learn tells that pid answered as the process registered as name (interned) on
 * its node. One answer makes a name known; when another pid answers, the name goes over to
 * it once it has answered as often. */
void processes_learn(struct processes *p, uint32_t name, const struct pid_key *pid);

/* processes_ended tells that a process, or the one with that name, is no more. */
void processes_ended(struct processes *p, const struct pid_key *key);

/* processes_whereis finds who is known to have that name on that node, in the incarnation
 * with that creation (0: any). */
bool processes_whereis(const struct processes *p, uint32_t node, uint32_t name,
                       uint32_t creation, struct pid_key *out);

/* processes_name returns the registered name of a process, 0 when not known. */
uint32_t processes_name(const struct processes *p, const struct pid_key *key);

#endif
