/*
 * sandbox.h - restricts what a process can request from the kernel when it begins to read data of
 * peers: only the system calls of sandbox_calls.def (seccomp), and no files by name (Landlock).
 *
 * It uses as much of both as the kernel and this build support. A refused call fails, and is reported
 * on standard error.
 */
#ifndef SRC_SANDBOX_H
#define SRC_SANDBOX_H

#include "privsep/file_helper.h"

#include <stdint.h>

enum sandbox_wish {
    SANDBOX_AUTO,    /* as much as there is */
    SANDBOX_OFF,
    SANDBOX_REQUIRE, /* everything, or the run ends */
};

struct sandbox_config {
    enum sandbox_wish wish;
    bool is_live;    /* an interface is queried */
    bool widens;     /* the filter of the interface changes as ports become known */
    bool serves;     /* others connect to it, on a listening socket that is open */
    bool has_screen; /* it draws on an open terminal */
    bool says_so;    /* reports the parts of the sandbox on standard error */
};

/* sandbox_enter puts the process into the sandbox, for good. Call it before other threads start: later
 * threads are inside, too. Returns false after an error message if a required part is missing. */
bool sandbox_enter(const struct sandbox_config *config);

/* sandbox_confine_helper restricts a file helper that runs no command to its files, as far as the
 * kernel can. */
void sandbox_confine_helper(const struct helper_file *files, size_t num_files);

/* sandbox_confine_client restricts a process that reads no packets to talking to servers, as far as the
 * kernel can: connections, names and certificates. temporary is a folder in which it may create files
 * without a name; NULL: none. */
void sandbox_confine_client(const char *temporary);

/* sandbox_confine_asker restricts a process that queries servers with known addresses to connections to
 * that TCP port, or to any port (LANDLOCK_ANY_PORT), as far as the kernel can, and no files. */
void sandbox_confine_asker(uint32_t port);

/* sandbox_confine_kernel_asker restricts a process that asks the kernel about sockets to these queries,
 * reading files, and entering other network namespaces, as far as the kernel can. It does not use
 * Landlock, which would also hide other processes. */
void sandbox_confine_kernel_asker(void);

#endif
