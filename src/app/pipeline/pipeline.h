/*
 * pipeline.h - processes events: correlation, selection, redaction, reports and sinks, in this
 * order.
 *
 * Threads share the work. The first one decodes. For files, a second one correlates, selects and
 * counts for reports; in a live capture the first one does that, and also if the run ends with a
 * certain message, or packets are needed with their records. Other threads write records: several
 * format them (--jobs), one after the other writes. A queue of events leads from the first thread
 * to the second, a queue of records from there to the others; the records refer to the events
 * without copying them.
 */
#ifndef SRC_PIPELINE_H
#define SRC_PIPELINE_H

#include "app/options/options.h"
#include "record/loss.h"

#include <distsniff/dissect.h>

struct pipeline;
struct annotated_file;
struct metrics_server;
struct packet_notes;
struct packet_recorder;
struct point_board;
struct tui;
struct web;

enum pipeline_state {
    PIPELINE_ON,
    PIPELINE_FULL,          /* -c is reached */
    PIPELINE_RATE_EXCEEDED, /* --rate was exceeded */
    PIPELINE_NO_OUTPUT,     /* no output can be written any more: see pipeline_has_failed */
    PIPELINE_FAILED,        /* memory ran out, or a report failed, after a complaint */
};

/* pipeline_new opens the outputs. web serves a page, tui draws a screen, nats publishes records,
 * otlp sends spans; NULL: none does. points has the capture points of streams. time_digits: of the
 * capture, 6 or 9. NULL after a complaint. */
struct pipeline *pipeline_new(const struct options *options, struct web *web, struct tui *tui,
                              struct nats_publisher *nats, struct otlp_publisher *otlp,
                              struct point_board *points, unsigned time_digits);

/* pipeline_set_recorder passes every record to recorder. */
void pipeline_set_recorder(struct pipeline *pipeline, struct packet_recorder *recorder);

/* pipeline_set_annotated passes every selected record to file. */
void pipeline_set_annotated(struct pipeline *pipeline, struct annotated_file *file);

/* pipeline_add_notes passes every selected record to notes; at most MAX_NOTES times. */
enum { MAX_NOTES = 2 };
void pipeline_add_notes(struct pipeline *pipeline, struct packet_notes *notes);

/* pipeline_start starts the other threads. False after a complaint. */
bool pipeline_start(struct pipeline *pipeline);

/* pipeline_set_since hides everything before that time. Call it before the first event, if at all. */
void pipeline_set_since(struct pipeline *pipeline, int64_t since_ns);

/* pipeline_on_loss reports packets that were lost before the next event. */
void pipeline_on_loss(struct pipeline *pipeline, const struct loss *loss);

/* pipeline_silent reports a capture point that has fallen silent, or is back. */
void pipeline_silent(struct pipeline *pipeline, const struct silent_point *point);

/* pipeline_event processes the next event. */
void pipeline_event(struct pipeline *pipeline, const struct ds_event *event);

/* pipeline_time reports the time in a live capture while no packet comes: open calls grow older. */
void pipeline_time(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_show writes on standard error which calls are open and for how long, at that time or at
 * the latest event if that is later, and the current reports. It changes nothing. If the second
 * thread correlates, that thread writes them a little later. */
void pipeline_show(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_set_server passes published metrics to server, too. */
void pipeline_set_server(struct pipeline *pipeline, struct metrics_server *server);

/* pipeline_publish replaces the file of --metrics, as of that time or of the latest event if that
 * is later. If another thread counts, that thread does it a little later. */
void pipeline_publish(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_is_unpublished says, after pipeline_end, whether the last write of that file failed,
 * after a complaint. */
bool pipeline_is_unpublished(const struct pipeline *pipeline);

/* pipeline_may_select says whether the selection can change while events come; pipeline_select
 * changes it; both only in a live capture. config comes from other options, and must stay valid.
 * False after a complaint if nothing changed: the new selection needs what this run does not
 * detect. */
bool pipeline_may_select(const struct pipeline *pipeline, const struct selector_config *config);
bool pipeline_select(struct pipeline *pipeline, const struct selector_config *config);

/* pipeline_reopen makes outputs go on shortly in the files that have their names now; only in a
 * live capture. Call pipeline_try_reopen now and then: there may be no room for the request yet. */
void pipeline_reopen(struct pipeline *pipeline);
void pipeline_try_reopen(struct pipeline *pipeline);

/* pipeline_flush makes everything so far get written shortly. */
void pipeline_flush(struct pipeline *pipeline);

/* pipeline_mark sets a mark after everything so far. pipeline_mark_is_written says whether the
 * outputs have written all before the mark. Not for live captures, which do not wait for outputs. */
void pipeline_mark(struct pipeline *pipeline);
bool pipeline_mark_is_written(struct pipeline *pipeline);

/* pipeline_num_unwritten returns, after pipeline_end, how many records were not written in time. */
uint64_t pipeline_num_unwritten(const struct pipeline *pipeline);

/* pipeline_get_state says whether it makes sense to go on. */
enum pipeline_state pipeline_get_state(const struct pipeline *pipeline);

/* pipeline_is_written says whether any output still writes records. */
bool pipeline_is_written(const struct pipeline *pipeline);

/* pipeline_has_failed says whether writing an output failed, even if others go on, or memory ran
 * out. There was a complaint. */
bool pipeline_has_failed(const struct pipeline *pipeline);

/* pipeline_set_stats records, before pipeline_end, what the session dropped or could not read, and
 * how many files could not be read to their end. */
void pipeline_set_stats(struct pipeline *pipeline, const struct ds_stats *stats, unsigned num_cut);

/* pipeline_end ends what is open, at end_ns or, if that is INT64_MIN, at the last event, and closes
 * the outputs: no more events come. */
void pipeline_end(struct pipeline *pipeline, int64_t end_ns);

/* pipeline_report_text returns the text of the reports after pipeline_end, which the caller may
 * extend; pipeline_write_reports writes it. */
struct ds_buffer *pipeline_report_text(struct pipeline *pipeline);
void pipeline_write_reports(struct pipeline *pipeline);

/* pipeline_verdict returns a one-line verdict after pipeline_end; empty if it was not asked for. */
struct ds_text pipeline_verdict(const struct pipeline *pipeline);

/* pipeline_get_explain returns the explanation of one thing; NULL: not asked for. */
struct explain *pipeline_get_explain(struct pipeline *pipeline);

/* pipeline_add_stats adds how often caps were reached and memory ran out; while events still come,
 * those that are available without waiting. */
void pipeline_add_stats(const struct pipeline *pipeline, struct ds_stats *stats);

/* pipeline_get_shown returns how many messages were selected. False if all or none are shown, or if
 * the number is only known at the end. */
bool pipeline_get_shown(const struct pipeline *pipeline, uint64_t *num);

/* pipeline_suggest suggests names for those that the user gave and that never occurred. */
void pipeline_suggest(const struct pipeline *pipeline);

/* pipeline_num_given_up returns how often -e, -m, -Y, --trigger and --redact-keep gave up on a
 * record. */
uint64_t pipeline_num_given_up(const struct pipeline *pipeline);

/* pipeline_wants_findings says whether anything needs findings; pipeline_has_errors whether an
 * error was found among the selected records. */
bool pipeline_wants_findings(const struct options *options);
bool pipeline_has_errors(const struct pipeline *pipeline);

void pipeline_free(struct pipeline *pipeline); /* NULL is allowed */

#endif
