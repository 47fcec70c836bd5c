/*
 * report.h - tables made of records: --report calls, trees, monitors, seq_trace. Each holds
 * a capped number of lines, whatever the length of the capture.
 */
#ifndef DISTSNIFF_REPORT_H
#define DISTSNIFF_REPORT_H

#include "correlate.h"
#include "reports.h"

/* report_text is what reports write to, and how they write times. */
struct report_text {
    struct ds_buffer buffer;
    unsigned time_digits;
};

struct report_calls;
struct report_calls *report_calls_new(struct report_text *text, enum call_order order,
                                      uint64_t max);
void report_calls_record(struct report_calls *report, const struct record *record);
void report_calls_end(struct report_calls *report); /* writes what is left, and frees */

struct report_trees;
struct report_trees *report_trees_new(struct report_text *text, uint64_t max);
void report_trees_record(struct report_trees *report, const struct record *record);
void report_trees_end(struct report_trees *report);

struct report_monitors;
struct report_monitors *report_monitors_new(struct report_text *text);
void report_monitors_record(struct report_monitors *report, const struct record *record);
void report_monitors_end(struct report_monitors *report);

struct report_seq_trace;
struct report_seq_trace *report_seq_trace_new(struct report_text *text, uint64_t max);
void report_seq_trace_record(struct report_seq_trace *report, const struct record *record);
void report_seq_trace_end(struct report_seq_trace *report);

/* report_print_call appends what a call is about: "lists:seq(1,10) => [1,2 ...", and to
 * whom: shared by calls and trees. */
void report_print_who(const struct call *call, struct ds_buffer *out);
void report_print_what(const struct call *call, size_t max_len, struct ds_buffer *out);
void report_print_time(const struct report_text *text, int64_t ns, struct ds_buffer *out);

#endif
