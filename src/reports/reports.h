/*
 * reports.h - all tables that the user asked for with --report, and their output: standard output,
 * unless records go there.
 */
#ifndef SRC_REPORTS_H
#define SRC_REPORTS_H

#include "analyse/calls/correlate.h"

struct reports;

/* The tables of --report. */
enum report {
#define REPORT(id, name, kind, what) REPORT_##id,
#include "reports/reports.def"
#undef REPORT
    REPORT_COUNT
};

/* How calls are sorted. */
enum call_order { CALLS_BY_LATENCY, CALLS_BY_TIME };

struct compare;
struct intern;
struct point_board;

/* How --report traffic groups messages. */
enum traffic_by {
#define TRAFFIC_BY(id, name) TRAFFIC_BY_##id,
#include "reports/traffic_by.def"
#undef TRAFFIC_BY
    TRAFFIC_BY_COUNT
};

enum { REPORT_ROWS = 20 }; /* by default */
#define REPORT_TOP_EVERY_NS INT64_C(3000000000)
#define REPORT_LIVE_EVERY_NS INT64_C(2000000000)
enum { REPORT_EVERY_LEAST_NS = 100000000 };

struct report_config {
    bool wanted[REPORT_COUNT];
    enum call_order call_order;
    enum traffic_by traffic_by;
    uint64_t max_rows;               /* lines of traffic and other tables; 0: all */
    uint64_t max_links, max_calls;   /* that --report links and calls show; 0: all */
    int64_t every_ns;                /* interval of output; 0: only at the end */
    bool samples;                    /* keep some messages of each shape of traffic */
    /* Options that read the same packets, each followed by a blank, and the text after all options;
     * command is NULL if the packets are not kept. */
    const char *command, *behind;
    const char *window; /* --since and --until for commands, each followed by a blank; NULL: none */
    struct intern *names;            /* that tables share, so that each name is kept once; NULL: none */
    struct point_board *points;      /* capture points of streams; NULL: none */
    struct compare *compare;         /* of --report changes: the comparison; otherwise NULL */
    bool is_part;                    /* --since, --node or others leave something out */
    bool is_late;                    /* --since does */
    bool is_live;                    /* the tables are redrawn on a terminal */
    bool nanoseconds;                /* on a terminal too, where the capture has them */
    bool verdict;                    /* reports_verdict will be called at the end */
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

/* reports_draw_anew says whether the tables can be redrawn continuously on a terminal: there are
 * some, and none of them writes lines as they come. */
bool reports_draw_anew(const struct report_config *config);

/* How writing the tables went. */
enum reports_status { REPORTS_OK, REPORTS_FAILED, REPORTS_READER_GONE };

/* reports_wanted says whether any table is made from records, so that calls have to be correlated. */
bool reports_wanted(const struct report_config *config);

/* reports_want_monitors says whether a table needs the ends of monitors and links. */
bool reports_want_monitors(const struct report_config *config);

/* reports_want_calls says whether a table needs the ends of calls. */
bool reports_want_calls(const struct report_config *config);

/* reports_want_facts says whether a table needs the facts of links. */
bool reports_want_facts(const struct report_config *config);

/* reports_want_names says whether a table needs the names of processes. */
bool reports_want_names(const struct report_config *config);

/* reports_new opens the requested tables. on_stderr: standard output is in use. NULL if memory ran
 * out. */
struct reports *reports_new(const struct report_config *config, unsigned time_digits, bool on_stderr);

/* reports_record passes a selected record to the tables, and writes finished text when there is
 * much of it. */
enum reports_status reports_record(struct reports *reports, const struct record *record);

/* reports_set_since sets the time from which on records are selected. reports_leave_out passes a
 * record that was not selected to the tables that need it (reports_want_left_out); is_before: it is
 * from before that time. */
void reports_set_since(struct reports *reports, int64_t since_ns);
bool reports_want_left_out(const struct report_config *config);
void reports_leave_out(struct reports *reports, const struct record *record, bool is_before);

/* reports_visit passes open items to the tables before reports_show: a record for each call,
 * monitor or link that has not ended; finally NULL. */
void reports_visit(struct reports *reports, const struct record *record);

/* reports_show writes pending text and the current tables on standard error; the tables continue. */
void reports_show(struct reports *reports);

/* reports_repeat writes the current tables for --every: on a terminal over the previous ones, else
 * below them. */
enum reports_status reports_repeat(struct reports *reports, int64_t now_ns);

/* reports_flush writes pending lines of tables that write lines as they come. */
enum reports_status reports_flush(struct reports *reports);

/* reports_judge passes a record with a finding to the verdict, whether it was selected or not.
 * reports_verdict returns, after reports_end, the beginning of --report doctor, shortened to one
 * line without its end; empty if config.verdict is false, or memory ran out. Valid as long as
 * reports. */
void reports_judge(struct reports *reports, const struct record *finding);
struct ds_text reports_verdict(const struct reports *reports);

/* reports_print_open appends a line about an open call, for standard error. */
void reports_print_open(const struct reports *reports, const struct call *call, struct ds_buffer *out);

/* reports_end adds what the tables still contain to the text; no more records may come. The caller
 * may add other tables to the text then. */
void reports_end(struct reports *reports);
struct ds_buffer *reports_text(struct reports *reports);

/* reports_write writes the text out. It complains if that fails. */
enum reports_status reports_write(struct reports *reports);

void reports_free(struct reports *reports);

#endif
