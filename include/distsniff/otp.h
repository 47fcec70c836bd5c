/*
 * distsniff/otp.h - what OTP and its users put into messages: gen calls, rpc, io requests,
 * global, pg, mnesia ... Each is one line of otp.def; here a message is held against them.
 */
#ifndef DISTSNIFF_OTP_H
#define DISTSNIFF_OTP_H

#include <distsniff/event.h>

DS_BEGIN_PUBLIC

/* What a line of otp.def says a term is. */
enum ds_otp_kind {
    DS_OTP_CALL,  /* a request; the answer carries Tag, or goes to From when there is no Tag */
    DS_OTP_REPLY, /* an answer to the call with Tag, or to the one of that label by the receiver */
    /* CALL and REPLY of so common a form that it alone proves nothing: a CALL if the sender, who
     * is From, has just set up a monitor to the receiver; a REPLY if such a call is open. */
    DS_OTP_WATCHED_CALL,
    DS_OTP_WATCHED_REPLY,
    /* CALL of such a form: if Tag is the reference of that monitor. */
    DS_OTP_TAGGED_CALL,
    DS_OTP_CAST,
    DS_OTP_INFO,
    DS_OTP_PEER,       /* INFO, sent by the process of the same name on the sender's node */
    DS_OTP_IN_CALL,    /* the Request of a CALL: gives it its label */
    DS_OTP_IN_CAST,    /* the Request of a CAST */
    DS_OTP_IN_PEER,    /* the Request of a CAST that the process of the same name sent */
    DS_OTP_SPAWN,      /* the arguments of a spawn request */
    DS_OTP_SPAWN_CALL, /* the same; the exit reason of the process is the answer */
    DS_OTP_SPAWN_CAST,
    DS_OTP_RESULT,  /* the Reply of a call with the label that stands in its place of "to" */
    DS_OTP_FAILURE, /* the same, with the label of the failure: "badrpc", "throw" ... */
    DS_OTP_NUM_KINDS,
};

/* The variables that mean something in otp.def; others stand for themselves. */
enum ds_otp_variable {
    DS_OTP_FROM,    /* process that asks */
    DS_OTP_TAG,     /* what the answer will carry */
    DS_OTP_REQUEST, /* inside a wrapper */
    DS_OTP_REPLY_TERM,
    DS_OTP_REASON,
    DS_OTP_ANSWERER, /* the node that a REPLY says it comes from */
    DS_OTP_M, /* module, function, arguments */
    DS_OTP_F,
    DS_OTP_A,
    DS_OTP_NAME, /* a name of global, and the process that has it from now on */
    DS_OTP_PID,
    DS_OTP_GONE,   /* a name of global that no process has any more */
    DS_OTP_NAMES,  /* [{Name, Pid, _}] */
    DS_OTP_OPS,    /* [{insert, {Name, Pid, _}} | {delete, Name}] */
    DS_OTP_SCOPE,  /* the process of a scope of pg on the sender's node; and what it says: */
    DS_OTP_GROUPS, /* [{Group, Pids}]: these members, and no others */
    DS_OTP_GROUP,  /* has these further members */
    DS_OTP_PIDS,   /* a pid or a list of them */
    DS_OTP_LEFT,   /* groups that Pids are no members of any more */
    DS_OTP_MEMBERS, /* #{Group => Pids}: these members, and no others */
    DS_OTP_OWN,     /* the sender's own pid: who else says so is not believed */
    DS_OTP_CHANGES, /* [{Group, Pids that joined, Pids that left}] */
    DS_OTP_REPLY_OPTIONS, /* a map that says who is to answer: reply_from */
    DS_OTP_REPLY_TO,      /* a process or alias that the answer goes to instead of From */
    DS_OTP_NUM_VARIABLES,
};

/* Messages that say what processes are called. */
enum {
    DS_OTP_TELLS_NAMES = 1 << DS_OTP_NAME | 1 << DS_OTP_GONE | 1 << DS_OTP_NAMES |
                         1 << DS_OTP_OPS | 1 << DS_OTP_SCOPE
};

/* ds_otp_line is one line of otp.def. */
struct ds_otp_line {
    enum ds_otp_kind kind;
    const char *group;   /* "" the user's own; "otp", "mnesia" ... */
    const char *label;   /* "gen:call" */
    const char *to;      /* registered name of the receiver; "" any */
    const char *pattern; /* pattern.h */
};

