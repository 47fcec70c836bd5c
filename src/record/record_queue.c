/*
 * record_queue.c - see record_queue.h. The blocks form a ring: the decoder fills the one at head,
 * threads make drafts of those from next on, and the one at tail is the one whose turn it is.
 */
#include "record/record_queue.h"

#include "core/clock.h"
#include "core/complain.h"
#include "core/malloc_tuning.h"
#include "core/signals.h"
#include "core/thread.h"
#include "record/record_copy.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_BLOCKS = 4, MAX_BLOCKS = 65536, WAIT_NS = 100 * 1000 * 1000 };

/* A record this many times as long as a block is not copied if the decoder can wait: many short blocks
 * need no more memory than few long ones. */
enum { LARGE_BLOCKS = 4 };

struct slot {
    struct record_block block;
    struct record_block kept;             /* the block refers to it, until another one replaces it */
    struct loss losses[LOSS_CAUSE_COUNT]; /* losses before the block */
    bool flush;                           /* after the block, flush the outputs */
    bool is_ready;                        /* its draft is finished; or no thread makes one */
    void *draft;                          /* NULL: none was made */
    const struct copied_record *rest;     /* the first record that is not in the draft */
};

struct record_queue {
    struct record_queue_target target;
    uint64_t max_bytes; /* 0: the producer waits */
    pthread_t *threads;
    unsigned num_threads;
    pthread_mutex_t lock; /* protects all fields below except the contents of blocks */
    pthread_cond_t changed; /* wakes the threads */
    pthread_cond_t emptied; /* wakes the producer: half of the blocks are empty, or a thread ended */
    unsigned head, next, tail; /* blocks filled, started by a thread, and emptied so far */
    bool in_turn;              /* a thread works on the block at tail */
    unsigned num_drafts;       /* unused drafts */
    unsigned num_ended;        /* threads that have ended */
    uint64_t num_bytes;        /* memory of the blocks from tail to head */
    uint64_t num_left;         /* records that the target rejected */
    bool stop, failed;
    /* Only the producer uses these. */
    bool no_memory;
    uint64_t num_lost;
    struct record alone; /* the record of the current event, if nothing else is known of it */
    struct {
        const struct copied_record *copy; /* NULL: there is no other copy */
        const struct ds_event *event;
    } source; /* an event that another block already contains, and the pointer by which it is recognised */
    bool refers;                 /* some record refers to the block that record_queue_keep will keep */
    struct loss losses[LOSS_CAUSE_COUNT]; /* not reported yet */
    bool has_losses;                      /* any loss is in losses */
    unsigned num_slots;
    struct slot *slots;
};

static struct slot *slot_at(const struct record_queue *queue, unsigned number)
{
    return &queue->slots[number % queue->num_slots];
}

/* draft makes a draft of as many records of a block as possible. */
static void draft(const struct record_queue *queue, struct slot *slot)
{
    const struct record_queue_drafts *ahead = &queue->target.ahead;
    const struct copied_record *copy = slot->block.first;
    struct record_view view = {0};
    while (copy != NULL && !stop_is_overdue() &&
           ahead->add(slot->draft, copied_record_get(copy, &view)))
        copy = copy->next;
    slot->rest = copy;
}

/* write_draft passes the draft of a block to the target, before the rest of the block. */
static bool write_draft(const struct record_queue *queue, const struct slot *slot, bool wanted,
                        uint64_t *num_left)
{
    const struct record_queue_drafts *ahead = &queue->target.ahead;
    void *context = queue->target.context;
    struct record_view view = {0};
    bool ok = ahead->write(context, slot->draft, wanted) && wanted;
    if (wanted && ahead->rest == NULL)
        return ok;
    for (const struct copied_record *copy = slot->block.first; copy != slot->rest;
         copy = copy->next) {
        *num_left += !wanted;
        ok = ok && ahead->rest(context, copied_record_get(copy, &view));
    }
    return ok;
}

