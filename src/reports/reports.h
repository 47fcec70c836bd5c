/*
 * reports.h - the tables that the user asked for with --report, together, and where they go:
 * to standard output, unless records do.
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

/* What the messages of --report traffic are parted by. */
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
    uint64_t max_rows;               /* lines of traffic and others; 0: all */
    uint64_t max_links;              /* that --report links shows; 0: all */
    int64_t every_ns;                /* write all again after so long; 0: at the end alone */
    bool samples;                    /* of each shape of traffic some messages are kept */
    /* Options that read the same packets, each with a blank behind it, and what stands behind all options;
     * command is NULL where the packets are not kept. */
    const char *command, *behind;
    const char *window; /* for commands of reports: --since and --until, a blank behind each; NULL: none */
    struct intern *names;            /* that tables share, so that each name is kept once; NULL: none */
    struct compare *compare;         /* of changes: what it counts in and compares with, else NULL */
    bool is_part;                    /* --since, --node or others leave something out */
    bool is_late;                    /* --since does */
    bool is_live;                    /* a terminal is drawn anew then */
    bool nanoseconds;                /* on a terminal too, where the capture has them */
    bool verdict;                    /* reports_verdict is to be asked at the end */
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

/* reports_draw_anew says whether somebody who looks on at a terminal wants to see the tables all the time:
 * there are some, and none of which lines are written as they come. */
bool reports_draw_anew(const struct report_config *config);

/* How writing the tables went. */
enum reports_status { REPORTS_OK, REPORTS_FAILED, REPORTS_READER_GONE };

/* reports_wanted says whether any table is made of records, so that calls have to be put
 * together for it. */
bool reports_wanted(const struct report_config *config);

/* reports_take_monitors says whether one of them wants the ends of monitors and links. */
bool reports_take_monitors(const struct report_config *config);

/* reports_take_calls says whether one of them is given the ends of calls. */
bool reports_take_calls(const struct report_config *config);

/* reports_take_facts says whether one of them wants the facts of links. */
bool reports_take_facts(const struct report_config *config);

/* reports_take_names says whether one of them wants the names of processes. */
bool reports_take_names(const struct report_config *config);

/* reports_new makes those that options asks for. on_stderr: standard output is taken.
 * NULL when memory ran out. */
struct reports *reports_new(const struct report_config *config, unsigned time_digits, bool on_stderr);

/* reports_record hands on what was selected, and writes what is complete when much has
 * gathered. */
enum reports_status reports_record(struct reports *reports, const struct record *record);

/* reports_set_since says from when on records are selected. reports_leave_out hands on what was not, to
 * those tables that want it (reports_take_left_out); is_before: as it comes before that time. */
void reports_set_since(struct reports *reports, int64_t since_ns);
bool reports_take_left_out(const struct report_config *config);
void reports_leave_out(struct reports *reports, const struct record *record, bool is_before);

/* reports_visit tells the tables of what is open, before reports_show: a record of a call, monitor
 * or link that has not ended; at last NULL. */
void reports_visit(struct reports *reports, const struct record *record);

/* reports_show writes on standard error what has not been written yet and the tables as they stand;
 * they go on. */
void reports_show(struct reports *reports);

/* reports_repeat writes them as they stand at that time, for --every: over what is there on a
 * terminal, else below it. */
enum reports_status reports_repeat(struct reports *reports, int64_t now_ns);

/* reports_flush writes the lines that have come, where they are written as they come. */
enum reports_status reports_flush(struct reports *reports);

/* reports_judge takes a record with a finding for the verdict, whether it was selected or not.
 * reports_verdict returns, after reports_end, what --report doctor begins with, shortened to one line
 * without its end. Empty when config.verdict was false, or memory ran out. It lives as long as reports. */
void reports_judge(struct reports *reports, const struct record *finding);
struct ds_text reports_verdict(const struct reports *reports);

/* reports_print_open appends a line on a call that is open, for standard error. */
void reports_print_open(const struct reports *reports, const struct call *call, struct ds_buffer *out);

/* reports_end adds what the tables still hold to the text; nothing more may come. Other
 * tables may be added to the text then. */
void reports_end(struct reports *reports);
struct ds_buffer *reports_text(struct reports *reports);

/* reports_write writes the text out. Complains when that fails. */
enum reports_status reports_write(struct reports *reports);

void reports_free(struct reports *reports);

#endif
