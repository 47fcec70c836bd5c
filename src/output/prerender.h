/*
 * prerender.h - formats records in memory before it is their turn to be written: a batch at a time,
 * in one of several threads. Only formats that write a record independently of earlier ones can do
 * this; not those with numbering, diagrams, fixtures.
 */
#ifndef SRC_PRERENDER_H
#define SRC_PRERENDER_H

#include "output/sink.h"

struct prerender;

/* sink_is_drafted says whether records of this sink can be drafted. */
bool sink_is_drafted(const struct sink *sink);

/* prerender_new prepares one of num_drafts for the sinks (num in total) that can be drafted, with
 * its own caches. NULL if memory ran out. The sinks must stay in place until prerender_free. */
struct prerender *prerender_new(const struct sink *sinks, size_t num, unsigned num_drafts);
void prerender_free(struct prerender *draft); /* NULL is allowed */

/* prerender_add formats a record. False, with nothing done, if the draft or the record is large: a
 * large record is written directly to the output when it is its turn, so that not every thread has
 * one in memory. */
bool prerender_add(struct prerender *draft, const struct record *record);

/* prerender_write moves the drafted text into the outputs of the sinks, and empties the draft.
 * Failures are recorded in sink->output. */
void prerender_write(struct prerender *draft, struct sink *sinks);

/* prerender_clear discards the drafted text. */
void prerender_clear(struct prerender *draft);

#endif
