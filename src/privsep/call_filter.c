/*
 * call_filter.c - see call_filter.h.
 *
 * The kernel answers a call that is not in the table with the signal SIGSYS. Its handler reports which
 * call that was and makes it fail, if this file knows where this kind of machine returns the result of
 * a call; on others the process ends after the report. Only clone3 fails with ENOSYS: its flags cannot
 * be checked, and the C library then uses clone.
 */
#include "privsep/call_filter.h"

#include "privsep/socket_filter.h"

#ifdef DISTSNIFF_SECCOMP

#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/net.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __s390__
enum { CLONE_FLAGS_ARGUMENT = 1 };
#else
enum { CLONE_FLAGS_ARGUMENT = 0 };
#endif

enum { NUM_NAMES = 1024, MOST_CONDITIONS = 2 };

/* The bits of socket(2)'s type argument, without the flags. */
#define SOCKET_TYPES (UINT32_MAX & ~(uint32_t)(SOCK_CLOEXEC | SOCK_NONBLOCK))

struct condition {
    unsigned argument;
    uint64_t mask, value;
};

struct listed_call {
    const char *name;
    unsigned set;
    int error; /* error that it fails with, 0: it is allowed */
    unsigned num_conditions;
    struct condition conditions[MOST_CONDITIONS];
};

/* The handler's data is prepared in advance: it may have interrupted malloc. */
static char *names[NUM_NAMES];
static volatile sig_atomic_t is_said[NUM_NAMES];

static void find_names(void)
{
    for (int i = 0; i < NUM_NAMES && names[0] == NULL; i++) {
        const int number = NUM_NAMES - 1 - i;
        names[number] = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
    }
}

static void print_part(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* the report cannot be written */
}

/* fail makes the refused call return -1 with EPERM. */
static bool fail(ucontext_t *context)
{
#if defined __x86_64__ && !defined __ILP32__
    context->uc_mcontext.gregs[REG_RAX] = -EPERM;
    return true;
#elif defined __aarch64__
    context->uc_mcontext.regs[0] = (unsigned long long)-EPERM;
    return true;
#elif defined __i386__
    context->uc_mcontext.gregs[REG_EAX] = -EPERM;
    return true;
#elif defined __s390x__
    context->uc_mcontext.gregs[2] = (unsigned long)-EPERM;
    return true;
#elif defined __riscv
    context->uc_mcontext.__gregs[REG_A0] = (unsigned long)-EPERM;
    return true;
#else
    (void)context;
    return false;
#endif
}

static void on_refused(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    const int number = info->si_syscall;
    const bool is_known = number >= 0 && number < NUM_NAMES && names[number] != NULL;
    if (!is_known || !is_said[number]) {
        char line[128] = "distsniff: the sandbox refused the system call ";
        strcat(line, is_known ? names[number] : "with an unknown number");
        strcat(line, "; --sandbox=off allows it\n");
        print_part(line);
    }
    if (is_known)
        is_said[number] = 1;
    if (!fail(context))
        _exit(EXIT_FAILURE);
}

static bool add_call(scmp_filter_ctx filter, const struct listed_call *call)
{
    const int number = seccomp_syscall_resolve_name(call->name);
    if (number < 0)
        return true; /* this kind of machine does not have it */
    struct scmp_arg_cmp conditions[MOST_CONDITIONS];
    for (unsigned i = 0; i < call->num_conditions; i++)
        conditions[i] = (struct scmp_arg_cmp){.arg = call->conditions[i].argument,
                                              .op = SCMP_CMP_MASKED_EQ,
                                              .datum_a = call->conditions[i].mask,
                                              .datum_b = call->conditions[i].value};
    const uint32_t action =
        call->error == 0 ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO((unsigned)call->error);
    return seccomp_rule_add_array(filter, action, number, call->num_conditions, conditions) == 0;
}

bool call_filter_enter(unsigned sets, const struct open_sockets *sockets)
{
    const struct listed_call calls[] = {
#define CALL(name, when) {#name, CALLS_##when, 0, 0, {{0, 0, 0}}},
#define CALL_IF(name, when, argument, mask, value)                                                 \
    {#name, CALLS_##when, 0, 1, {{argument, mask, value}}},
#define CALL_IF_BOTH(name, when, argument, mask, value, argument2, mask2, value2)                  \
    {#name, CALLS_##when, 0, 2, {{argument, mask, value}, {argument2, mask2, value2}}},
#define CALL_FAILS(name, when, argument, mask, value, error)                                       \
    {#name, CALLS_##when, error, 1, {{argument, mask, value}}},
#include "privsep/sandbox_calls.def"
#undef CALL
#undef CALL_IF
#undef CALL_IF_BOTH
#undef CALL_FAILS
    };
    struct sigaction action;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);
    if (filter == NULL)
        return false;
    bool ok = true;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0] && ok; i++)
        ok = (calls[i].set & sets) == 0 || add_call(filter, &calls[i]);
    ok = ok && seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
    find_names();
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_refused;
    action.sa_flags = SA_SIGINFO;
    ok = ok && sigaction(SIGSYS, &action, NULL) == 0 &&
         (sockets == NULL || socket_filter_enter(sets, sockets)) && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return ok;
}

bool call_filter_is_built(void)
{
    return true;
}

#else

bool call_filter_enter(unsigned sets, const struct open_sockets *sockets)
{
    (void)sets;
    (void)sockets;
    return false;
}

bool call_filter_is_built(void)
{
    return false;
}

#endif