static bool write_record(const struct record_queue_target *target, const struct record *record,
                         const struct copied_record *copy)
{
    return target->copied != NULL ? target->copied(target->context, record, copy)
                                  : target->record(target->context, record);
}

/* write_slot passes a block to the target, and counts the records that it rejects. */
static bool write_slot(struct record_queue *queue, const struct slot *slot, bool wanted, uint64_t *num_left)
{
    const struct record_queue_target *target = &queue->target;
    struct record_view view = {0};
    bool ok = wanted;
    for (int i = 0; ok && i < LOSS_CAUSE_COUNT; i++)
        ok = slot->losses[i].count == 0 || target->lost(target->context, &slot->losses[i]);
    const struct copied_record *copy = slot->block.first;
    if (slot->draft != NULL) {
        ok = write_draft(queue, slot, ok, num_left);
        copy = slot->rest;
    }
    for (; copy != NULL; copy = copy->next) {
        ok = ok && !stop_is_overdue();
        *num_left += !ok;
        ok = ok && write_record(target, copied_record_get(copy, &view), copy);
    }
    return ok && (!slot->flush || target->flush(target->context));
}

/* A queue that was long for a while releases its memory again. */
static void empty(struct slot *slot, bool is_long)
{
    if (is_long)
        record_block_free(&slot->block);
    else
        record_block_clear(&slot->block);
    memset(slot->losses, 0, sizeof slot->losses);
    slot->is_ready = false;
    slot->draft = NULL;
}

/* The steps of a thread: the lock is held before and after each, not during it. */

static void write_next(struct record_queue *queue)
{
    struct slot *slot = slot_at(queue, queue->tail);
    const uint64_t num_bytes = slot->block.cap;
    const bool is_long = queue->head - queue->tail > NUM_BLOCKS + queue->num_threads;
    const bool wanted = !queue->failed;
    uint64_t num_left = 0;
    if (queue->next == queue->tail)
        queue->next++;
    queue->in_turn = true;
    pthread_mutex_unlock(&queue->lock);
    const bool ok = write_slot(queue, slot, wanted, &num_left);
    void *draft = slot->draft;
    if (queue->target.done != NULL)
        queue->target.done(queue->target.context, &slot->block);
    empty(slot, is_long);
    pthread_mutex_lock(&queue->lock);
    if (draft != NULL)
        queue->target.ahead.drafts[queue->num_drafts++] = draft;
    queue->failed = queue->failed || !ok;
    queue->num_left += num_left;
    queue->num_bytes -= num_bytes;
    queue->tail++;
    queue->in_turn = false;
    pthread_cond_broadcast(&queue->changed);
    /* The producer is not woken for each block: that would cost a hundredth of the time of both. */
    if (queue->head - queue->tail <= queue->num_slots / 2)
        pthread_cond_signal(&queue->emptied);
}

static void make_draft(struct record_queue *queue)
{
    struct slot *slot = slot_at(queue, queue->next++);
    slot->draft = queue->target.ahead.drafts[--queue->num_drafts];
    pthread_mutex_unlock(&queue->lock);
    draft(queue, slot);
    pthread_mutex_lock(&queue->lock);
    slot->is_ready = true;
    pthread_cond_broadcast(&queue->changed);
}

/* A block that no thread has drafted gets its turn without a draft. */
static bool is_turn(const struct record_queue *queue)
{
    return !queue->in_turn && queue->tail != queue->head &&
           (queue->next == queue->tail || slot_at(queue, queue->tail)->is_ready);
}

static bool can_draft(const struct record_queue *queue)
{
    return queue->next != queue->head && queue->num_drafts != 0 && !queue->failed;
}

static void *run(void *context)
{
    struct record_queue *queue = context;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        if (is_turn(queue))
            write_next(queue);
        else if (can_draft(queue))
            make_draft(queue);
        else if (queue->stop && queue->tail == queue->head)
            break;
        else
            pthread_cond_wait(&queue->changed, &queue->lock);
    }
    queue->num_ended++;
    pthread_cond_signal(&queue->emptied);
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static void release(struct record_queue *queue)
{
    for (unsigned i = 0; i < queue->num_slots; i++) {
        record_block_free(&queue->slots[i].block);
        record_block_free(&queue->slots[i].kept);
    }
    free(queue->slots);
    free(queue->threads);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
    pthread_cond_destroy(&queue->emptied);
    free(queue);
}

