/*
 * privileges.c - see privileges.h. Whether it worked is not taken on trust: root must be out
 * of reach afterwards.
 */
#include "privileges.h"

#include "complain.h"
#include "user_ids.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifdef DISTSNIFF_CAPNG
#include <cap-ng.h>
#else
#include <linux/capability.h>
#include <stdint.h>
#include <sys/syscall.h>
#endif

bool privileges_return(void)
{
    uid_t uid = getuid();
    gid_t gid = getgid();
    if (uid == geteuid() && gid == getegid())
        return true;
    if (!group_ids_set(gid, gid, gid) || !user_ids_set(uid, uid, uid)) {
        complain("cannot give up the rights of the program file: %s", strerror(errno));
        return false;
    }
    return true;
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
        complain("there is no user %s to become: name another with -Z", name);
        return false;
    }
    uid_t uid = entry->pw_uid;
    gid_t gid = entry->pw_gid;
    if (uid == 0)
        return true; /* asked for */
    if (initgroups(name, gid) != 0 || !group_ids_set(gid, gid, gid) || !user_ids_set(uid, uid, uid)) {
        complain("cannot become user %s: %s: -Z root stays root", name, strerror(errno));
        return false;
    }
    if (setuid(0) == 0 || geteuid() == 0 || getegid() != gid) {
        complain("became user %s, but could become root again: stopped", name);
        return false;
    }
    return true;
}

#ifdef DISTSNIFF_CAPNG

/* apply takes what has been chosen, from the bounding set too where that is allowed. */
static bool apply(void)
{
    const bool may_bound = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP) != 0;
    capng_clear(CAPNG_SELECT_BOTH);
    return capng_apply(may_bound ? CAPNG_SELECT_BOTH : CAPNG_SELECT_CAPS) == 0;
}

static bool drop_capabilities(void)
{
    if (!apply() || capng_get_caps_process() != 0 ||
        capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE) {
        complain("cannot give up capabilities: %s", strerror(errno));
        return false;
    }
    return true;
}

void privileges_say(void)
{
}

void privileges_keep_for_files(bool runs_command)
{
    if (geteuid() == 0 && runs_command)
        return;
    capng_clear(CAPNG_SELECT_CAPS);
    if (geteuid() == 0)
        (void)capng_updatev(CAPNG_ADD, (capng_type_t)(CAPNG_EFFECTIVE | CAPNG_PERMITTED),
                            CAP_DAC_OVERRIDE, CAP_SETUID, CAP_SETGID, -1);
    (void)capng_apply(CAPNG_SELECT_CAPS);
}

#else

/* Without libcap-ng the kernel is asked itself; the bounding set stays, and is of no use once no
 * program gives new privileges. */
enum { NUM_SETS = 2 };

static bool keep_capabilities(uint32_t kept)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[NUM_SETS] = {{.effective = kept, .permitted = kept}};
    return syscall(SYS_capset, &header, sets) == 0 && syscall(SYS_capget, &header, sets) == 0 &&
           sets[0].permitted == kept && sets[1].permitted == 0;
}

static bool drop_capabilities(void)
{
    if (keep_capabilities(0))
        return true;
    complain("cannot give up capabilities: %s", strerror(errno));
    return false;
}

void privileges_say(void)
{
    complain("capabilities: given up, but the bounding set is as it was: this program was built "
             "without libcap-ng");
}

void privileges_keep_for_files(bool runs_command)
{
    const bool is_root = geteuid() == 0;
    if (!is_root || !runs_command)
        (void)keep_capabilities(!is_root ? 0
                                         : 1u << CAP_DAC_OVERRIDE | 1u << CAP_SETUID |
                                               1u << CAP_SETGID);
}

#endif

bool privileges_drop(const char *user)
{
    if (geteuid() == 0 && !become(privileges_user(user)))
        return false;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        complain("cannot give up getting rights by running programs: %s", strerror(errno));
        return false;
    }
    return drop_capabilities();
}
