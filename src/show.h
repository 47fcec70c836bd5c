/*
 * show.h - what becomes of events: correlation, selection, redaction, reports and sinks, in
 * this order.
 *
 * Two threads share the work. Records are always written in a thread of their own, behind
 * the relay. Where few records are expected of many events (-e, -m, -Y, --report ... of files),
 * the relay comes first instead: the correlation and all that follows run in the second
 * thread, while the first one decodes.
 */
#ifndef SRC_SHOW_H
#define SRC_SHOW_H

#include "loss.h"
#include "options.h"

#include <distsniff/dissect.h>

struct show;
struct keeper;

enum show_state {
    SHOW_ON,
    SHOW_FULL,        /* -c is reached */
    SHOW_FUSE_BLOWN,  /* --rate was exceeded */
    SHOW_READER_GONE, /* nobody reads the output any more: no error */
    SHOW_FAILED,      /* an output failed, or memory ran out; it has been complained of */
};

/* show_new opens the outputs. time_digits: of the capture, 6 or 9. NULL after a complaint. */
struct show *show_new(const struct options *options, unsigned time_digits);

/* show_set_keeper has keeper told of every record. */
void show_set_keeper(struct show *show, struct keeper *keeper);

/* show_start starts the second thread. False after a complaint. */
bool show_start(struct show *show);

/* show_set_since says that nothing before that time is to be shown. Called before the first
 * event, if at all. */
void show_set_since(struct show *show, int64_t since_ns);

/* show_lose tells of packets that were lost before the next event. */
void show_lose(struct show *show, const struct loss *loss);

/* show_event takes the next event. */
void show_event(struct show *show, const struct ds_event *event);

/* show_flush sees to it that all there is so far is written out soon. */
void show_flush(struct show *show);

/* show_get_state says whether there is any use in going on. */
enum show_state show_get_state(struct show *show);

/* show_end tells that no more events come: what is open ends, the outputs are closed. */
void show_end(struct show *show);

/* show_report_text is the text of the reports once show_end was called, to add to, which
 * show_write_reports writes out. */
struct ds_buffer *show_report_text(struct show *show);
void show_write_reports(struct show *show);

/* show_add_stats adds the caps that were reached and the times memory ran out; while events
 * still come, those that can be known without waiting. */
void show_add_stats(const struct show *show, struct ds_stats *stats);

/* show_num_given_up returns how many messages -e, -m and -Y gave up on. */
uint64_t show_num_given_up(const struct show *show);

void show_free(struct show *show); /* NULL is allowed */

#endif
