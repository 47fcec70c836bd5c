/*
 * signals.h - signals. The first SIGINT, SIGTERM or SIGHUP requests an orderly stop, the same one again
 * ends the program at once. SIGHUP stays ignored under nohup, and where files can be reloaded it requests
 * that. SIGUSR1 requests the counts so far, SIGUSR2 requests that buffered output is written. SIGNAL_WAKE
 * only interrupts a thread that waits in a system call. SIGPIPE and SIGXFSZ are ignored: writes fail.
 *
 * After a stop is requested, SIGALRM interrupts the first thread every second: a write may have started
 * waiting for its reader just before the request.
 */
#ifndef SRC_SIGNALS_H
#define SRC_SIGNALS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { SIGNAL_WAKE = SIGURG }; /* harmless if another process sends it */

extern atomic_int stop_wanted; /* an orderly stop is requested: the signal that requested it */
extern volatile sig_atomic_t counts_wanted; /* whoever writes the counts clears it */
extern volatile sig_atomic_t flush_wanted;  /* cleared likewise */
extern volatile sig_atomic_t reload_wanted; /* cleared likewise */

/* signals_prepare is called before everything else: requests by SIGUSR1, SIGUSR2 and SIGHUP before
 * signals_install are kept until then. SIGINT and SIGTERM end the program at once, as nothing has begun
 * yet. */
void signals_prepare(void);

/* signals_install handles all of them. reloads: SIGHUP requests a reload, unless the terminal from
 * which the program was started is gone: then it requests a stop, because that is why it was sent. Call
 * it while files can be opened. */
void signals_install(bool reloads);

/* signals_request_stop requests an orderly stop, as SIGINT does. Any thread may call it. */
void signals_request_stop(void);

/* stop_may_be_wanted says whether a stop was requested, possibly by a SIGHUP before signals_install. */
bool stop_may_be_wanted(void);

/* signals_ignore_all is for a process that serves this one: the terminal's signals are for this one,
 * which ends the other process. */
void signals_ignore_all(void);

/* For stop_is_overdue: the time of its first call after the request; and its slow path. */
extern _Atomic int64_t stop_since_ns;
bool stop_look_whether_overdue(void);

/* stop_is_overdue says whether the program has worked for so long since a stop was requested (0.4
 * seconds) that the remaining work is to be abandoned, even in the middle of a record. Call it often:
 * it costs nothing before the request, and little after it. */
static inline bool stop_is_overdue(void)
{
    return (stop_wanted != 0 || stop_since_ns != 0) && stop_look_whether_overdue();
}

/* stop_is_late does the same by elapsed time alone, for code that waits for a disk rather than computes. */
bool stop_is_late(void);

#endif
