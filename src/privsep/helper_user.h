/*
 * helper_user.h - the user whose matter the later files of a run are (file_helper.h).
 */
#ifndef SRC_HELPER_USER_H
#define SRC_HELPER_USER_H

#include <stdbool.h>
#include <sys/types.h>

enum { HELPER_MAX_GROUPS = 256 };

struct helper_user {
    bool is_another; /* than who runs this */
    uid_t uid;
    gid_t gid;
    gid_t groups[HELPER_MAX_GROUPS];
    int num_groups;
};

/* helper_user_find looks a user up; NULL, or where whoever runs this is not root: there is none. */
void helper_user_find(struct helper_user *user, const char *name);

/* helper_user_become makes root that user for a while, if that may create the file of a name; NULL:
 * whatever it may create. A process that is started in that time stays that user. False when nothing is
 * changed. */
bool helper_user_become(const struct helper_user *user, const char *name);

/* helper_user_return ends that. False when it cannot. */
bool helper_user_return(void);

#endif
