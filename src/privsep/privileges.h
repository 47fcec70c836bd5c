/*
 * privileges.h - the privileges of root, or the capabilities of the program file, which are only needed
 * to open an interface.
 */
#ifndef SRC_PRIVILEGES_H
#define SRC_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/* privileges_return drops the privileges that a set-user-ID program file granted. Returns false
 * after an error message. */
bool privileges_return(void);

/* privileges_suspend makes a set-user-ID program open files as the user who runs it, until
 * privileges_resume. On failure it returns false and sets errno; privileges_resume ends the program on
 * failure. */
struct privileges_held {
    uid_t uid;
    gid_t gid;
};
bool privileges_suspend(struct privileges_held *held);
void privileges_resume(const struct privileges_held *held);

/* privileges_user returns the user that root becomes: the argument of -Z; if that is NULL, the user
 * nobody. */
const char *privileges_user(const char *user);

/* privileges_drop becomes user for good if the process runs as root; NULL means the user nobody. For
 * every user, no capability is left afterwards, and none can be regained. Returns false after an error
 * message. */
bool privileges_drop(const char *user);

/* privileges_keep_for_kernel does the same, but keeps the capabilities for asking the kernel about the
 * sockets of other processes, if it has them. */
bool privileges_keep_for_kernel(const char *user);

/* privileges_say reports on standard error what this build does not drop, if anything. */
void privileges_say(void);

/* privileges_keep_for_files drops all capabilities except those that root needs to open files as the
 * user for whom it works. It drops none if it also runs a command, as root. */
bool privileges_keep_for_files(bool runs_command);

#endif
