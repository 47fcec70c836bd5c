/*
 * pipeline.h - what becomes of events: correlation, selection, redaction, reports and sinks, in
 * this order.
 *
 * Threads share the work. The first one decodes. Of files a second one puts conversations together and
 * selects, and counts for reports; a live capture leaves that to the first one, as does what ends with a
 * certain message, or looks at packets. Records are written in threads of their own: formatted by several
 * (--jobs), written out in turn. From the first thread to the second one goes a queue of events, from
 * there to the others one of records, which refer to these events where they lie.
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
struct tui;
struct web;

enum pipeline_state {
    PIPELINE_ON,
    PIPELINE_FULL,          /* -c is reached */
    PIPELINE_RATE_EXCEEDED, /* --rate was exceeded */
    PIPELINE_NO_OUTPUT,     /* none is read or can be written any more: pipeline_has_failed tells */
    PIPELINE_FAILED,        /* memory ran out, or a report failed; it has been complained of */
};

/* pipeline_new opens the outputs. web is who shows a page meanwhile, tui who draws a screen, nats who
 * publishes records, otlp who sends spans, NULL: nobody. time_digits: of the capture, 6 or 9. NULL after
 * a complaint. */
struct pipeline *pipeline_new(const struct options *options, struct web *web, struct tui *tui,
                              struct nats_publisher *nats, struct otlp_publisher *otlp,
                              unsigned time_digits);

/* pipeline_set_recorder has recorder told of every record. */
void pipeline_set_recorder(struct pipeline *pipeline, struct packet_recorder *recorder);

/* pipeline_set_annotated has file told of every record that was selected. */
void pipeline_set_annotated(struct pipeline *pipeline, struct annotated_file *file);

/* pipeline_add_notes has notes told of every record that was selected; MAX_NOTES times at most. */
enum { MAX_NOTES = 2 };
void pipeline_add_notes(struct pipeline *pipeline, struct packet_notes *notes);

/* pipeline_start starts the other threads. False after a complaint. */
bool pipeline_start(struct pipeline *pipeline);

/* pipeline_set_since says that nothing before that time is to be shown. Called before the first
 * event, if at all. */
void pipeline_set_since(struct pipeline *pipeline, int64_t since_ns);

/* pipeline_lose tells of packets that were lost before the next event. */
void pipeline_lose(struct pipeline *pipeline, const struct loss *loss);

/* pipeline_event takes the next event. */
void pipeline_event(struct pipeline *pipeline, const struct ds_event *event);

/* pipeline_time tells how late it is in a live capture while no packet comes: latencies of what
 * is open go on. */
void pipeline_time(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_show writes on standard error which calls are open and for how long, at that time or
 * that of the latest event if it is later, and the reports as they stand. Nothing changes by it.
 * Where the calls are put together in the second thread, that writes it a little later. */
void pipeline_show(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_set_server has what is published given to server, too. */
void pipeline_set_server(struct pipeline *pipeline, struct metrics_server *server);

/* pipeline_publish replaces the file of --metrics, as of that time or that of the latest event if it
 * is later. Where another thread counts, that does it a little later. */
void pipeline_publish(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_is_unpublished says, after pipeline_end, whether that file could not be written at last. It
 * has been complained of. */
bool pipeline_is_unpublished(const struct pipeline *pipeline);

/* pipeline_may_select says whether other records can be selected while events come, pipeline_select does
 * that; both in a live capture alone. config is that of other options, and stays. False, after a
 * complaint, when nothing is changed: what the new selection asks for is not looked for. */
bool pipeline_may_select(const struct pipeline *pipeline, const struct selector_config *config);
bool pipeline_select(struct pipeline *pipeline, const struct selector_config *config);

/* pipeline_reopen has outputs go on soon in the files that have their names now; in a live capture
 * alone. pipeline_try_reopen is to be called now and then: there may be no room for the wish yet. */
void pipeline_reopen(struct pipeline *pipeline);
void pipeline_try_reopen(struct pipeline *pipeline);

/* pipeline_flush sees to it that all there is so far is written out soon. */
void pipeline_flush(struct pipeline *pipeline);

/* pipeline_mark marks what there is so far. pipeline_mark_is_written says whether the outputs have all
 * that is before the mark. Not for live captures, which do not wait for outputs. */
void pipeline_mark(struct pipeline *pipeline);
bool pipeline_mark_is_written(struct pipeline *pipeline);

/* pipeline_num_unwritten returns, after pipeline_end, how many records outputs did not write in time. */
uint64_t pipeline_num_unwritten(const struct pipeline *pipeline);

/* pipeline_get_state says whether there is any use in going on. */
enum pipeline_state pipeline_get_state(const struct pipeline *pipeline);

/* pipeline_is_written says whether a record is still written anywhere. */
bool pipeline_is_written(const struct pipeline *pipeline);

/* pipeline_has_failed says whether an output could not be written, though others go on, or memory
 * ran out. It has been complained of. */
bool pipeline_has_failed(const struct pipeline *pipeline);

/* pipeline_note_stats tells, before pipeline_end, what the session dropped or could not read, and how
 * many files could not be read to their end. */
void pipeline_note_stats(struct pipeline *pipeline, const struct ds_stats *stats, unsigned num_cut);

/* pipeline_end tells that no more events come: what is open ends, at end_ns or, if that is INT64_MIN, with
 * the last event, and the outputs are closed. */
void pipeline_end(struct pipeline *pipeline, int64_t end_ns);

/* pipeline_report_text is the text of the reports once pipeline_end was called, to add to, which
 * pipeline_write_reports writes out. */
struct ds_buffer *pipeline_report_text(struct pipeline *pipeline);
void pipeline_write_reports(struct pipeline *pipeline);

/* pipeline_verdict returns what is wrong in one line, after pipeline_end; empty when nobody asked. */
struct ds_text pipeline_verdict(const struct pipeline *pipeline);

/* pipeline_get_explain returns what explains one thing, NULL: nothing is asked for. */
struct explain *pipeline_get_explain(struct pipeline *pipeline);

/* pipeline_add_stats adds the caps that were reached and the times memory ran out; while events
 * still come, those that can be known without waiting. */
void pipeline_add_stats(const struct pipeline *pipeline, struct ds_stats *stats);

/* pipeline_get_shown says how many messages were chosen to be shown. False when none are left out,
 * none are shown at all, or it is not known before the end. */
bool pipeline_get_shown(const struct pipeline *pipeline, uint64_t *num);

/* pipeline_tell_near says of names that the user gave and that never occurred which did that come near. */
void pipeline_tell_near(const struct pipeline *pipeline);

/* pipeline_num_given_up returns how often -e, -m, -Y, --trigger and --redact-keep gave up. */
uint64_t pipeline_num_given_up(const struct pipeline *pipeline);

/* pipeline_takes_findings says whether somebody wants to know what is wrong; pipeline_has_errors
 * whether an error was found among what was selected. */
bool pipeline_takes_findings(const struct options *options);
bool pipeline_has_errors(const struct pipeline *pipeline);

void pipeline_free(struct pipeline *pipeline); /* NULL is allowed */

#endif
