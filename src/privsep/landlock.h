/*
 * landlock.h - Landlock(7): which files a process may still open by name, and that it talks to
 * no network, but where it is to. What is open already stays as it is.
 */
#ifndef SRC_LANDLOCK_H
#define SRC_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>

/* landlock_rule is what may still be opened: a file, or all beneath a folder. */
struct landlock_rule {
    const char *path; /* what is not there is left out */
    bool reads, writes;
};

/* landlock_enter allows nothing beyond the rules from now on, but for TCP connections to others where it
 * connects; NO_NEW_PRIVS must have been set. Returns the version of what the kernel has, 0 when it has
 * nothing of the kind. */
int landlock_enter(const struct landlock_rule *rules, size_t num_rules, bool connects);

/* landlock_is_built says whether the headers of the system it was built on knew it. */
bool landlock_is_built(void);

#endif
