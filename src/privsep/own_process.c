/*
 * own_process.c - see own_process.h. All systems can limit core dumps to size 0; FreeBSD and macOS have
 * calls that keep other processes out. For the tests, OWN_PROCESS_BY_LIMIT compiles the code for other
 * systems.
 */
#include "privsep/own_process.h"

#if defined(__linux__) && !defined(OWN_PROCESS_BY_LIMIT)

#include <sys/prctl.h>

bool own_process_hide(void)
{
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

bool own_process_gain_nothing(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

#else

#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__FreeBSD__)
#include <sys/procctl.h>
#elif defined(__APPLE__)
#include <sys/ptrace.h>
#endif

bool own_process_hide(void)
{
    const struct rlimit none = {0, 0};
#if defined(__FreeBSD__)
    int wish = PROC_TRACE_CTL_DISABLE;
    if (procctl(P_PID, getpid(), PROC_TRACE_CTL, &wish) != 0)
        return false;
#elif defined(__APPLE__)
    if (ptrace(PT_DENY_ATTACH, 0, NULL, 0) != 0)
        return false;
#endif
    return setrlimit(RLIMIT_CORE, &none) == 0;
}

bool own_process_gain_nothing(void)
{
#if defined(__FreeBSD__) && defined(PROC_NO_NEW_PRIVS_CTL)
    int wish = PROC_NO_NEW_PRIVS_ENABLE;
    return procctl(P_PID, getpid(), PROC_NO_NEW_PRIVS_CTL, &wish) == 0;
#else
    return true;
#endif
}

#endif
