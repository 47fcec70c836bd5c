/*
 * privileges.c - see privileges.h. Whether it worked is not taken on trust: root must be out
 * of reach afterwards.
 */
#include "privileges.h"

#include "complain.h"

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
    if (setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0) {
        complain("cannot give up the rights of the program file: %s", strerror(errno));
        return false;
    }
    return true;
}

bool privileges_drop(const char *user)
{
    if (geteuid() != 0)
        return true;
    const char *name = user != NULL ? user : "nobody";
    errno = 0;
    const struct passwd *entry = getpwnam(name);
    if (entry == NULL) {
        complain("there is no user %s to become: name another with -Z", name);
        return false;
    }
    uid_t uid = entry->pw_uid;
    gid_t gid = entry->pw_gid;
    if (uid == 0)
        return true; /* asked for */
    if (initgroups(name, gid) != 0 || setresgid(gid, gid, gid) != 0 ||
        setresuid(uid, uid, uid) != 0) {
        complain("cannot become user %s: %s: -Z root stays root", name, strerror(errno));
        return false;
    }
    if (setuid(0) == 0 || geteuid() == 0 || getegid() != gid) {
        complain("became user %s, but could become root again: stopped", name);
        return false;
    }
    return true;
}
