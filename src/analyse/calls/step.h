/*
 * step.h - the inside of correlate.c, which is several files with one job each: one message
 * on its way through, and what is known when it comes.
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

/* early_down is a monitor whose DOWN overtook the request that it was to watch over: no such
 * process, said by the node at the other end before the request had left. */
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

/* set_up is a monitor that was set up a moment ago, and may be there for a call. */
struct set_up {
    struct table_entry entry;
    struct pid_key both[2]; /* who watches, and whom */
    struct ref_key ref;
    int64_t ns;
};

/* A caller asks at once; but others may come between, and it may have to wait for its turn. */
enum { MAX_SET_UP = 1024, SET_UP_NS = 100000000 };

struct correlate {
    struct correlate_config config;
    struct table early_downs, watches, set_ups, proven;
    bool has_mnesia; /* something was sent to one of its registered processes */
    struct ds_otp *otp;
    struct intern intern;
    struct calls calls;
    struct monitors monitors;
    int64_t now_ns;
    uint64_t num_flushed; /* times all began anew because of too many names */
};

/* step is one message on its way through: its note, and the call it ends, if any. */
struct step {
    const struct ds_event *event;
    const struct ds_message *message;
    struct record record;
    struct note *note; /* of record */
    struct pid_key from, to; /* once asked for: step_know_from, step_know_to */
    enum { UNASKED, KNOWN, UNKNOWN } from_state, to_state;
    struct monitor *released;  /* the monitor or link it ends, if any, and how */
    struct monitor_cause why;
    struct pid_key dead; /* a process that ended with this message; node 0: none */
    const struct ds_term *dead_of; /* the reason */
    struct open_call *ending;
    bool is_given_up; /* ending may still be answered */
    bool is_down;     /* ending ends by the DOWN of its monitor: watched */
    struct ref_key watched; /* of a DOWN or DEMONITOR */
    struct call_end end;
    struct titles titles[2]; /* room for those of the note */
};

/* Who: step.c */

bool step_find_pid(struct correlate *c, const struct step *s, const struct ds_term *term,
                   struct pid_key *out);

/* step_find_said does so for a pid that stands in what is said, as a rule the sender's own. */
bool step_find_said(struct correlate *c, struct step *s, const struct ds_term *term,
                    struct pid_key *out);

/* step_ask_from and step_ask_to find out whether s->from and s->to are pids, and fill them in. */
void step_ask_from(struct correlate *c, struct step *s);
void step_ask_to(struct correlate *c, struct step *s);

/* step_know_from and step_know_to fill in s->from and s->to when they are pids; which costs
 * something, and most messages can do with one of them or none. */
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

/* step_find_target: the pid or name that the message goes to. step_find_source: a pid or a name, where it
 * comes from. */
bool step_find_target(struct correlate *c, struct step *s, struct pid_key *out);
bool step_find_source(struct correlate *c, const struct step *s, const struct ds_term *term,
                      struct pid_key *out);

/* What processes are called: step_names.c */

/* step_learn_names takes what otp.def says of names in a message. */
void step_learn_names(struct correlate *c, struct step *s, const struct ds_otp_match *match);

/* step_is_scope says whether a message that speaks of a scope of pg comes from one: one that is
 * known, or shows it to one that is. name is whom the message goes to by name. */
bool step_is_scope(struct correlate *c, struct step *s, const struct ds_otp_match *match,
                   struct ds_text name);

/* step_is_own says whether a message that is OTP's only if its sender says so of itself is. */
bool step_is_own(struct correlate *c, struct step *s, const struct ds_otp_match *match);

/* step_note_owner tells of a monitor or link whose process it is, if it is not the user's. */
void step_note_owner(struct correlate *c, struct step *s);

/* step_note_names fills in the names of the note. */
void step_note_names(struct correlate *c, struct step *s);

/* How calls end: step_end.c */

bool step_is_atom(const struct ds_term *term, const char *word);

/* step_is_undecided says whether the atom is not known that tells what a term is: the term itself, or the
 * first of a tuple's first two elements that is one. */
bool step_is_undecided(const struct ds_term *term);

void step_set_end(struct step *s, struct open_call *call, enum note_role role,
                  enum call_outcome outcome);
void step_set_error(struct step *s, const char *class, const struct ds_term *reason);
/* step_take_late_reply: an answer that nobody waits for any more. */
void step_take_late_reply(struct correlate *c, struct step *s, struct open_call *call);

/* step_how_given_up says what to call it when the caller of an open call waits no longer, and how certain
 * that is. */
enum call_outcome step_how_given_up(const struct correlate *c, const struct open_call *call,
                                    const struct ds_event *event, enum certainty *certainty);

/* step_take_crossed: a caller ends the monitor of a call whose DOWN was on its way already. */
void step_take_crossed(struct correlate *c, struct step *s);
void step_end_by_reply(struct correlate *c, struct step *s, struct open_call *call,
                       const struct ds_term *reply);

/* step_end_by_exit: the process that should have answered ended. */
void step_end_by_exit(struct correlate *c, struct step *s, struct open_call *call,
                      const struct ds_term *reason);

/* step_fate says whether a process that ended for that reason had left its call before: as the timeout of
 * the call says so, or because one that waits does not end normally. */
enum caller_fate step_fate(const struct ds_term *reason);

/* step_how_ended says what an exit reason means to who watches. */
enum monitor_outcome step_how_ended(const struct ds_term *reason);

/* The monitors of calls: step_watch.c */

void step_note_early_down(struct correlate *c, const struct ref_key *key, enum monitor_outcome how);

/* step_take_early_down ends a call that has just been opened in vain. ref is that of its
 * monitor. */
void step_take_early_down(struct correlate *c, struct step *s, struct open_call *call,
                          const struct ref_key *ref);

void step_note_set_up(struct correlate *c, const struct pid_key *watcher,
                      const struct pid_key *target, const struct ref_key *ref);

/* step_take_set_up finds the monitor that was set up just before a call, by the same process and
 * to the same one: it is there for this call, and for no other. */
bool step_take_set_up(struct correlate *c, const struct pid_key *watcher,
                      const struct pid_key *target, struct ref_key *ref);
void step_note_watch(struct correlate *c, const struct ref_key *monitor, const struct ref_key *call);

/* step_end_watch finds the monitor with the reference of a message, which ends with it, and
 * the call it was there for. */
struct open_call *step_end_watch(struct correlate *c, struct step *s, struct ref_key *key,
                                 enum monitor_outcome how, const struct ds_term *reason);

/* step_release ends a monitor or link once the message has been given on. */
void step_release(struct step *s, struct monitor *monitor, enum monitor_outcome how,
                  const struct ds_term *reason);

/* Each kind of message: step_send.c, step_spawn.c, step_signal.c */

void step_set_function(struct note *note, const struct ds_otp_match *match);
void step_open_monitor(struct correlate *c, const struct step *s, const struct ref_key *key,
                       const struct pid_key *from, const struct pid_key *to);
void step_open_link(struct correlate *c, const struct step *s, const struct pid_key *from,
                    const struct pid_key *to);

void step_take_send(struct correlate *c, struct step *s);
void step_take_spawn_request(struct correlate *c, struct step *s);
void step_take_spawn_reply(struct correlate *c, struct step *s);
void step_take_monitor(struct correlate *c, struct step *s);
void step_take_demonitor(struct correlate *c, struct step *s);
void step_take_down(struct correlate *c, struct step *s);
void step_take_link(struct correlate *c, struct step *s);
void step_take_unlink(struct correlate *c, struct step *s);
void step_take_exit(struct correlate *c, struct step *s);

#endif
