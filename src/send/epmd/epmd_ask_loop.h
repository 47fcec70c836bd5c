/*
 * epmd_ask_loop.h - the process that asks EPMD which nodes listen where (NAMES_REQ). It looks up the
 * addresses of its hosts, then gives up all but connections to the port of EPMD, and asks: once at first,
 * and again whenever it is told to, not more often than every second. How long it waits for an answer and
 * how much of it is read has bounds, and nothing but EPMD is asked.
 */
#ifndef SRC_EPMD_ASK_LOOP_H
#define SRC_EPMD_ASK_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct epmd_ask_loop_config {
    const char *const *hosts; /* names or addresses, at most EPMD_MAX_HOSTS */
    size_t num_hosts;
    uint16_t port;
    bool is_confined;
    int wake_fd; /* each byte asks for the nodes anew; its end ends the loop */
    int told_fd; /* takes struct epmd_told */
};

/* epmd_ask_loop_run returns once the end is wanted, or a host has no address. */
void epmd_ask_loop_run(const struct epmd_ask_loop_config *config);

#endif
