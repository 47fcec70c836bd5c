/*
 * sink.h - where events go: one file a format, one line each in sinks.def.
 */
#ifndef SRC_SINK_H
#define SRC_SINK_H

#include "files/output_file.h"
#include "record/loss.h"
#include "record/record.h"

#include <distsniff/dissect.h>
#include <stdio.h>

struct sink;
struct sink_kind;
struct compare;
struct web;
struct tui;
struct nats_publisher;
struct otlp_publisher;

/* One more whenever a program that reads -T json would not understand it any more: a field is
 * renamed, goes, or means something else. Fields are added as they come. tests/promised has those
 * that there are. */
enum { JSON_FORMAT = 1 };

enum { MAX_ALSO_WRITTEN = 2 };
enum { MAX_FORMATS = 8, MAX_SINKS = MAX_FORMATS + 3 /* --web, --tui, --on-finding */ };

#define ON_FINDING_EVERY_NS INT64_C(300000000000) /* the default of --on-finding-every */

/* How times are written. */
enum time_style { TIME_OF_DAY, TIME_NONE, TIME_EPOCH, TIME_DELTA, TIME_DATE, TIME_SINCE_FIRST };

/* What the lanes of a diagram are. */
enum lanes { LANES_NODE, LANES_PROCESS };

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* sink_format is one -T. file is NULL for standard output. */
struct sink_format {
    const struct sink_kind *kind;
    const char *file;
};

