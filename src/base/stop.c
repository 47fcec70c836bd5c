/*
 * stop.c - see stop.h.
 */
#include "stop.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

atomic_int stop_wanted;
volatile sig_atomic_t counts_wanted;
volatile sig_atomic_t flush_wanted;

static_assert(ATOMIC_INT_LOCK_FREE == 2, "it is set in a signal handler");

enum { PATIENCE_NS = 500 * 1000 * 1000 };

/* What a thread has computed counts. Who waits for a slow reader has a patience of its own. */
bool stop_is_overdue(void)
{
    static _Thread_local int64_t since_ns = -1;
    struct timespec now;
    if (stop_wanted == 0) {
        since_ns = -1;
        return false;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    const int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (since_ns < 0)
        since_ns = now_ns;
    return now_ns - since_ns > PATIENCE_NS;
}

static void on_stop(int signal)
{
    stop_wanted = signal;
    alarm(1);
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

static bool is_ignored(int signal)
{
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void stop_install(void)
{
    const int once = (int)SA_RESETHAND; /* the second one does what it always did */
    handle(SIGINT, on_stop, once);
    handle(SIGTERM, on_stop, once);
    if (!is_ignored(SIGHUP))
        handle(SIGHUP, on_stop, once);
    handle(SIGALRM, on_alarm, 0);
    handle(SIGUSR1, on_wish, 0);
    handle(SIGUSR2, on_wish, 0);
    handle(STOP_WAKE, on_wish, 0);
    handle(SIGPIPE, SIG_IGN, 0);
    handle(SIGXFSZ, SIG_IGN, 0);
    handle(SIGCHLD, SIG_DFL, 0); /* if ignored, nobody learns how the command of -z ended */
}
