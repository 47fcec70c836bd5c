/*
 * kernel_loop.c - see kernel_loop.h. The process enters each namespace once, to open a socket that
 * stays in it; then it returns to its own.
 */
#include "send/kernel/kernel_loop.h"

#ifdef __linux__

#include "core/clock.h"
#include "privsep/sandbox.h"
#include "send/kernel/host_processes.h"
#include "send/kernel/kernel_report.h"
#include "send/kernel/sock_diag.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    EVERY_MS = 400, /* so an answer arrives before a stall is reported, after a second */
    SCAN_EVERY = 5, /* rounds between scans of /proc */
    MAX_SPACES = KERNEL_MAX_SPACES,
    MAX_REPORTED = 8192,  /* sockets per round */
    ANSWER_LEN = 64 * 1024,
    MOST_ANSWERS = 4096, /* to one request */
    PATIENCE_MS = 500, /* for an answer of the kernel */
};
#define PROC "/proc"
#define PODS "/var/log/pods"

/* space is a network namespace. */
struct space {
    uint64_t number; /* 0: free */
    int fd;          /* its sock_diag socket */
    bool is_own, is_used;
};

struct kernel_loop {
    const struct kernel_loop_config *config;
    struct host_processes processes;
    struct space spaces[MAX_SPACES];
    int own_fd; /* its own namespace; -1: it could not return to it, so it enters no other */
    uint8_t lacks;
    size_t num_reported; /* in this round */
    int64_t now_ns;  /* since 1970 */
    int error;
    bool is_ready; /* its access was reported */
    bool is_full;  /* too many namespaces were reported */
    bool is_over;
};

static void send_report(struct kernel_loop *l, const struct kernel_report *report)
{
    if (write(l->config->told_fd, report, sizeof *report) < 0 && errno != EAGAIN && errno != EINTR)
        l->is_over = true;
}

