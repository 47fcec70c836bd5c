/*
 * landlock.h - Landlock(7): which files a process may still open by name, and that it talks to
 * no network, but where it is to. What is open already stays as it is.
 */
#ifndef SRC_LANDLOCK_H
#define SRC_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* landlock_rule is what may still be opened: a file, or all beneath a folder. */
struct landlock_rule {
    const char *path; /* what is not there is left out */
    bool reads, writes;
};

/* To which TCP ports it may still connect: to none, to any, or to the one of that number. */
enum { LANDLOCK_NO_PORT = 0, LANDLOCK_ANY_PORT = 65536 };

/* landlock_enter allows nothing beyond the rules and connections to that port from now on; NO_NEW_PRIVS
 * must have been set. Returns the version of what the kernel has, 0 when it has nothing of the kind. */
int landlock_enter(const struct landlock_rule *rules, size_t num_rules, uint32_t port);

/* landlock_is_built says whether the headers of the system it was built on knew it. */
bool landlock_is_built(void);

#endif
