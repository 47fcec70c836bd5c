/*
 * process_activity.h - what processes are at between the calls that they serve: when each answered
 * last, what
 * it has asked for no call that we know of, what casts it got, and whether it goes on working after
 * an answer.
 *
 * The order of the packets does not show for what a process works that has answered one request
 * and had the next one in the same moment: it may have taken that, or go on for the one before, as
 * a gen_server does in handle_continue. What it did at other times tells which is likely. Either
 * it was seen to ask something after an answer, while nothing else was open to it; or it was seen
 * to be still until the next request came. Only who was still several times or for long, and hardly
 * ever went on, is taken to have turned to the next request.
 *
 * Those that neither answered nor asked for long are forgotten first: they are as good as idle.
 */
#ifndef DISTSNIFF_PROCESS_ACTIVITY_H
#define DISTSNIFF_PROCESS_ACTIVITY_H

#include "analyse/calls/pid_key.h"

enum { MAX_HABITS = 4096 };

/* After an answer, given or had, a process may still go on: a busy machine has it wait so long for
 * its turn. */
enum { MAY_GO_ON_NS = 10000000 };

/* What a cast asks for is done after so long, or with the next answer: messages are taken in turn.
 */
enum { BEGUN_NS = 100000000 };

struct process_activity {
    struct table_entry entry;
    struct pid_key pid;
    int64_t answered_ns;   /* last; 0 never */
    int64_t told_ns;       /* when the last cast came; 0 none did */
    bool has_asked;        /* anything since, or since the last cast */
    uint32_t went_on;      /* times that it asked for nobody after an answer or a cast */
    uint32_t still_points; /* for having asked nothing until the next request */
    /* Work of its own: the first of the calls, each begun soon after the one before ended, and when
     * the last one ended. 0: none since it answered. */
    uint64_t work_call;
    int64_t work_end_ns;
};

void process_activity_init(struct table *activities);

struct process_activity *process_activity_find(const struct table *activities,
                                               const struct pid_key *pid);

/* process_activity_note_answer tells that a process has answered: what it was at before is done. NULL when
 * memory ran out. */
struct process_activity *process_activity_note_answer(struct table *activities,
                                                      const struct pid_key *pid, int64_t now_ns);

/* process_activity_note_cast tells that a process, or whoever has that name, is asked for something that
 * needs no answer. False when memory ran out. */
bool process_activity_note_cast(struct table *activities, const struct pid_key *pid, int64_t now_ns);

/* process_activity_note_work tells that a process has its answer to a call that it made for none that
 * we know
 * of. False when memory ran out. */
bool process_activity_note_work(struct table *activities, const struct pid_key *pid, uint64_t number,
                                int64_t start_ns, int64_t end_ns);

/* process_activity_note_alone tells that a process asks something while nothing is open to it, or turns out
 * to have asked it after its answer. That counts once after each answer, or each cast. */
void process_activity_note_alone(struct process_activity *activity, int64_t now_ns);

/* process_activity_note_served tells that a process asks something while one request is open to it, which
 * came at that time. */
void process_activity_note_served(struct process_activity *activity, int64_t came_ns);

/* process_activity_is_told says whether a process to which a request came at that time may be at what
 * a cast
 * asked for, or not have begun with it: it has not answered since, nor is it known to ask for
 * nobody but its callers. */
bool process_activity_is_told(const struct process_activity *activity, int64_t came_ns);

/* process_activity_may_go_on says whether a process to which a request came at that time may have been at
 * something else still, for all that is known of its habits (NULL: nothing). */
bool process_activity_may_go_on(const struct process_activity *activity, int64_t came_ns);

#endif
