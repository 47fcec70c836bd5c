/*
 * test_socket_filter.c - an attacker who controls the capturing process has its packet sockets, and
 * the one to its helper. The test tries what can be done with them, behind the filter of a capture
 * and without it. The sockets are real: this needs root and a network namespace.
 */
#include "privsep/call_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    ETH_P_NONE = 0,
    FRAME_LEN = 60,
    MOST = CALLS_ALWAYS | CALLS_LIVE | CALLS_WIDENS | CALLS_SERVE | CALLS_SCREEN,
};

/* The descriptors of the process: all below are set before the filter is. */
static struct {
    int packets[2]; /* most attempts use the first one */
    int local[2];   /* a pair: to the helper, and the helper's end */
    int pipe[2];
    int server, plain; /* TCP: a listening socket, and one that is connected to it */
} held;
static unsigned char frame[FRAME_LEN];
static const int one = 1;

/* The low half of a register is the descriptor; the high half is not 0. */
static long with_high_half(int fd)
{
    return (long)((unsigned long)(unsigned)fd | 0xabcdUL << 32);
}

static int listen_on_loopback(void)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof addr;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    held.plain = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (bind(fd, (struct sockaddr *)&addr, sizeof addr) != 0 || listen(fd, 4) != 0 ||
        getsockname(fd, (struct sockaddr *)&addr, &len) != 0)
        return -1;
    (void)connect(held.plain, (struct sockaddr *)&addr, sizeof addr);
    return fd;
}

static int open_packets(void)
{
    struct sockaddr_ll addr = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex("lo")};
    const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, ETH_P_NONE);
    return fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof addr) == 0 ? fd : -1;
}

/* leave_network moves this program to a network namespace of its own. Returns false without the
 * right to do so. */
static bool leave_network(void)
{
    static bool has_left;
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    if (has_left || unshare(CLONE_NEWNET) != 0)
        return has_left;
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    has_left = ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    close(fd);
    return has_left;
}

/* prepare opens the descriptors. Returns false without the rights for them. */
static bool prepare(void)
{
    held.packets[0] = open_packets();
    held.server = listen_on_loopback();
    held.packets[1] = open_packets();
    return held.packets[0] >= 0 && held.packets[1] >= 0 && held.server >= 0 && held.plain >= 0 &&
           socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, held.local) == 0 &&
           pipe2(held.pipe, O_NONBLOCK) == 0 && write(held.pipe[1], frame, FRAME_LEN) == FRAME_LEN;
}

static bool enter(unsigned sets)
{
    struct open_sockets sockets;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && open_sockets_find(&sockets) &&
           call_filter_enter(sets, &sockets);
}

static long send_message(int fd, int passed)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {frame, FRAME_LEN};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (passed >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        control.header = (struct cmsghdr){CMSG_LEN(sizeof passed), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &passed, sizeof passed);
    }
    return sendmsg(fd, &message, 0);
}

static long attach(int fd, int option)
{
    struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, 65535)};
    struct sock_fprog program = {1, all};
    return setsockopt(fd, SOL_SOCKET, option, &program, sizeof program);
}

static long ask_option(int fd, int level, int option)
{
    char value[256];
    socklen_t len = option == PACKET_STATISTICS && level == SOL_PACKET ? sizeof(struct tpacket_stats)
                                                                       : sizeof value;
    return getsockopt(fd, level, option, value, &len);
}

/* Attempts: a name, and a call on the packet socket P, or on the helper's socket L. */
#define P held.packets[0]
#define L held.local[0]
#define TRY(name, ...)                                                                             \
    static long try_##name(void)                                                                   \
    {                                                                                              \
        return (long)(__VA_ARGS__);                                                                \
    }