struct ds_otp_match {
    const struct ds_otp_line *line;  /* gives the label: the inner line where there is one */
    const struct ds_otp_line *outer; /* the line of what is around that; line where there is none */
    enum ds_otp_kind kind;           /* CALL, REPLY, CAST, INFO, PEER, SPAWN..., RESULT, FAILURE */
    uint32_t bound;                  /* 1 << enum ds_otp_variable */
    struct ds_term variable[DS_OTP_NUM_VARIABLES]; /* those bound; views into the term */
};

/* ds_otp_get returns what a variable stood for, NULL when the line has no such variable. */
static inline const struct ds_term *ds_otp_get(const struct ds_otp_match *match,
                                               enum ds_otp_variable variable)
{
    return (match->bound & 1u << variable) != 0 ? &match->variable[variable] : NULL;
}

struct ds_otp;

/* ds_otp_new returns the table, ready to use and read-only from then on; NULL when memory
 * ran out. */
struct ds_otp *ds_otp_new(void);

/* ds_otp_new_with is ds_otp_new with further lines before those of otp.def, which stay where they
 * are until ds_otp_free. NULL also where there are more than DS_OTP_MAX_LINES, or one whose pattern
 * is none. */
struct ds_otp *ds_otp_new_with(const struct ds_otp_line *lines, size_t num);
void ds_otp_free(struct ds_otp *otp);

/* ds_otp_lines is what ds_otp_read reads: its lines, and the texts that they point to. */
enum { DS_OTP_MAX_LINES = 4096 };
struct ds_otp_lines {
    struct ds_otp_line *line;
    size_t num;
    char *texts;
};

/* Lists of words that one may have been meant. */
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
    struct ds_text word;     /* what is there instead, in the text; empty where it is no word */
    enum ds_otp_names names; /* what it may have been meant to be one of */
};

/* ds_otp_read reads lines in the language of otp.def (see the head of that file), LABEL(...) or
 * OTP(...) with comments between them. Each word of a line has at most 64 bytes, a pattern 4096.
 * False with *error filled in when it is none of that, or memory ran out (expected "more memory"):
 * out is empty then. To be freed with ds_otp_lines_free. */
bool ds_otp_read(struct ds_text text, struct ds_otp_lines *out, struct ds_otp_read_error *error);
void ds_otp_lines_free(struct ds_otp_lines *lines);

/* ds_otp_read_name returns the words of such a list, from 0 on; NULL behind the last. */
const char *ds_otp_read_name(enum ds_otp_names names, size_t i);

/* ds_otp_kind_name returns a kind as otp.def writes it, "CALL"; NULL out of range. */
const char *ds_otp_kind_name(enum ds_otp_kind kind);

/* ds_otp_find_message says what a payload is. to is the registered name it goes to, absent
 * when it goes to a pid or reference. False when no line fits. Tuples for that receiver come
 * first, then tuples that begin with an atom, then whatever else is for that receiver, then
 * the rest; among equals the first in the file. */
bool ds_otp_find_message(const struct ds_otp *otp, struct ds_text to,
                         const struct ds_term *payload, struct ds_otp_match *match);

/* ds_otp_may_bind says whether the Request of a CALL to that name, absent where it goes to a pid, may
 * be one of a line with that variable, if the atoms in it whose names are not known are others.
 * Linear in the lines. */
bool ds_otp_may_bind(const struct ds_otp *otp, struct ds_text to, const struct ds_term *request,
                     enum ds_otp_variable variable);

/* ds_otp_owner returns the group of a registered name that no user's process has, such as "otp" of
 * global_name_server; NULL where there is none. */
const char *ds_otp_owner(const struct ds_otp *otp, struct ds_text name);

/* ds_otp_find_spawn says what a spawn request is for: mfa is {M, F, Arity}. */
bool ds_otp_find_spawn(const struct ds_otp *otp, const struct ds_term *mfa,
                       const struct ds_term *args, struct ds_otp_match *match);

/* ds_otp_find_result says what the answer to a call of that line means. */
bool ds_otp_find_result(const struct ds_otp *otp, const struct ds_otp_line *line,
                        const struct ds_term *reply, struct ds_otp_match *match);

/* ds_otp_has_results says whether there are lines for answers to calls of that line, of those that are
 * tuples or of others. */
bool ds_otp_has_results(const struct ds_otp *otp, const struct ds_otp_line *line, bool are_tuples);

/* ds_otp_lines returns the lines of otp.def, in their order. */
const struct ds_otp_line *ds_otp_lines(size_t *num_lines);

DS_END_PUBLIC

#endif
