/*
 * options.h - the command line as a struct. The table of options is options.def.
 */
#ifndef SRC_OPTIONS_H
#define SRC_OPTIONS_H

#include "rate_limit.h"
#include "match_record.h"
#include "match_regex.h"
#include "moment.h"
#include "pick.h"
#include "rotation.h"

#include <distsniff/dissect.h>
#include <stdio.h>

struct sink_kind;
struct filter;

enum { MAX_SNAPLEN = 262144, MAX_FORMATS = 8, MAX_DIST_PORTS = 64, MAX_REGEXES = 16,
       MAX_MATCHES = 16 };

enum direction { DIRECTION_BOTH, DIRECTION_IN, DIRECTION_OUT };

/* How -t is counted. */
enum time_style { TIME_OF_DAY, TIME_NONE, TIME_EPOCH, TIME_DELTA, TIME_DATE, TIME_SINCE_FIRST };

/* How --report calls is sorted. */
enum call_order { CALLS_BY_LATENCY, CALLS_BY_TIME };

/* What the lanes of a diagram are. */
enum lanes { LANES_NODE, LANES_PROCESS };

/* The tables of --report. */
enum report {
#define REPORT(id, name) REPORT_##id,
#include "reports.def"
#undef REPORT
    REPORT_COUNT
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

enum action { ACTION_SNIFF, ACTION_HELP, ACTION_VERSION, ACTION_LIST_INTERFACES,
              ACTION_LIST_FIELDS };

/* What --redact can replace. options.redact has a bit 1 << what each. */
enum redact_what {
#define REDACT(id, name, what) REDACT_##id,
#include "redact.def"
#undef REDACT
    REDACT_WHAT_COUNT
};

/* option_format is one -T. file is NULL for standard output. */
struct option_format {
    const struct sink_kind *kind;
    const char *file;
};

/* words is what was given with an option that can be given again. */
struct words {
    const char *word[MAX_PICKS];
    size_t num;
};

/* options is what the user asked for. Texts belong to the command line, except expression
 * and filter. */
struct options {
    enum action action;
    const char *interface; /* NULL: any */
    const char **read_files;
    size_t num_read_files;
    int snaplen;
    int buffer_kib; /* 0: the default */
    bool no_promiscuous, immediate;
    enum direction direction;
    const char *user; /* NULL: nobody */
    const char *filter_file;
    char *expression; /* the rest of the line, NULL when there is none */
    bool no_clock_correction;
    bool no_follow;
    bool no_calls;
    uint16_t dist_ports[MAX_DIST_PORTS];
    size_t num_dist_ports;
    uint16_t epmd_port;
    const char *cookie_file;
    struct option_format formats[MAX_FORMATS];
    size_t num_formats;
    enum lanes lanes;
    bool reports[REPORT_COUNT];
    enum call_order call_order;
    bool calls_only;
    struct words only, hide; /* each with commas in it */
    struct words nodes;
    struct pick_process processes[MAX_PICKS];
    size_t num_processes;
    struct op_set ops;
    struct filter *filter; /* of all -Y, or NULL */
    bool no_pairs;
    const char *patterns[MAX_REGEXES]; /* of -e */
    struct match_regex *regexes[MAX_REGEXES];
    size_t num_patterns, num_regexes;
    bool ignore_case, invert;
    struct ds_match *matches[MAX_MATCHES]; /* of -m */
    size_t num_matches;
    uint64_t num_after;
    const char *write_file;
    uint32_t redact; /* 0: nothing */
    struct words redact_keep;
    const char *redact_key_file; /* NULL: a random key */
    bool reencode;
    struct rotation_rules rotation; /* of it: -C, -G, -W */
    const char *after_command;      /* -z */
    bool packet_buffered;           /* -U */
    const char *connections_file;   /* -O */
    struct filter *trigger;         /* NULL: none */
    int64_t keep_ns;                /* 0: as much as there is room for */
    uint64_t keep_bytes;            /* 0: as the cap says */
    int64_t keep_after_ns;
    bool etf, quiet, hex, line_buffered, strict;
    int verbose;
    int time_letters; /* how often -t was given */
    enum time_style time_style;
    enum color_when color;
    uint64_t max_messages, max_packets; /* 0: no limit */
    double max_seconds;                 /* 0: no limit */
    uint64_t max_files, max_file_kb;    /* of -w; 0: no limit */
    struct rate rate;
    const char *rate_text; /* as it was given */
    struct moment since, until;
    const char *until_text;
    struct ds_config config;            /* defaults, with --max-* put in */
};

/* options_parse reads the command line. False, with one line said about it, when it cannot
 * be understood. options_free is needed in both cases. */
bool options_parse(struct options *options, int argc, char **argv);

void options_free(struct options *options);

/* options_print_help writes what --help shows. */
void options_print_help(FILE *out);

#endif
