/*
 * record.h - what a sink is given: an event, what the correlation knows about it, and the
 * calls, monitors and links that came to an end.
 *
 * A record is one of four things. With finding != NULL it is what a detector has found, without an
 * event. With call != NULL it is the end of a call, with
 * monitor != NULL that of a monitor or link; event is then the event that ended it, which has
 * been given as a record of its own just before, or NULL when none did: the capture ended,
 * a cap was reached. Else it is an event and a note on it. Ends of monitors and links are only
 * given to those sinks that ask for them (sink.h).
 * Everything reachable lives until the sink returns. To keep it, copy it.
 */
#ifndef DISTSNIFF_RECORD_H
#define DISTSNIFF_RECORD_H

#include "record/finding.h"

#include <distsniff/event.h>
#include <distsniff/identity.h>

/* titles is what a process is called beyond its registered name: "global:Name", "pg:Group"; and the
 * same as Elixir writes it, absent where that is not known. */
enum { TITLES_MAX = 8 };

struct titles {
    size_t num;
    struct ds_text text[TITLES_MAX], elixir[TITLES_MAX];
};

/* party is a process, or what is known of it. */
struct party {
    struct ds_text node; /* absent when not known */
    struct ds_text name; /* registered name; absent when none is known */
    bool has_pid;
    uint32_t id, serial, creation; /* of the pid */
    const struct titles *titles;   /* NULL: none */
    bool is_for; /* the name is not its own: it answered for it, as a worker does */
};

/* What a message is in a conversation. Names in the JSON key "role". */
enum note_role {
#define NOTE_ROLE(id, name) NOTE_##id,
#include "record/note_role.def"
#undef NOTE_ROLE
    NOTE_ROLE_COUNT
};

/* How a call ended. Names in the JSON key "outcome". */
enum call_outcome {
#define OUTCOME(id, name, fate) CALL_##id,
#include "record/outcome.def"
#undef OUTCOME
    CALL_OUTCOME_COUNT
};

/* waited is what had to wait behind a stall: messages that came without a pause after it. */
enum { HELD_SHOWN = 8 };
struct waited_message {
    uint64_t frame, size;
    uint64_t call;     /* the call that waited for it, 0: none */
    enum note_role role;
    const char *label; /* as in note */
    const char *op;    /* a static string; NULL: unknown */
};
struct waited {
    uint64_t num_messages, num_bytes, num_calls;
    bool has_head; /* the first of them was under way when the stall began, the others behind it */
    unsigned num;  /* in message: the first ones */
    struct waited_message message[HELD_SHOWN];
};

/* note is what the correlation knows about one event. Of an event that is no message, and
 * when nothing is known, it is all zero. */
struct note {
    enum note_role role;
    const char *label;  /* name of its line in otp.def: "gen:call"; NULL for a plain send */
    const char *group;  /* "" the user's own, "otp" housekeeping, "mnesia" ...; NULL as label */
    uint64_t call;      /* number of the call it belongs to, 0 when none */
    bool has_latency;   /* of role REPLY and DOWN: since the request */
    int64_t latency_ns;
    enum call_outcome outcome; /* of the call that it ended, else CALL_OPEN */
    bool late;          /* of role REPLY: the caller had given up before */
    bool answers_unread; /* a request that could not be read: the label may say less than it would */
    struct ds_term body; /* what is asked or answered, where the payload wraps it; else absent */
    struct ds_term mod, fun, args; /* a request that names a function; absent otherwise */
    struct ds_text from_name, to_name; /* registered names of the pids from and to, if known */
    bool from_is_for, to_is_for; /* it is one that the pid answered for, as a worker does */
    bool has_to_pid; /* it is sent to a name or an alias: this process of that node has it */
    uint32_t to_id, to_serial;
    const struct titles *from_titles, *to_titles; /* NULL: none */
    const struct waited *held; /* of a stall that is over: what waited; else NULL */
};

