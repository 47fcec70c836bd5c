/*
 * open_sockets.h - the sockets that a process holds when its sandbox closes: those that packets come
 * from, and those through which a descriptor could leave.
 */
#ifndef SRC_OPEN_SOCKETS_H
#define SRC_OPEN_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>

enum socket_kind {
    SOCKETS_PACKETS, /* whoever writes into one puts packets onto the network, or asks the kernel */
    SOCKETS_LOCAL,   /* unix(7): a message may carry a descriptor into another process */
    NUM_SOCKET_KINDS
};

enum { MAX_OPEN_SOCKETS = 64 }; /* of each kind */

struct open_sockets {
    struct socket_list {
        int fds[MAX_OPEN_SOCKETS];
        size_t num;
    } of[NUM_SOCKET_KINDS];
};

/* open_sockets_find looks at all descriptors of this process. To be called while /proc can be read, and
 * before there are threads. False when there are more of a kind than it takes. */
bool open_sockets_find(struct open_sockets *sockets);

#endif
