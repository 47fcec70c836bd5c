/*
 * relay.h - gives records to the sinks in a thread of its own: while one processor reads and
 * decodes, another writes text. At most a few blocks of records are under way; who decodes
 * waits when they are used up, and what it does not read meanwhile the kernel counts.
 */
#ifndef SRC_RELAY_H
#define SRC_RELAY_H

#include "sink.h"

struct relay;

/* relay_start returns a relay to the sinks, which are its own until relay_stop; NULL after a
 * complaint. */
struct relay *relay_start(struct sink *sinks, size_t num_sinks);

/* relay_record passes a copy of record on. False when an output failed, so that there is no
 * use in going on, or memory ran out, which has been complained of. */
bool relay_record(struct relay *relay, const struct record *record);

/* relay_flush sees to it that all records so far are written out soon. */
void relay_flush(struct relay *relay);

/* relay_stop waits until everything is with the sinks and releases the relay. False when
 * memory had run out. NULL is allowed. */
bool relay_stop(struct relay *relay);

#endif
