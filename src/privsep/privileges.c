/*
 * privileges.c - see privileges.h. Success is verified: afterwards it must be impossible to become root.
 */
#include "privsep/privileges.h"

#include "core/complain.h"
#include "privsep/capabilities.h"
#include "privsep/own_process.h"
#include "privsep/user_ids.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

bool privileges_return(void)
{
    uid_t uid = getuid();
    gid_t gid = getgid();
    if (uid == geteuid() && gid == getegid())
        return true;
    if (!group_ids_set(gid, gid, gid) || !user_ids_set(uid, uid, uid)) {
        complain("cannot drop the capabilities of the program file: %s", strerror(errno));
        return false;
    }
    return true;
}

bool privileges_suspend(struct privileges_held *held)
{
    *held = (struct privileges_held){geteuid(), getegid()};
    return setegid(getgid()) == 0 && seteuid(getuid()) == 0;
}

void privileges_resume(const struct privileges_held *held)
{
    if (seteuid(held->uid) != 0 || setegid(held->gid) != 0) {
        complain("cannot take up the rights of the program file again: %s", strerror(errno));
        _exit(1);
    }
}

const char *privileges_user(const char *user)
{
    return user != NULL ? user : "nobody";
}

/* become makes root that user for good. */
static bool become(const char *name)
{
    errno = 0;
    const struct passwd *entry = getpwnam(name);
    if (entry == NULL) {
        complain("there is no user %s: name another user with -Z", name);
        return false;
    }
    uid_t uid = entry->pw_uid;
    gid_t gid = entry->pw_gid;
    if (uid == 0)
        return true; /* the user wants to stay root */
    if (initgroups(name, gid) != 0 || !group_ids_set(gid, gid, gid) || !user_ids_set(uid, uid, uid)) {
        complain("cannot become user %s: %s: use -Z root to stay root", name, strerror(errno));
        return false;
    }
    if (setuid(0) == 0 || geteuid() == 0 || getegid() != gid) {
        complain("user %s could become root again: stopped", name);
        return false;
    }
    return true;
}

void privileges_say(void)
{
    if (capabilities_left() != NULL)
        complain("capabilities dropped, but %s", capabilities_left());
}

bool privileges_keep_for_files(bool runs_command)
{
    const bool is_root = geteuid() == 0;
    if ((is_root && runs_command) || capabilities_keep_for_files(is_root))
        return true;
    complain("cannot drop capabilities: %s", strerror(errno));
    return false;
}

bool privileges_keep_for_kernel(const char *user)
{
    if (geteuid() == 0 && (!capabilities_stay() || !become(privileges_user(user))))
        return false;
    if (own_process_gain_nothing() && capabilities_keep_for_kernel())
        return true;
    complain("cannot drop capabilities: %s", strerror(errno));
    return false;
}

bool privileges_drop(const char *user)
{
    if (geteuid() == 0 && !become(privileges_user(user)))
        return false;
    if (!own_process_gain_nothing()) {
        complain("cannot set no_new_privs: %s", strerror(errno));
        return false;
    }
    if (!capabilities_drop()) {
        complain("cannot drop capabilities: %s", strerror(errno));
        return false;
    }
    return true;
}
