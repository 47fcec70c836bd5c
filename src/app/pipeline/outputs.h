/*
 * outputs.h - all sinks of a run: opened, written and closed. A sink whose reader has gone, or to
 * which writing failed, is dropped while others go on.
 *
 * The queue calls outputs_record, outputs_lost and outputs_flush (record_queue.h), with the outputs
 * as context; without a queue, the correlation thread does. They return false if it makes no sense
 * to go on.
 */
#ifndef SRC_OUTPUTS_H
#define SRC_OUTPUTS_H

#include "output/sink.h"
#include "record/record_queue.h"

#include <stdatomic.h>

enum { MAX_DRAFTS = MAX_JOBS + 1 };

struct outputs {
    struct sink sinks[MAX_SINKS];
    size_t num_sinks;
    _Atomic unsigned num_written; /* sinks that are still written */
    _Atomic bool has_failed;      /* writing one failed */
    bool has_recorder;            /* packets are kept even if no record is written */
    bool has_packets;             /* -w continues without sinks */
    _Atomic bool reopen_wanted;   /* set by the first thread, done at the next flush */
    void (*on_over)(void *context); /* called when there is no reason left to go on */
    void *context;
    void *drafts[MAX_DRAFTS]; /* struct prerender, of the formatting threads; NULL: none */
};

/* outputs_open opens all sinks of config, which must stay valid, and one for a page if it is
 * served. The caller has set on_over and the members after it, the rest is zero. False after a
 * complaint; then files that were just created are removed again. time_digits: of the capture, 6 or
 * 9. */
bool outputs_open(struct outputs *outputs, const struct sink_config *config, unsigned time_digits);

/* outputs_prepare_drafts lets num_threads threads format the sinks that can be formatted in
 * parallel; ahead stays zero if one thread is enough. False after a complaint. */
bool outputs_prepare_drafts(struct outputs *outputs, unsigned num_threads,
                            struct record_queue_drafts *ahead);

bool outputs_record(void *outputs, const struct record *record);
bool outputs_flush(void *outputs);
bool outputs_lost(void *outputs, const struct loss *loss);

/* outputs_want says whether any sink writes a record. */
bool outputs_want(const struct outputs *outputs, const struct record *record);

/* outputs_want_monitors says whether a sink gets the ends of monitors. */
bool outputs_want_monitors(const struct outputs *outputs);

/* outputs_want_links says whether a sink gets the facts of links. */
bool outputs_want_links(const struct outputs *outputs);

/* outputs_want_answered says whether a sink writes the ends of calls that a message ended. */
bool outputs_want_answered(const struct outputs *outputs);

/* outputs_want_requests says whether a sink shows the request of a call with its end. */
bool outputs_want_requests(const struct outputs *outputs);

bool outputs_have_stdout(const struct outputs *outputs);

/* outputs_close writes what comes last and closes all sinks. num_unread records did not get here,
 * because an output failed or the user wanted to end; num_cut were not processed because of that
 * end. It returns how many records were not written in time. Closing twice is harmless. */
uint64_t outputs_close(struct outputs *outputs, uint64_t num_unread, uint64_t num_cut);

#endif
