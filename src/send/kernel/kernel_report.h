/*
 * kernel_report.h - the records that the process that asks the kernel (kernel_loop.h) sends to the
 * one that looks at packets (kernel_watch.h): all of one size, which a pipe writes atomically.
 */
#ifndef SRC_KERNEL_REPORT_H
#define SRC_KERNEL_REPORT_H

#include <distsniff/event.h>
#include <distsniff/tcp_stats.h>
#include <limits.h>

enum kernel_report_kind {
    KERNEL_REPORT_READY,   /* the access it has is known: lacks says what it lacks */
    KERNEL_REPORT_SOCKET,  /* addr[0] and port[0] are the local ones */
    KERNEL_REPORT_FULL,    /* there are more network namespaces than KERNEL_MAX_SPACES */
    KERNEL_REPORT_FAILED,  /* the kernel does not answer: error is an errno */
    KERNEL_REPORT_KIND_COUNT
};

enum { KERNEL_MAX_SPACES = 64 }; /* network namespaces in which it asks */

/* Access that it lacks. */
enum { KERNEL_LACKS_SPACES = 1, KERNEL_LACKS_PROCESSES = 2, KERNEL_LACKS_ALL = 3 };

struct kernel_report {
    uint8_t kind, lacks;
    uint16_t port[2];
    int32_t error;
    struct ds_addr addr[2];
    struct ds_socket socket;
};
_Static_assert(sizeof(struct kernel_report) <= PIPE_BUF, "a pipe takes it whole");

#endif
