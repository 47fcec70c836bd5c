/*
 * taken_over.c PID FD: what somebody can do who has taken over a process that holds FD, a socket of
 * packets: it is stopped, and makes these system calls. Prints a line for each: its name, and what came
 * of it. getpid shows that this way of trying works. Linux on x86-64; elsewhere it exits with 77.
 */
#include <stdio.h>
#include <stdlib.h>

#if defined(__linux__) && defined(__x86_64__)
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

enum { FRAME_LEN = 64 };
#define SYSCALL_INT3 0xcc050fL

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* call makes the process run one system call, and restores its registers. */
static void call(pid_t pid, const char *name, long number, const unsigned long argument[5])
{
    struct user_regs_struct before, regs;
    int status;
    if (ptrace(PTRACE_GETREGS, pid, NULL, &before) != 0)
        fail("PTRACE_GETREGS");
    errno = 0;
    const long code = ptrace(PTRACE_PEEKTEXT, pid, (void *)before.rip, NULL);
    if (errno != 0 || ptrace(PTRACE_POKETEXT, pid, (void *)before.rip,
                             (void *)((code & ~0xffffffL) | SYSCALL_INT3)) != 0)
        fail("PTRACE_POKETEXT");
    regs = before;
    regs.orig_rax = (unsigned long)-1; /* do not restart the interrupted system call */
    regs.rax = (unsigned long)number;
    regs.rdi = argument[0];
    regs.rsi = argument[1] != 0 ? argument[1] : before.rsp;
    regs.rdx = argument[2];
    regs.r10 = argument[3] != 0 ? argument[3] : before.rsp;
    regs.r8 = argument[4];
    regs.r9 = 0;
    if (number == SYS_sendto)
        regs.r10 = regs.r8 = 0;
    if (ptrace(PTRACE_SETREGS, pid, NULL, &regs) != 0 || ptrace(PTRACE_CONT, pid, NULL, NULL) != 0 ||
        waitpid(pid, &status, 0) != pid)
        fail("PTRACE_CONT");
    if (!WIFSTOPPED(status)) {
        printf("%s ends the process\n", name);
        exit(0);
    }
    if (WSTOPSIG(status) == SIGTRAP && ptrace(PTRACE_GETREGS, pid, NULL, &regs) == 0)
        printf("%s %s\n", name, (long)regs.rax < 0 ? strerror((int)-(long)regs.rax) : "works");
    else
        printf("%s %s\n", name, WSTOPSIG(status) == SIGSYS ? "SIGSYS" : "is stopped");
    ptrace(PTRACE_POKETEXT, pid, (void *)before.rip, (void *)code);
    ptrace(PTRACE_SETREGS, pid, NULL, &before);
}

int main(int argc, char **argv)
{
    int status;
    if (argc != 3)
        return 2;
    const pid_t pid = (pid_t)atoi(argv[1]);
    const unsigned long fd = strtoul(argv[2], NULL, 10);
    if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) != pid)
        fail("PTRACE_ATTACH");
    call(pid, "getpid", SYS_getpid, (unsigned long[5]){0});
    call(pid, "write", SYS_write, (unsigned long[5]){fd, 0, FRAME_LEN});
    call(pid, "send", SYS_sendto, (unsigned long[5]){fd, 0, FRAME_LEN});
    call(pid, "detach", SYS_setsockopt,
         (unsigned long[5]){fd, SOL_SOCKET, SO_DETACH_FILTER, 0, sizeof(int)});
    return ptrace(PTRACE_DETACH, pid, NULL, NULL) != 0;
}
#else
int main(void)
{
    puts("skipped: this is for Linux on x86-64");
    return 77;
}
#endif
