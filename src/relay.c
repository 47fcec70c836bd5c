/*
 * relay.c - see relay.h. The blocks go round in a ring: the decoder fills the one at head,
 * the target empties the one at tail.
 */
#include "relay.h"

#include "complain.h"
#include "record_copy.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_BLOCKS = 4 };

struct relay {
    struct relay_target target;
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows but the contents of blocks */
    pthread_cond_t changed;
    unsigned head, tail;   /* blocks filled and emptied so far */
    bool flush[NUM_BLOCKS]; /* after the block, write out */
    bool stop, failed;
    bool no_memory; /* the decoder's own */
    struct record_block blocks[NUM_BLOCKS];
};

/* give hands the records of a block to the target. False when it wants no more. */
static bool give(struct relay *relay, const struct record_block *block, bool flush)
{
    const struct relay_target *target = &relay->target;
    bool ok = true;
    for (const struct copied_record *copy = block->first; ok && copy != NULL; copy = copy->next) {
        struct ds_event event;
        struct record record;
        copied_record_get(copy, &record, &event);
        ok = target->record(target->context, &record);
    }
    return ok && (!flush || target->flush(target->context));
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
        unsigned which = relay->tail % NUM_BLOCKS;
        bool flush = relay->flush[which];
        bool skip = relay->failed;
        pthread_mutex_unlock(&relay->lock);
        bool ok = skip || give(relay, &relay->blocks[which], flush);
        record_block_clear(&relay->blocks[which]);
        pthread_mutex_lock(&relay->lock);
        relay->failed = relay->failed || !ok;
        relay->tail++;
        pthread_cond_broadcast(&relay->changed);
    }
    pthread_mutex_unlock(&relay->lock);
    return NULL;
}

struct relay *relay_start(const struct relay_target *target)
{
    struct relay *relay = calloc(1, sizeof *relay);
    if (relay == NULL) {
        complain("out of memory");
        return NULL;
    }
    relay->target = *target;
    pthread_mutex_init(&relay->lock, NULL);
    pthread_cond_init(&relay->changed, NULL);
    /* Signals are for the thread that reads: it is the one to wake. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&relay->thread, NULL, run, relay);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        complain("cannot start a thread: %s", strerror(error));
        free(relay);
        return NULL;
    }
    return relay;
}

/* hand_on passes the block at head to the target and waits for another to fill. */
static bool hand_on(struct relay *relay, bool flush)
{
    pthread_mutex_lock(&relay->lock);
    relay->flush[relay->head % NUM_BLOCKS] = flush;
    relay->head++;
    pthread_cond_broadcast(&relay->changed);
    while (relay->head - relay->tail == NUM_BLOCKS)
        pthread_cond_wait(&relay->changed, &relay->lock);
    bool ok = !relay->failed;
    pthread_mutex_unlock(&relay->lock);
    return ok;
}

bool relay_record(struct relay *relay, const struct record *record)
{
    for (;;) {
        switch (record_block_add(&relay->blocks[relay->head % NUM_BLOCKS], record)) {
        case COPY_OK:
            return true;
        case COPY_FULL:
            if (!hand_on(relay, false))
                return false;
            break;
        case COPY_NO_MEMORY:
            complain("out of memory");
            relay->no_memory = true;
            return false;
        }
    }
}

void relay_flush(struct relay *relay)
{
    if (relay->blocks[relay->head % NUM_BLOCKS].first != NULL)
        hand_on(relay, true);
}

bool relay_stop(struct relay *relay)
{
    if (relay == NULL)
        return true;
    hand_on(relay, false);
    pthread_mutex_lock(&relay->lock);
    relay->stop = true;
    pthread_cond_broadcast(&relay->changed);
    pthread_mutex_unlock(&relay->lock);
    pthread_join(relay->thread, NULL);
    bool ok = !relay->no_memory;
    for (int i = 0; i < NUM_BLOCKS; i++)
        record_block_free(&relay->blocks[i]);
    pthread_mutex_destroy(&relay->lock);
    pthread_cond_destroy(&relay->changed);
    free(relay);
    return ok;
}
