/*
 * kernel_watch.c - see kernel_watch.h.
 */
#include "send/kernel/kernel_watch.h"

#include "core/complain.h"
#include "privsep/own_process.h"
#include "privsep/privileges.h"
#include "privsep/side_process.h"
#include "send/kernel/kernel_loop.h"
#include "send/kernel/kernel_report.h"

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
static bool is_sound(struct kernel_report *report)
{
    struct ds_socket *socket = &report->socket;
    make_plain(socket->process, sizeof socket->process);
    make_plain(socket->container, sizeof socket->container);
    make_plain(socket->pod, sizeof socket->pod);
    return report->kind < KERNEL_REPORT_KIND_COUNT && report->lacks <= KERNEL_LACKS_ALL;
}

/* print_lacks prints in one line what cannot be read. */
static void print_lacks(unsigned lacks)
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

static void print_failed(const struct kernel_report *report)
{
    complain("--kernel: the kernel does not list its sockets: %s",
             report->error != 0 ? strerror(report->error) : "its answer has another form");
}

void kernel_watch_look(struct kernel_watch *w)
{
    struct kernel_report report;
    for (int i = 0; i < MOST_AT_ONCE && w->process.told_fd >= 0; i++) {
        const ssize_t len = read(w->process.told_fd, &report, sizeof report);
        if (len < 0)
            return; /* no more records */
        if (len != (ssize_t)sizeof report || !is_sound(&report)) {
            complain("--kernel: the process that asks the kernel has exited: it is not asked again");
            side_process_close(&w->process);
        } else if (report.kind == KERNEL_REPORT_SOCKET) {
            w->config.on_socket(w->config.context, report.addr, report.port, &report.socket);
        } else if (report.kind == KERNEL_REPORT_FULL) {
            complain("--kernel: nodes are in more than %d network namespaces: sockets of the others stay "
                     "unknown",
                     KERNEL_MAX_SPACES);
        } else if (report.kind == KERNEL_REPORT_FAILED) {
            print_failed(&report);
            side_process_close(&w->process);
        }
    }
}

/* is_ready waits until it is known what may be read. */
static bool is_ready(struct kernel_watch *w)
{
    struct kernel_report report;
    if (!side_process_wait(&w->process))
        return true;
    if (read(w->process.told_fd, &report, sizeof report) != (ssize_t)sizeof report || !is_sound(&report))
        return false; /* it has printed the reason */
    if (report.kind == KERNEL_REPORT_READY)
        print_lacks(report.lacks);
    else
        print_failed(&report);
    return report.kind == KERNEL_REPORT_READY;
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
