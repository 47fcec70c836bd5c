/*
 * record.h - what a sink receives: an event, what the correlation knows about it, and calls, monitors
 * and links that ended.
 *
 * A record is one of four things. With finding != NULL it is a finding of a detector, without an event.
 * With call != NULL it is the end of a call, with monitor != NULL the end of a monitor or link. Then
 * event is the event that ended it, which was a record just before, or NULL if no event did: the
 * capture ended, or a cap was reached. Otherwise the record is an event with a note. Sinks get ends of
 * monitors and links only if they ask for them (sink.h). Everything reachable lives until the sink
 * returns. To keep a record, copy it.
 */
#ifndef DISTSNIFF_RECORD_H
#define DISTSNIFF_RECORD_H

#include "record/finding.h"

#include <distsniff/event.h>
#include <distsniff/identity.h>

/* titles is a list of further names of a process, besides its registered name: "global:Name",
 * "pg:Group"; and the same as Elixir writes them, absent if unknown. */
enum { TITLES_MAX = 8 };

struct titles {
    size_t num;
    struct ds_text text[TITLES_MAX], elixir[TITLES_MAX];
};

/* party is a process, or the part of its identity that is known. */
struct party {
    struct ds_text node; /* absent if unknown */
    struct ds_text name; /* registered name; absent if none is known */
    bool has_pid;
    uint32_t id, serial, creation; /* of the pid */
    const struct titles *titles;   /* NULL: none */
    bool is_for; /* the name is another process's for which it answered, as a worker does */
};

/* The role of a message in a conversation. Names for the JSON key "role". */
enum note_role {
#define NOTE_ROLE(id, name) NOTE_##id,
#include "record/note_role.def"
#undef NOTE_ROLE
    NOTE_ROLE_COUNT
};

/* How a call ended. Names for the JSON key "outcome". */
enum call_outcome {
#define OUTCOME(id, name, fate) CALL_##id,
#include "record/outcome.def"
#undef OUTCOME
    CALL_OUTCOME_COUNT
};

/* waited is what had to wait for the end of a stall: messages that came directly after it. */
enum { HELD_SHOWN = 8 };
struct waited_message {
    uint64_t frame, size;
    uint64_t call;     /* the call that waited for it, 0: no call */
    enum note_role role;
    const char *label; /* as in note */
    const char *op;    /* a static string; NULL: unknown */
};
struct waited {
    uint64_t num_messages, num_bytes, num_calls;
    bool has_head; /* the first of them was being sent when the stall began, the others waited after it */
    unsigned num;  /* number of elements of message: the first of them */
    struct waited_message message[HELD_SHOWN];
};

/* note is what the correlation knows about one event. It is all zero for an event that is not a
 * message, and if nothing is known. */
struct note {
    enum note_role role;
    const char *label;  /* name of its line in otp.def, such as "gen:call"; NULL for a plain send */
    const char *group;  /* "": the user's own; "otp": housekeeping; "mnesia" ...; NULL if label is */
    uint64_t call;      /* number of the call it belongs to, 0: none */
    bool has_latency;   /* only roles REPLY and DOWN: time since the request */
    int64_t latency_ns;
    enum call_outcome outcome; /* of the call that it ended, otherwise CALL_OPEN */
    bool late;          /* only role REPLY: the caller no longer waited */
    bool answers_unread; /* an answer to a request that could not be read: the label may be less specific */
    struct ds_term body; /* the request or answer inside its wrapper; absent if there is no wrapper */
    struct ds_term mod, fun, args; /* only a request that names a function; otherwise absent */
    struct ds_text from_name, to_name; /* registered names of the pids from and to, if known */
    bool from_is_for, to_is_for; /* it is one that the pid answered for, as a worker does */
    bool has_to_pid; /* it is sent to a name or an alias: this process of that node has it */
    uint32_t to_id, to_serial;
    const struct titles *from_titles, *to_titles; /* NULL: none */
    const struct waited *held; /* only a stall that is over: what waited; otherwise NULL */
};

