/*
 * relay.c - see relay.h. The blocks go round in a ring: the decoder fills the one at head,
 * the target empties the one at tail.
 */
#include "relay.h"

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

struct relay {
    struct relay_target target;
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

static struct slot *slot_at(const struct relay *relay, unsigned number)
{
    return &relay->slots[number % relay->num_slots];
}

/* give hands a block to the target, and counts what it does not want. */
static bool give(struct relay *relay, const struct slot *slot, bool wanted, uint64_t *num_left)
{
    const struct relay_target *target = &relay->target;
    struct unpacked_record unpacked = {0};
    bool ok = wanted;
    for (int i = 0; ok && i < LOSS_CAUSE_COUNT; i++)
        ok = slot->losses[i].count == 0 || target->lost(target->context, &slot->losses[i]);
    for (const struct copied_record *copy = slot->block.first; copy != NULL; copy = copy->next) {
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
    struct relay *relay = context;
    pthread_mutex_lock(&relay->lock);
    for (;;) {
        while (relay->tail == relay->head && !relay->stop)
            pthread_cond_wait(&relay->changed, &relay->lock);
        if (relay->tail == relay->head)
            break;
        struct slot *slot = slot_at(relay, relay->tail);
        const uint64_t num_bytes = slot->block.cap;
        const bool is_long = relay->head - relay->tail > NUM_BLOCKS;
        const bool wanted = !relay->failed;
        uint64_t num_left = 0;
        pthread_mutex_unlock(&relay->lock);
        const bool ok = give(relay, slot, wanted, &num_left);
        empty(slot, is_long);
        pthread_mutex_lock(&relay->lock);
        relay->failed = relay->failed || !ok;
        relay->num_left += num_left;
        relay->num_bytes -= num_bytes;
        relay->tail++;
        pthread_cond_broadcast(&relay->changed);
    }
    relay->ended = true;
    pthread_cond_broadcast(&relay->changed);
    pthread_mutex_unlock(&relay->lock);
    return NULL;
}

static void release(struct relay *relay)
{
    for (unsigned i = 0; i < relay->num_slots; i++)
        record_block_free(&relay->slots[i].block);
    free(relay->slots);
    pthread_mutex_destroy(&relay->lock);
    pthread_cond_destroy(&relay->changed);
    free(relay);
}

static int start_thread(struct relay *relay)
{
    /* Signals are for the thread that reads: it is the one to wake, and it wakes this one. */
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, STOP_WAKE);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&relay->thread, NULL, run, relay);
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

struct relay *relay_start(const struct relay_target *target, uint64_t max_bytes)
{
    const unsigned num_slots = count_slots(max_bytes);
    struct relay *relay = calloc(1, sizeof *relay);
    struct slot *slots = calloc(num_slots, sizeof *slots);
    if (relay == NULL || slots == NULL) {
        complain("out of memory");
        free(relay);
        free(slots);
        return NULL;
    }
    relay->target = *target;
    relay->max_bytes = max_bytes;
    relay->num_slots = num_slots;
    relay->slots = slots;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&relay->lock, NULL);
    pthread_cond_init(&relay->changed, &clock);
    pthread_condattr_destroy(&clock);
    int error = start_thread(relay);
    if (error != 0) {
        complain("cannot start a thread: %s", strerror(error));
        release(relay);
        return NULL;
    }
    return relay;
}

/* From here on in the decoder's thread. */

/* wait_a_while waits for the target to get on. If the user wants to end, the target is woken
 * from whatever it waits for: outputs then see to it that they do not wait for long. */
static void wait_a_while(struct relay *relay)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAIT_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    if (pthread_cond_timedwait(&relay->changed, &relay->lock, &until) == ETIMEDOUT && stop_wanted &&
        !relay->ended)
        pthread_kill(relay->thread, STOP_WAKE);
}

static void pass_block(struct relay *relay, bool flush)
{
    struct slot *slot = slot_at(relay, relay->head);
    slot->flush = flush;
    relay->num_bytes += slot->block.cap;
    relay->head++;
    pthread_cond_broadcast(&relay->changed);
}

