/*
 * record_queue.h - gives records to what follows in threads of their own: while one processor reads
 * and decodes, others write text. What is under way is bounded. When that much is, who
 * decodes a file waits; in a live capture it does not, so that the kernel's buffer does not
 * overflow because of a slow reader: records are lost then, are counted, and the loss is told
 * in its place.
 *
 * Records go in batches, and these in turn: one thread at a time gives the target the batch whose
 * turn it is. Where there are several threads, those that wait for their turn meanwhile draft what
 * can be done beforehand with the batches after it.
 */
#ifndef SRC_RECORD_QUEUE_H
#define SRC_RECORD_QUEUE_H

#include "record/loss.h"
#include "record/record.h"
#include "record/record_copy.h"

struct record_queue;

enum { MAX_JOBS = 64 }; /* threads that draft, at most */

/* record_queue_drafts is what is done with records before it is their turn, by several threads at
 * once. A draft is memory for what becomes of one batch, and is used by one thread at a time. */
struct record_queue_drafts {
    unsigned num_threads;
    void **drafts; /* free ones, num_threads + 1; the queue's own until record_queue_stop */
    /* add drafts a record; false: nothing was done with it, nor is anything with what follows. */
    bool (*add)(void *draft, const struct record *record);
    /* write gives the target's context what was drafted, in turn, unless it is not wanted, and
     * empties the draft. */
    bool (*write)(void *context, void *draft, bool wanted);
    /* rest does, in turn, what is still to be done for a drafted record; NULL: nothing is. */
    bool (*rest)(void *context, const struct record *record);
};

/* record_queue_target is who gets the records, in a thread of the queue or in that of whoever fills it,
 * while that waits, never in two at once.
 * These functions return false when there is no use in going on, as when an output failed. */
struct record_queue_target {
    bool (*record)(void *context, const struct record *record);
    bool (*flush)(void *context);
    bool (*lost)(void *context, const struct loss *loss);
    void *context;
    struct record_queue_drafts ahead; /* zero: one thread does everything */
    /* copied, if there, is called in place of record, and told where that lies; NULL: nowhere for longer
     * than the moment. done is called when all of a block was given, before it is emptied, and may
     * exchange it for one that nobody needs. */
    bool (*copied)(void *context, const struct record *record, const struct copied_record *copy);
    void (*done)(void *context, struct record_block *block);
    size_t block_len; /* 0: RECORD_BLOCK_LEN */
};

/* record_queue_start starts the threads. What target uses is theirs until
 * record_queue_stop. max_bytes is what a live capture may have under way, 0 for one that can wait.
 * NULL after a complaint. */
struct record_queue *record_queue_start(const struct record_queue_target *target, uint64_t max_bytes);

/* record_queue_record passes a copy of record on; or, where the queue can wait and the record is
 * large, the record itself, after all before it, in this thread: what is large need not be there
 * twice. False when the target wants no more, or memory
 * ran out, which has been complained of. */
bool record_queue_record(struct record_queue *queue, const struct record *record);

/* record_queue_event does so with an event of which nothing else is known: the target is given an empty
 * record of it. */
bool record_queue_event(struct record_queue *queue, const struct ds_event *event);

/* record_queue_refer has records of that event, until the next call, refer to a copy of it in another
 * block. NULL: there is none. */
void record_queue_refer(struct record_queue *queue, const struct copied_record *copy,
                        const struct ds_event *event);

/* record_queue_keep keeps that other block until all that refers to it has been written, and leaves
 * one in its place that is to be emptied; where nothing refers to it, nothing happens. Only for a
 * queue that can wait. */
void record_queue_keep(struct record_queue *queue, struct record_block *block);

/* record_queue_lose tells of something else that was lost. */
void record_queue_lose(struct record_queue *queue, const struct loss *loss);

/* record_queue_num_lost returns how many records were lost. */
uint64_t record_queue_num_lost(const struct record_queue *queue);

/* record_queue_flush sees to it that all records so far are written out soon. */
void record_queue_flush(struct record_queue *queue);

/* record_queue_mark returns a mark behind all records that have been flushed. record_queue_is_written says
 * whether the target has all that is before a mark. Any thread may call them. */
unsigned record_queue_mark(struct record_queue *queue);
bool record_queue_is_written(struct record_queue *queue, unsigned mark);

/* record_queue_wake has the target's flush called soon, be there records or not. Only for a queue
 * that can wait. */
void record_queue_wake(struct record_queue *queue);

/* record_queue_try_wake does so for a queue that cannot wait. False where it has no room for that: then
 * it is to be tried again later. */
bool record_queue_try_wake(struct record_queue *queue);

/* record_queue_stop waits until everything is with the target, and written out, and releases the
 * queue. When the user asked for the end (signals.h), what the target waits for is interrupted.
 * *num_left, which may be NULL, is how many records the target did not want any more. False
 * when memory had run out. A queue of NULL is allowed. */
bool record_queue_stop(struct record_queue *queue, uint64_t *num_left);

#endif
