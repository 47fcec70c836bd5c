/*
 * sandbox.h - what a process may still ask of the kernel once it begins to look at what peers
 * sent: the system calls of sandbox_calls.def (seccomp), and no file by its name (Landlock).
 *
 * Which of both the kernel and this build have is found out; a call that is refused fails, and
 * is named on standard error.
 */
#ifndef SRC_SANDBOX_H
#define SRC_SANDBOX_H

#include "privsep/file_helper.h"

#include <stdint.h>

enum sandbox_wish {
    SANDBOX_AUTO,    /* what there is of it */
    SANDBOX_OFF,
    SANDBOX_REQUIRE, /* all of it, or the run ends */
};

struct sandbox_config {
    enum sandbox_wish wish;
    bool is_live;    /* there is an interface to ask */
    bool widens;     /* the filter of the interface changes as ports become known */
    bool serves;     /* others connect to it, on a socket that is open */
    bool has_screen; /* it draws on a terminal that is open */
    bool says_so;    /* on standard error, what the sandbox is made of */
};

/* sandbox_enter closes the process in, for good. To be called before there are threads: those
 * that come later are inside. False after a complaint, when something that is required is
 * missing. */
bool sandbox_enter(const struct sandbox_config *config);

/* sandbox_confine_helper leaves a file helper that runs no command what it needs for its files,
 * as far as the kernel can. */
void sandbox_confine_helper(const struct helper_file *files, size_t num_files);

/* sandbox_confine_client leaves a process that sees no packets what it needs to talk to servers, as far
 * as the kernel can: connections, names and certificates. temporary is a folder in which it may make files
 * without a name, NULL: it makes none. */
void sandbox_confine_client(const char *temporary);

/* sandbox_confine_asker leaves a process that asks servers whose addresses it knows connections to that TCP
 * port, or to any (LANDLOCK_ANY_PORT), as far as the kernel can, and no file. */
void sandbox_confine_asker(uint32_t port);

/* sandbox_confine_kernel_asker leaves a process that asks the kernel about sockets these questions, files
 * that are read, and other network namespaces, as far as the kernel can. Landlock is not among it: it would
 * hide other processes, too. */
void sandbox_confine_kernel_asker(void);

#endif
