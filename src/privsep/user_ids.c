/*
 * user_ids.c - see user_ids.h. macOS and NetBSD cannot set the saved user alone: setting the real one
 * sets it to the effective one. USER_IDS_BY_REUID does that on Linux, for the tests.
 */
#include "privsep/user_ids.h"

#include <unistd.h>

#if defined(__APPLE__) || defined(__NetBSD__) || defined(USER_IDS_BY_REUID)

bool user_ids_set(uid_t real, uid_t effective, uid_t saved)
{
    if (geteuid() != 0 && geteuid() != saved && seteuid(saved) != 0)
        return false;
    return setreuid(real, saved) == 0 && (effective == saved || seteuid(effective) == 0);
}

bool group_ids_set(gid_t real, gid_t effective, gid_t saved)
{
    if (geteuid() != 0 && getegid() != saved && setegid(saved) != 0)
        return false;
    return setregid(real, saved) == 0 && (effective == saved || setegid(effective) == 0);
}

#else

bool user_ids_set(uid_t real, uid_t effective, uid_t saved)
{
    return setresuid(real, effective, saved) == 0;
}

bool group_ids_set(gid_t real, gid_t effective, gid_t saved)
{
    return setresgid(real, effective, saved) == 0;
}

#endif
