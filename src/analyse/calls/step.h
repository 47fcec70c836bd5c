/*
 * step.h - the internals of correlate.c, which is several files with one job each: one message in
 * processing, and what is known when it comes.
 */
#ifndef DISTSNIFF_STEP_H
#define DISTSNIFF_STEP_H

#include "analyse/calls/calls.h"
#include "analyse/calls/correlate.h"
#include "analyse/calls/monitors.h"

/* watch is a monitor whose call has another tag than the monitor's reference. */
struct watch {
    struct table_entry entry;
    struct ref_key monitor, call;
};

/* early_down is a monitor whose DOWN overtook the request that it was to watch: the node at the
 * other end reported that there is no such process before the request had left. */
struct early_down {
    struct table_entry entry;
    struct ref_key key;
    enum call_outcome outcome;
};

enum { MAX_EARLY_DOWNS = 1024 };

/* proven is a name that has answered in the form of rpc:server_call. */
struct proven {
    struct table_entry entry;
    struct pid_key named;
};

enum { MAX_PROVEN = 1024 };

/* set_up is a monitor that was set up a moment ago, and may belong to a call. */
struct set_up {
    struct table_entry entry;
    struct pid_key both[2]; /* the watcher, and the watched process */
    struct ref_key ref;
    int64_t ns;
};

/* A caller sends its request at once; but other messages may come between, and it may have to wait
 * to be scheduled. */
enum { MAX_SET_UP = 1024, SET_UP_NS = 100000000 };

struct correlate {
    struct correlate_config config;
    struct table early_downs, watches, set_ups, proven;
    bool has_mnesia; /* a message went to one of its registered processes */
    struct ds_otp *otp;
    struct intern intern;
    struct calls calls;
    struct monitors monitors;
    int64_t now_ns;
    uint64_t num_flushed; /* times that everything was dropped because of too many names */
};

/* step is one message in processing: its note, and the call it ends, if any. */
struct step {
    const struct ds_event *event;
    const struct ds_message *message;
    struct record record;
    struct note *note; /* of record */
    struct pid_key from, to; /* set by step_know_from, step_know_to */
    enum { UNASKED, KNOWN, UNKNOWN } from_state, to_state;
    struct monitor *released;  /* the monitor or link that ends, if any, and how */
    struct monitor_cause why;
    struct pid_key dead; /* a process that ended with this message; node 0: none */
    const struct ds_term *dead_of; /* the exit reason */
    struct open_call *ending;
    bool is_given_up; /* ending may still be answered */
    bool is_down;     /* ending ends by the DOWN of its monitor, watched */
    struct ref_key watched; /* of a DOWN or DEMONITOR */
    struct call_end end;
    struct titles titles[2]; /* room for those in the note */
};

/* Senders and receivers: step.c */

bool step_find_pid(struct correlate *c, const struct step *s, const struct ds_term *term,
                   struct pid_key *out);

/* step_find_said makes the key of a pid inside a message, usually the sender's own. */
bool step_find_said(struct correlate *c, struct step *s, const struct ds_term *term,
                    struct pid_key *out);

/* step_ask_from and step_ask_to parse the pids of sender and receiver into s->from and s->to. */
void step_ask_from(struct correlate *c, struct step *s);
void step_ask_to(struct correlate *c, struct step *s);

/* step_know_from and step_know_to do this if it has not been done: it costs something, and most
 * messages need one of them or none. */
static inline bool step_know_from(struct correlate *c, struct step *s)
{
    if (s->from_state == UNASKED)
        step_ask_from(c, s);
    return s->from_state == KNOWN;
}

static inline bool step_know_to(struct correlate *c, struct step *s)
{
    if (s->to_state == UNASKED)
        step_ask_to(c, s);
    return s->to_state == KNOWN;
}

/* step_find_named makes the key of a name on the node at an end of the connection. */
bool step_find_named(struct correlate *c, const struct step *s, unsigned end,
                     struct ds_text name, struct pid_key *out);

/* step_find_target makes the key of the pid or name that the message goes to; step_find_source, of
 * the pid or name it comes from. */
bool step_find_target(struct correlate *c, struct step *s, struct pid_key *out);
bool step_find_source(struct correlate *c, const struct step *s, const struct ds_term *term,
                      struct pid_key *out);

/* Names of processes: step_names.c */

/* step_learn_names learns the names that a message contains according to otp.def. */
void step_learn_names(struct correlate *c, struct step *s, const struct ds_otp_match *match);

/* step_is_scope says whether a message about a pg scope comes from one: the sender is known to be a
 * scope, or talks as one to a known scope. name is the registered name that the message goes to. */