/* Why it is not known how a call ended: a limit made it forgotten; packets are missing that may have had
 * the answer; an answer may be among messages that could not be read; the message that ended it has
 * unknown atoms; it is not known where the answer goes. */
enum call_doubt { DOUBT_LIMIT, DOUBT_LOST, DOUBT_UNREAD, DOUBT_ATOMS, DOUBT_PLACE };

/* call is a call that ended. */
struct call {
    uint64_t number;   /* from 1, in order of the requests */
    uint64_t conn;     /* number of the connection the request went over */
    const char *label; /* as in note */
    const char *group;
    struct party caller, callee;
    struct ds_text mfa;     /* "lists:seq(1,10)", shortened; absent when it names no function */
    struct ds_text mfa_elixir; /* the same in Elixir's syntax, where that is shown and mod is absent */
    struct ds_term mod, fun, args; /* the same as terms, where the request was kept */
    struct ds_term request; /* absent when it was too long to keep: then request_len says */
    size_t request_len;     /* bytes as external term */
    struct ds_term result;  /* absent when there is none */
    int64_t start_ns, end_ns;
    uint64_t start_frame, end_frame; /* end_frame 0: the end of the capture */
    bool has_start_seq; /* ds_event.has_seq and end_seq of the message that began it */
    uint32_t start_seq;
    enum call_outcome outcome;
    enum certainty certainty; /* of the outcome: a TIMEOUT is told by the time that passed */
    uint32_t likely_atoms;    /* in its request and in the message that ended it */
    bool is_part;             /* one of these two could not be read whole */
    const char *error_class; /* of CALL_ERROR: "error", "exit", "throw", "badrpc" ...; else NULL */
    struct ds_term reason;   /* of CALL_ERROR; absent otherwise */
    uint64_t parent;         /* the call that was being served; 0 none known */
    bool parent_ambiguous;   /* it may have been made for one of several, or for none */
    bool parent_inferred;    /* from the order of the packets: the caller was serving that one */
    bool began_before;       /* its request is of before the capture (ds_event.past) */
    bool awaits_input;       /* it asks somebody to type something: that may take any time */
    enum call_doubt doubt;   /* of CALL_UNKNOWN */
    const uint64_t *children; /* calls that the callee made meanwhile, ended ones first */
    size_t num_children;
};

/* How a monitor or link ended. Names in the JSON key "outcome". */
enum monitor_outcome {
#define MONITOR_OUTCOME(id, name) MONITOR_##id,
#include "record/monitor_outcome.def"
#undef MONITOR_OUTCOME
    MONITOR_OUTCOME_COUNT
};

/* monitor_end is a monitor or link that ended. */
struct monitor_end {
    bool is_link;
    bool of_call;        /* there for a call, which has a record of its own */
    bool began_before;   /* it was asked for before the capture (ds_event.past) */
    bool is_part;        /* the message that asked for it, or that ended it, could not be read whole */
    struct party watcher, target; /* of a link: who asked for it, and whom */
    uint32_t ref[DS_IDENTITY_MAX_WORDS], num_ref_words; /* on the watcher's node; 0 of a link */
    uint32_t ref_creation;
    uint64_t conn;       /* number of the connection it was asked for over */
    int64_t start_ns, end_ns;
    uint64_t start_frame, end_frame; /* end_frame 0: the end of the capture */
    bool has_start_seq; /* ds_event.has_seq and end_seq of the message that began it */
    uint32_t start_seq;
    enum monitor_outcome outcome;
    struct ds_term reason; /* of MONITOR_EXIT; absent otherwise */
};

struct record {
    const struct ds_event *event;
    struct note note;
    const struct call *call;
    const struct monitor_end *monitor;
    const struct finding *finding;
    bool link_facts; /* it is about the facts of the link of event->conn, not about the event */
    bool left_out; /* not selected: only for a sink that wants whole connections */
};

