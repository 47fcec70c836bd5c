/*
 * helper_user.c - see helper_user.h. Root remains only as the saved user, which exec discards.
 */
#include "privsep/helper_user.h"

#include "privsep/safe_open.h"
#include "privsep/user_ids.h"

#include <grp.h>
#include <pwd.h>
#include <stddef.h>
#include <unistd.h>

void helper_user_find(struct helper_user *user, const char *name)
{
    *user = (struct helper_user){.num_groups = HELPER_MAX_GROUPS};
    if (name == NULL || geteuid() != 0)
        return;
    const struct passwd *entry = getpwnam(name);
    if (entry == NULL)
        return; /* privileges_drop reports it */
    user->uid = entry->pw_uid;
    user->gid = entry->pw_gid;
    user->is_another = user->uid != 0;
    if (getgrouplist(name, user->gid, user->groups, &user->num_groups) < 0)
        user->num_groups = 0;
}

bool helper_user_return(void)
{
    return user_ids_set(0, 0, 0) && group_ids_set(0, 0, 0) && setgroups(0, NULL) == 0;
}

bool helper_user_become(const struct helper_user *user, const char *name)
{
    if (!user->is_another)
        return false;
    const bool became = setgroups((size_t)user->num_groups, user->groups) == 0 &&
                        group_ids_set(user->gid, user->gid, 0) &&
                        user_ids_set(user->uid, user->uid, 0);
    if (became && (name == NULL || safe_may_create(name)))
        return true;
    if (!helper_user_return())
        _exit(1);
    return false;
}
