/*
 * sandbox.c - see sandbox.h.
 *
 * Valgrind and AddressSanitizer's leak detector make system calls of their own within the process: with
 * them there is no sandbox.
 */
#include "privsep/sandbox.h"

#include "core/complain.h"
#include "privsep/call_filter.h"
#include "privsep/client_files.h"
#include "privsep/landlock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RULES = 64 };

/* why_not returns the feature that cannot work in a sandbox; NULL if there is none. */
static const char *why_not(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    if (preloaded != NULL && strstr(preloaded, "/vgpreload_") != NULL)
        return "Valgrind";
#ifdef __SANITIZE_ADDRESS__
    const char *options = getenv("ASAN_OPTIONS");
    if (options == NULL || strstr(options, "detect_leaks=0") == NULL)
        return "LeakSanitizer";
#endif
    return NULL;
}

/* Why a part is missing: a part that is not in this build is missing on every kernel. */
static const char *why_no_filter(void)
{
    return call_filter_is_built() ? "this kernel has no seccomp filters"
                                  : "this program was built without libseccomp";
}

static const char *why_no_landlock(void)
{
    return landlock_is_built() ? "this kernel has no Landlock"
                               : "this program was built without Landlock";
}

/* report reports which parts the sandbox has, and why others are missing. */
static void report(bool has_filter, int landlock)
{
    if (has_filter && landlock != 0)
        complain("sandbox: seccomp on, file access blocked (Landlock ABI %d)",
                 landlock);
    else if (has_filter)
        complain("sandbox: seccomp on, file access not blocked: %s", why_no_landlock());
    else if (landlock != 0)
        complain("sandbox: file access blocked (Landlock ABI %d), seccomp off: %s", landlock,
                 why_no_filter());
    else
        complain("sandbox: none: %s, and %s", why_no_filter(), why_no_landlock());
}

bool sandbox_enter(const struct sandbox_config *config)
{
    const char *what = why_not();
    if (config->wish == SANDBOX_OFF || (config->wish == SANDBOX_AUTO && what != NULL)) {
        if (config->says_so && what != NULL)
            complain("sandbox: off: %s does not work in it", what);
        else if (config->says_so)
            complain("sandbox: off");
        return true;
    }
    /* Find the sockets first, while /proc can be read. Then Landlock: the filter does not allow its
     * calls. */
    struct open_sockets sockets;
    const bool has_sockets = open_sockets_find(&sockets);
    const int landlock = landlock_enter(NULL, 0, LANDLOCK_NO_PORT);
    const unsigned sets = CALLS_ALWAYS | (config->is_live ? CALLS_LIVE : 0u) |
                          (config->widens ? CALLS_WIDENS : 0u) |
                          (config->serves ? CALLS_SERVE : 0u) |
                          (config->has_screen ? CALLS_SCREEN : 0u);
    const bool has_filter = call_filter_enter(sets, &sockets) && has_sockets;
    if (config->wish == SANDBOX_REQUIRE && (!has_filter || landlock == 0)) {
        complain("--sandbox=require: %s: --sandbox=auto runs without it",
                 !has_filter ? why_no_filter() : why_no_landlock());
        return false;
    }
    if (config->says_so)
        report(has_filter, landlock);
    return true;
}

/* folder_of writes the folder of the files that are made from name, as far as it is known. */
static void folder_of(const char *name, char folder[PATH_MAX])
{
    size_t len = strcspn(name, "%");
    while (len != 0 && name[len - 1] != '/')
        len--;
    strcpy(folder, ".");
    if (len != 0 && len < PATH_MAX) {
        memcpy(folder, name, len);
        folder[len] = '\0';
    }
}

void sandbox_confine_helper(const struct helper_file *files, size_t num_files)
{
    static char folders[MAX_RULES][PATH_MAX];
    struct landlock_rule rules[2 * MAX_RULES + 1] = {{P_tmpdir, .reads = true, .writes = true}};
    size_t num = 1;
    if (num_files > MAX_RULES || why_not() != NULL)
        return;
    for (size_t i = 0; i < num_files; i++) {
        const enum helper_use use = files[i].use;
        const bool reads = use == HELPER_READ || use == HELPER_FOLLOW || use == HELPER_UPDATE;
        const bool writes = use != HELPER_READ && use != HELPER_FOLLOW;
        rules[num++] = (struct landlock_rule){files[i].name, .reads = reads, .writes = writes};
        if (use == HELPER_READ)
            continue;
        folder_of(files[i].name, folders[i]);
        rules[num++] = (struct landlock_rule){folders[i], .reads = reads, .writes = writes};
    }
    (void)landlock_enter(rules, num, LANDLOCK_NO_PORT);
    (void)call_filter_enter(CALLS_ALWAYS | CALLS_HELPER, NULL);
}

void sandbox_confine_client(const char *temporary)
{
    struct landlock_rule rules[MAX_CLIENT_RULES + 1];
    if (why_not() != NULL)
        return;
    size_t num = client_files_find(rules);
    if (temporary != NULL)
        rules[num++] = (struct landlock_rule){temporary, .reads = true, .writes = true};
    (void)landlock_enter(rules, num, LANDLOCK_ANY_PORT);
    (void)call_filter_enter(CALLS_ALWAYS | CALLS_CLIENT, NULL);
}

void sandbox_confine_asker(uint32_t port)
{
    if (why_not() != NULL)
        return;
    (void)landlock_enter(NULL, 0, port);
    (void)call_filter_enter(CALLS_ALWAYS | CALLS_ASK, NULL);
}

void sandbox_confine_kernel_asker(void)
{
    if (why_not() == NULL)
        (void)call_filter_enter(CALLS_ALWAYS | CALLS_KERNEL, NULL);
}
