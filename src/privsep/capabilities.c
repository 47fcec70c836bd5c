/*
 * capabilities.c - see capabilities.h. For the tests, CAPABILITIES_BY_CALL compiles the code for builds
 * without libcap-ng, CAPABILITIES_NONE the code for other systems.
 */
#include "privsep/capabilities.h"

#include <stddef.h>

#if !defined(__linux__) || defined(CAPABILITIES_NONE)

bool capabilities_drop(void)
{
    return true;
}

const char *capabilities_left(void)
{
    return NULL;
}

bool capabilities_keep_for_files(bool is_root)
{
    (void)is_root;
    return true;
}

bool capabilities_stay(void)
{
    return true;
}

bool capabilities_keep_for_kernel(void)
{
    return true;
}

#elif defined(DISTSNIFF_CAPNG) && !defined(CAPABILITIES_BY_CALL)

#include <cap-ng.h>
#include <sys/prctl.h>

/* apply sets the chosen capabilities, in the bounding set too if that is allowed. */
static bool apply(void)
{
    const bool may_bound = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP) != 0;
    capng_clear(CAPNG_SELECT_BOTH);
    return capng_apply(may_bound ? CAPNG_SELECT_BOTH : CAPNG_SELECT_CAPS) == 0;
}

bool capabilities_drop(void)
{
    return apply() && capng_get_caps_process() == 0 &&
           capng_have_capabilities(CAPNG_SELECT_CAPS) == CAPNG_NONE;
}

const char *capabilities_left(void)
{
    return NULL;
}

/* keep drops all capabilities except the wanted ones that the process has. */
static bool keep(const unsigned *wanted, size_t num_wanted)
{
    enum { MOST_WANTED = 3 };
    bool has[MOST_WANTED];
    for (size_t i = 0; i < num_wanted; i++)
        has[i] = capng_have_capability(CAPNG_PERMITTED, wanted[i]) != 0;
    capng_clear(CAPNG_SELECT_CAPS);
    for (size_t i = 0; i < num_wanted; i++) {
        if (has[i] && capng_update(CAPNG_ADD, (capng_type_t)(CAPNG_EFFECTIVE | CAPNG_PERMITTED),
                                   wanted[i]) != 0)
            return false;
    }
    return capng_apply(CAPNG_SELECT_CAPS) == 0;
}

bool capabilities_keep_for_files(bool is_root)
{
    static const unsigned wanted[] = {CAP_DAC_OVERRIDE, CAP_SETUID, CAP_SETGID};
    return keep(wanted, is_root ? sizeof wanted / sizeof wanted[0] : 0);
}

bool capabilities_stay(void)
{
    return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0;
}

bool capabilities_keep_for_kernel(void)
{
    static const unsigned wanted[] = {CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH};
    return capng_get_caps_process() == 0 && keep(wanted, sizeof wanted / sizeof wanted[0]);
}

#else

#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Without libcap-ng the system call is used. The bounding set stays; it has no effect once no program
 * can gain privileges. */
enum { NUM_SETS = 2 };

static bool keep(uint32_t wanted)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[NUM_SETS];
    if (syscall(SYS_capget, &header, sets) != 0)
        return false;
    const uint32_t kept = wanted & sets[0].permitted;
    sets[0] = (struct __user_cap_data_struct){.effective = kept, .permitted = kept};
    sets[1] = (struct __user_cap_data_struct){0};
    return syscall(SYS_capset, &header, sets) == 0 && syscall(SYS_capget, &header, sets) == 0 &&
           sets[0].permitted == kept && sets[1].permitted == 0;
}

bool capabilities_drop(void)
{
    return keep(0);
}

const char *capabilities_left(void)
{
    return "the bounding set is unchanged: this program was built without libcap-ng";
}

bool capabilities_keep_for_files(bool is_root)
{
    return keep(is_root ? 1u << CAP_DAC_OVERRIDE | 1u << CAP_SETUID | 1u << CAP_SETGID : 0);
}

bool capabilities_stay(void)
{
    return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0;
}

bool capabilities_keep_for_kernel(void)
{
    return keep(1u << CAP_SYS_ADMIN | 1u << CAP_SYS_PTRACE | 1u << CAP_DAC_READ_SEARCH);
}

#endif
