/*
 * nats_send_loop.h - the process that publishes the entries of a queue: it connects, creates the
 * stream if there is none, sends, and releases entries that are acknowledged.
 */
#ifndef SRC_NATS_SEND_LOOP_H
#define SRC_NATS_SEND_LOOP_H

#include "send/nats/nats_client.h"
#include "send/send_queue.h"

struct nats_send_loop_config {
    struct nats_client *client;
    struct send_queue *queue;
    int wake_fd;       /* becomes readable when the queue is not empty any more; closed when this
                        * process should end */
    char host[NATS_MAX_WORD];
    bool is_live;      /* a run that is not live gives up if nothing can be stored */
    bool is_quiet;     /* only errors are reported */
};

/* nats_send_loop_run returns when all is stored and the other side is done, or going on is
 * pointless; entries still in the queue then were not acknowledged. */
void nats_send_loop_run(const struct nats_send_loop_config *config);

#endif
