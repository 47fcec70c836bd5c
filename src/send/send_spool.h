/*
 * send_spool.h - the file of a queue (send_queue.h) that persists between runs:
 * FOLDER/distsniff-NAME.spool. It contains records in clear text: only its owner can read it.
 */
#ifndef SRC_SEND_SPOOL_H
#define SRC_SEND_SPOOL_H

#include "send/send_queue.h"

struct send_spool_config {
    const char *folder; /* exists already */
    const char *name;   /* letters, digits, -, _ and dots: what is sent, and where to */
    int64_t size;       /* bytes */
    bool refuses_left;  /* entries of an earlier run must not be sent */
};

/* send_spool_open opens the queue in that file, with the rights of the user who runs this. The file
 * is locked for as long as *fd is open in any process. *num_left is the number of entries from an
 * earlier run. NULL after an error message. */
struct send_queue *send_spool_open(const struct send_spool_config *config, uint64_t *num_left, int *fd);

#endif
