/*
 * process_names.h - what processes are called beyond their registered names: names that global gave
 * them, unique in a cluster, and groups of pg that they are members of, which are not. They are
 * written as "global:Name" and "pg:Group", in a scope other than pg "pg:Scope:Group", so that
 * neither is taken for a registered name.
 *
 * A title ends with its process, or its node (processes.h); those of a group as well with the
 * process of its scope on that node. At the cap the oldest is given up.
 */
#ifndef DISTSNIFF_PROCESS_NAMES_H
#define DISTSNIFF_PROCESS_NAMES_H

#include "analyse/calls/processes.h"
#include "record/record.h"

/* Longer ones, in bytes as text, are not kept. */
enum { TITLE_LEN_MAX = 255 };

/* process_names_register tells that global calls pid by that name from now on, and no other process;
 * process_names_unregister, that it calls none so. */
void process_names_register(struct processes *p, const struct ds_term *name, const struct pid_key *pid);
void process_names_unregister(struct processes *p, const struct ds_term *name);

/* process_names_open_scope tells that a process is the one of a scope of pg on its node. The others
 * have effect for such a scope alone. */
void process_names_open_scope(struct processes *p, const struct pid_key *scope);
bool process_names_is_scope(const struct processes *p, const struct pid_key *scope);

/* process_names_offer_scope tells that a process may be the scope of that name (interned) on its node;
 * process_names_take_offer, that it is, as another one has shown by its answer: it returns the name, 0
 * when there was no such offer. */
void process_names_offer_scope(struct processes *p, const struct pid_key *scope, uint32_t name);
uint32_t process_names_take_offer(struct processes *p, const struct pid_key *scope);

/* A scope tells all its peers the same, each on a connection of its own, and sooner or later than the
 * others. process_names_heed says whether what it tells on a connection counts: on that one alone on
 * which
 * it was first, or told all it had last. Another one's turn comes when process_names_conn_ended has
 * told of its end. */
bool process_names_heed(struct processes *p, const struct pid_key *scope, uint64_t conn,
                        bool tells_all);
void process_names_conn_ended(struct processes *p, uint64_t conn);

/* A process is a member as often as it has joined. */
void process_names_join(struct processes *p, const struct pid_key *scope, const struct ds_term *group,
                        const struct pid_key *pid);
void process_names_leave(struct processes *p, const struct pid_key *scope, const struct ds_term *group,
                         const struct pid_key *pid);
void process_names_leave_all(struct processes *p, const struct pid_key *scope);

/* process_names_list writes what a process (NULL: one of which nothing is known) is called, the newest
 * first,
 * into room, and returns it; NULL when there is nothing, as of nearly all. process_names_list_any asks
 * for one that has titles. The texts live until the next change. */
const struct titles *process_names_list_any(const struct processes *p, const struct process *process,
                                            struct titles *room);
static inline const struct titles *process_names_list(const struct processes *p,
                                                      const struct process *process, struct titles *room)
{
    return process != NULL && process->titles != 0 ? process_names_list_any(p, process, room)
           : NULL;
}

/* process_names_init and process_names_free go with processes_init and processes_free. */
void process_names_init(struct processes *p, uint64_t max);
void process_names_free(struct processes *p);

#endif
