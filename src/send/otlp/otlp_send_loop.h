/*
 * otlp_send_loop.h - what the process does that sends spans: it takes them from the queue, a request
 * at a time, and lets go what the receiver has answered for.
 */
#ifndef SRC_OTLP_SEND_LOOP_H
#define SRC_OTLP_SEND_LOOP_H

#include "send/otlp/otlp_client.h"
#include "send/send_queue.h"

struct otlp_send_loop_config {
    struct otlp_client *client;
    struct send_queue *queue;
    int wake_fd;  /* of sender.h; its end is ours */
    bool is_live; /* one that is not gives up where nothing can be sent */
};

/* otlp_send_loop_run returns when all is sent and the other side is done, or there is no use in going on;
 * what is left in the queue then was not sent. */
void otlp_send_loop_run(const struct otlp_send_loop_config *config);

#endif