static void join(struct record_queue *queue)
{
    for (unsigned i = 0; i < queue->num_threads; i++)
        pthread_join(queue->threads[i], NULL);
}

/* end_threads ends the threads that were started, because another one could not be started. */
static void end_threads(struct record_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stop = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    join(queue);
}

static int start_threads(struct record_queue *queue, unsigned num)
{
    malloc_tune_threads();
    int error = 0;
    for (unsigned i = 0; i < num && error == 0; i++) {
        /* Signals go to the thread that reads: it must wake up, and it wakes these. */
        error = thread_start(&queue->threads[i], SIGNAL_WAKE, run, queue);
        pthread_mutex_lock(&queue->lock);
        queue->num_threads += error == 0;
        pthread_mutex_unlock(&queue->lock);
    }
    return error;
}

/* One block is filled while the others wait. */
static unsigned count_slots(uint64_t max_bytes, unsigned num_threads)
{
    if (max_bytes == 0)
        return NUM_BLOCKS + num_threads;
    const uint64_t num = max_bytes / RECORD_BLOCK_LEN + 1;
    return num < 2 ? 2 : num > MAX_BLOCKS ? MAX_BLOCKS : (unsigned)num;
}

struct record_queue *record_queue_start(const struct record_queue_target *target, uint64_t max_bytes)
{
    const unsigned num_threads = target->ahead.num_threads != 0 ? target->ahead.num_threads : 1;
    const unsigned num_slots = count_slots(max_bytes, num_threads);
    struct record_queue *queue = calloc(1, sizeof *queue);
    struct slot *slots = calloc(num_slots, sizeof *slots);
    pthread_t *threads = calloc(num_threads, sizeof *threads);
    if (queue == NULL || slots == NULL || threads == NULL) {
        complain("out of memory");
        free(queue);
        free(slots);
        free(threads);
        return NULL;
    }
    queue->threads = threads;
    queue->num_drafts = target->ahead.num_threads != 0 ? num_threads + 1 : 0;
    queue->target = *target;
    queue->max_bytes = max_bytes;
    queue->num_slots = num_slots;
    queue->slots = slots;
    for (unsigned i = 0; i < num_slots; i++) {
        slots[i].block.shares_atoms = true;
        slots[i].block.first_cap = target->block_len;
    }
    pthread_mutex_init(&queue->lock, NULL);
    thread_condition_init(&queue->changed);
    thread_condition_init(&queue->emptied);
    int error = start_threads(queue, num_threads);
    if (error != 0) {
        end_threads(queue);
        complain("cannot start a thread: %s", strerror(error));
        release(queue);
        return NULL;
    }
    return queue;
}

/* The following runs in the producer's thread. */

static bool have_ended(const struct record_queue *queue)
{
    return queue->num_ended == queue->num_threads;
}

/* wait_a_while waits for the target. If the user wants to stop, it interrupts whatever the target waits
 * for: outputs then do not wait for long. */
static void wait_a_while(struct record_queue *queue)
{
    if (thread_wait_until(&queue->emptied, &queue->lock, clock_now_ns() + WAIT_NS) || !stop_wanted ||
        have_ended(queue))
        return;
    for (unsigned i = 0; i < queue->num_threads; i++)
        pthread_kill(queue->threads[i], SIGNAL_WAKE);
}

static void pass_block(struct record_queue *queue, bool flush)
{
    struct slot *slot = slot_at(queue, queue->head);
    slot->flush = flush;
    queue->num_bytes += slot->block.cap;
    queue->head++;
    pthread_cond_broadcast(&queue->changed);
}

