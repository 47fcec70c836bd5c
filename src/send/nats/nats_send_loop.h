/*
 * nats_send_loop.h - the process that publishes what is in a queue: it connects, has the stream made
 * where there is none, sends, and lets go what is acknowledged.
 */
#ifndef SRC_NATS_SEND_LOOP_H
#define SRC_NATS_SEND_LOOP_H

#include "send/nats/nats_client.h"
#include "send/send_queue.h"

struct nats_send_loop_config {
    struct nats_client *client;
    struct send_queue *queue;
    int wake_fd;       /* something comes when the queue is not empty any more; its end is ours */
    char host[NATS_MAX_WORD];
    bool is_live;      /* one that is not gives up where nothing can be stored */
    bool is_quiet;     /* only what went wrong is told */
};

/* nats_send_loop_run returns when all is stored and the other side is done, or there is no use in going
 * on; what is left in the queue then has not been acknowledged. */
void nats_send_loop_run(const struct nats_send_loop_config *config);

#endif