static struct iovec one_part = {frame, FRAME_LEN};
static struct tpacket_req ring = {4096, 1, 2048, 2};
TRY(write, write(P, frame, FRAME_LEN))
TRY(write_by_low_half, syscall(SYS_write, with_high_half(P), frame, FRAME_LEN))
TRY(write_to_second, write(held.packets[1], frame, FRAME_LEN))
TRY(writev, writev(P, &one_part, 1))
TRY(pwrite, pwrite(P, frame, FRAME_LEN, 0))
TRY(sendto, send(P, frame, FRAME_LEN, 0))
TRY(sendmsg, send_message(P, -1))
TRY(sendmsg_by_low_half, syscall(SYS_sendmsg, with_high_half(held.packets[1]), NULL, 0))
TRY(dup, dup(P))
TRY(dup_by_low_half, syscall(SYS_dup, with_high_half(P)))
TRY(dup2, dup2(P, 200))
TRY(dup3, dup3(P, 200, O_CLOEXEC))
TRY(fcntl_dup, fcntl(P, F_DUPFD, 100))
TRY(fcntl_dup_cloexec, fcntl(held.packets[1], F_DUPFD_CLOEXEC, 100))
TRY(fcntl_async, fcntl(P, F_SETFL, O_NONBLOCK | O_ASYNC))
TRY(map, mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, P, 0) == MAP_FAILED ? -1 : 0)
TRY(accept, syscall(SYS_accept4, P, NULL, NULL, 0))
#ifdef SYS_accept
TRY(accept_as_before, syscall(SYS_accept, P, NULL, NULL))
TRY(accept_local_as_before, syscall(SYS_accept, L, NULL, NULL))
#endif
TRY(attach_to_local, attach(L, SO_ATTACH_FILTER))
TRY(shutdown, shutdown(P, SHUT_RD))
TRY(detach, setsockopt(P, SOL_SOCKET, SO_DETACH_FILTER, &one, sizeof one))
TRY(lock, setsockopt(P, SOL_SOCKET, SO_LOCK_FILTER, &one, sizeof one))
TRY(attach_bpf, attach(P, SO_ATTACH_BPF))
TRY(send_ring, setsockopt(P, SOL_PACKET, PACKET_TX_RING, &ring, sizeof ring))
TRY(same_number_elsewhere, setsockopt(P, SOL_PACKET, SO_ATTACH_FILTER, &one, sizeof one))
TRY(receive_ring, setsockopt(P, SOL_PACKET, PACKET_RX_RING, &ring, sizeof ring))
TRY(ask_type, ask_option(P, SOL_SOCKET, SO_TYPE))
TRY(ask_same_number_elsewhere, ask_option(P, SOL_SOCKET, PACKET_STATISTICS)) /* SO_BROADCAST */
TRY(bind, bind(P, (const struct sockaddr *)&(struct sockaddr_ll){.sll_family = AF_PACKET},
               sizeof(struct sockaddr_ll)))
TRY(connect, connect(held.plain, (const struct sockaddr *)&(struct sockaddr){.sa_family = AF_UNSPEC},
                     sizeof(struct sockaddr)))
TRY(set_flags, ioctl(P, SIOCSIFFLAGS, &(struct ifreq){.ifr_name = "lo", .ifr_flags = IFF_UP}))
TRY(pass, send_message(L, P))
TRY(pass_nothing, send_message(L, -1))
TRY(address_others, sendto(L, frame, 1, 0, NULL, 0))
TRY(accept_local, syscall(SYS_accept4, L, NULL, NULL, 0))
TRY(option_of_local, setsockopt(L, SOL_SOCKET, SO_PASSCRED, &one, sizeof one))
TRY(sendmmsg, syscall(SYS_sendmmsg, P, NULL, 0, 0))
TRY(splice, splice(held.pipe[0], NULL, P, NULL, FRAME_LEN, SPLICE_F_NONBLOCK))
TRY(tee, tee(held.pipe[0], held.pipe[1], 1, SPLICE_F_NONBLOCK) < 0 && errno == EINVAL ? 0 : errno == EPERM ? -1 : 0)
TRY(vmsplice, vmsplice(held.pipe[1], &one_part, 1, SPLICE_F_NONBLOCK))
TRY(sendfile, syscall(SYS_sendfile, P, held.pipe[0], NULL, 1))
TRY(pwritev, pwritev(P, &one_part, 1, 0))
TRY(new_socket, socket(AF_PACKET, SOCK_RAW, 0))
TRY(new_pair, socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0}))
TRY(io_uring, syscall(SYS_io_uring_setup, 1, (char[256]){0}))
TRY(pidfd_open, syscall(SYS_pidfd_open, getpid(), 0))
TRY(pidfd_getfd, syscall(SYS_pidfd_getfd, held.pipe[0], P, 0) < 0 && errno == EPERM ? -1 : 0)
TRY(process_vm, syscall(SYS_process_vm_writev, getppid(), &one_part, 1, &one_part, 0, 0))
TRY(ptrace, syscall(SYS_ptrace, 0, 0, 0, 0)) /* PTRACE_TRACEME */
TRY(dumpable, prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
TRY(no_other_prctl, prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0))
TRY(attach, attach(P, SO_ATTACH_FILTER))