/* Why it is unknown how a call ended: it was evicted because of a limit; missing packets may contain
 * the answer; the answer may be among messages that could not be read; the message that ended it has
 * unknown atoms; it is unknown where the answer goes. */
enum call_doubt { DOUBT_LIMIT, DOUBT_LOST, DOUBT_UNREAD, DOUBT_ATOMS, DOUBT_PLACE };

/* call is a call that ended. */
struct call {
    uint64_t number;   /* from 1, in order of the requests */
    uint64_t conn;     /* number of the connection that carried the request */
    const char *label; /* as in note */
    const char *group;
    struct party caller, callee;
    struct ds_text mfa;     /* such as "lists:seq(1,10)", shortened; absent if it names no function */
    struct ds_text mfa_elixir; /* the same in Elixir's syntax, if that is shown and mod is absent */
    struct ds_term mod, fun, args; /* the same as terms, if the request was kept */
    struct ds_term request; /* absent if it was too long to keep: then request_len is its length */
    size_t request_len;     /* bytes as external term */
    struct ds_term result;  /* absent if there is none */
    int64_t start_ns, end_ns;
    uint64_t start_frame, end_frame; /* end_frame 0: the end of the capture */
    bool has_start_seq; /* ds_event.has_seq and end_seq of the message that began it */
    uint32_t start_seq;
    enum call_outcome outcome;
    enum certainty certainty; /* of the outcome: a TIMEOUT is inferred from the time that passed */
    uint32_t likely_atoms;    /* in the request and in the message that ended the call */
    bool is_part;             /* one of these two could not be read completely */
    const char *error_class; /* only CALL_ERROR: "error", "exit", "throw", "badrpc" ...; otherwise NULL */
    struct ds_term reason;   /* only CALL_ERROR; otherwise absent */
    uint64_t parent;         /* the call that the caller was serving; 0: none is known */
    bool parent_ambiguous;   /* the call may belong to one of several parents, or to none */
    bool parent_inferred;    /* inferred from the order of the packets: the caller was serving the parent */
    bool began_before;       /* its request is from before the capture (ds_event.past) */
    bool awaits_input;       /* it asks a person to type something: that may take any time */
    enum call_doubt doubt;   /* only CALL_UNKNOWN */
    const uint64_t *children; /* calls that the callee made during this call, ended ones first */
    size_t num_children;
};

/* How a monitor or link ended. Names for the JSON key "outcome". */
enum monitor_outcome {
#define MONITOR_OUTCOME(id, name) MONITOR_##id,
#include "record/monitor_outcome.def"
#undef MONITOR_OUTCOME
    MONITOR_OUTCOME_COUNT
};

/* monitor_end is a monitor or link that ended. */
struct monitor_end {
    bool is_link;
    bool of_call;        /* made for a call, which has a record of its own */
    bool began_before;   /* it was requested before the capture (ds_event.past) */
    bool is_part;        /* the message that requested it, or that ended it, could not be read completely */
    struct party watcher, target; /* of a link: the process that requested it, and the other one */
    uint32_t ref[DS_IDENTITY_MAX_WORDS], num_ref_words; /* on the watcher's node; no words for a link */
    uint32_t ref_creation;
    uint64_t conn;       /* number of the connection that carried the request */
    int64_t start_ns, end_ns;
    uint64_t start_frame, end_frame; /* end_frame 0: the end of the capture */
    bool has_start_seq; /* ds_event.has_seq and end_seq of the message that began it */
    uint32_t start_seq;
    enum monitor_outcome outcome;
    struct ds_term reason; /* only MONITOR_EXIT; otherwise absent */
};

struct record {
    const struct ds_event *event;
    struct note note;
    const struct call *call;
    const struct monitor_end *monitor;
    const struct finding *finding;
    bool link_facts; /* the record is about the statistics of the link of event->conn, not about the
                        event */
    bool left_out; /* not selected: only for a sink that wants whole connections */
};

