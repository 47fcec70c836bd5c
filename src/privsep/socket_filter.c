/*
 * socket_filter.c - see socket_filter.h.
 *
 * The program, in the kernel's classic BPF (linux/filter.h), checks one row of the table after the
 * other:
 *
 *   is it this call?  no: the next row
 *   is the argument one of the sockets?  no: the next row
 *   is it an allowed option?  yes: allowed, or fails without a report
 *   refused
 *
 * libseccomp is not used: under a mask it can only compare for equality, but the condition is "any
 * descriptor except these".
 */
#include "privsep/socket_filter.h"

#include "privsep/call_filter.h"

#ifdef DISTSNIFF_SECCOMP

#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { LOW_HALF = 4 };
#else
enum { LOW_HALF = 0 };
#endif

struct refused_call {
    const char *name;
    enum socket_kind kind;
    unsigned argument;
};

struct left_option {
    const char *name;
    enum socket_kind kind;
    unsigned set;
    uint32_t level, option;
    uint32_t action; /* the seccomp action */
};

static const struct refused_call refused[] = {
#define REFUSED(kind, name, argument) {#name, SOCKETS_##kind, argument},
#define OPTION(kind, name, when, level, option)
#define OPTION_FAILS(kind, name, when, level, option, error)
#define PASSES(name)
#include "privsep/socket_calls.def"
#undef REFUSED
#undef OPTION
#undef OPTION_FAILS
};
static const struct left_option left[] = {
#define REFUSED(kind, name, argument)
#define OPTION(kind, name, when, level, option)                                                    \
    {#name, SOCKETS_##kind, CALLS_##when, level, option, SECCOMP_RET_ALLOW},
#define OPTION_FAILS(kind, name, when, level, option, error)                                       \
    {#name, SOCKETS_##kind, CALLS_##when, level, option, SECCOMP_RET_ERRNO | (error)},
#include "privsep/socket_calls.def"
#undef REFUSED
#undef OPTION
#undef OPTION_FAILS
#undef PASSES
};
enum { NUM_REFUSED = sizeof refused / sizeof refused[0], NUM_LEFT = sizeof left / sizeof left[0] };

struct program {
    struct sock_filter code[BPF_MAXINSNS];
    unsigned short len;
};

static void add(struct program *p, struct sock_filter instruction)
{
    p->code[p->len++] = instruction;
}

static void load(struct program *p, size_t offset)
{
    add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void load_argument(struct program *p, unsigned argument)
{
    load(p, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t) + LOW_HALF);
}

static void answer(struct program *p, uint32_t action)
{
    add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* skip_unless jumps over num instructions unless the loaded value is `value`. */
static void skip_unless(struct program *p, uint32_t value, size_t num)
{
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, (uint8_t)num));
}

/* is_left says whether an option is allowed for a call that is refused otherwise. */
static bool is_left(const struct left_option *option, const struct refused_call *call, unsigned sets)
{
    return option->kind == call->kind && (option->set & sets) != 0 &&
           seccomp_syscall_resolve_name(option->name) == seccomp_syscall_resolve_name(call->name);
}

static size_t count_left(const struct refused_call *call, unsigned sets)
{
    size_t num = 0;
    for (size_t i = 0; i < NUM_LEFT; i++)
        num += is_left(&left[i], call, sets);
    return num;
}

/* An option has five instructions; a row has at most 3 + 64 + 1 more, so all jumps fit into their eight
 * bits. */
enum { OPTION_LEN = 5 };
_Static_assert(MAX_OPEN_SOCKETS + NUM_LEFT * OPTION_LEN + 4 < 256, "jumps have eight bits");
_Static_assert((size_t)NUM_REFUSED * (MAX_OPEN_SOCKETS + NUM_LEFT * OPTION_LEN + 4) < BPF_MAXINSNS,
               "the kernel takes no longer program");

static void add_option(struct program *p, const struct left_option *option)
{
    load_argument(p, 1);
    skip_unless(p, option->level, OPTION_LEN - 2);
    load_argument(p, 2);
    skip_unless(p, option->option, 1);
    answer(p, option->action);
}

static void add_row(struct program *p, const struct refused_call *call, const struct socket_list *sockets,
                    unsigned sets)
{
    const int number = seccomp_syscall_resolve_name(call->name);
    const size_t num_options = count_left(call, sets);
    if (number < 0 || sockets->num == 0)
        return; /* this kind of machine does not have it */
    load(p, offsetof(struct seccomp_data, nr));
    skip_unless(p, (uint32_t)number, sockets->num + num_options * OPTION_LEN + 2);
    load_argument(p, call->argument);
    for (size_t i = 0; i < sockets->num; i++) {
        const bool is_last = i == sockets->num - 1;
        const uint8_t found = (uint8_t)(sockets->num - 1 - i);
        const uint8_t other = is_last ? (uint8_t)(num_options * OPTION_LEN + 1) : 0;
        add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)sockets->fds[i],
                                            found, other));
    }
    for (size_t i = 0; i < NUM_LEFT; i++) {
        if (is_left(&left[i], call, sets))
            add_option(p, &left[i]);
    }
    answer(p, SECCOMP_RET_TRAP);
}

/* The other filter handles calls of another architecture: it ends the process. */
bool socket_filter_enter(unsigned sets, const struct open_sockets *sockets)
{
    struct program *p = calloc(1, sizeof *p);
    if (p == NULL)
        return false;
    load(p, offsetof(struct seccomp_data, arch));
    skip_unless(p, seccomp_arch_native(), 1);
    add(p, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
    answer(p, SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < NUM_REFUSED; i++)
        add_row(p, &refused[i], &sockets->of[refused[i].kind], sets);
    answer(p, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {p->len, p->code};
    const bool ok = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    free(p);
    return ok;
}

#else

bool socket_filter_enter(unsigned sets, const struct open_sockets *sockets)
{
    (void)sets;
    (void)sockets;
    return false;
}

#endif
