/*
 * kernel_loop.h - the process that asks the kernel about the sockets of nodes, twice a second and more, in
 * each network namespace that a node or EPMD of this host is in. It sees no packet. What it keeps are the
 * rights to read of other processes which sockets are theirs, and to enter their network namespaces.
 */
#ifndef SRC_KERNEL_LOOP_H
#define SRC_KERNEL_LOOP_H

#include <stdbool.h>

struct kernel_loop_config {
    bool is_confined;
    bool may_name; /* processes, containers and pods */
    int alive_fd;  /* has its end once nobody wants to know any more */
    int told_fd;   /* takes struct kernel_told; it is not waited for */
};

/* kernel_loop_run returns once the end is wanted, or where the kernel does not answer at all. */
void kernel_loop_run(const struct kernel_loop_config *config);

#endif
