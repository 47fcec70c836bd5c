/*
 * stop.c - see stop.h.
 */
#include "stop.h"

#include <assert.h>
#include <string.h>

atomic_int stop_wanted;
volatile sig_atomic_t counts_wanted;

static_assert(ATOMIC_INT_LOCK_FREE == 2, "it is set in a signal handler");

static void on_signal(int signal)
{
    if (signal == SIGUSR1)
        counts_wanted = 1;
    else if (signal != STOP_WAKE)
        stop_wanted = signal;
}

void stop_install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(STOP_WAKE, &action, NULL);
    action.sa_flags = (int)SA_RESETHAND; /* the second one does what it always did */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    action.sa_flags = 0;
    sigaction(SIGPIPE, &action, NULL);
}
