/*
 * signals.c - see signals.h.
 */
#include "core/signals.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

atomic_int stop_wanted;
volatile sig_atomic_t counts_wanted;
volatile sig_atomic_t flush_wanted;
volatile sig_atomic_t reload_wanted;

static_assert(ATOMIC_INT_LOCK_FREE == 2, "it is set in a signal handler");

enum { PATIENCE_NS = 400 * 1000 * 1000 };

/* has_passed says whether PATIENCE_NS have passed by a clock since the first call. */
static bool has_passed(clockid_t clock, _Atomic int64_t *since_ns)
{
    struct timespec now;
    int64_t first_ns = 0;
    clock_gettime(clock, &now);
    const int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    atomic_compare_exchange_strong(since_ns, &first_ns, now_ns);
    return first_ns != 0 && now_ns - first_ns > PATIENCE_NS;
}

_Atomic int64_t stop_since_ns;
static _Atomic int64_t computed_ns;

bool stop_is_late(void)
{
    if (stop_wanted == 0)
        stop_since_ns = computed_ns = 0;
    return stop_wanted != 0 && has_passed(CLOCK_MONOTONIC, &stop_since_ns);
}

/* Both the elapsed time and the CPU time of all threads count: several threads may do more work, and a
 * program that waits for a slow reader, or for the processor, has not had its time. */
bool stop_look_whether_overdue(void)
{
    if (stop_wanted == 0) {
        stop_since_ns = computed_ns = 0;
        return false;
    }
    const bool is_late = has_passed(CLOCK_MONOTONIC, &stop_since_ns);
    return has_passed(CLOCK_PROCESS_CPUTIME_ID, &computed_ns) && is_late;
}

static void on_stop(int signal)
{
    stop_wanted = signal;
    alarm(1);
}

void signals_request_stop(void)
{
    on_stop(SIGINT);
}

static void on_alarm(int signal)
{
    (void)signal;
    alarm(1);
}

static void on_wish(int signal)
{
    if (signal == SIGUSR1)
        counts_wanted = 1;
    else if (signal == SIGUSR2)
        flush_wanted = 1;
}

static void handle(int signal, void (*handler)(int signal), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(signal, &action, NULL);
}

static volatile sig_atomic_t hangup_came; /* before signals_install says what it means */
static int terminal = -1;                 /* the terminal from which the program was started */

static bool is_terminal_gone(void)
{
    struct pollfd poll_fd = {.fd = terminal};
    return terminal >= 0 && poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLHUP | POLLERR)) != 0;
}

static void on_hangup(int signal)
{
    const int error = errno;
    if (is_terminal_gone())
        on_stop(signal);
    else
        reload_wanted = 1;
    errno = error;
}

static void on_early_hangup(int signal)
{
    (void)signal;
    hangup_came = 1;
}

static bool is_ignored(int signal)
{
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void signals_prepare(void)
{
    handle(SIGUSR1, on_wish, SA_RESTART);
    handle(SIGUSR2, on_wish, SA_RESTART);
    if (!is_ignored(SIGHUP))
        handle(SIGHUP, on_early_hangup, 0);
}

static void handle_hangups(bool reloads)
{
    if (is_ignored(SIGHUP))
        return;
    if (reloads)
        terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    handle(SIGHUP, reloads ? on_hangup : on_stop, reloads ? 0 : (int)SA_RESETHAND);
    if (hangup_came)
        raise(SIGHUP);
    hangup_came = 0;
}

void signals_install(bool reloads)
{
    const int once = (int)SA_RESETHAND; /* the second one has its default effect */
    handle(SIGINT, on_stop, once);
    handle(SIGTERM, on_stop, once);
    handle(SIGALRM, on_alarm, 0);
    handle(SIGUSR1, on_wish, 0);
    handle(SIGUSR2, on_wish, 0);
    handle(SIGNAL_WAKE, on_wish, 0);
    handle(SIGPIPE, SIG_IGN, 0);
    handle(SIGXFSZ, SIG_IGN, 0);
    handle(SIGCHLD, SIG_DFL, 0); /* if ignored, the exit status of the command of -z is lost */
    handle_hangups(reloads);
}

bool stop_may_be_wanted(void)
{
    return stop_wanted != 0 || hangup_came != 0;
}

void signals_ignore_all(void)
{
    static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGPIPE,
                                  SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        handle(signals[i], SIG_IGN, 0);
}
