/*
 * otlp_send_loop.h - the process that sends spans: it reads them from the queue, a request at a
 * time, and releases those that the receiver has answered for.
 */
#ifndef SRC_OTLP_SEND_LOOP_H
#define SRC_OTLP_SEND_LOOP_H

#include "send/otlp/otlp_client.h"
#include "send/send_queue.h"

struct otlp_send_loop_config {
    struct otlp_client *client;
    struct send_queue *queue;
    int wake_fd;  /* as in sender.h; closed when this process should end */
    bool is_live; /* a run that is not live gives up if nothing can be sent */
};

/* otlp_send_loop_run returns when all is sent and the other side is done, or going on is pointless;
 * entries still in the queue then were not sent. */
void otlp_send_loop_run(const struct otlp_send_loop_config *config);

#endif
