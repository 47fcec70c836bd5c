/*
 * sink.h - the outputs: one file per format, one line each in sinks.def.
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
struct point_board;
struct web;
struct tui;
struct nats_publisher;
struct otlp_publisher;

/* Increment this when a program that reads -T json would no longer understand it: a field is
 * renamed, removed, or gets another meaning. New fields do not count. tests/promised lists the
 * existing ones. */
enum { JSON_FORMAT = 1 };

enum { MAX_ALSO_WRITTEN = 2 };
enum { MAX_FORMATS = 8, MAX_SINKS = MAX_FORMATS + 3 /* --web, --tui, --on-finding */ };

#define ON_FINDING_EVERY_NS INT64_C(300000000000) /* the default of --on-finding-every */

/* How times are written. */
enum time_style { TIME_OF_DAY, TIME_NONE, TIME_EPOCH, TIME_DELTA, TIME_DATE, TIME_SINCE_FIRST };

/* What the lanes of a diagram stand for. */
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
    bool whole_lines; /* do not shorten lines, even on a terminal */
    bool nanoseconds; /* show them on a terminal, too, if the capture has them */
    bool unicode_strings; /* see term_show.h */
    bool json_base64;     /* of binaries that are not text */
    enum ds_syntax json_syntax; /* of terms in json; term_show.h has the syntax of everything else */
    bool has_timeline;    /* --report timeline: its lines become records, too */
    int verbose;
    enum time_style time_style;
    enum color_when color;
    enum lanes lanes;
    bool redacted;                   /* records are redacted before they come */
    const char *on_finding;          /* the command of --on-finding, or NULL */
    int64_t on_finding_every_ns;     /* minimum interval of runs for the same finding */
    const char *cookie_file;         /* for generated tests to name, or NULL */
    struct point_board *points;      /* capture points of streams; or NULL */
    const struct compare *compare;   /* from --compare, for -T html; or NULL */
    struct web *web;                 /* of --web, which also has a sink; or NULL */
    struct tui *tui;                 /* of --tui, likewise; or NULL */
    struct nats_publisher *nats;     /* of -T nats, or NULL */
    struct otlp_publisher *otlp;     /* of -T otlp=URL, or NULL */
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

/* sink_kind is a format. open prepares state, false if memory ran out; record appends a record to
 * output.buffer, lost what is missing between two records; close releases state. */
struct sink_kind {
    const char *name;
    const char *help;
    bool (*open)(struct sink *sink);
    /* open_by_itself opens both output and state, false after a complaint; NULL: the output is a
     * file to which records are appended, and open prepares state. */
    bool (*open_by_itself)(struct sink *sink, const char *file);
    void (*record)(struct sink *sink, const struct record *record);
    void (*lost)(struct sink *sink, const struct loss *loss); /* may be NULL */
    void (*flush)(struct sink *sink); /* writes data that is not in output.buffer; NULL: there is
                                       * none */
    void (*end)(struct sink *sink); /* appends the end of the file; may be NULL */
    void (*close)(struct sink *sink);
    /* stateless says whether a record is written independently of earlier ones: then several
     * threads may draft records, prerender.h. NULL: no. */
    bool (*stateless)(const struct sink_config *config);
    /* skips says whether a record is never written; NULL: none is skipped. */
    bool (*skips)(const struct sink_config *config, const struct record *record);
    bool read_back; /* nodes read the output back: it contains no guesses */
    bool takes_links;    /* it gets records with link_facts */
    bool takes_monitors; /* it gets the ends of monitors and links, too */
    bool takes_findings; /* it gets findings */
    bool takes_timeline;  /* it gets the lines of --report timeline, if that is on */
    /* wants_findings turns the detection of findings on; it also gets updates and sums. */
    bool wants_findings;
    bool leaves_requests; /* a request is only shown with its message, not with the end of its call */
    bool raw; /* it also gets the bytes as sent: DS_EVENT_DATA, DS_EVENT_FRAME */
    /* check says whether the format can be written to that file (NULL: standard output); false
     * after a complaint. NULL: to any file. */
    bool (*check)(const char *file);
    bool has_temporary; /* part of it waits in unnamed files */
    bool is_script; /* the file is executable by its owner */
    bool keeps; /* an existing file belongs to the user: it is never overwritten */
    bool is_of_packets; /* it is written with the packets, and is not a sink */
    bool wants_unselected; /* it also gets records that were not selected, with record->left_out */
    bool writes_nothing; /* it has no output file */
    bool takes_url;      /* its name is followed by a URL, not a file */
    const struct sink_kind *by_url; /* the kind for a URL; NULL: it is always a file */
    /* companion is written with it, to a file with the same name but another ending; NULL: none. */
    const struct sink_kind *companion;
    const char *ending, *companion_ending;
    /* The end of a test module's name, before ending. NULL: not a test module. */
    const char *test_suffix;
    /* Endings of files that exist beside it while it is written, and are read and written; NULL:
     * none. */
    const char *also_writes[MAX_ALSO_WRITTEN];
};

