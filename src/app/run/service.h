/*
 * service.h - what the manager of services is told, as sd_notify(3) has it: lines NAME=VALUE, a datagram
 * each time, to the socket that NOTIFY_SOCKET names, a path or, behind an @, an abstract name:
 *
 *   READY=1      it has begun           RELOADING=1  SIGHUP, until it is ready again
 *   STOPPING=1   it ends                WATCHDOG=1   it is alive, twice in each WATCHDOG_USEC
 *   STATUS=...   for people to read
 *
 * A program that was not started as a service says nothing.
 */
#ifndef SRC_SERVICE_H
#define SRC_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

struct service {
    int socket;          /* -1: nobody is told */
    int64_t watchdog_ns; /* how often; 0: nobody waits for it */
    int64_t alive_ns;    /* when that was said last, by the monotonic clock */
};

/* service_open finds out who is to be told. To be called once, while sockets can still be made, and before
 * other processes are started: the environment has nothing of it afterwards. What is wrong is complained
 * of. */
void service_open(struct service *service);

/* service_say tells lines such as "READY=1". */
void service_say(const struct service *service, const char *lines);

/* service_reloads tells that a reload begins. */
void service_reloads(const struct service *service, int64_t now_ns);

/* service_is_due says whether it is time to say that the program is alive, and that it is said now.
 * now_ns: of the monotonic clock. */
bool service_is_due(struct service *service, int64_t now_ns);

void service_close(struct service *service);

#endif
