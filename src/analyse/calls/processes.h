/*
 * processes.h - what was learned about processes: their registered names, from the pid that answers
 * for a name, and the open calls that each is serving.
 *
 * A name belongs to one incarnation of a node: the creation is part of each pid. It ends with its
 * process, and with the last connection to its node, as nothing more would be seen of it. What is
 * no longer needed is forgotten; at the cap the oldest is evicted.
 */
#ifndef DISTSNIFF_PROCESSES_H
#define DISTSNIFF_PROCESSES_H

#include "analyse/calls/nodes.h"

/* process is one that has a name, or is serving calls. */
struct process {
    struct table_entry entry;
    struct pid_key key;
    uint32_t name;        /* interned; 0 unknown */
    bool is_for;          /* the name of another process, for which it answered, as a worker does */
    uint32_t serving;     /* head of a list of open calls */
    uint32_t num_serving;
    int64_t told_ns; /* when a message that is neither request nor answer last came while it served;
                      * 0 never */
    uint32_t titles, given; /* heads of lists (process_names.h): its own, and those it gave as a pg
                             * scope */
    bool is_scope, being_dropped;
    uint64_t told_on; /* the connection on which the scope's messages count: process_names.h */
    uint32_t offers; /* name (interned) of the pg scope that it may be; 0 none */
    uint32_t node;          /* number of the node with the list of_node; 0 none */
    struct table_link of_node;
};

/* title is a name of a process besides its registered one: process_names.h. A name of global has no
 * scope. */
struct title {
    struct table_entry entry;
    uint32_t process, scope; /* as numbers in the table of processes */
    struct table_link of_process, of_scope;
    char *text;
    uint32_t num_joined;
    uint32_t len, prefix_len; /* bytes of the text, and of its prefix */
    uint32_t elixir_len;      /* of the text in Elixir's syntax, which follows */
};

struct processes {
    struct table table;    /* of struct process, by pid */
    struct table bindings; /* (node, name) to pid */
    struct table titles;   /* of struct title */
    struct table told;     /* connections on which scopes announced something */
    struct nodes nodes;
    struct intern *intern;
    struct ds_buffer scratch;
    uint64_t num_dropped, no_memory;
    void (*on_drop)(void *context, struct process *process);
    void *context;
};

/* processes_init: on_drop, if not NULL, is called with each process that is evicted at the cap. */
void processes_init(struct processes *p, struct intern *intern, uint64_t max,
                    void (*on_drop)(void *context, struct process *process), void *context);
void processes_free(struct processes *p);

struct process *processes_find(const struct processes *p, const struct pid_key *key);

/* processes_add finds or adds one. At the cap the oldest is evicted. NULL if memory ran out. */
struct process *processes_add(struct processes *p, const struct pid_key *key);

/* processes_remember marks a process about which something is known that ends with its node. */
void processes_remember(struct processes *p, struct process *process);

/* processes_release forgets a process if nothing is left to know about it. */
void processes_release(struct processes *p, struct process *process);

/* processes_remove_title forgets a title, and its process if nothing else was known of it;
 * processes_drop_given forgets all titles that a process gave as a scope. */
void processes_remove_title(struct processes *p, struct title *title);
void processes_drop_given(struct processes *p, struct process *scope);

/* processes_learn records that pid answered as the process registered as name (interned) on its
 * node. One answer makes a name known. If the pid is known by another name, that one has moved.
 * Otherwise it is in doubt who has the name, until one pid answers twice in turn, or is the only
 * one that comes back. Until then both are known to answer for the name. */
void processes_learn(struct processes *p, uint32_t name, const struct pid_key *pid);

/* processes_ended records that a process, or the one with that name, has ended. */
void processes_ended(struct processes *p, const struct pid_key *key);

/* processes_conn_up and processes_conn_ended count a connection between two nodes (interned). */
void processes_conn_up(struct processes *p, uint64_t conn, const uint32_t node[2]);
void processes_conn_ended(struct processes *p, uint64_t conn, const uint32_t node[2]);

/* processes_whereis finds the process that is known to have that name on that node, in the
 * incarnation with that creation (0: any), and to be the only one that answers for it. */
bool processes_whereis(const struct processes *p, uint32_t node, uint32_t name,
                       uint32_t creation, struct pid_key *out);

/* processes_name returns the registered name of a process (NULL: an unknown one), or the name for
 * which it answers: then is_for is set. 0 if neither is known. */
static inline uint32_t processes_name(const struct process *process, bool *is_for)
{
    *is_for = process != NULL && process->is_for;
    return process != NULL ? process->name : 0;
}

#endif
