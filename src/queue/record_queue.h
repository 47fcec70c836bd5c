/*
 * record_queue.h - gives records to what follows in a thread of its own: while one processor reads
 * and decodes, another writes text. What is under way is bounded. When that much is, who
 * decodes a file waits; in a live capture it does not, so that the kernel's buffer does not
 * overflow because of a slow reader: records are lost then, are counted, and the loss is told
 * in its place.
 */
#ifndef SRC_RECORD_QUEUE_H
#define SRC_RECORD_QUEUE_H

#include "loss.h"
#include "record.h"

struct record_queue;

/* record_queue_target is who gets the records, in the queue's thread. These functions return false
 * when there is no use in going on, as when an output failed. */
struct record_queue_target {
    bool (*record)(void *context, const struct record *record);
    bool (*flush)(void *context);
    bool (*lost)(void *context, const struct loss *loss);
    void *context;
};

/* record_queue_start starts the thread. What target uses is the thread's own until
 * record_queue_stop. max_bytes is what a live capture may have under way, 0 for one that can wait.
 * NULL after a complaint. */
struct record_queue *record_queue_start(const struct record_queue_target *target,
                                        uint64_t max_bytes);

/* record_queue_record passes a copy of record on. False when the target wants no more, or memory
 * ran out, which has been complained of. */
bool record_queue_record(struct record_queue *queue, const struct record *record);

/* record_queue_lose tells of something else that was lost. */
void record_queue_lose(struct record_queue *queue, const struct loss *loss);

/* record_queue_num_lost returns how many records were lost. */
uint64_t record_queue_num_lost(const struct record_queue *queue);

/* record_queue_flush sees to it that all records so far are written out soon. */
void record_queue_flush(struct record_queue *queue);

/* record_queue_stop waits until everything is with the target, and written out, and releases the
 * queue. When the user asked for the end (stop.h), what the target waits for is interrupted.
 * *num_left, which may be NULL, is how many records the target did not want any more. False
 * when memory had run out. A queue of NULL is allowed. */
bool record_queue_stop(struct record_queue *queue, uint64_t *num_left);

#endif