/* sink_config says what is written, and how. */
struct sink_config {
    struct sink_format formats[MAX_FORMATS];
    size_t num_formats;
    bool etf, hex, line_buffered;
    bool whole_lines; /* of text on a terminal too */
    bool nanoseconds; /* of text on a terminal too, where the capture has them */
    bool unicode_strings; /* see term_show.h */
    bool json_base64;     /* of binaries that are no text */
    enum ds_syntax json_syntax; /* of terms in json; term_show.h has that of all else */
    bool has_timeline;    /* --report timeline: its lines are records too */
    int verbose;
    enum time_style time_style;
    enum color_when color;
    enum lanes lanes;
    bool redacted;                   /* records are made safe to share before they come */
    const char *on_finding;          /* the command of --on-finding, or NULL */
    int64_t on_finding_every_ns;     /* the same finding runs it once in this time */
    const char *cookie_file;         /* for generated tests to name, or NULL */
    const struct compare *compare;   /* for -T html, of --compare; or NULL */
    struct web *web;                 /* of --web, which has a sink too; or NULL */
    struct tui *tui;                 /* of --tui, the same; or NULL */
    struct nats_publisher *nats;     /* of -T nats, or NULL */
    struct otlp_publisher *otlp;     /* of -T otlp=URL, or NULL */
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

/* sink_kind is one format. open prepares state, false when memory ran out; record appends
 * one to output.buffer, lost what is missing between two of them; close releases state. */
struct sink_kind {
    const char *name;
    const char *help;
    bool (*open)(struct sink *sink);
    /* open_by_itself opens output and state both, false after a complaint; NULL: the output is a file
     * that records are appended to, and open prepares state. */
    bool (*open_by_itself)(struct sink *sink, const char *file);
    void (*record)(struct sink *sink, const struct record *record);
    void (*lost)(struct sink *sink, const struct loss *loss); /* may be NULL */
    void (*flush)(struct sink *sink); /* writes what is not in output.buffer; NULL: there is none */
    void (*end)(struct sink *sink); /* appends what comes last; may be NULL */
    void (*close)(struct sink *sink);
    /* stateless says whether a record is written the same way whatever came before it: then several
     * threads may draft them, prerender.h. NULL: it is not. */
    bool (*stateless)(const struct sink_config *config);
    /* skips says whether nothing is ever written of a record; NULL: of none. */
    bool (*skips)(const struct sink_config *config, const struct record *record);
    bool read_back; /* what is written is read by a node again: it holds no guesses */
    bool takes_links;    /* it is given records with link_facts */
    bool takes_monitors; /* it is given the ends of monitors and links too */
    bool takes_findings; /* it is given what was found */
    bool takes_timeline;  /* it is given the lines of --report timeline, where that is asked for */
    /* wants_findings has them looked for, and is given too what only counts them or sums up. */
    bool wants_findings;
    bool leaves_requests; /* what a call asked is shown with its message alone, not with its end */
    bool raw; /* wants the bytes as sent too: DS_EVENT_DATA, DS_EVENT_FRAME */
    /* check says whether the format can be written to that file (NULL: standard output); false
     * after a complaint. NULL: to any. */
    bool (*check)(const char *file);
    bool has_temporary; /* some of it waits in files without a name */
    bool is_script; /* its owner may run the file */
    bool keeps; /* what is there already is the user's own: it is never written over */
    bool is_of_packets; /* it is written where packets are kept, and is no sink */
    bool wants_unselected; /* is also given what was not selected, with record->left_out */
    bool writes_nothing; /* it has no output of its own */
    bool takes_url;      /* behind its name stands a URL, not a file */
    const struct sink_kind *by_url; /* what is meant where a URL does; NULL: a file it is, always */
    /* companion is written with it, to a file named like its own, but for the ending; NULL: nothing is. */
    const struct sink_kind *companion;
    const char *ending, *companion_ending;
    /* What the name of a module of tests ends in, before ending. NULL: it is no such module. */
    const char *test_suffix;
    /* Endings of what is there beside it while it is written, and is read and written; NULL: none. */
    const char *also_writes[MAX_ALSO_WRITTEN];
};

/* sink is one -T at work. */
struct sink {
    const struct sink_kind *kind;
    const struct sink_config *config;
    unsigned time_digits; /* of the capture: 6 or 9 */
    struct output_file output;
    uint64_t num_cut; /* records that would have taken too long when the end was asked for */
    bool is_lost; /* its reader has gone away, or it could not be written: that has been noted */
    bool has_ended; /* what comes last is written */
    bool is_closed; /* state is gone: there was no memory to begin anew */
    void *state; /* of kind */
};

#define SINK(name) extern const struct sink_kind sink_##name;
#define PART(name) extern const struct sink_kind sink_##name;
#include "output/sinks.def"
#undef SINK
#undef PART

/* sink_find returns the kind of that name, or NULL. */
const struct sink_kind *sink_find(const char *name, size_t len);

/* sink_name_companion makes the name of what is written beside a file of that kind, to be freed; NULL when
 * memory ran out. sink_companion_of finds it among the formats. */
char *sink_name_companion(const struct sink_kind *kind, const char *file);
const char *sink_companion_of(const struct sink_config *config, const char *file);

/* sinks_are_read_back says whether one of the formats asked for is. */
bool sinks_are_read_back(const struct sink_config *config);

/* sinks_want_findings says whether one of the formats asked for has findings looked for. */
bool sinks_want_findings(const struct sink_config *config);

/* sinks_want_timeline says whether one of them shows what happened when, whoever asks for it. */
bool sinks_want_timeline(const struct sink_config *config);

/* sinks_find_of_packets returns the first format asked for that is of packets, or NULL. */
const struct sink_format *sinks_find_of_packets(const struct sink_config *config);

/* sinks_want_unselected says whether one of the formats asked for also wants what was not selected.
 */
bool sinks_want_unselected(const struct sink_config *config);

/* sinks_want_raw says whether one of the formats asked for wants the bytes as sent. */
bool sinks_want_raw(const struct sink_config *config);

/* sink_list writes a line for each format: its name, and what it is. */
void sink_list(FILE *out);

/* sink_get_names returns how many kinds there are. */
enum { MAX_KINDS = 32 };
size_t sink_get_names(const char *names[MAX_KINDS]);

/* sink_open opens the output and the format. False after a complaint. */
bool sink_open(struct sink *sink, const struct sink_format *format, const struct sink_config *config);

/* sink_withdraw removes what was just created but is not to be written after all, so that it is not
 * taken for the user's own the next time. */
void sink_withdraw(struct sink *sink);

/* sink_takes says whether a record is for this sink. */
bool sink_takes(const struct sink *sink, const struct record *record);

/* sink_record shows one record. Failures are kept in sink->output. Where the end was asked for and
 * it takes long, what is there of the record is taken back; it is counted in num_cut, as are those
 * behind it. */
void sink_record(struct sink *sink, const struct record *record);

/* sink_flush writes what has gathered. */
void sink_flush(struct sink *sink);

/* sink_lost tells that something is missing here. */
void sink_lost(struct sink *sink, const struct loss *loss);

/* sink_reopen goes on in another file where the one that is written has no name any more, or another
 * one: what is written ends as by sink_close, and begins anew. What is the user's own stays. */
void sink_reopen(struct sink *sink);

/* sink_end writes what comes last; num_cut is right then. */
void sink_end(struct sink *sink);

/* sink_close ends it, if that was not done, and writes out what is left. */
void sink_close(struct sink *sink);

#endif