/* sink is one -T in progress. */
struct sink {
    const struct sink_kind *kind;
    const struct sink_config *config;
    unsigned time_digits; /* of the capture: 6 or 9 */
    struct output_file output;
    uint64_t num_cut; /* records that would have taken too long when the user wanted to end */
    bool is_lost; /* its reader has gone, or writing failed, and this was handled */
    bool has_ended; /* the end of the file was written */
    bool is_closed; /* state is gone: no memory for a new file */
    void *state; /* belongs to kind */
};

#define SINK(name) extern const struct sink_kind sink_##name;
#define PART(name) extern const struct sink_kind sink_##name;
#include "output/sinks.def"
#undef SINK
#undef PART

/* sink_find returns the kind of that name, or NULL. */
const struct sink_kind *sink_find(const char *name, size_t len);

/* sink_name_companion makes the name of the companion file of a file of that kind, which the caller
 * frees; NULL if memory ran out. sink_companion_of finds it among the formats. */
char *sink_name_companion(const struct sink_kind *kind, const char *file);
const char *sink_companion_of(const struct sink_config *config, const char *file);

/* sinks_are_read_back says whether nodes read one of the requested formats back. */
bool sinks_are_read_back(const struct sink_config *config);

/* sinks_want_findings says whether one of the requested formats needs findings. */
bool sinks_want_findings(const struct sink_config *config);

/* sinks_want_timeline says whether one of the requested formats always shows the timeline. */
bool sinks_want_timeline(const struct sink_config *config);

/* sinks_find_of_packets returns the first requested format that is written with the packets, or
 * NULL. */
const struct sink_format *sinks_find_of_packets(const struct sink_config *config);

/* sinks_want_unselected says whether one of the requested formats also needs records that were not
 * selected. */
bool sinks_want_unselected(const struct sink_config *config);

/* sinks_want_raw says whether one of the requested formats needs the bytes as sent. */
bool sinks_want_raw(const struct sink_config *config);

/* sink_list writes a line for each format: its name, and a description. */
void sink_list(FILE *out);

/* sink_get_names returns the number of kinds. */
enum { MAX_KINDS = 32 };
size_t sink_get_names(const char *names[MAX_KINDS]);

/* sink_open opens the output and the format. False after a complaint. */
bool sink_open(struct sink *sink, const struct sink_format *format, const struct sink_config *config);

/* sink_withdraw removes a file that was just created but will not be written, so that the next run
 * does not take it for the user's own. */
void sink_withdraw(struct sink *sink);

/* sink_wants says whether a sink writes a record. */
bool sink_wants(const struct sink *sink, const struct record *record);

/* sink_record writes a record. Failures are recorded in sink->output. If the user wants to end and
 * it takes long, the record is undone; it is counted in num_cut, as are those after it. */
void sink_record(struct sink *sink, const struct record *record);

/* sink_flush writes out what is buffered. */
void sink_flush(struct sink *sink);

/* sink_lost writes that something is missing here. */
void sink_lost(struct sink *sink, const struct loss *loss);

/* sink_reopen goes on in a new file if the current one was removed or renamed: the current one ends
 * as by sink_close, and another one begins. Files that belong to the user stay. */
void sink_reopen(struct sink *sink);

/* sink_end writes the end of the file; then num_cut is final. */
void sink_end(struct sink *sink);

/* sink_close ends it, if not done yet, and writes out what is left. */
void sink_close(struct sink *sink);

#endif
