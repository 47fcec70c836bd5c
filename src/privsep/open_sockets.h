/*
 * open_sockets.h - the sockets of a process when it enters its sandbox: those that packets come from,
 * and those through which a descriptor could leave.
 */
#ifndef SRC_OPEN_SOCKETS_H
#define SRC_OPEN_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>

enum socket_kind {
    SOCKETS_PACKETS, /* writing to one sends packets to the network, or requests to the kernel */
    SOCKETS_LOCAL,   /* unix(7): a message may carry a descriptor to another process */
    NUM_SOCKET_KINDS
};

enum { MAX_OPEN_SOCKETS = 64 }; /* of each kind */

struct open_sockets {
    struct socket_list {
        int fds[MAX_OPEN_SOCKETS];
        size_t num;
    } of[NUM_SOCKET_KINDS];
};

/* open_sockets_find examines all descriptors of this process. Call it while /proc can be read, and
 * before other threads start. Returns false if there are more than MAX_OPEN_SOCKETS of a kind. */
bool open_sockets_find(struct open_sockets *sockets);

#endif
