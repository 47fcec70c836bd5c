/*
 * helper_user.h - the user who owns the files that a run creates later (file_helper.h).
 */
#ifndef SRC_HELPER_USER_H
#define SRC_HELPER_USER_H

#include <stdbool.h>
#include <sys/types.h>

enum { HELPER_MAX_GROUPS = 256 };

struct helper_user {
    bool is_another; /* another user than the one who runs this */
    uid_t uid;
    gid_t gid;
    gid_t groups[HELPER_MAX_GROUPS];
    int num_groups;
};

/* helper_user_find looks up a user. If name is NULL, or the process does not run as root, there is none. */
void helper_user_find(struct helper_user *user, const char *name);

/* helper_user_become makes root that user for a while, if that user may create the file with a name;
 * NULL: in any case. A process that is started during that time keeps that user. Returns false if
 * nothing is changed. */
bool helper_user_become(const struct helper_user *user, const char *name);

/* helper_user_return makes it root again. Returns false on failure. */
bool helper_user_return(void);

#endif
