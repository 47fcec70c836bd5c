/*
 * relay.h - gives records to what follows in a thread of its own: while one processor reads
 * and decodes, another writes text. What is under way is bounded. When that much is, who
 * decodes a file waits; in a live capture it does not, so that the kernel's buffer does not
 * overflow because of a slow reader: records are lost then, are counted, and the loss is told
 * in its place.
 */
#ifndef SRC_RELAY_H
#define SRC_RELAY_H

#include "loss.h"
#include "record.h"

struct relay;

/* relay_target is who gets the records, in the relay's thread. These functions return false
 * when there is no use in going on, as when an output failed. */
struct relay_target {
    bool (*record)(void *context, const struct record *record);
    bool (*flush)(void *context);
    bool (*lost)(void *context, const struct loss *loss);
    void *context;
};

/* relay_start starts the thread. What target uses is the thread's own until relay_stop.
 * max_bytes is what a live capture may have under way, 0 for one that can wait. NULL after a
 * complaint. */
struct relay *relay_start(const struct relay_target *target, uint64_t max_bytes);

/* relay_record passes a copy of record on. False when the target wants no more, or memory ran
 * out, which has been complained of. */
bool relay_record(struct relay *relay, const struct record *record);

/* relay_lose tells of something else that was lost. */
void relay_lose(struct relay *relay, const struct loss *loss);

/* relay_num_lost returns how many records were lost. */
uint64_t relay_num_lost(const struct relay *relay);

/* relay_flush sees to it that all records so far are written out soon. */
void relay_flush(struct relay *relay);

/* relay_stop waits until everything is with the target, and written out, and releases the
 * relay. When the user asked for the end (stop.h), what the target waits for is interrupted.
 * *num_left, which may be NULL, is how many records the target did not want any more. False
 * when memory had run out. A relay of NULL is allowed. */
bool relay_stop(struct relay *relay, uint64_t *num_left);

#endif
