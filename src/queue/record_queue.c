/*
 * record_queue.c - see record_queue.h. The blocks go round in a ring: the decoder fills the one at
 * head, the target empties the one at tail.
 */
#include "record_queue.h"

#include "complain.h"
#include "record_copy.h"
#include "stop.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUM_BLOCKS = 4, MAX_BLOCKS = 65536, WAIT_NS = 100 * 1000 * 1000 };

struct slot {
    struct record_block block;
    struct loss losses[LOSS_CAUSE_COUNT]; /* before the block */
    bool flush;                           /* after it, write out */
};

struct record_queue {
    struct record_queue_target target;
    uint64_t max_bytes; /* 0: whoever fills the blocks waits */
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows but the contents of blocks */
    pthread_cond_t changed;
    unsigned head, tail; /* blocks filled and emptied so far */
    uint64_t num_bytes;  /* memory of those in between */
    uint64_t num_left;   /* records that the target did not want */
    bool stop, ended, failed;
    /* The decoder's own. */
    bool no_memory;
    uint64_t num_lost;
    struct loss losses[LOSS_CAUSE_COUNT]; /* still to be told */
    unsigned num_slots;
    struct slot *slots;
};

static struct slot *slot_at(const struct record_queue *queue, unsigned number)
{
    return &queue->slots[number % queue->num_slots];
}

/* give hands a block to the target, and counts what it does not want. */
static bool give(struct record_queue *queue, const struct slot *slot, bool wanted,
                 uint64_t *num_left)
{
    const struct record_queue_target *target = &queue->target;
    struct unpacked_record unpacked = {0};
    bool ok = wanted;
    for (int i = 0; ok && i < LOSS_CAUSE_COUNT; i++)
        ok = slot->losses[i].count == 0 || target->lost(target->context, &slot->losses[i]);
    for (const struct copied_record *copy = slot->block.first; copy != NULL; copy = copy->next) {
        ok = ok && !stop_is_overdue();
        *num_left += !ok;
        ok = ok && target->record(target->context, copied_record_get(copy, &unpacked));
    }
    return ok && (!slot->flush || target->flush(target->context));
}

/* A queue that was long once does not keep its memory. */
static void empty(struct slot *slot, bool is_long)
{
    if (is_long)
        record_block_free(&slot->block);
    else
        record_block_clear(&slot->block);
    memset(slot->losses, 0, sizeof slot->losses);
}

static void *run(void *context)
{
    struct record_queue *queue = context;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        while (queue->tail == queue->head && !queue->stop)
            pthread_cond_wait(&queue->changed, &queue->lock);
        if (queue->tail == queue->head)
            break;
        struct slot *slot = slot_at(queue, queue->tail);
        const uint64_t num_bytes = slot->block.cap;
        const bool is_long = queue->head - queue->tail > NUM_BLOCKS;
        const bool wanted = !queue->failed;
        uint64_t num_left = 0;
        pthread_mutex_unlock(&queue->lock);
        const bool ok = give(queue, slot, wanted, &num_left);
        empty(slot, is_long);
        pthread_mutex_lock(&queue->lock);
        queue->failed = queue->failed || !ok;
        queue->num_left += num_left;
        queue->num_bytes -= num_bytes;
        queue->tail++;
        pthread_cond_broadcast(&queue->changed);
    }
    queue->ended = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static void release(struct record_queue *queue)
{
    for (unsigned i = 0; i < queue->num_slots; i++)
        record_block_free(&queue->slots[i].block);
    free(queue->slots);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
    free(queue);
}

static int start_thread(struct record_queue *queue)
{
    /* Signals are for the thread that reads: it is the one to wake, and it wakes this one. */
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, STOP_WAKE);
    sigdelset(&all, SIGSYS); /* of the sandbox; blocked it would be the end */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&queue->thread, NULL, run, queue);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* One is being filled while the others wait. */
static unsigned count_slots(uint64_t max_bytes)
{
    if (max_bytes == 0)
        return NUM_BLOCKS;
    const uint64_t num = max_bytes / RECORD_BLOCK_LEN + 1;
    return num < 2 ? 2 : num > MAX_BLOCKS ? MAX_BLOCKS : (unsigned)num;
}

