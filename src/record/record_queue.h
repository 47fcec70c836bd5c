/*
 * record_queue.h - passes records to a target in other threads: while one processor reads and decodes,
 * others write text. The records under way are limited. At the limit, the decoder of a file waits. In a
 * live capture it does not wait, so that a slow reader cannot make the kernel's buffer overflow:
 * records are lost then and counted, and the loss is reported at its place.
 *
 * Records go in batches, one after the other: one thread at a time passes the target the batch whose
 * turn it is. If there are several threads, the waiting ones make drafts of the batches after it: they
 * do the work that can be done in advance.
 */
#ifndef SRC_RECORD_QUEUE_H
#define SRC_RECORD_QUEUE_H

#include "record/loss.h"
#include "record/record.h"
#include "record/record_copy.h"

struct record_queue;

enum { MAX_JOBS = 64 }; /* maximum number of threads that make drafts */

/* record_queue_drafts is the work that several threads do on records before their turn. A draft is
 * memory for the results of one batch; one thread at a time uses it. */
struct record_queue_drafts {
    unsigned num_threads;
    void **drafts; /* unused ones, num_threads + 1; the queue owns them until record_queue_stop */
    /* add drafts a record. false: it did nothing with this record, and is not called for the following
     * ones of the batch. */
    bool (*add)(void *draft, const struct record *record);
    /* write passes the draft to the target's context when it is its turn, unless it is not wanted, and
     * empties the draft. */
    bool (*write)(void *context, void *draft, bool wanted);
    /* rest does, when it is its turn, the remaining work for a drafted record; NULL: there is none. */
    bool (*rest)(void *context, const struct record *record);
};

/* record_queue_target receives the records, in a thread of the queue or in the producer's thread while
 * that waits, never in two threads at once. These functions return false if going on is useless, such
 * as after an output failed. */
struct record_queue_target {
    bool (*record)(void *context, const struct record *record);
    bool (*flush)(void *context);
    bool (*lost)(void *context, const struct loss *loss);
    void *context;
    struct record_queue_drafts ahead; /* zero: one thread does all the work */
    /* copied, if not NULL, is called instead of record. copy is the copy of the record; NULL: there is
     * no copy that lives longer than the call. done is called after all records of a block, before it
     * is emptied, and may swap it for an unused one. */
    bool (*copied)(void *context, const struct record *record, const struct copied_record *copy);
    void (*done)(void *context, struct record_block *block);
    size_t block_len; /* 0: RECORD_BLOCK_LEN */
};

/* record_queue_start starts the threads, which use the data of target until record_queue_stop. max_bytes
 * limits the records under way in a live capture; 0: the producer can wait. NULL after an error message. */
struct record_queue *record_queue_start(const struct record_queue_target *target, uint64_t max_bytes);

/* record_queue_record passes a copy of record on. If the queue can wait and the record is large, it
 * passes the record itself, after all earlier ones, in this thread: large data is not copied. Returns
 * false if the target wants no more, or memory ran out, with an error message. */
bool record_queue_record(struct record_queue *queue, const struct record *record);

/* record_queue_event does the same with an event without further data: the target gets an empty record
 * of it. */
bool record_queue_event(struct record_queue *queue, const struct ds_event *event);

/* record_queue_refer makes records of that event, until the next call, refer to a copy of it in another
 * block. NULL: there is none. */
void record_queue_refer(struct record_queue *queue, const struct copied_record *copy,
                        const struct ds_event *event);

/* record_queue_keep keeps that other block until all records that refer to it have been written, and
 * puts another one into its place, which the caller empties; if none refer to it, it does nothing. Only
 * for a queue that can wait. */
void record_queue_keep(struct record_queue *queue, struct record_block *block);

/* record_queue_add_loss reports another loss. */
void record_queue_add_loss(struct record_queue *queue, const struct loss *loss);

/* record_queue_num_lost returns how many records were lost. */
uint64_t record_queue_num_lost(const struct record_queue *queue);

/* record_queue_flush makes sure that all records so far are written out quickly. */
void record_queue_flush(struct record_queue *queue);

/* record_queue_mark returns a mark after all records that have been flushed. record_queue_is_written
 * says whether the target has everything before a mark. Any thread may call them. */
unsigned record_queue_mark(struct record_queue *queue);
bool record_queue_is_written(struct record_queue *queue, unsigned mark);

/* record_queue_wake makes a thread call the target's flush quickly, even without records. Only for a
 * queue that can wait. */
void record_queue_wake(struct record_queue *queue);

/* record_queue_try_wake does the same for a queue that cannot wait. It returns false if it has no room
 * for that: the caller tries again later. */
bool record_queue_try_wake(struct record_queue *queue);

/* record_queue_stop waits until the target has received and flushed everything, and releases the queue.
 * If the user asked to stop (signals.h), it interrupts whatever the target waits for. *num_left, which
 * may be NULL, becomes the number of records that the target rejected. Returns false if memory ran out.
 * A queue of NULL is allowed. */
bool record_queue_stop(struct record_queue *queue, uint64_t *num_left);

#endif
