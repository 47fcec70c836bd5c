/*
 * outputs.h - the sinks of a run, all of them together: opened, written and closed. One whose
 * reader has gone away, or that could not be written, is left out while others go on.
 *
 * outputs_record, outputs_lost and outputs_flush are what the queue calls (record_queue.h), with
 * the outputs as context; where there is no queue, the thread of the correlation calls them. They
 * return false when there is no use in going on.
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
    _Atomic unsigned num_written; /* sinks that go on */
    _Atomic bool has_failed;      /* one could not be written */
    bool has_recorder;            /* packets are kept even if nothing else is written */
    bool has_packets;             /* -w goes on by itself */
    _Atomic bool reopen_wanted;   /* by the first thread, to be done at the next flush */
    void (*on_over)(void *context); /* called when nothing is left to go on for */
    void *context;
    void *drafts[MAX_DRAFTS]; /* struct prerender, of the threads that write; NULL: none */
};

/* outputs_open opens all sinks of config, which stays, and one for the page where it is served;
 * on_over and what follows has been set, the rest is zero. False after a complaint; then what was
 * just created is removed again. time_digits: those of the capture, 6 or 9. */
bool outputs_open(struct outputs *outputs, const struct sink_config *config, unsigned time_digits);

/* outputs_prepare_drafts has num_threads threads write what can be written by several; ahead stays
 * zero where one thread is enough. False after a complaint. */
bool outputs_prepare_drafts(struct outputs *outputs, unsigned num_threads,
                            struct record_queue_drafts *ahead);

bool outputs_record(void *outputs, const struct record *record);
bool outputs_flush(void *outputs);
bool outputs_lost(void *outputs, const struct loss *loss);

/* outputs_take says whether anything is written of a record. */
bool outputs_take(const struct outputs *outputs, const struct record *record);

/* outputs_take_monitors says whether one is given the ends of monitors. */
bool outputs_take_monitors(const struct outputs *outputs);

/* outputs_take_links says whether one is given the facts of links. */
bool outputs_take_links(const struct outputs *outputs);

/* outputs_take_answered says whether anything is written of the ends of calls that a message ended. */
bool outputs_take_answered(const struct outputs *outputs);

/* outputs_take_requests says whether one of them shows what a call asked with its end. */
bool outputs_take_requests(const struct outputs *outputs);

bool outputs_have_stdout(const struct outputs *outputs);

/* outputs_close writes what comes last and closes all. num_unread records did not come here, as an
 * output failed or the user wanted to end; num_cut were not looked at because of that end. It returns how
 * many records were not written in time. Closing twice does no harm. */
uint64_t outputs_close(struct outputs *outputs, uint64_t num_unread, uint64_t num_cut);

#endif
