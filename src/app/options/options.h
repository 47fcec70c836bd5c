/*
 * options.h - the command line as a struct. The table of options is options.def.
 */
#ifndef SRC_OPTIONS_H
#define SRC_OPTIONS_H

#include "files/keylog_file.h"
#include "core/listen_address.h"
#include "app/options/late_hints.h"
#include "capture/capture.h"
#include "compare/compare.h"
#include "app/options/config_file.h"
#include "app/options/extcap.h"
#include "core/stop_condition.h"
#include "capture/port_filter.h"
#include "keep/keep_config.h"
#include "analyse/metrics/metrics.h"
#include "explain/explain.h"
#include "send/nats/nats_config.h"
#include "send/otlp/otlp_config.h"
#include "send/stream/stream_url.h"
#include "select/rate_limit.h"
#include "redact/redact_config.h"
#include "reports/reports.h"
#include "privsep/sandbox.h"
#include "select/selector.h"
#include "output/sink.h"

#include <distsniff/dissect.h>
#include <stdio.h>

/* --syntax: how terms are written, or that the program finds out. */
enum option_syntax {
    OPTION_SYNTAX_ERLANG = DS_SYNTAX_ERLANG,
    OPTION_SYNTAX_ELIXIR = DS_SYNTAX_ELIXIR,
    OPTION_SYNTAX_AUTO = DS_SYNTAX_NUM,
};

enum action {
    ACTION_SNIFF,
    ACTION_SHORT_HELP,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_LIST_INTERFACES,
    ACTION_LIST_FIELDS,
    ACTION_LIST_LABELS,
    ACTION_LIST_FORMATS,
    ACTION_LIST_REPORTS,
    ACTION_PRINT_REFRESH,
    ACTION_PRINT_KEYLOG_CONFIG,
    ACTION_EXPLAIN,
    ACTION_EXTCAP_INTERFACES,
    ACTION_EXTCAP_DLTS,
    ACTION_EXTCAP_CONFIG,
    ACTION_CHECK_CONFIG,
};

struct option_given;
struct own_labels;

/* options is what the user asked for: a configuration for each stage, which is independent of the
 * others, and values that concern several. Texts belong to the command line, except the BPF
 * expression, the filters and generated file names. */
struct options {
    enum action action;
    int argc; /* the command line, for a reload */
    char **argv;
    struct option_given *given; /* the options one by one, without caps */
    size_t num_given;
    struct capture_config capture;
    struct port_filter_config follow;
    struct selector_config select;
    struct redact_config redact;
    struct sink_config output;
    char *names_beside[MAX_FORMATS]; /* of companion outputs */
    const struct sink_kind *page_to_name; /* --html without a file; NULL: no such option */
    char *names_made[MAX_FORMATS + 1];    /* generated file names */
    size_t num_names_made;
    char *names_also[MAX_FORMATS][MAX_ALSO_WRITTEN]; /* names of files that exist while a format
                                                      * writes */
    struct report_config report;
    struct compare_config compare;
    struct metrics_config metrics;
    struct nats_config nats;
    struct stream_urls streams; /* of -r tcp://HOST:PORT */
    struct otlp_config otlp;
    struct keep_config keep;
    struct stop_config ending;
    struct rate rate;
    struct ds_config config; /* for the session: defaults, changed by --max-* */
    const char *ask_epmd; /* hosts; NULL: EPMD is not asked */
    bool kernel;          /* ask the kernel about sockets */
    const char *cookie_file;
    struct keylog_config keylog;
    struct listen_address web;     /* of --web */
    const char *web_token_file;    /* NULL: each run generates its own */
    bool mcp, mcp_plain; /* --mcp, --mcp=plain */
    bool tui;
    const char *save_folder; /* of --tui, or NULL */
    struct extcap_options extcap;
    const char *config_file;       /* of --config */
    struct config_file file;       /* its contents */
    const char *labels_file;       /* of --labels */
    struct own_labels *labels;     /* its contents; NULL: no such file */
    const char *learned_file;      /* NULL: what is learned about atoms is not saved */
    int64_t hold_ns;               /* how long packets with unknown atoms wait; 0: they do not */
    const char *static_atoms_file; /* NULL: the built-in ones of known releases */
    enum refresh_way refresh_way;  /* of --print-refresh */
    int keylog_release;            /* of --print-keylog-config */
    struct explain_target explain;        /* of --explain call:24 */
    struct explain_run_state *explain_run; /* state of --explain; NULL: not requested */
    char *command, *behind;               /* of report, or NULL */
    char *window;                         /* of report, or NULL */
    char *kept; /* the option that reads the file of -w, and a blank; NULL: not one file */
    const struct finding_kind *explained; /* of --explain */
    char *node_lists[MAX_WORDS];       /* the arguments of --node that name several, cut apart */
    size_t num_node_lists;
    const char *patterns[MAX_REGEXES]; /* of -e */
    size_t num_patterns;
    bool ignore_case;
    bool no_clock_correction;
    bool no_calls;
    unsigned jobs; /* threads that format output, at most MAX_JOBS */
    bool quiet, strict;
    bool is_running; /* a reload: the named files are already open */
    enum option_syntax syntax;
    uint16_t epmd_port;
    enum sandbox_wish sandbox;
    int time_letters; /* number of times that -t was given */
};

/* options_parse parses the command line. False after a one-line complaint if it is invalid. Call
 * options_free in both cases. */
bool options_parse(struct options *options, int argc, char **argv);

/* options_parse_again parses the same command line with the current --config while running is in
 * use. What running has found out about this machine, and its --labels, stay. */
bool options_parse_again(struct options *options, const struct options *running);

void options_free(struct options *options);

/* options_print_short_help writes the text of -h: the most important options, on a single screen.
 * options_print_help writes the text of --help: all options. */
void options_print_short_help(FILE *out);
void options_print_help(FILE *out);

#endif
