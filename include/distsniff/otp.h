/*
 * distsniff/otp.h - recognises the messages of OTP and of libraries: gen calls, rpc, io requests,
 * global, pg, mnesia ... Each is one line of otp.def; here messages are matched against these lines.
 */
#ifndef DISTSNIFF_OTP_H
#define DISTSNIFF_OTP_H

#include <distsniff/event.h>

DS_BEGIN_PUBLIC

/* What a term is, according to a line of otp.def. */
enum ds_otp_kind {
    DS_OTP_CALL,  /* a request; the answer carries Tag, or goes to From when there is no Tag */
    DS_OTP_REPLY, /* an answer to the call with Tag, or to the receiver's call with that label */
    /* CALL and REPLY of forms so common that they prove nothing. It is a CALL if the sender, who is
     * From, has just set up a monitor to the receiver; it is a REPLY if such a call is open. */
    DS_OTP_WATCHED_CALL,
    DS_OTP_WATCHED_REPLY,
    /* CALL of a common form: it is one if Tag is the reference of that monitor. */
    DS_OTP_TAGGED_CALL,
    DS_OTP_CAST,
    DS_OTP_INFO,
    DS_OTP_PEER,       /* INFO, sent by the process of the same name on the sender's node */
    DS_OTP_IN_CALL,    /* the Request of a CALL: it decides the call's label */
    DS_OTP_IN_CAST,    /* the Request of a CAST */
    DS_OTP_IN_PEER,    /* the Request of a CAST that the process of the same name sent */
    DS_OTP_SPAWN,      /* the arguments of a spawn request */
    DS_OTP_SPAWN_CALL, /* the same; the exit reason of the process is the answer */
    DS_OTP_SPAWN_CAST,
    DS_OTP_RESULT,  /* the Reply of a call whose label is in the "to" of this line */
    DS_OTP_FAILURE, /* the same, with the label of the failure: "badrpc", "throw" ... */
    DS_OTP_NUM_KINDS,
};

/* The variables that have a meaning in otp.def. */
enum ds_otp_variable {
    DS_OTP_FROM,    /* the process that asks */
    DS_OTP_TAG,     /* what the answer will contain */
    DS_OTP_REQUEST, /* the request inside a wrapper */
    DS_OTP_REPLY_TERM,
    DS_OTP_REASON,
    DS_OTP_ANSWERER, /* the node from which a REPLY claims to come */
    DS_OTP_M, /* module, function, arguments */
    DS_OTP_F,
    DS_OTP_A,
    DS_OTP_NAME, /* a name of global, and the process that has it now */
    DS_OTP_PID,
    DS_OTP_GONE,   /* a name of global that no process has now */
    DS_OTP_NAMES,  /* [{Name, Pid, _}] */
    DS_OTP_OPS,    /* [{insert, {Name, Pid, _}} | {delete, Name}] */
    DS_OTP_SCOPE,  /* the process of a scope of pg on the sender's node. The following say what it
                      reports: */
    DS_OTP_GROUPS, /* [{Group, Pids}]: these members, and no others */
    DS_OTP_GROUP,  /* this group has further members: */
    DS_OTP_PIDS,   /* a pid or a list of them */
    DS_OTP_LEFT,   /* groups that Pids have left */
    DS_OTP_MEMBERS, /* #{Group => Pids}: these members, and no others */
    DS_OTP_OWN,     /* the sender's own pid: a message from another process is not believed */
    DS_OTP_CHANGES, /* [{Group, Pids that joined, Pids that left}] */
    DS_OTP_REPLY_OPTIONS, /* a map that says which process answers: reply_from */
    DS_OTP_REPLY_TO,      /* a process or alias to which the answer goes instead of to From */
    DS_OTP_NUM_VARIABLES,
};

/* Messages that report the names of processes. */
enum {
    DS_OTP_TELLS_NAMES = 1 << DS_OTP_NAME | 1 << DS_OTP_GONE | 1 << DS_OTP_NAMES |
                         1 << DS_OTP_OPS | 1 << DS_OTP_SCOPE
};

/* ds_otp_line is one line of otp.def. */
struct ds_otp_line {
    enum ds_otp_kind kind;
    const char *group;   /* "": the user's own; "otp", "mnesia" ... */
    const char *label;   /* such as "gen:call" */
    const char *to;      /* registered name of the receiver; "": any */
    const char *pattern; /* see pattern.h */
};

struct ds_otp_match {
    const struct ds_otp_line *line;  /* the line that gives the label: the inner line if there is one */
    const struct ds_otp_line *outer; /* the line of the wrapper around it; line if there is none */
    enum ds_otp_kind kind;           /* CALL, REPLY, CAST, INFO, PEER, SPAWN..., RESULT, FAILURE */
    uint32_t bound;                  /* a bit 1 << enum ds_otp_variable for each variable that is set */
    struct ds_term variable[DS_OTP_NUM_VARIABLES]; /* those in bound; views into the term */
};

