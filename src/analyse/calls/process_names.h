/*
 * process_names.h - what processes are called besides their registered names: names from global,
 * which are unique in a cluster, and groups of pg that they are members of, which are not. They are
 * written as "global:Name" and "pg:Group", in a scope other than pg "pg:Scope:Group", so that none
 * is taken for a registered name.
 *
 * A title ends with its process or its node (processes.h); the title of a group also ends with the
 * process of its scope on that node. At the cap the oldest is evicted.
 */
#ifndef DISTSNIFF_PROCESS_NAMES_H
#define DISTSNIFF_PROCESS_NAMES_H

#include "analyse/calls/processes.h"
#include "record/record.h"

/* Longer ones (bytes of text) are not kept. */
enum { TITLE_LEN_MAX = 255 };

/* process_names_register records that global gives pid that name from now on, and no other process;
 * process_names_unregister, that it gives the name to no process. */
void process_names_register(struct processes *p, const struct ds_term *name, const struct pid_key *pid);
void process_names_unregister(struct processes *p, const struct ds_term *name);

/* process_names_open_scope records that a process implements a pg scope on its node. The other
 * functions have an effect for such scopes only. */
void process_names_open_scope(struct processes *p, const struct pid_key *scope);
bool process_names_is_scope(const struct processes *p, const struct pid_key *scope);

/* process_names_offer_scope records that a process may be the scope with that name (interned) on
 * its node; process_names_pop_offer, that it is, as the answer of another scope has shown: it
 * returns the name, 0 if there was no offer. */
void process_names_offer_scope(struct processes *p, const struct pid_key *scope, uint32_t name);
uint32_t process_names_pop_offer(struct processes *p, const struct pid_key *scope);

/* A scope sends the same to all its peers, on several connections, at different times.
 * process_names_heed says whether what a scope sends on a connection counts: only one connection
 * counts, the first, or the one on which it last sent everything. Another connection can replace it
 * after process_names_conn_ended. */
bool process_names_heed(struct processes *p, const struct pid_key *scope, uint64_t conn,
                        bool tells_all);
void process_names_conn_ended(struct processes *p, uint64_t conn);

/* A process is a member as many times as it has joined. */
void process_names_join(struct processes *p, const struct pid_key *scope, const struct ds_term *group,
                        const struct pid_key *pid);
void process_names_leave(struct processes *p, const struct pid_key *scope, const struct ds_term *group,
                         const struct pid_key *pid);
void process_names_leave_all(struct processes *p, const struct pid_key *scope);

/* process_names_list writes the titles of a process (NULL: an unknown one) into room, newest first,
 * and returns room; NULL if it has none, as nearly all processes. process_names_list_any is for a
 * process that has titles. The texts are valid until the next change. */
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
