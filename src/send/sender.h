/*
 * sender.h - a process beside the one that looks at packets, which sends the entries of a queue
 * (send_queue.h) to servers: NATS, OTLP.
 *
 * It is started before anything else: it alone reads and has the credentials, sees only what is to
 * be sent, and opens connections, which the process that looks at packets never does.
 */
#ifndef SRC_SENDER_H
#define SRC_SENDER_H

#include "send/send_spool.h"

#include <distsniff/term.h>
#include <sys/types.h>

/* Settings that all senders of a run share. */
struct sender_rules {
    const char *user;  /* that root becomes, NULL: root stays */
    bool is_live;      /* the capture never waits for the servers */
    bool is_confined;  /* the process may use only a few system calls */
};

struct sender_config {
    const char *what;         /* the servers' name, for the user */
    const char *queue_option; /* the option that sets the size of the queue */
    int64_t queue_size;       /* bytes */
    const struct send_spool_config *spool; /* the queue is this file; NULL: memory. Need not stay valid */
    struct sender_rules rules;
    /* Called in that process. prepare reads its files and loads its library, with the rights of the
     * user who runs this; false after an error message. carry sends the entries of the queue,
     * without any rights. wake_fd becomes readable when the queue is not empty any more, and is
     * closed when this process is gone. carry returns when all is sent and is_ending is set, or
     * going on is pointless. */
    bool (*prepare)(void *context);
    void (*carry)(void *context, struct send_queue *queue, int wake_fd);
    void *context;
};

/* sender: all zero if none was started. */
struct sender {
    struct send_queue *queue;
    const char *what;
    bool is_live;
    int wake_fd;
    int spool_fd; /* the file of the queue, -1: it has none */
    pid_t pid; /* 0: it has ended */
    uint64_t num_pushed; /* including those of an earlier run */
    uint64_t num_left;   /* of an earlier run, in the file of the queue */
};

/* sender_start starts the process. Call it before anything is open, and before there are threads.
 * False after an error message. */
bool sender_start(struct sender *sender, const struct sender_config *config);

/* sender_push appends to the queue, if there is room. sender_push_in_time waits for room, except in
 * a live run. One thread at a time may call them. */
bool sender_push(struct sender *sender, unsigned type, const char *id, struct ds_text body);
bool sender_push_in_time(struct sender *sender, unsigned type, const char *id, struct ds_text body);

/* sender_has_ended says whether the process has ended. */
bool sender_has_ended(struct sender *sender);

/* sender_end waits until all is sent, or carry gives up: for at most SENDER_STOP_NS once the user
 * has asked for an orderly end. queue->counts are final then. */
#define SENDER_STOP_NS (3 * INT64_C(1000000000))
void sender_end(struct sender *sender);

void sender_free(struct sender *sender);

#endif