struct record_queue *record_queue_start(const struct record_queue_target *target,
                                        uint64_t max_bytes)
{
    const unsigned num_slots = count_slots(max_bytes);
    struct record_queue *queue = calloc(1, sizeof *queue);
    struct slot *slots = calloc(num_slots, sizeof *slots);
    if (queue == NULL || slots == NULL) {
        complain("out of memory");
        free(queue);
        free(slots);
        return NULL;
    }
    queue->target = *target;
    queue->max_bytes = max_bytes;
    queue->num_slots = num_slots;
    queue->slots = slots;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, &clock);
    pthread_condattr_destroy(&clock);
    int error = start_thread(queue);
    if (error != 0) {
        complain("cannot start a thread: %s", strerror(error));
        release(queue);
        return NULL;
    }
    return queue;
}

/* From here on in the decoder's thread. */

/* wait_a_while waits for the target to get on. If the user wants to end, the target is woken
 * from whatever it waits for: outputs then see to it that they do not wait for long. */
static void wait_a_while(struct record_queue *queue)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAIT_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    if (pthread_cond_timedwait(&queue->changed, &queue->lock, &until) == ETIMEDOUT && stop_wanted &&
        !queue->ended)
        pthread_kill(queue->thread, STOP_WAKE);
}

static void pass_block(struct record_queue *queue, bool flush)
{
    struct slot *slot = slot_at(queue, queue->head);
    slot->flush = flush;
    queue->num_bytes += slot->block.cap;
    queue->head++;
    pthread_cond_broadcast(&queue->changed);
}

/* hand_on passes the block at head to the target and waits for another to fill. */
static bool hand_on(struct record_queue *queue, bool flush)
{
    pthread_mutex_lock(&queue->lock);
    pass_block(queue, flush);
    while (queue->head - queue->tail == queue->num_slots)
        wait_a_while(queue);
    bool ok = !queue->failed;
    pthread_mutex_unlock(&queue->lock);
    return ok;
}

enum hand_on_when { IF_ROOM, IF_IDLE };

/* try_to_hand_on does so when there is another block to fill and no cap is reached; or only
 * when the target has nothing else to do. */
static bool try_to_hand_on(struct record_queue *queue, enum hand_on_when when, bool flush)
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

void record_queue_lose(struct record_queue *queue, const struct loss *loss)
{
    add_loss(&queue->losses[loss->cause], loss);
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
    record_queue_lose(queue, &loss);
    queue->num_lost++;
}

uint64_t record_queue_num_lost(const struct record_queue *queue)
{
    return queue->num_lost;
}

static bool has_losses(const struct record_queue *queue)
{
    for (int i = 0; i < LOSS_CAUSE_COUNT; i++) {
        if (queue->losses[i].count != 0)
            return true;
    }
    return false;
}

/* place_losses puts what was lost before an empty block. False when there is none. */
static bool place_losses(struct record_queue *queue)
{
    if (!has_losses(queue))
        return true;
    if (slot_at(queue, queue->head)->block.first != NULL && !try_to_hand_on(queue, IF_ROOM, false))
        return false;
    struct slot *slot = slot_at(queue, queue->head);
    for (int i = 0; i < LOSS_CAUSE_COUNT; i++)
        add_loss(&slot->losses[i], &queue->losses[i]);
    memset(queue->losses, 0, sizeof queue->losses);
    return true;
}

bool record_queue_record(struct record_queue *queue, const struct record *record)
{
    if (!place_losses(queue)) {
        lose_record(queue, record);
        return !has_failed(queue);
    }
    for (;;) {
        switch (record_block_add(&slot_at(queue, queue->head)->block, record)) {
        case COPY_OK:
            return true;
        case COPY_FULL:
            if (queue->max_bytes == 0 && !hand_on(queue, false))
                return false;
            if (queue->max_bytes != 0 && !try_to_hand_on(queue, IF_ROOM, false)) {
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

void record_queue_flush(struct record_queue *queue)
{
    if (!place_losses(queue) || is_empty(slot_at(queue, queue->head)))
        return;
    if (queue->max_bytes == 0)
        hand_on(queue, true);
    else
        try_to_hand_on(queue, IF_IDLE, true); /* else its block gets fuller meanwhile */
}

bool record_queue_stop(struct record_queue *queue, uint64_t *num_left)
{
    if (queue == NULL)
        return true;
    if (!place_losses(queue)) {
        hand_on(queue, false);
        place_losses(queue);
    }
    pthread_mutex_lock(&queue->lock);
    pass_block(queue, true);
    queue->stop = true;
    while (!queue->ended)
        wait_a_while(queue);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    bool ok = !queue->no_memory;
    if (num_left != NULL)
        *num_left = queue->num_left;
    release(queue);
    return ok;
}
