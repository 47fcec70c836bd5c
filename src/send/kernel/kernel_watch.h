/*
 * kernel_watch.h - --kernel: a process of its own asks the kernel of this host about the sockets of its
 * nodes (kernel_loop.h). This one takes what it tells: how much waits in which kernel, for whom, and why.
 */
#ifndef SRC_KERNEL_WATCH_H
#define SRC_KERNEL_WATCH_H

#include <distsniff/event.h>
#include <distsniff/tcp_stats.h>

struct kernel_watch;

struct kernel_watch_config {
    const char *user; /* that root becomes, NULL: nobody */
    bool is_confined;
    bool may_name;    /* processes, containers and pods */
    void (*on_socket)(void *context, const struct ds_addr addr[2], const uint16_t port[2],
                      const struct ds_socket *socket);
    void *context;
};

/* kernel_watch_start starts the process, and waits until it knows what it may ask. To be called before
 * anything is open, and before there are threads. NULL after a complaint. */
struct kernel_watch *kernel_watch_start(const struct kernel_watch_config *config);

/* kernel_watch_look takes what was told meanwhile. It does not wait. */
void kernel_watch_look(struct kernel_watch *watch);

/* kernel_watch_end ends the process. NULL is allowed. */
void kernel_watch_end(struct kernel_watch *watch);

#endif
