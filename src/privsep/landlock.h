/*
 * landlock.h - Landlock(7): restricts the files that a process can open by name, and its network
 * connections. Open descriptors are not affected.
 */
#ifndef SRC_LANDLOCK_H
#define SRC_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* landlock_rule is something that can still be opened: a file, or everything in a folder. */
struct landlock_rule {
    const char *path; /* if it does not exist, the rule is ignored */
    bool reads, writes;
};

/* The TCP port to which it can still connect: none, any, or that number. */
enum { LANDLOCK_NO_PORT = 0, LANDLOCK_ANY_PORT = 65536 };

/* landlock_enter allows only the rules and connections to that port from now on; NO_NEW_PRIVS must have
 * been set. Returns the version of the kernel's Landlock, 0 if it has none. */
int landlock_enter(const struct landlock_rule *rules, size_t num_rules, uint32_t port);

/* landlock_is_built says whether the headers at build time supported Landlock. */
bool landlock_is_built(void);

#endif