/* What a capture needs. */
static struct pollfd polled;
TRY(ask_statistics, ask_option(P, SOL_PACKET, PACKET_STATISTICS))
TRY(ask_error, ask_option(held.packets[1], SOL_SOCKET, SO_ERROR))
TRY(ask_flags, ioctl(P, SIOCGIFFLAGS, &(struct ifreq){.ifr_name = "lo"}))
TRY(poll, (polled.fd = P, poll(&polled, 1, 0)))
TRY(receive, recv(P, frame, 1, MSG_DONTWAIT) < 0 && errno != EAGAIN ? -1 : 0)
TRY(ask_helper, write(L, frame, 1))
TRY(write_to_pipe, write(held.pipe[1], frame, 1))
TRY(dup_of_pipe, dup(held.pipe[0]))
TRY(not_dumpable, prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
TRY(serve, send(held.plain, frame, 1, MSG_NOSIGNAL))
TRY(serve_message, send_message(held.plain, -1))
TRY(serve_option, setsockopt(held.plain, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one))
TRY(serve_accept, accept4(held.server, NULL, NULL, 0))
#undef P
#undef L

/* The result of an attempt without the filter: FAILS, but not for lack of rights. EITHER: that
 * depends on the machine, which may not have the call, or refuse it to all. */
enum outside { WORKS, FAILS, EITHER };

struct attempt {
    const char *name;
    long (*call)(void);
    unsigned sets; /* of the filter's system calls */
    enum outside outside;
};
#define ATTEMPT(name, sets, outside) {#name, try_##name, sets, outside}

static const struct attempt refused[] = {
    ATTEMPT(write, MOST, WORKS),
    ATTEMPT(write_by_low_half, MOST, WORKS),
    ATTEMPT(write_to_second, MOST, WORKS),
    ATTEMPT(writev, MOST, WORKS),
    ATTEMPT(pwrite, MOST, FAILS),
    ATTEMPT(sendto, MOST, WORKS),
    ATTEMPT(sendmsg, MOST, WORKS),
    ATTEMPT(sendmsg_by_low_half, MOST, FAILS),
    ATTEMPT(dup, MOST, WORKS),
    ATTEMPT(dup_by_low_half, MOST, WORKS),
    ATTEMPT(dup2, MOST, WORKS),
    ATTEMPT(dup3, MOST, WORKS),
    ATTEMPT(fcntl_dup, MOST, WORKS),
    ATTEMPT(fcntl_dup_cloexec, MOST, WORKS),
    ATTEMPT(fcntl_async, MOST, WORKS),
    ATTEMPT(map, MOST, FAILS),
    ATTEMPT(accept, MOST, FAILS),
#ifdef SYS_accept
    ATTEMPT(accept_as_before, MOST, FAILS),
    ATTEMPT(accept_local_as_before, MOST, FAILS),
#endif
    ATTEMPT(attach_to_local, MOST, WORKS),
    ATTEMPT(shutdown, MOST, FAILS),
    ATTEMPT(detach, MOST, FAILS),
    ATTEMPT(lock, MOST, WORKS),
    ATTEMPT(attach_bpf, MOST, FAILS),
    ATTEMPT(send_ring, MOST, WORKS),
    ATTEMPT(same_number_elsewhere, MOST, FAILS),
    ATTEMPT(receive_ring, CALLS_ALWAYS | CALLS_LIVE, WORKS),
    ATTEMPT(receive_ring, MOST, WORKS),
    ATTEMPT(ask_type, MOST, WORKS),
    ATTEMPT(ask_same_number_elsewhere, MOST, WORKS),
    ATTEMPT(bind, MOST, WORKS),
    ATTEMPT(connect, MOST, WORKS),
    ATTEMPT(set_flags, MOST, WORKS),
    ATTEMPT(pass, MOST, WORKS),
    ATTEMPT(pass_nothing, MOST, WORKS),
    ATTEMPT(address_others, MOST, WORKS),
    ATTEMPT(accept_local, MOST, FAILS),
    ATTEMPT(option_of_local, MOST, WORKS),
    ATTEMPT(sendmmsg, MOST, WORKS),
    ATTEMPT(splice, MOST, WORKS),
    ATTEMPT(tee, MOST, WORKS),
    ATTEMPT(vmsplice, MOST, WORKS),
    ATTEMPT(sendfile, MOST, FAILS),
    ATTEMPT(pwritev, MOST, FAILS),
    ATTEMPT(new_socket, MOST, WORKS),
    ATTEMPT(new_pair, MOST, WORKS),
    ATTEMPT(io_uring, MOST, EITHER),
    ATTEMPT(pidfd_open, MOST, EITHER),
    ATTEMPT(pidfd_getfd, MOST, EITHER),
    ATTEMPT(process_vm, MOST, EITHER),
    ATTEMPT(ptrace, MOST, EITHER),
    ATTEMPT(dumpable, MOST, WORKS),
    ATTEMPT(no_other_prctl, MOST, WORKS),
    /* What other processes need, tried in a process that does not. */
    ATTEMPT(attach, CALLS_ALWAYS | CALLS_LIVE, WORKS),
    ATTEMPT(attach, CALLS_ALWAYS | CALLS_LIVE | CALLS_SERVE, WORKS),
    ATTEMPT(ask_statistics, CALLS_ALWAYS, WORKS),
    ATTEMPT(ask_flags, CALLS_ALWAYS, WORKS),
    ATTEMPT(serve, CALLS_ALWAYS | CALLS_LIVE | CALLS_WIDENS, WORKS),
    ATTEMPT(serve_message, CALLS_ALWAYS | CALLS_LIVE | CALLS_WIDENS, WORKS),
    ATTEMPT(serve_option, CALLS_ALWAYS | CALLS_LIVE | CALLS_WIDENS, WORKS),
};

static const struct attempt left[] = {
    ATTEMPT(attach, CALLS_ALWAYS | CALLS_LIVE | CALLS_WIDENS, WORKS),
    ATTEMPT(attach, MOST, WORKS),
    ATTEMPT(ask_statistics, CALLS_ALWAYS | CALLS_LIVE, WORKS),
    ATTEMPT(ask_statistics, MOST, WORKS),
    ATTEMPT(ask_error, CALLS_ALWAYS | CALLS_LIVE, WORKS),
    ATTEMPT(ask_flags, CALLS_ALWAYS | CALLS_LIVE, WORKS),
    ATTEMPT(poll, CALLS_ALWAYS | CALLS_LIVE, WORKS),
    ATTEMPT(receive, CALLS_ALWAYS | CALLS_LIVE, WORKS),
    ATTEMPT(ask_helper, CALLS_ALWAYS, WORKS),
    ATTEMPT(write_to_pipe, CALLS_ALWAYS, WORKS),
    ATTEMPT(dup_of_pipe, CALLS_ALWAYS, WORKS),
    ATTEMPT(not_dumpable, CALLS_ALWAYS, WORKS),
    ATTEMPT(serve, MOST, WORKS),
    ATTEMPT(serve_message, MOST, WORKS),
    ATTEMPT(serve_option, MOST, WORKS),
    ATTEMPT(serve_accept, MOST, WORKS),
};

enum verdict { WORKED, FAILED, LACKS_RIGHTS, CANNOT_BE_TRIED, HAS_NO_FILTER };

/* outcome runs an attempt in a process of its own; sets 0: without a filter. */
static enum verdict outcome(const struct attempt *attempt, unsigned sets)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);
        if (!prepare())
            _exit(CANNOT_BE_TRIED);
        if (sets != 0 && !enter(sets))
            _exit(HAS_NO_FILTER);
        errno = 0;
        _exit(attempt->call() >= 0 ? WORKED : errno == EPERM ? LACKS_RIGHTS : FAILED);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status))
        fail_msg("%s: the process ends by signal %d", attempt->name, WTERMSIG(status));
    return (enum verdict)WEXITSTATUS(status);
}

