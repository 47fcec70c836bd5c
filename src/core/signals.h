/*
 * signals.h - signals. The first SIGINT, SIGTERM or SIGHUP asks for an orderly end, the same one
 * again ends the program at once; SIGHUP is left ignored where nohup did that, and where there is
 * something to read again it asks for that. SIGUSR1 asks for the counts so far, SIGUSR2 to write
 * out what has gathered. SIGNAL_WAKE does nothing but interrupt a thread that waits in a system call.
 * SIGPIPE and SIGXFSZ are ignored: writes fail.
 *
 * Once the end is wanted, SIGALRM interrupts the first thread every second: a write may have
 * begun to wait for its reader just before the end was asked for.
 */
#ifndef SRC_SIGNALS_H
#define SRC_SIGNALS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { SIGNAL_WAKE = SIGURG }; /* which does no harm when others send it */

extern atomic_int stop_wanted; /* an orderly end: the signal that asked for it */
extern volatile sig_atomic_t counts_wanted; /* to be cleared by who writes them */
extern volatile sig_atomic_t flush_wanted;  /* the same */
extern volatile sig_atomic_t reload_wanted; /* the same */

/* signals_prepare is called first of all: what SIGUSR1, SIGUSR2 and SIGHUP ask for before
 * signals_install is
 * kept until then. SIGINT and SIGTERM end the program at once as long as it has nothing to end. */
void signals_prepare(void);

/* signals_install takes all of them. reloads: SIGHUP asks for a reload. Where the terminal that the program
 * was started from is gone, it still asks for the end: that is what the terminal sends it for. To be
 * called while files can be opened. */
void signals_install(bool reloads);

/* signals_want_stop asks for an orderly end as SIGINT does. In any thread. */
void signals_want_stop(void);

/* stop_may_be_wanted says whether the end was asked for, or was by a SIGHUP before signals_install. */
bool stop_may_be_wanted(void);

/* signals_ignore_all is for a process that serves this one: the terminal's signals are for this one, which
 * ends the other when it is done. */
void signals_ignore_all(void);

/* For stop_is_overdue: when somebody asked first whether it is, and the rest of it. */
extern _Atomic int64_t stop_since_ns;
bool stop_look_whether_overdue(void);

/* stop_is_overdue says whether the program has worked for so long since the end was wanted (0.4
 * seconds) that what is still to be done is to be left undone, be it half of a record. To be asked
 * often: it costs nothing before the end is wanted, and little after it. */
static inline bool stop_is_overdue(void)
{
    return (stop_wanted != 0 || stop_since_ns != 0) && stop_look_whether_overdue();
}

/* stop_is_late is the same by the clock alone, for what rather waits for a disk than computes. */
bool stop_is_late(void);

#endif
