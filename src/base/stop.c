/*
 * stop.c - see stop.h.
 */
#include "stop.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

atomic_int stop_wanted;
volatile sig_atomic_t counts_wanted;
volatile sig_atomic_t flush_wanted;

static_assert(ATOMIC_INT_LOCK_FREE == 2, "it is set in a signal handler");

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