static void skip_without_rights(void)
{
    const struct attempt attempt = ATTEMPT(poll, 0, WORKS);
    if (!call_filter_is_built() || prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0 || !leave_network() ||
        outcome(&attempt, MOST) == CANNOT_BE_TRIED) {
        print_message("no right to open sockets for packets, or no seccomp\n");
        skip();
    }
}

static void nothing_goes_out_there(void **state)
{
    (void)state;
    skip_without_rights();
    size_t num_wrong = 0;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const struct attempt *attempt = &refused[i];
        const enum verdict outside = outcome(attempt, 0);
        const enum verdict inside = outcome(attempt, attempt->sets);
        const bool is_as_said = attempt->outside == EITHER ||
                                outside == (attempt->outside == WORKS ? WORKED : FAILED);
        if (is_as_said && inside == LACKS_RIGHTS)
            continue;
        print_error("%s, of %u: %d without the filter, %d behind it\n", attempt->name, attempt->sets,
                    outside, inside);
        num_wrong++;
    }
    assert_int_equal(num_wrong, 0);
}

static void what_is_needed_is_left(void **state)
{
    (void)state;
    skip_without_rights();
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        if (outcome(&left[i], left[i].sets) != WORKED)
            fail_msg("%s, of %u, does not work", left[i].name, left[i].sets);
    }
}