/* ds_otp_get returns the value of a variable; NULL if the line has no such variable. */
static inline const struct ds_term *ds_otp_get(const struct ds_otp_match *match,
                                               enum ds_otp_variable variable)
{
    return (match->bound & 1u << variable) != 0 ? &match->variable[variable] : NULL;
}

struct ds_otp;

/* ds_otp_new returns the table, ready for use and read-only; NULL when memory ran out. */
struct ds_otp *ds_otp_new(void);

/* ds_otp_new_with is ds_otp_new with further lines before those of otp.def. The caller keeps them until
 * ds_otp_free. It also returns NULL if there are more than DS_OTP_MAX_LINES lines or a pattern is
 * invalid. */
struct ds_otp *ds_otp_new_with(const struct ds_otp_line *lines, size_t num);
void ds_otp_free(struct ds_otp *otp);

/* ds_otp_lines is the result of ds_otp_read: lines, and the texts that they point to. */
enum { DS_OTP_MAX_LINES = 4096 };
struct ds_otp_lines {
    struct ds_otp_line *line;
    size_t num;
    char *texts;
};

/* Lists of words, for suggestions in error messages. */
enum ds_otp_names {
    DS_OTP_NAMES_OF_NOTHING,
    DS_OTP_NAMES_OF_LINES,
    DS_OTP_NAMES_OF_KINDS,
    DS_OTP_NAMES_OF_TYPES,
};

/* ds_otp_read_error says where a text is not in the language of otp.def. */
struct ds_otp_read_error {
    size_t line, column;     /* from 1 */
    const char *expected;    /* a static string */
    struct ds_text word;     /* the word that is there instead, in the text; empty if it is not a word */
    enum ds_otp_names names; /* the list from which the word was probably meant to be */
};

/* ds_otp_read reads lines in the language of otp.def (see the head of that file), LABEL(...) or
 * OTP(...) with comments between them. Each word of a line has at most 64 bytes, a pattern 4096.
 * Returns false and sets *error if the text is not in this language, or memory ran out (expected is
 * "more memory"): then out is empty. The caller frees out with ds_otp_lines_free. */
bool ds_otp_read(struct ds_text text, struct ds_otp_lines *out, struct ds_otp_read_error *error);
void ds_otp_lines_free(struct ds_otp_lines *lines);

/* ds_otp_read_name returns the i-th word of a list, from 0; NULL after the last. */
const char *ds_otp_read_name(enum ds_otp_names names, size_t i);

/* ds_otp_kind_name returns the name of a kind as in otp.def, such as "CALL"; NULL out of range. */
const char *ds_otp_kind_name(enum ds_otp_kind kind);

/* ds_otp_find_message finds the line for a payload. to is the registered name of its receiver, absent
 * if it goes to a pid or reference. Returns false if no line matches. Tuples for that receiver are
 * tried first, then tuples that begin with an atom, then other terms for that receiver, then the rest;
 * among equals, the first in the file. */
bool ds_otp_find_message(const struct ds_otp *otp, struct ds_text to,
                         const struct ds_term *payload, struct ds_otp_match *match);

/* ds_otp_may_bind says whether the Request of a CALL to that name (absent: to a pid) could match a line
 * that has this variable, whatever its unknown atoms are. Linear in the number of lines. */
bool ds_otp_may_bind(const struct ds_otp *otp, struct ds_text to, const struct ds_term *request,
                     enum ds_otp_variable variable);

/* ds_otp_owner returns the group of a registered name that belongs to OTP or a library, such as "otp"
 * for global_name_server; NULL for other names. */
const char *ds_otp_owner(const struct ds_otp *otp, struct ds_text name);

/* ds_otp_find_spawn finds the line for a spawn request: mfa is {M, F, Arity}. */
bool ds_otp_find_spawn(const struct ds_otp *otp, const struct ds_term *mfa,
                       const struct ds_term *args, struct ds_otp_match *match);

/* ds_otp_find_result finds the line for the answer to a call of that line. */
bool ds_otp_find_result(const struct ds_otp *otp, const struct ds_otp_line *line,
                        const struct ds_term *reply, struct ds_otp_match *match);

/* ds_otp_has_results says whether there are lines for answers to calls of that line: for answers that
 * are tuples, or for others. */
bool ds_otp_has_results(const struct ds_otp *otp, const struct ds_otp_line *line, bool are_tuples);

/* ds_otp_lines returns the lines of otp.def, in their order. */
const struct ds_otp_line *ds_otp_lines(size_t *num_lines);

DS_END_PUBLIC

#endif
