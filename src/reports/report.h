/*
 * report.h - tables made of records: a file for each, report_NAME.c, and a row in reports.def. What a
 * table keeps has a cap, however long the capture is.
 */
#ifndef DISTSNIFF_REPORT_H
#define DISTSNIFF_REPORT_H

#include "analyse/calls/correlate.h"
#include "core/columns.h"
#include "output/json_write.h"
#include "reports/reports.h"

/* report_text is what reports write to, and how they write times. */
struct report_text {
    struct ds_buffer buffer;
    unsigned time_digits;
    unsigned width; /* of the terminal that they are for, 0: any */
    bool shortens;  /* a text that is too wide there is cut; otherwise it goes on in the next line */
    /* For report_print_command: the command that reads the same packets again, as it stands before and
     * behind the options. command is NULL if the packets are not kept. */
    const char *command, *behind;
    const char *window; /* of report_config */
    bool keeps_lines; /* no line is broken: they are JSON */
    int64_t since_ns; /* of --since */
    int64_t now_ns; /* when the tables are written, because of --every; 0: they are written at the end */
};

/* The kinds of records. A report names in takes those that it is given. */
enum report_takes {
    REPORT_TAKES_MESSAGES = 1,
    REPORT_TAKES_EVENTS = 2, /* others, and facts of links */
    REPORT_TAKES_CALLS = 4,
    REPORT_TAKES_MONITORS = 8,
    REPORT_TAKES_FINDINGS = 16,
    REPORT_TAKES_PARTS = 32,
    REPORT_TAKES_RECORDS = 15, /* all but findings and fragments */
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

/* report_kind is one table. */
struct report_kind {
    /* open makes the state of the report, which all functions below are given. NULL: memory ran out. */
    void *(*open)(struct report_text *text, const struct report_config *config);
    void (*record)(void *report, const struct record *record);
    /* left_out is called with each record of those kinds that is not selected. is_before: it comes before
     * --since. May be NULL. */
    void (*left_out)(void *report, const struct record *record, bool is_before);
    /* visit is called before each show that is not the last one: with a record of each call, monitor
     * and link that is open then, and at last with NULL. May be NULL. */
    void (*visit)(void *report, const struct record *record);
    void (*show)(void *report); /* writes the table as it stands, and changes nothing in it */
    /* tell writes the same as fields of a JSON object: times in microseconds since 1970, spans in
     * nanoseconds. The page (ui/page/page.c) and --tui (tui_books.def) call it, --report does not.
     * NULL: neither shows the report. */
    void (*tell)(void *report, struct json_writer *json);
    /* begin_anew is called when the table was written because of --every. NULL: the table goes on
     * counting. */
    void (*begin_anew)(void *report, int64_t now_ns);
    void (*end)(void *report);  /* frees */
    unsigned takes;            /* the records that it is given: some of enum report_takes */
    bool takes_facts;          /* events of connections come with what is known of their links */
    bool takes_monitors;       /* the ends of monitors and links are told because of it */
    bool flows;                /* lines are written as they come: the table is never drawn again */
    bool takes_names;          /* notes have the names of processes */
};

#define REPORT(id, name, kind, what) kind
#define KIND(name) extern const struct report_kind report_##name;
#define NO_KIND
#include "reports/reports.def"
#undef REPORT
#undef KIND
#undef NO_KIND

/* report_print_call appends what a call is about: "lists:seq(1,10) => [1,2 ...", and to
 * whom: shared by calls and trees. */
void report_print_who(const struct call *call, struct ds_buffer *out);
void report_print_what(const struct call *call, size_t max_len, struct ds_buffer *out);
/* report_print_callee appends who was called, as latencies are told apart: a process made for one
 * call is not told from others like it. */
void report_print_callee(const struct call *call, struct ds_buffer *out);
void report_print_time(const struct report_text *text, int64_t ns, struct ds_buffer *out);
/* report_print_command appends a command to go on with, in a line of its own below what it shows, which
 * stays whole on a terminal: the options follow from format. Nothing where the packets are not kept. */
void report_print_command(const struct report_text *text, struct ds_buffer *out, const char *what,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));
/* report_is_command says whether a line is such a command. */
bool report_is_command(struct ds_text line);

/* report_bound makes columns fit the terminal; report_narrow makes them as narrow there as what is fitted
 * in later needs. */
void report_bound(const struct report_text *text, struct columns *columns);
void report_narrow(const struct report_text *text, struct columns *columns);

#endif
