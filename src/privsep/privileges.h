/*
 * privileges.h - root, or capabilities of the program file, are needed to open an interface, and
 * for nothing else.
 */
#ifndef SRC_PRIVILEGES_H
#define SRC_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/* privileges_return gives back what a set-user-ID program file granted. False after a
 * complaint. */
bool privileges_return(void);

/* privileges_suspend has files opened as whoever runs a set-user-ID program file, until privileges_resume.
 * False, with errno, when it cannot; resume ends the program then. */
struct privileges_held {
    uid_t uid;
    gid_t gid;
};
bool privileges_suspend(struct privileges_held *held);
void privileges_resume(const struct privileges_held *held);

/* privileges_user returns the user that root becomes where -Z names user, NULL where it does
 * not. */
const char *privileges_user(const char *user);

/* privileges_drop, when run as root, becomes user for good; NULL means nobody. Whoever runs it,
 * no capability is left afterwards, and none comes back. False after a complaint. */
bool privileges_drop(const char *user);

/* privileges_keep_for_kernel does so, but for what is needed to ask the kernel about the sockets of other
 * processes, of which it keeps what there is. */
bool privileges_keep_for_kernel(const char *user);

/* privileges_say tells on standard error what this build does not give up, if anything. */
void privileges_say(void);

/* privileges_keep_for_files gives up all capabilities but those that root needs to open files
 * as the user it works for; none of them where it also runs a command, as root's. */
bool privileges_keep_for_files(bool runs_command);

#endif
