/*
 * kernel_watch.c - see kernel_watch.h.
 */
#include "send/kernel/kernel_watch.h"

#include "core/complain.h"
#include "privsep/own_process.h"
#include "privsep/privileges.h"
#include "privsep/side_process.h"
#include "send/kernel/kernel_loop.h"
#include "send/kernel/kernel_told.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_AT_ONCE = 16384, PIPE_SIZE = 1024 * 1024 };

struct kernel_watch {
    struct kernel_watch_config config;
    struct side_process process;
};

static void run(void *context, int alive_fd, int told_fd)
{
    const struct kernel_watch *w = context;
    const struct kernel_loop_config config = {
        .is_confined = w->config.is_confined,
        .may_name = w->config.may_name,
        .alive_fd = alive_fd,
        .told_fd = told_fd,
    };
    (void)fcntl(told_fd, F_SETFL, O_NONBLOCK);
#ifdef F_SETPIPE_SZ
    (void)fcntl(told_fd, F_SETPIPE_SZ, PIPE_SIZE); /* room for a round of many sockets */
#endif
    if (!privileges_return() || !privileges_keep_for_kernel(w->config.user))
        _exit(EXIT_FAILURE);
    (void)own_process_hide();
    kernel_loop_run(&config);
    _exit(EXIT_SUCCESS);
}

/* make_plain replaces characters: a process chooses its name itself. */
static void make_plain(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text != '\0'; text++)
        *text = *text > ' ' && *text < 0x7f ? *text : '?';
}

/* is_sound validates a record: the other process is not trusted either. */
static bool is_sound(struct kernel_told *told)
{
    struct ds_socket *socket = &told->socket;
    make_plain(socket->process, sizeof socket->process);
    make_plain(socket->container, sizeof socket->container);
    make_plain(socket->pod, sizeof socket->pod);
    return told->kind < KERNEL_TOLD_KIND_COUNT && told->lacks <= KERNEL_LACKS_ALL;
}

/* say_lacks prints in one line what cannot be read. */
static void say_lacks(unsigned lacks)
{
    if (lacks == 0)
        return;
    complain("--kernel: no right to %s: %s; run it as root (CAP_SYS_ADMIN, "
             "CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH)",
             lacks == KERNEL_LACKS_SPACES      ? "enter the network namespaces of other processes"
             : lacks == KERNEL_LACKS_PROCESSES ? "read which sockets are whose"
                                               : "look at other processes",
             (lacks & KERNEL_LACKS_SPACES) != 0 ? "sockets of containers stay unknown"
                                                : "sockets have no process, container and pod");
}

static void say_failed(const struct kernel_told *told)
{
    complain("--kernel: the kernel does not tell of its sockets: %s",
             told->error != 0 ? strerror(told->error) : "its answer has another form");
}

void kernel_watch_look(struct kernel_watch *w)
{
    struct kernel_told told;
    for (int i = 0; i < MOST_AT_ONCE && w->process.told_fd >= 0; i++) {
        const ssize_t len = read(w->process.told_fd, &told, sizeof told);
        if (len < 0)
            return; /* no more records */
        if (len != (ssize_t)sizeof told || !is_sound(&told)) {
            complain("--kernel: the process that asks the kernel has exited: it is not asked again");
            side_process_close(&w->process);
        } else if (told.kind == KERNEL_TOLD_SOCKET) {
            w->config.on_socket(w->config.context, told.addr, told.port, &told.socket);
        } else if (told.kind == KERNEL_TOLD_FULL) {
            complain("--kernel: nodes are in more than %d network namespaces: sockets of the others stay "
                     "unknown",
                     KERNEL_MAX_SPACES);
        } else if (told.kind == KERNEL_TOLD_FAILED) {
            say_failed(&told);
            side_process_close(&w->process);
        }
    }
}

/* is_ready waits until it is known what may be read. */
static bool is_ready(struct kernel_watch *w)
{
    struct kernel_told told;
    if (!side_process_wait(&w->process))
        return true;
    if (read(w->process.told_fd, &told, sizeof told) != (ssize_t)sizeof told || !is_sound(&told))
        return false; /* it has printed the reason */
    if (told.kind == KERNEL_TOLD_READY)
        say_lacks(told.lacks);
    else
        say_failed(&told);
    return told.kind == KERNEL_TOLD_READY;
}

struct kernel_watch *kernel_watch_start(const struct kernel_watch_config *config)
{
    struct kernel_watch *w = calloc(1, sizeof *w);
    if (w == NULL) {
        complain("out of memory");
        return NULL;
    }
    w->config = *config;
    if (!side_process_start(&w->process, run, w))
        complain("cannot start the process that asks the kernel: %s", strerror(errno));
    else if (is_ready(w))
        return w;
    kernel_watch_end(w);
    return NULL;
}

void kernel_watch_end(struct kernel_watch *w)
{
    if (w == NULL)
        return;
    side_process_end(&w->process);
    free(w);
}