/* A new system call needs an entry here that says what it may do with a socket. */
static void each_call_is_in_the_table(void **state)
{
    (void)state;
    static const char *const told[] = {
#define REFUSED(kind, name, argument) #name,
#define OPTION(kind, name, when, level, option)
#define OPTION_FAILS(kind, name, when, level, option, error)
#define PASSES(name) #name,
#include "privsep/socket_calls.def"
    };
    enum { ALWAYS = 1, LIVE = 1, WIDENS = 1, SERVE = 1, SCREEN = 1, HELPER = 0, CLIENT = 0, ASK = 0,
           KERNEL = 0 };
    static const struct {
        const char *name;
        bool is_asked;
    } calls[] = {
#define CALL(name, when) {#name, when},
#define CALL_IF(name, when, ...) {#name, when},
#define CALL_IF_BOTH(name, when, ...) {#name, when},
#define CALL_FAILS(name, when, ...) {#name, when},
#include "privsep/sandbox_calls.def"
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        bool found = !calls[i].is_asked || strcmp(calls[i].name, "socketcall") == 0;
        for (size_t j = 0; j < sizeof told / sizeof told[0]; j++)
            found = found || strcmp(calls[i].name, told[j]) == 0;
        if (!found)
            fail_msg("socket_calls.def does not say what %s may do", calls[i].name);
    }
}

static bool has(const struct socket_list *list, int fd)
{
    size_t i = 0;
    while (i < list->num && list->fds[i] != fd)
        i++;
    return i < list->num;
}

static void open_sockets_are_found(void **state)
{
    (void)state;
    struct open_sockets sockets;
    int pairs[MAX_OPEN_SOCKETS][2];
    const int netlink = socket(AF_NETLINK, SOCK_RAW, 0), tcp = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[0]), 0);
    assert_true(netlink >= 0 && tcp >= 0);
    struct rlimit limit, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int with_proc = 1; with_proc >= 0; with_proc--) {
        none = (struct rlimit){with_proc ? limit.rlim_cur : 0, limit.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0); /* 0: /proc cannot be opened */
        const bool ok = open_sockets_find(&sockets);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        assert_true(ok);
        assert_true(has(&sockets.of[SOCKETS_PACKETS], netlink));
        assert_true(has(&sockets.of[SOCKETS_LOCAL], pairs[0][0]));
        assert_true(has(&sockets.of[SOCKETS_LOCAL], pairs[0][1]));
        for (int kind = 0; kind < NUM_SOCKET_KINDS; kind++)
            assert_false(has(&sockets.of[kind], tcp));
    }
    size_t num = 1;
    const size_t room = (MAX_OPEN_SOCKETS - sockets.of[SOCKETS_LOCAL].num) / 2;
    for (; num <= room; num++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[num]), 0);
    assert_true(open_sockets_find(&sockets));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[num++]), 0);
    assert_false(open_sockets_find(&sockets));
    while (num-- > 0) {
        close(pairs[num][0]);
        close(pairs[num][1]);
    }
    close(netlink);
    close(tcp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_goes_out_there),
        cmocka_unit_test(what_is_needed_is_left),
        cmocka_unit_test(each_call_is_in_the_table),
        cmocka_unit_test(open_sockets_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