/* pass_on passes the block at head to the target and waits for another one to fill. */
static bool pass_on(struct record_queue *queue, bool flush)
{
    pthread_mutex_lock(&queue->lock);
    pass_block(queue, flush);
    while (queue->head - queue->tail == queue->num_slots)
        wait_a_while(queue);
    bool ok = !queue->failed;
    pthread_mutex_unlock(&queue->lock);
    return ok;
}

enum pass_on_when { IF_ROOM, IF_IDLE };

/* try_to_pass_on does the same if there is another block to fill and no cap is reached; with IF_IDLE
 * only if the target has nothing else to do. */
static bool try_to_pass_on(struct record_queue *queue, enum pass_on_when when, bool flush)
{
    pthread_mutex_lock(&queue->lock);
    const unsigned num_waiting = queue->head - queue->tail;
    const uint64_t cap = slot_at(queue, queue->head)->block.cap;
    const bool can = num_waiting == 0 || (when == IF_ROOM && num_waiting + 1 < queue->num_slots &&
                                          queue->num_bytes + cap <= queue->max_bytes);
    if (can)
        pass_block(queue, flush);
    pthread_mutex_unlock(&queue->lock);
    return can;
}

static bool has_failed(struct record_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool failed = queue->failed;
    pthread_mutex_unlock(&queue->lock);
    return failed;
}

static void add_loss(struct loss *to, const struct loss *loss)
{
    if (loss->count == 0)
        return;
    to->cause = loss->cause;
    if (to->count == 0)
        to->first_ns = loss->first_ns;
    to->last_ns = loss->last_ns;
    to->count += loss->count;
    to->messages += loss->messages;
}

void record_queue_add_loss(struct record_queue *queue, const struct loss *loss)
{
    add_loss(&queue->losses[loss->cause], loss);
    queue->has_losses |= loss->count != 0;
}

static void lose_record(struct record_queue *queue, const struct record *record)
{
    const int64_t ts_ns = record_time(record);
    const struct loss loss = {
        .cause = LOSS_QUEUE,
        .count = 1,
        .messages = record_is_message(record),
        .first_ns = ts_ns,
        .last_ns = ts_ns,
    };
    record_queue_add_loss(queue, &loss);
    queue->num_lost++;
}

uint64_t record_queue_num_lost(const struct record_queue *queue)
{
    return queue->num_lost;
}

static __attribute__((noinline)) bool place_all_losses(struct record_queue *queue)
{
    if (slot_at(queue, queue->head)->block.first != NULL && !try_to_pass_on(queue, IF_ROOM, false))
        return false;
    struct slot *slot = slot_at(queue, queue->head);
    for (int i = 0; i < LOSS_CAUSE_COUNT; i++)
        add_loss(&slot->losses[i], &queue->losses[i]);
    memset(queue->losses, 0, sizeof queue->losses);
    queue->has_losses = false;
    return true;
}

/* place_losses records losses before an empty block. It returns false if there is no empty block. */
static inline bool place_losses(struct record_queue *queue)
{
    return !queue->has_losses || place_all_losses(queue);
}

static inline bool refers_to_source(const struct record_queue *queue, const struct record *record)
{
    return queue->source.copy != NULL && record->event == queue->source.event;
}

/* is_large says whether a record is too large to copy. A record that refers to another copy is not. */
static bool is_large(const struct record_queue *queue, const struct record *record)
{
    const struct ds_event *event = refers_to_source(queue, record) ? NULL : record->event;
    const size_t block_len =
        queue->target.block_len != 0 ? queue->target.block_len : RECORD_BLOCK_LEN;
    const size_t most = LARGE_BLOCKS * block_len;
    return (event != NULL && event->bytes != NULL && event->bytes_len > most) ||
           ((event != NULL || record->call != NULL) && record_terms_len(record) > most);
}

