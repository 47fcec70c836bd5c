/*
 * sender.h - a process beside the one that looks at packets, which sends to servers what is put into a
 * queue for it (send_queue.h): NATS, OTLP.
 *
 * It is started before anything else: it alone reads and holds the credentials, sees nothing that was
 * not to be sent, and opens connections, which the process that looks at packets never does.
 */
#ifndef SRC_SENDER_H
#define SRC_SENDER_H

#include "send/send_spool.h"

#include <distsniff/term.h>
#include <sys/types.h>

/* What holds for each of them in a run. */
struct sender_rules {
    const char *user;  /* that root becomes, NULL: nobody */
    bool is_live;      /* nothing ever waits for the servers */
    bool is_confined;  /* the process has few system calls left */
};

struct sender_config {
    const char *what;         /* it talks to, for the user */
    const char *queue_option; /* which makes the queue smaller */
    int64_t queue_size;       /* bytes */
    const struct send_spool_config *spool; /* the queue is this file; NULL: memory. It need not stay */
    struct sender_rules rules;
    /* In that process: prepare reads its files and loads its library with the rights of whoever runs
     * this, false after a complaint; carry, without any, sends what is in the queue. wake_fd has
     * something to be read when the queue is not empty any more, and the end when this process is
     * gone. carry returns when all is sent and is_ending is set, or there is no use in going on. */
    bool (*prepare)(void *context);
    void (*carry)(void *context, struct send_queue *queue, int wake_fd);
    void *context;
};

/* sender: all zero where none was started. */
struct sender {
    struct send_queue *queue;
    const char *what;
    bool is_live;
    int wake_fd;
    int spool_fd; /* of the file of the queue, -1: it has none */
    pid_t pid; /* 0: it has ended */
    uint64_t num_pushed; /* with what was left */
    uint64_t num_left;   /* by an earlier run, in the file of the queue */
};

/* sender_start starts it. To be called before anything is open, and before there are threads. False
 * after a complaint. */
bool sender_start(struct sender *sender, const struct sender_config *config);

/* sender_push adds to the queue, where there is room. sender_push_in_time waits for room, unless it is
 * live. One thread at a time. */
bool sender_push(struct sender *sender, unsigned type, const char *id, struct ds_text body);
bool sender_push_in_time(struct sender *sender, unsigned type, const char *id, struct ds_text body);

/* sender_has_ended says whether the process is there no more. */
bool sender_has_ended(struct sender *sender);

/* sender_end waits until all is sent, or carry sees no use in going on: for SENDER_STOP_NS at most once
 * an orderly end was asked for. What is in queue->counts is final then. */
#define SENDER_STOP_NS (3 * INT64_C(1000000000))
void sender_end(struct sender *sender);

void sender_free(struct sender *sender);

#endif
