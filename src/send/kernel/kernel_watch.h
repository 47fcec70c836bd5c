/*
 * kernel_watch.h - --kernel: a separate process asks the kernel of this host about the sockets of
 * its nodes (kernel_loop.h). This one reads its records: how much waits in which kernel, for which
 * process, and why.
 */
#ifndef SRC_KERNEL_WATCH_H
#define SRC_KERNEL_WATCH_H

#include <distsniff/event.h>
#include <distsniff/tcp_stats.h>

struct kernel_watch;

struct kernel_watch_config {
    const char *user; /* that root becomes, NULL: root stays */
    bool is_confined;
    bool may_name;    /* may report names of processes, containers and pods */
    void (*on_socket)(void *context, const struct ds_addr addr[2], const uint16_t port[2],
                      const struct ds_socket *socket);
    void *context;
};

/* kernel_watch_start starts the process, and waits until it knows what it may read. Call it before
 * anything is open, and before there are threads. NULL after an error message. */
struct kernel_watch *kernel_watch_start(const struct kernel_watch_config *config);

/* kernel_watch_look reads the records that have arrived. It does not wait. */
void kernel_watch_look(struct kernel_watch *watch);

/* kernel_watch_end ends the process. NULL is allowed. */
void kernel_watch_end(struct kernel_watch *watch);

#endif
