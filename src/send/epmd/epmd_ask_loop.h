/*
 * epmd_ask_loop.h - the process that asks EPMD which nodes listen where (NAMES_REQ). It resolves
 * its hosts, then drops all rights except connections to the port of EPMD, and asks: once at first,
 * and again on request, at most once a second. The time for an answer and its length are limited,
 * and it asks nothing but EPMD.
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
    int wake_fd; /* each byte requests the nodes again; end of file ends the loop */
    int told_fd; /* receives struct epmd_report */
};

/* epmd_ask_loop_run returns at the end of wake_fd, or if a host has no address. */
void epmd_ask_loop_run(const struct epmd_ask_loop_config *config);

#endif
