/*
 * service.h - reports to the service manager, as in sd_notify(3): lines NAME=VALUE, one datagram
 * each time, to the socket in NOTIFY_SOCKET, a path or, after an @, an abstract name:
 *
 *   READY=1      it has begun           RELOADING=1  SIGHUP, until it is ready again
 *   STOPPING=1   it ends                WATCHDOG=1   it is alive, twice in each WATCHDOG_USEC
 *   STATUS=...   for people to read
 *
 * A program that was not started as a service reports nothing.
 */
#ifndef SRC_SERVICE_H
#define SRC_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

struct service {
    int socket;          /* -1: not a service */
    int64_t watchdog_ns; /* the interval; 0: no watchdog */
    int64_t alive_ns;    /* when that was last reported, by the monotonic clock */
};

/* service_open finds the socket. Call it once, while sockets can still be created, and before other
 * processes are started: it removes the variables from the environment. It complains about errors. */
void service_open(struct service *service);

/* service_say sends lines such as "READY=1". */
void service_say(const struct service *service, const char *lines);

/* service_reloads reports that a reload begins. */
void service_reloads(const struct service *service, int64_t now_ns);

/* service_is_due says whether to report now that the program is alive. now_ns: of the monotonic
 * clock. */
bool service_is_due(struct service *service, int64_t now_ns);

void service_close(struct service *service);

#endif