typedef void (*record_fn)(void *context, const struct record *record);

/* record_time is when it happened, or when the call, monitor or link ended. */
static inline int64_t record_time(const struct record *record)
{
    return record->call != NULL      ? record->call->end_ns
           : record->monitor != NULL ? record->monitor->end_ns
           : record->finding != NULL ? record->finding->last_ns
                                     : record->event->ts_ns;
}

/* record_is_message says whether it is a message itself, not the end of a call that one ended. */
static inline bool record_is_message(const struct record *record)
{
    return record->call == NULL && record->monitor == NULL && record->finding == NULL &&
           !record->link_facts && record->event->type == DS_EVENT_MESSAGE;
}

/* event_is_read_whole says whether all of what a message says is known for certain, and of nodes the
 * names. */
static inline bool event_is_read_whole(const struct ds_event *event)
{
    return event->unknown_atoms == 0 && event->likely_atoms == 0 && event->address_atoms == 0 &&
           event->fault.kind == DS_FAULT_NONE;
}

/* record_is_aside says whether it is an event that no output shows. */
static inline bool record_is_aside(const struct record *record)
{
    return record->event != NULL && record->call == NULL && record->monitor == NULL &&
           ds_event_is_of_tables(record->event);
}

/* call_has_end says whether it is known how long a call took. */
bool call_has_end(const struct call *call);

/* record_terms_len is how many bytes its terms have, in external format. */
size_t record_terms_len(const struct record *record);

/* Names; each a static string, NULL out of range. */
const char *record_type_name(enum ds_event_type type); /* NULL of what no record is made of */
const char *note_role_name(enum note_role role);
const char *call_outcome_name(enum call_outcome outcome);
/* call_outcome_is_failure says whether the caller got no answer, or an error (outcome.def): that is what
 * "failed" means wherever calls are counted. */
bool call_outcome_is_failure(enum call_outcome outcome);
const char *monitor_outcome_name(enum monitor_outcome outcome);

/* titles_text returns one of the titles in that syntax, in Erlang's where there is no other. */
struct ds_text titles_text(const struct titles *titles, size_t i, enum ds_syntax syntax);

/* titles_print appends "global:lab pg:workers "; nothing for NULL. */
void titles_print(const struct titles *titles, struct ds_buffer *out);

/* party_print appends "echo <bob@host.85.0>", or as much of it as is known; a title where there
 * is no registered name; "<bob@host.85.0> for echo" where it is one that it answered for. */
void party_print(const struct party *party, struct ds_buffer *out);
void party_print_as(enum ds_syntax syntax, const struct party *party, struct ds_buffer *out);

/* party_print_pid appends its pid alone, "<bob@host.85.0>"; it has one. */
void party_print_pid(enum ds_syntax syntax, const struct party *party, struct ds_buffer *out);

/* held_print appends what waited behind a stall; nothing where that was nothing. */
void held_print(const struct waited *held, struct ds_buffer *out);

/* monitor_print_ref appends "#Ref<bob@host.1.2.3>"; nothing for a link. */
void monitor_print_ref(const struct monitor_end *monitor, struct ds_buffer *out);

/* note_print_mfa appends "lists:seq(1,10)", shortened to about max_len bytes (0: whole);
 * nothing when the note names no function. */
void note_print_mfa(const struct note *note, size_t max_len, struct ds_buffer *out);
/* note_print_function appends "lists:seq"; call_print_mfa_as what call->mfa is in Erlang. */
void note_print_function(const struct note *note, struct ds_buffer *out);
void call_print_mfa_as(enum ds_syntax syntax, const struct call *call, struct ds_buffer *out);

void note_print_mfa_as(enum ds_syntax syntax, const struct note *note, size_t max_len,
                       struct ds_buffer *out);

/* The mfa of a call is at most about so long. */
enum { CALL_MFA_LEN = 200 };

#endif
