/*
 * landlock.c - see landlock.h. The C library has no functions for these system calls, and the headers
 * of older systems lack some rights: the numbers are those of linux/landlock.h.
 */
#include "privsep/landlock.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SYS_landlock_create_ruleset

enum { CREATE_VERSION = 1, RULE_PATH_BENEATH = 1, RULE_NET_PORT = 2 };

/* Rights to files, and the version of the kernel's Landlock that introduced them. */
enum {
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    REMOVE_FILE = 1 << 5,
    MAKE_REG = 1 << 8,
    TRUNCATE = 1 << 14,
    OF_FILES = WRITE_FILE | READ_FILE | TRUNCATE, /* rights that make no sense for folders */
};
static const uint64_t known_rights[] = {0, 0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF};
enum { NEWEST = sizeof known_rights / sizeof known_rights[0] - 1 };

/* TCP connections; signals to other processes and their abstract sockets. */
enum { SINCE_NETWORK = 4, BIND = 1, CONNECT = 2, SINCE_SCOPES = 6, SCOPES = 3 };

struct ruleset {
    uint64_t files, network, scopes;
};

struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

struct port_rule {
    uint64_t allowed, port;
};

static void add_rule(int ruleset, uint64_t handled, const struct landlock_rule *rule)
{
    struct stat status;
    struct path_rule path = {.parent = open(rule->path, O_PATH | O_CLOEXEC)};
    if (path.parent < 0)
        return;
    if (rule->reads)
        path.allowed |= READ_FILE | READ_DIR;
    if (rule->writes)
        path.allowed |= WRITE_FILE | TRUNCATE | MAKE_REG | REMOVE_FILE;
    path.allowed &= handled;
    if (fstat(path.parent, &status) == 0 && !S_ISDIR(status.st_mode))
        path.allowed &= OF_FILES;
    (void)syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &path, 0);
    close(path.parent);
}

int landlock_enter(const struct landlock_rule *rules, size_t num_rules, uint32_t port)
{
    const struct port_rule one_port = {.allowed = CONNECT, .port = port};
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
    if (version < 1)
        return 0;
    const struct ruleset all = {
        .files = known_rights[version < NEWEST ? version : NEWEST],
        .network = version < SINCE_NETWORK ? 0 : port == LANDLOCK_ANY_PORT ? BIND : BIND | CONNECT,
        .scopes = version >= SINCE_SCOPES ? SCOPES : 0,
    };
    const size_t size = version >= SINCE_SCOPES    ? sizeof all
                        : version >= SINCE_NETWORK ? offsetof(struct ruleset, scopes)
                                                   : offsetof(struct ruleset, network);
    const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
    if (ruleset < 0)
        return 0;
    for (size_t i = 0; i < num_rules; i++)
        add_rule(ruleset, all.files, &rules[i]);
    if ((all.network & CONNECT) != 0 && port != LANDLOCK_NO_PORT)
        (void)syscall(SYS_landlock_add_rule, ruleset, RULE_NET_PORT, &one_port, 0);
    const bool ok = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return ok ? (int)version : 0;
}

bool landlock_is_built(void)
{
    return true;
}

#else

int landlock_enter(const struct landlock_rule *rules, size_t num_rules, uint32_t port)
{
    (void)rules;
    (void)num_rules;
    (void)port;
    return 0;
}

bool landlock_is_built(void)
{
    return false;
}

#endif