bool step_is_scope(struct correlate *c, struct step *s, const struct ds_otp_match *match,
                   struct ds_text name);

/* step_is_own says whether a message names its sender, without which its form does not count as
 * OTP's. For mnesia's forms, mnesia must have been seen, too. */
bool step_is_own(struct correlate *c, struct step *s, const struct ds_otp_match *match);

/* step_set_owner records whose process a monitor or link belongs to, if not the user's. */
void step_set_owner(struct correlate *c, struct step *s);

/* step_add_names fills in the names of the note. */
void step_add_names(struct correlate *c, struct step *s);

/* How calls end: step_end.c */

bool step_is_atom(const struct ds_term *term, const char *word);

/* step_is_undecided says whether the atom that identifies a term is unknown: the term itself, or
 * the first atom among a tuple's first two elements. */
bool step_is_undecided(const struct ds_term *term);

void step_set_end(struct step *s, struct open_call *call, enum note_role role,
                  enum call_outcome outcome);
void step_set_error(struct step *s, const char *class, const struct ds_term *reason);
/* step_on_late_reply processes an answer for which no process waits any more. */
void step_on_late_reply(struct correlate *c, struct step *s, struct open_call *call);

/* step_how_given_up returns the outcome of an open call for which the caller no longer waits, and
 * its certainty. */
enum call_outcome step_how_given_up(const struct correlate *c, const struct open_call *call,
                                    const struct ds_event *event, enum certainty *certainty);

/* step_on_crossed processes the end of a call's monitor by the caller when its DOWN was already
 * on its way. */
void step_on_crossed(struct correlate *c, struct step *s);
void step_end_by_reply(struct correlate *c, struct step *s, struct open_call *call,
                       const struct ds_term *reply);

/* step_end_by_exit ends a call because the process that should have answered ended. */
void step_end_by_exit(struct correlate *c, struct step *s, struct open_call *call,
                      const struct ds_term *reason);

/* step_fate says whether a process that ended for that reason had left its call before: its reason
 * is the call's timeout, or normal, and a process that waits does not end normally. */
enum caller_fate step_fate(const struct ds_term *reason);

/* step_how_ended returns the outcome of a monitor for an exit reason. */
enum monitor_outcome step_how_ended(const struct ds_term *reason);

/* The monitors of calls: step_watch.c */

void step_keep_early_down(struct correlate *c, const struct ref_key *key, enum monitor_outcome how);

/* step_use_early_down ends a call that has just been opened if the DOWN of its monitor, ref, came
 * before. */
void step_use_early_down(struct correlate *c, struct step *s, struct open_call *call,
                         const struct ref_key *ref);

void step_keep_set_up(struct correlate *c, const struct pid_key *watcher,
                      const struct pid_key *target, const struct ref_key *ref);

/* step_use_set_up finds the monitor that the same process set up to the same process just before a
 * call: it belongs to this call only. */
bool step_use_set_up(struct correlate *c, const struct pid_key *watcher,
                     const struct pid_key *target, struct ref_key *ref);
void step_add_watch(struct correlate *c, const struct ref_key *monitor, const struct ref_key *call);

/* step_end_watch finds the monitor with the reference of a message, which ends it, and the call it
 * belonged to. */
struct open_call *step_end_watch(struct correlate *c, struct step *s, struct ref_key *key,
                                 enum monitor_outcome how, const struct ds_term *reason);

/* step_release ends a monitor or link after the message has been passed on. */
void step_release(struct step *s, struct monitor *monitor, enum monitor_outcome how,
                  const struct ds_term *reason);

/* Each kind of message: step_send.c, step_spawn.c, step_signal.c */

void step_set_function(struct note *note, const struct ds_otp_match *match);
void step_open_monitor(struct correlate *c, const struct step *s, const struct ref_key *key,
                       const struct pid_key *from, const struct pid_key *to);
void step_open_link(struct correlate *c, const struct step *s, const struct pid_key *from,
                    const struct pid_key *to);

void step_on_send(struct correlate *c, struct step *s);
void step_on_spawn_request(struct correlate *c, struct step *s);
void step_on_spawn_reply(struct correlate *c, struct step *s);
void step_on_monitor(struct correlate *c, struct step *s);
void step_on_demonitor(struct correlate *c, struct step *s);
void step_on_down(struct correlate *c, struct step *s);
void step_on_link(struct correlate *c, struct step *s);
void step_on_unlink(struct correlate *c, struct step *s);
void step_on_exit(struct correlate *c, struct step *s);

#endif
