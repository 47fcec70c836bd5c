/*
 * prerender.h - records formatted before it is their turn to be written: by one of several threads, a
 * batch at a time, in memory. Formats that write a record the same way whatever came before
 * it can be drafted; of the others (numbering, diagrams, fixtures) nothing is.
 */
#ifndef SRC_PRERENDER_H
#define SRC_PRERENDER_H

#include "output/sink.h"

struct prerender;

/* sink_is_drafted says whether records of this sink can be. */
bool sink_is_drafted(const struct sink *sink);

/* prerender_new prepares one of num_drafts for those of num sinks that can be drafted, with caches of
 * its own.
 * NULL when memory ran out. The sinks stay where they are until prerender_free. */
struct prerender *prerender_new(const struct sink *sinks, size_t num, unsigned num_drafts);
void prerender_free(struct prerender *draft); /* NULL is allowed */

/* prerender_add formats a record. False, and nothing is done with it, when the draft is large, or the
 * record itself: such a one is written straight to the output when it is its turn, so that not
 * every thread has one in memory. */
bool prerender_add(struct prerender *draft, const struct record *record);

/* prerender_write moves what was drafted into the outputs of the sinks it was made for, and empties the
 * draft. Failures are kept in sink->output. */
void prerender_write(struct prerender *draft, struct sink *sinks);

/* prerender_clear throws away what was drafted. */
void prerender_clear(struct prerender *draft);

#endif
