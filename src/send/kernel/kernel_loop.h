/*
 * kernel_loop.h - the process that asks the kernel about the sockets of nodes, more than twice a
 * second, in each network namespace that a node or EPMD of this host is in. It sees no packet. The
 * rights that it keeps are to read which sockets other processes have, and to enter their network
 * namespaces.
 */
#ifndef SRC_KERNEL_LOOP_H
#define SRC_KERNEL_LOOP_H

#include <stdbool.h>

struct kernel_loop_config {
    bool is_confined;
    bool may_name; /* may report names of processes, containers and pods */
    int alive_fd;  /* at its end of file the loop ends */
    int told_fd;   /* receives struct kernel_report; never waited for */
};

/* kernel_loop_run returns at the end of alive_fd, or if the kernel does not answer at all. */
void kernel_loop_run(const struct kernel_loop_config *config);

#endif
