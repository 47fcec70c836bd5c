/*
 * kernel_told.h - the records that the process that asks the kernel (kernel_loop.h) sends to the
 * one that looks at packets (kernel_watch.h): all of one size, which a pipe writes atomically.
 */
#ifndef SRC_KERNEL_TOLD_H
#define SRC_KERNEL_TOLD_H

#include <distsniff/event.h>
#include <distsniff/tcp_stats.h>
#include <limits.h>

enum kernel_told_kind {
    KERNEL_TOLD_READY,   /* the access it has is known: lacks says what it lacks */
    KERNEL_TOLD_SOCKET,  /* addr[0] and port[0] are the local ones */
    KERNEL_TOLD_FULL,    /* there are more network namespaces than KERNEL_MAX_SPACES */
    KERNEL_TOLD_FAILED,  /* the kernel does not answer: error is an errno */
    KERNEL_TOLD_KIND_COUNT
};

enum { KERNEL_MAX_SPACES = 64 }; /* network namespaces in which it asks */

/* Access that it lacks. */
enum { KERNEL_LACKS_SPACES = 1, KERNEL_LACKS_PROCESSES = 2, KERNEL_LACKS_ALL = 3 };

struct kernel_told {
    uint8_t kind, lacks;
    uint16_t port[2];
    int32_t error;
    struct ds_addr addr[2];
    struct ds_socket socket;
};
_Static_assert(sizeof(struct kernel_told) <= PIPE_BUF, "a pipe takes it whole");

#endif