/* hand_on passes the block at head to the target and waits for another to fill. */
static bool hand_on(struct relay *relay, bool flush)
{
    pthread_mutex_lock(&relay->lock);
    pass_block(relay, flush);
    while (relay->head - relay->tail == relay->num_slots)
        wait_a_while(relay);
    bool ok = !relay->failed;
    pthread_mutex_unlock(&relay->lock);
    return ok;
}

enum hand_on_when { IF_ROOM, IF_IDLE };

/* try_to_hand_on does so when there is another block to fill and no cap is reached; or only
 * when the target has nothing else to do. */
static bool try_to_hand_on(struct relay *relay, enum hand_on_when when, bool flush)
{
    pthread_mutex_lock(&relay->lock);
    const unsigned num_waiting = relay->head - relay->tail;
    const uint64_t cap = slot_at(relay, relay->head)->block.cap;
    const bool can = num_waiting == 0 || (when == IF_ROOM && num_waiting + 1 < relay->num_slots &&
                                          relay->num_bytes + cap <= relay->max_bytes);
    if (can)
        pass_block(relay, flush);
    pthread_mutex_unlock(&relay->lock);
    return can;
}

static bool has_failed(struct relay *relay)
{
    pthread_mutex_lock(&relay->lock);
    bool failed = relay->failed;
    pthread_mutex_unlock(&relay->lock);
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

void relay_lose(struct relay *relay, const struct loss *loss)
{
    add_loss(&relay->losses[loss->cause], loss);
}

static void lose_record(struct relay *relay, const struct record *record)
{
    const int64_t ts_ns = record_time(record);
    const struct loss loss = {
        .cause = LOSS_QUEUE,
        .count = 1,
        .messages = record_is_message(record),
        .first_ns = ts_ns,
        .last_ns = ts_ns,
    };
    relay_lose(relay, &loss);
    relay->num_lost++;
}

uint64_t relay_num_lost(const struct relay *relay)
{
    return relay->num_lost;
}

static bool has_losses(const struct relay *relay)
{
    for (int i = 0; i < LOSS_CAUSE_COUNT; i++) {
        if (relay->losses[i].count != 0)
            return true;
    }
    return false;
}

/* place_losses puts what was lost before an empty block. False when there is none. */
static bool place_losses(struct relay *relay)
{
    if (!has_losses(relay))
        return true;
    if (slot_at(relay, relay->head)->block.first != NULL && !try_to_hand_on(relay, IF_ROOM, false))
        return false;
    struct slot *slot = slot_at(relay, relay->head);
    for (int i = 0; i < LOSS_CAUSE_COUNT; i++)
        add_loss(&slot->losses[i], &relay->losses[i]);
    memset(relay->losses, 0, sizeof relay->losses);
    return true;
}

bool relay_record(struct relay *relay, const struct record *record)
{
    if (!place_losses(relay)) {
        lose_record(relay, record);
        return !has_failed(relay);
    }
    for (;;) {
        switch (record_block_add(&slot_at(relay, relay->head)->block, record)) {
        case COPY_OK:
            return true;
        case COPY_FULL:
            if (relay->max_bytes == 0 && !hand_on(relay, false))
                return false;
            if (relay->max_bytes != 0 && !try_to_hand_on(relay, IF_ROOM, false)) {
                lose_record(relay, record);
                return !has_failed(relay);
            }
            break;
        case COPY_NO_MEMORY:
            complain("out of memory");
            relay->no_memory = true;
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

void relay_flush(struct relay *relay)
{
    if (!place_losses(relay) || is_empty(slot_at(relay, relay->head)))
        return;
    if (relay->max_bytes == 0)
        hand_on(relay, true);
    else
        try_to_hand_on(relay, IF_IDLE, true); /* else its block gets fuller meanwhile */
}

bool relay_stop(struct relay *relay, uint64_t *num_left)
{
    if (relay == NULL)
        return true;
    if (!place_losses(relay)) {
        hand_on(relay, false);
        place_losses(relay);
    }
    pthread_mutex_lock(&relay->lock);
    pass_block(relay, true);
    relay->stop = true;
    while (!relay->ended)
        wait_a_while(relay);
    pthread_mutex_unlock(&relay->lock);
    pthread_join(relay->thread, NULL);
    bool ok = !relay->no_memory;
    if (num_left != NULL)
        *num_left = relay->num_left;
    release(relay);
    return ok;
}
