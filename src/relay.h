/*
 * relay.h - gives records to what follows in a thread of its own: while one processor reads
 * and decodes, another writes text. At most a few blocks of records are under way; who decodes
 * waits when they are used up, and what it does not read meanwhile the kernel counts.
 */
#ifndef SRC_RELAY_H
#define SRC_RELAY_H

#include "record.h"

struct relay;

/* relay_target is who gets the records, in the relay's thread. Both functions return false
 * when there is no use in going on, as when an output failed. */
struct relay_target {
    bool (*record)(void *context, const struct record *record);
    bool (*flush)(void *context);
    void *context;
};

/* relay_start starts the thread. What target uses is the thread's own until relay_stop. NULL
 * after a complaint. */
struct relay *relay_start(const struct relay_target *target);

/* relay_record passes a copy of record on. False when the target wants no more, or memory ran
 * out, which has been complained of. */
bool relay_record(struct relay *relay, const struct record *record);

/* relay_flush sees to it that all records so far are written out soon. */
void relay_flush(struct relay *relay);

/* relay_stop waits until everything is with the target and releases the relay. False when
 * memory had run out. NULL is allowed. */
bool relay_stop(struct relay *relay);

#endif
