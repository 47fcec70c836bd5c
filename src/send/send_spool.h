/*
 * send_spool.h - the file of a queue (send_queue.h) that outlives the program:
 * FOLDER/distsniff-NAME.spool. It holds what is to be sent, in clear: only its owner can read it.
 */
#ifndef SRC_SEND_SPOOL_H
#define SRC_SEND_SPOOL_H

#include "send/send_queue.h"

struct send_spool_config {
    const char *folder; /* there already */
    const char *name;   /* of letters, digits, -, _ and dots: what is sent, and to whom */
    int64_t size;       /* bytes */
    bool refuses_left;  /* what an earlier run has left is not to be sent */
};

/* send_spool_open opens the queue in that file, with the rights of whoever runs this. Nobody else has it
 * open for as long as *fd is, in any process. num_left: the entries in it that an earlier run has left.
 * NULL after a complaint. */
struct send_queue *send_spool_open(const struct send_spool_config *config, uint64_t *num_left, int *fd);

#endif
