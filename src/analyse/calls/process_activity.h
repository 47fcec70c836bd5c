/*
 * process_activity.h - what processes do between the calls that they serve: when each last
 * answered, which calls it made for no call that we know of, which casts it got, and whether it
 * goes on working after an answer.
 *
 * If a process answers one request and gets the next one at the same moment, the order of packets
 * does not show which of them its next call is for: it may have begun the new request, or go on
 * with the old one, as a gen_server does in handle_continue. Its behaviour at other times shows
 * which is likely: either it was seen to call after an answer while nothing else was open to it, or
 * to be still until the next request came. Only a process that was still several times or for long,
 * and hardly ever went on, is assumed to have turned to the next request.
 *
 * Processes that neither answered nor asked for long are evicted first: they are as good as idle.
 */
#ifndef DISTSNIFF_PROCESS_ACTIVITY_H
#define DISTSNIFF_PROCESS_ACTIVITY_H

#include "analyse/calls/pid_key.h"

enum { MAX_HABITS = 4096 };

/* A process may still go on for so long after it gave or got an answer: on a busy machine it waits
 * that long to be scheduled. */
enum { MAY_GO_ON_NS = 10000000 };

/* A cast is done after this time, or with the next answer: messages are processed in order. */
enum { BEGUN_NS = 100000000 };

struct process_activity {
    struct table_entry entry;
    struct pid_key pid;
    int64_t answered_ns;   /* the last answer; 0 never */
    int64_t told_ns;       /* when the last cast came; 0 never */
    bool has_asked;        /* anything since that answer or cast */
    uint32_t went_on;      /* times that it made a call for no caller after an answer or a cast */
    uint32_t still_points; /* for having made no call until the next request */
    /* Work for no known call: the first of its calls, each begun shortly after the one before
     * ended, and when the last one ended. 0: none since it answered. */
    uint64_t work_call;
    int64_t work_end_ns;
};

void process_activity_init(struct table *activities);

struct process_activity *process_activity_find(const struct table *activities,
                                               const struct pid_key *pid);

/* process_activity_on_answer records that a process has answered: its earlier work is done. NULL
 * if memory ran out. */
struct process_activity *process_activity_on_answer(struct table *activities,
                                                    const struct pid_key *pid, int64_t now_ns);

/* process_activity_on_cast records that a process (or the one with that name) gets a request that
 * needs no answer. False if memory ran out. */
bool process_activity_on_cast(struct table *activities, const struct pid_key *pid, int64_t now_ns);

/* process_activity_on_work records that a process has the answer to a call that it made for no
 * call that we know of. False if memory ran out. */
bool process_activity_on_work(struct table *activities, const struct pid_key *pid, uint64_t number,
                              int64_t start_ns, int64_t end_ns);

/* process_activity_on_alone records that a process makes a call while nothing is open to it, or
 * turns out to have made it after its answer. This counts once after each answer or cast. */
void process_activity_on_alone(struct process_activity *activity, int64_t now_ns);

/* process_activity_on_served records that a process makes a call while one request is open to it,
 * which arrived at that time. */
void process_activity_on_served(struct process_activity *activity, int64_t came_ns);

/* process_activity_may_serve_cast says whether a process that got a request at that time may be working on
 * a cast, or may not have begun that request: it has not answered since, and is not known to make
 * calls only for its callers. */
bool process_activity_may_serve_cast(const struct process_activity *activity, int64_t came_ns);

/* process_activity_may_go_on says whether a process that got a request at that time may still have
 * been busy with something else, judging by its habits (NULL: unknown). */
bool process_activity_may_go_on(const struct process_activity *activity, int64_t came_ns);

#endif
