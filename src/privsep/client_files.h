/*
 * client_files.h - the files that a process that talks to servers may still read: those for the
 * resolution of names, and the certificates that the system trusts.
 */
#ifndef SRC_CLIENT_FILES_H
#define SRC_CLIENT_FILES_H

#include "privsep/landlock.h"

enum { MAX_CLIENT_RULES = 64 };

/* client_files_find writes the rules, and returns their number. Their paths are valid until the next
 * call. */
size_t client_files_find(struct landlock_rule rules[MAX_CLIENT_RULES]);

/* client_files_keep_servers makes the C library keep the name servers that it knows. If their list is a
 * file of its own and is replaced, the new one cannot be read, and the C library would ask this machine
 * instead. Call it before names are resolved. */
void client_files_keep_servers(void);

#endif