static int ask_socket(void)
{
    const struct timeval patience = {.tv_usec = PATIENCE_MS * 1000};
    const int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd >= 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

/* enter returns a socket in the namespace of a process. -1, with errno set, if access is denied. */
static int enter(const struct kernel_loop *l, uint32_t pid)
{
    char path[64];
    snprintf(path, sizeof path, PROC "/%u/ns/net", pid);
    errno = EACCES; /* without own_fd it could not return */
    const int space_fd = l->own_fd >= 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    int fd = -1, error = errno;
    if (space_fd >= 0 && setns(space_fd, CLONE_NEWNET) == 0) {
        fd = ask_socket();
        error = errno;
        if (setns(l->own_fd, CLONE_NEWNET) != 0)
            _exit(1); /* otherwise it would ask in the wrong namespace from now on */
    } else {
        error = errno;
    }
    if (space_fd >= 0)
        close(space_fd);
    errno = error;
    return fd;
}

static struct space *find_space(struct kernel_loop *l, uint64_t number)
{
    for (size_t i = 0; i < MAX_SPACES; i++) {
        if (l->spaces[i].number == number)
            return &l->spaces[i];
    }
    return NULL;
}

/* report_full reports, once, that there are more namespaces than it can enter. */
static void report_full(struct kernel_loop *l)
{
    const struct kernel_report report = {.kind = KERNEL_REPORT_FULL};
    if (!l->is_full && l->is_ready)
        send_report(l, &report);
    l->is_full |= l->is_ready;
}

/* find_spaces enters new namespaces, and leaves those that no node uses any more. */
static void find_spaces(struct kernel_loop *l)
{
    for (size_t i = 0; i < MAX_SPACES; i++)
        l->spaces[i].is_used = l->spaces[i].is_own;
    l->lacks = l->processes.num_refused != 0 ? KERNEL_LACKS_PROCESSES : 0;
    for (size_t i = 0; i < l->processes.num; i++) {
        const struct host_process *process = &l->processes.process[i];
        struct space *space = process->space != 0 ? find_space(l, process->space) : NULL;
        if (process->space == 0)
            l->lacks |= KERNEL_LACKS_SPACES | KERNEL_LACKS_PROCESSES;
        if (process->space != 0 && space == NULL && (space = find_space(l, 0)) != NULL) {
            const int fd = enter(l, process->pid);
            if (fd < 0 && (errno == EPERM || errno == EACCES))
                l->lacks |= KERNEL_LACKS_SPACES;
            *space = (struct space){.number = fd >= 0 ? process->space : 0, .fd = fd};
        }
        if (space != NULL)
            space->is_used = true;
        else if (process->space != 0)
            report_full(l);
    }
    for (size_t i = 0; i < MAX_SPACES; i++) {
        struct space *space = &l->spaces[i];
        if (space->number != 0 && !space->is_used) {
            close(space->fd);
            *space = (struct space){.number = 0};
        }
    }
}

/* report_socket reports a socket if a node owns it, or any socket if access to the owners is denied. */
static void report_socket(void *context, const struct diag_socket *socket)
{
    struct kernel_loop *l = context;
    const struct host_process *process = host_processes_of(&l->processes, socket->inode);
    if ((process == NULL && (l->lacks & KERNEL_LACKS_PROCESSES) == 0) || l->num_reported >= MAX_REPORTED)
        return;
    struct kernel_report report = {.kind = KERNEL_REPORT_SOCKET, .socket = socket->facts};
    l->num_reported++;
    memcpy(report.addr, socket->addr, sizeof report.addr);
    memcpy(report.port, socket->port, sizeof report.port);
    report.socket.asked_ns = l->now_ns;
    if (process != NULL && l->config->may_name) {
        report.socket.pid = process->pid;
        memcpy(report.socket.process, process->name, sizeof report.socket.process);
        memcpy(report.socket.container, process->container, sizeof report.socket.container);
        memcpy(report.socket.pod, process->pod, sizeof report.socket.pod);
    }
    send_report(l, &report);
}

/* receive reads an answer of the kernel. -1 and EBADMSG: another process has sent it, as one with
 * rights in its own namespace may. */
static ssize_t receive(int fd, char answer[ANSWER_LEN])
{
    struct sockaddr_nl from = {.nl_pid = 1};
    socklen_t from_len = sizeof from;
    const ssize_t len = recvfrom(fd, answer, ANSWER_LEN, 0, (struct sockaddr *)&from, &from_len);
    if (len >= 0 && (from_len != sizeof from || from.nl_family != AF_NETLINK || from.nl_pid != 0)) {
        errno = EBADMSG;
        return -1;
    }
    return len;
}

/* ask_family requests all sockets of an address family, and reads the answers. False: the kernel
 * does not answer. */
static bool ask_family(struct kernel_loop *l, int fd, int family)
{
    static char answer[ANSWER_LEN];
    uint8_t question[SOCK_DIAG_QUESTION];
    enum sock_diag_end end = SOCK_DIAG_MORE;
    for (int num = 0; num < MOST_ANSWERS && recv(fd, answer, sizeof answer, MSG_DONTWAIT) > 0; num++)
        ; /* answers to a request that timed out */
    sock_diag_ask(family, question);
    if (send(fd, question, sizeof question, 0) != (ssize_t)sizeof question) {
        l->error = errno;
        return false;
    }
    for (int num = 0; end == SOCK_DIAG_MORE && num < MOST_ANSWERS; num++) {
        const ssize_t len = receive(fd, answer);
        if (len < 0 && (errno == EINTR || errno == EBADMSG))
            continue;
        l->error = len < 0 ? errno : 0;
        if (len <= 0)
            return false;
        end = sock_diag_read((struct ds_text){answer, (size_t)len}, report_socket, l, &l->error);
    }
    return end == SOCK_DIAG_DONE;
}

/* ask_all asks in all namespaces. A kernel without IPv6 has no IPv6 sockets. */
static bool ask_all(struct kernel_loop *l)
{
    bool is_answered = false;
    l->num_reported = 0;
    l->now_ns = clock_since_1970_ns();
    for (size_t i = 0; i < MAX_SPACES && !l->is_over; i++) {
        if (l->spaces[i].number == 0)
            continue;
        is_answered |= ask_family(l, l->spaces[i].fd, AF_INET);
        (void)ask_family(l, l->spaces[i].fd, AF_INET6);
    }
    return is_answered;
}

static uint64_t own_space(void)
{
    char to[64];
    const ssize_t len = readlink(PROC "/self/ns/net", to, sizeof to - 1);
    unsigned long long number = 0;
    to[len > 0 ? len : 0] = '\0';
    return sscanf(to, "net:[%llu]", &number) == 1 ? number : UINT64_MAX;
}

/* begin enters the namespaces that it can, and reports what access it lacks. False if the kernel
 * does not answer at all. */
static bool begin(struct kernel_loop *l)
{
    l->own_fd = open(PROC "/self/ns/net", O_RDONLY | O_CLOEXEC);
    const int fd = ask_socket();
    struct kernel_report report = {.kind = KERNEL_REPORT_READY};
    if (fd < 0) {
        report = (struct kernel_report){.kind = KERNEL_REPORT_FAILED, .error = errno};
        send_report(l, &report);
        return false;
    }
    l->spaces[0] = (struct space){.number = own_space(), .fd = fd, .is_own = true};
    if (l->config->is_confined)
        sandbox_confine_kernel_asker();
    host_processes_scan(&l->processes, PROC, PODS);
    find_spaces(l);
    report.lacks = l->lacks;
    send_report(l, &report);
    l->is_ready = true;
    find_spaces(l); /* again, to send_report of those for which there is no room */
    if (!ask_all(l)) {
        report = (struct kernel_report){.kind = KERNEL_REPORT_FAILED, .error = l->error};
        send_report(l, &report);
        return false;
    }
    return true;
}

void kernel_loop_run(const struct kernel_loop_config *config)
{
    static struct kernel_loop loop;
    struct kernel_loop *l = &loop;
    *l = (struct kernel_loop){.config = config};
    host_processes_init(&l->processes);
    if (!begin(l))
        return;
    for (unsigned round = 1; !l->is_over; round++) {
        struct pollfd alive = {config->alive_fd, POLLIN, 0};
        if (poll(&alive, 1, EVERY_MS) > 0)
            break;
        if (round % SCAN_EVERY == 0) {
            host_processes_scan(&l->processes, PROC, PODS);
            find_spaces(l);
        }
        (void)ask_all(l);
    }
    host_processes_free(&l->processes);
}

#else

#include "send/kernel/kernel_report.h"

#include <errno.h>
#include <unistd.h>

void kernel_loop_run(const struct kernel_loop_config *config)
{
    const struct kernel_report report = {.kind = KERNEL_REPORT_FAILED, .error = ENOSYS};
    if (write(config->told_fd, &report, sizeof report) < 0)
        return; /* no process to report to */
}

#endif
