/*
 * report.h - tables made from records: one file each, report_NAME.c, and a row in reports.def. The
 * memory of a table is capped, however long the capture is.
 */
#ifndef DISTSNIFF_REPORT_H
#define DISTSNIFF_REPORT_H

#include "analyse/calls/correlate.h"
#include "core/columns.h"
#include "output/json_write.h"
#include "reports/reports.h"

/* report_text is the output of reports, and the format of times. */
struct report_text {
    struct ds_buffer buffer;
    unsigned time_digits;
    unsigned width; /* of the terminal, 0: unlimited */
    bool shortens;  /* a text that is too wide is cut; otherwise it is wrapped */
    /* For report_print_command: the command that reads the same packets again, before and after the
     * options. command is NULL if the packets are not kept. */
    const char *command, *behind;
    const char *window; /* of report_config */
    bool keeps_lines; /* no line is broken: they are JSON */
    int64_t since_ns; /* of --since */
    int64_t now_ns; /* with --every, when the tables are written; 0: at the end */
};

/* The kinds of records, flags for report_kind.takes. */
enum report_takes {
    REPORT_TAKES_MESSAGES = 1,
    REPORT_TAKES_EVENTS = 2, /* other events, and facts of links */
    REPORT_TAKES_CALLS = 4,
    REPORT_TAKES_MONITORS = 8,
    REPORT_TAKES_FINDINGS = 16,
    REPORT_TAKES_PARTS = 32,
    REPORT_TAKES_RECORDS = 15, /* everything except findings and fragments */
};

static inline enum report_takes report_takes_of(const struct record *record)
{
    return record->finding != NULL              ? REPORT_TAKES_FINDINGS
           : record->call != NULL               ? REPORT_TAKES_CALLS
           : record->monitor != NULL            ? REPORT_TAKES_MONITORS
           : record_is_message(record)          ? REPORT_TAKES_MESSAGES
           : ds_event_is_of_tables(record->event) ? REPORT_TAKES_PARTS
                                                : REPORT_TAKES_EVENTS;
}

/* report_kind is a table. */
struct report_kind {
    /* open allocates the state of the report, which is passed to all functions below. NULL: memory
     * ran out. */
    void *(*open)(struct report_text *text, const struct report_config *config);
    void (*record)(void *report, const struct record *record);
    /* left_out is called with each record of these kinds that is not selected. is_before: it is
     * from before --since. May be NULL. */
    void (*left_out)(void *report, const struct record *record, bool is_before);
    /* visit is called before each show except the last one: with a record for each call, monitor
     * and link that is open then, and finally with NULL. May be NULL. */
    void (*visit)(void *report, const struct record *record);
    void (*show)(void *report); /* writes the current table, and does not change it */
    /* write_json writes the same as fields of a JSON object: times in microseconds since 1970, spans in
     * nanoseconds. The page (ui/page/page.c) and --tui (tui_books.def) call it, --report does not.
     * NULL: neither shows the report. */
    void (*write_json)(void *report, struct json_writer *json);
    /* begin_anew is called after the table was written because of --every. NULL: the table
     * continues to count. */
    void (*begin_anew)(void *report, int64_t now_ns);
    void (*end)(void *report);  /* frees */
    unsigned takes;            /* the records that it processes: flags of enum report_takes */
    bool takes_facts;          /* it needs the facts of links with connection events */
    bool takes_monitors;       /* it needs the ends of monitors and links */
    bool flows;                /* lines are written as they come: the table is never redrawn */
    bool takes_names;          /* it needs the names of processes in notes */
};

#define REPORT(id, name, kind, what) kind
#define KIND(name) extern const struct report_kind report_##name;
#define NO_KIND
#include "reports/reports.def"
#undef REPORT
#undef KIND
#undef NO_KIND

/* report_print_who appends caller and callee, report_print_what the content of a call:
 * "lists:seq(1,10) => [1,2 ...". Several reports use them. */
void report_print_who(const struct call *call, struct ds_buffer *out);
void report_print_what(const struct call *call, size_t max_len, struct ds_buffer *out);
/* report_print_callee appends the callee in the form by which latencies are grouped: processes made
 * for one call are not distinguished. */
void report_print_callee(const struct call *call, struct ds_buffer *out);
void report_print_time(const struct report_text *text, int64_t ns, struct ds_buffer *out);
/* report_print_command appends a command that shows more, on a separate line that is never wrapped:
 * options come from format. It appends nothing if the packets are not kept. */
void report_print_command(const struct report_text *text, struct ds_buffer *out, const char *what,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));
/* report_is_command says whether a line is one from report_print_command. */
bool report_is_command(struct ds_text line);

/* report_bound limits columns to the width of the terminal; report_narrow makes them as narrow as
 * columns that are fitted in later require. */
void report_bound(const struct report_text *text, struct columns *columns);
void report_narrow(const struct report_text *text, struct columns *columns);

#endif