typedef void (*record_fn)(void *context, const struct record *record);

/* record_time returns the time of the event, or the time when the call, monitor or link ended. */
static inline int64_t record_time(const struct record *record)
{
    return record->call != NULL      ? record->call->end_ns
           : record->monitor != NULL ? record->monitor->end_ns
           : record->finding != NULL ? record->finding->last_ns
                                     : record->event->ts_ns;
}

/* record_is_message says whether a record is a message itself, not the end of a call that a message
 * ended. */
static inline bool record_is_message(const struct record *record)
{
    return record->call == NULL && record->monitor == NULL && record->finding == NULL &&
           !record->link_facts && record->event->type == DS_EVENT_MESSAGE;
}

/* event_is_read_whole says whether all of a message is known for certain, including the names of nodes. */
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

/* call_has_end says whether it is known how long a call lasted. */
bool call_has_end(const struct call *call);

/* call_was_sent says whether a request was sent while its caller waited. If the same packet also says
 * that it waits no longer, both had waited to be sent, behind a stall: it is unknown for how long. */
bool call_was_sent(const struct call *call);

/* call_print_span prints "after 20.2 ms", or "before it was sent". */
void call_print_span(const struct call *call, struct ds_buffer *out);

/* record_terms_len returns the number of bytes of its terms in the external format. */
size_t record_terms_len(const struct record *record);

/* These functions return names as static strings, NULL out of range. */
const char *record_type_name(enum ds_event_type type); /* NULL for types without records */
const char *note_role_name(enum note_role role);
const char *call_outcome_name(enum call_outcome outcome);
/* call_outcome_is_failure says whether the caller got no answer, or an error (outcome.def): all counts
 * of failed calls use it. */
bool call_outcome_is_failure(enum call_outcome outcome);
const char *monitor_outcome_name(enum monitor_outcome outcome);

/* titles_text returns one of the titles in that syntax; in Erlang's if there is no other. */
struct ds_text titles_text(const struct titles *titles, size_t i, enum ds_syntax syntax);

/* titles_print appends "global:lab pg:workers "; nothing for NULL. */
void titles_print(const struct titles *titles, struct ds_buffer *out);

/* party_print appends "echo <bob@host.85.0>", or the part that is known; a title if there is no
 * registered name; "<bob@host.85.0> for echo" if it answered for a process of that name. */
void party_print(const struct party *party, struct ds_buffer *out);
void party_print_as(enum ds_syntax syntax, const struct party *party, struct ds_buffer *out);

/* party_print_pid appends its pid alone, "<bob@host.85.0>". The party must have one. */
void party_print_pid(enum ds_syntax syntax, const struct party *party, struct ds_buffer *out);

/* held_print appends what waited during a stall; nothing if nothing did. */
void held_print(const struct waited *held, struct ds_buffer *out);

/* monitor_print_ref appends "#Ref<bob@host.1.2.3>"; nothing for a link. */
void monitor_print_ref(const struct monitor_end *monitor, struct ds_buffer *out);

/* note_print_mfa appends "lists:seq(1,10)", shortened to about max_len bytes (0: not shortened);
 * nothing if the note names no function. */
void note_print_mfa(const struct note *note, size_t max_len, struct ds_buffer *out);
/* note_print_function appends "lists:seq"; call_print_mfa_as appends call->mfa in any syntax. */
void note_print_function(const struct note *note, struct ds_buffer *out);
void call_print_mfa_as(enum ds_syntax syntax, const struct call *call, struct ds_buffer *out);

void note_print_mfa_as(enum ds_syntax syntax, const struct note *note, size_t max_len,
                       struct ds_buffer *out);

/* Maximum length of a call's mfa, roughly. */
enum { CALL_MFA_LEN = 200 };

#endif