/* write_at_once waits until the target has all earlier records, then passes it the record itself. */
static bool write_at_once(struct record_queue *queue, const struct record *record)
{
    pthread_mutex_lock(&queue->lock);
    pass_block(queue, false);
    while (queue->tail != queue->head)
        wait_a_while(queue);
    bool ok = !queue->failed;
    pthread_mutex_unlock(&queue->lock);
    ok = ok && write_record(&queue->target, record, NULL);
    pthread_mutex_lock(&queue->lock);
    queue->failed = queue->failed || !ok;
    pthread_mutex_unlock(&queue->lock);
    return ok;
}

static enum copy_status add(struct record_queue *queue, const struct record *record)
{
    struct record_block *block = &slot_at(queue, queue->head)->block;
    if (refers_to_source(queue, record)) {
        queue->refers = true;
        return record_block_refer(block, record, queue->source.copy);
    }
    return record == &queue->alone ? record_block_add_event(block, record->event)
                                   : record_block_add(block, record);
}

void record_queue_refer(struct record_queue *queue, const struct copied_record *copy,
                        const struct ds_event *event)
{
    queue->source.copy = copy;
    queue->source.event = event;
}

void record_queue_keep(struct record_queue *queue, struct record_block *block)
{
    queue->source.copy = NULL;
    if (!queue->refers)
        return;
    queue->refers = false;
    record_block_swap(&slot_at(queue, queue->head)->kept, block);
    pass_on(queue, false);
}

bool record_queue_event(struct record_queue *queue, const struct ds_event *event)
{
    queue->alone.event = event;
    return record_queue_record(queue, &queue->alone);
}

bool record_queue_record(struct record_queue *queue, const struct record *record)
{
    if (queue->max_bytes == 0 && is_large(queue, record))
        return write_at_once(queue, record);
    if (!place_losses(queue)) {
        lose_record(queue, record);
        return !has_failed(queue);
    }
    for (;;) {
        switch (add(queue, record)) {
        case COPY_OK:
            return true;
        case COPY_FULL:
            if (queue->max_bytes == 0 && !pass_on(queue, false))
                return false;
            if (queue->max_bytes != 0 && !try_to_pass_on(queue, IF_ROOM, false)) {
                lose_record(queue, record);
                return !has_failed(queue);
            }
            break;
        case COPY_NO_MEMORY:
            complain("out of memory");
            queue->no_memory = true;
            return false;
        }
    }
}

static bool is_empty(const struct slot *slot)
{
    bool empty = slot->block.first == NULL;
    for (int i = 0; i < LOSS_CAUSE_COUNT; i++)
        empty = empty && slot->losses[i].count == 0;
    return empty;
}

void record_queue_wake(struct record_queue *queue)
{
    pass_on(queue, true);
}

bool record_queue_try_wake(struct record_queue *queue)
{
    return try_to_pass_on(queue, IF_ROOM, true);
}

void record_queue_flush(struct record_queue *queue)
{
    if (!place_losses(queue) || is_empty(slot_at(queue, queue->head)))
        return;
    if (queue->max_bytes == 0)
        pass_on(queue, true);
    else
        try_to_pass_on(queue, IF_IDLE, true); /* otherwise its block keeps filling */
}

unsigned record_queue_mark(struct record_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    const unsigned mark = queue->head;
    pthread_mutex_unlock(&queue->lock);
    return mark;
}

bool record_queue_is_written(struct record_queue *queue, unsigned mark)
{
    pthread_mutex_lock(&queue->lock);
    const bool is_passed = (int)(queue->tail - mark) >= 0;
    pthread_mutex_unlock(&queue->lock);
    return is_passed;
}

bool record_queue_stop(struct record_queue *queue, uint64_t *num_left)
{
    if (queue == NULL)
        return true;
    if (!place_losses(queue)) {
        pass_on(queue, false);
        place_losses(queue);
    }
    pthread_mutex_lock(&queue->lock);
    pass_block(queue, true);
    queue->stop = true;
    while (!have_ended(queue))
        wait_a_while(queue);
    pthread_mutex_unlock(&queue->lock);
    join(queue);
    bool ok = !queue->no_memory;
    if (num_left != NULL)
        *num_left = queue->num_left;
    release(queue);
    return ok;
}
