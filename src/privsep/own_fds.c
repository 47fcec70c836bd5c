/*
 * own_fds.c - see own_fds.h.
 */
#include "privsep/own_fds.h"

#include <stddef.h>
#include <unistd.h>

enum { MOST = 8 };

static int fds[MOST];
static size_t num;

void own_fds_add(int fd)
{
    if (fd >= 0 && num < MOST)
        fds[num++] = fd;
}

void own_fds_drop(int fd)
{
    for (size_t i = 0; i < num; i++) {
        if (fds[i] == fd) {
            fds[i] = fds[--num];
            return;
        }
    }
}

void own_fds_close(void)
{
    while (num != 0)
        (void)close(fds[--num]);
}
