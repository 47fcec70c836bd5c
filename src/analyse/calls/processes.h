/*
 * processes.h - what was learned of processes: their registered names, from the pid that
 * answers for a name, and which open calls each is serving.
 *
 * A name belongs to one incarnation of a node: the creation is part of every pid. It ends
 * with its process, and with the last connection to its node: from then on, nothing more would
 * be heard of it. What is not needed any more is forgotten; at the cap, the oldest.
 */
#ifndef DISTSNIFF_PROCESSES_H
#define DISTSNIFF_PROCESSES_H

#include "analyse/calls/nodes.h"

/* process is one that has a name, or is serving calls. */
struct process {
    struct table_entry entry;
    struct pid_key key;
    uint32_t name;        /* interned; 0 not known */
    bool is_for;          /* it is not its own: it answered for it, as a worker does */
    uint32_t serving;     /* head of a list of open calls */
    uint32_t num_serving;
    int64_t told_ns; /* when a message last came to it, while it served, that neither asks nor answers; 0 */
    uint32_t titles, given; /* heads of lists: process_names.h, of its own and given as a scope of pg */
    bool is_scope, being_dropped;
    uint64_t told_on; /* the connection on which what the scope tells counts: process_names.h */
    uint32_t offers; /* name (interned) of what may be a scope of pg; 0 nothing */
    uint32_t node;          /* in whose list of_node is; 0 none */
    struct table_link of_node;
};

/* title is what a process is called beside its registered name: process_names.h. A name of global has
 * no scope. */
struct title {
    struct table_entry entry;
    uint32_t process, scope; /* as numbers in the table of processes */
    struct table_link of_process, of_scope;
    char *text;
    uint32_t num_joined;
    uint32_t len, prefix_len; /* bytes of the text, and of what comes before the name */
    uint32_t elixir_len;      /* of the same in Elixir's syntax, behind it */
};

struct processes {
    struct table table;    /* of struct process, by pid */
    struct table bindings; /* (node, name) to pid */
    struct table titles;   /* of struct title */
    struct table told;     /* connections on which scopes told something */
    struct nodes nodes;
    struct intern *intern;
    struct ds_buffer scratch;
    uint64_t num_dropped, no_memory;
    void (*on_drop)(void *context, struct process *process);
    void *context;
};

/* processes_init: on_drop, if not NULL, is called with a process that is given up at the cap. */
void processes_init(struct processes *p, struct intern *intern, uint64_t max,
                    void (*on_drop)(void *context, struct process *process), void *context);
void processes_free(struct processes *p);

struct process *processes_find(const struct processes *p, const struct pid_key *key);

/* processes_add finds or makes one. At the cap the oldest is given up. NULL when memory ran
 * out. */
struct process *processes_add(struct processes *p, const struct pid_key *key);

/* processes_remember tells that something is known of the process that ends with its node. */
void processes_remember(struct processes *p, struct process *process);

/* processes_release forgets the process if there is nothing left to know about it. */
void processes_release(struct processes *p, struct process *process);

/* processes_remove_title forgets a title, and its process if that is all that was known of it;
 * processes_drop_given, all that a process gave as a scope. */
void processes_remove_title(struct processes *p, struct title *title);
void processes_drop_given(struct processes *p, struct process *scope);

/* processes_learn tells that pid answered as the process registered as name (interned) on
 * its node. One answer makes a name known. The answer of a pid that is known by another name moves
 * it; that of any other makes it doubtful who has the name, until one answers twice in turn, or is
 * the only one that comes back. Both are meanwhile known to answer for the name. */
void processes_learn(struct processes *p, uint32_t name, const struct pid_key *pid);

/* processes_ended tells that a process, or the one with that name, is no more. */
void processes_ended(struct processes *p, const struct pid_key *key);

/* processes_conn_up and processes_conn_ended tell of a connection between two nodes
 * (interned). */
void processes_conn_up(struct processes *p, uint64_t conn, const uint32_t node[2]);
void processes_conn_ended(struct processes *p, uint64_t conn, const uint32_t node[2]);

/* processes_whereis finds who is known to have that name on that node, in the incarnation
 * with that creation (0: any), and to answer for it alone. */
bool processes_whereis(const struct processes *p, uint32_t node, uint32_t name,
                       uint32_t creation, struct pid_key *out);

/* processes_name returns the registered name of a process (NULL: one of which nothing is known), or that
 * which it answers for: then is_for is set. 0 when neither is known. */
static inline uint32_t processes_name(const struct process *process, bool *is_for)
{
    *is_for = process != NULL && process->is_for;
    return process != NULL ? process->name : 0;
}

#endif
