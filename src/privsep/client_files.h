/*
 * client_files.h - the files that a process which talks to servers may still read: those of names, and
 * the certificates that the system trusts.
 */
#ifndef SRC_CLIENT_FILES_H
#define SRC_CLIENT_FILES_H

#include "privsep/landlock.h"

enum { MAX_CLIENT_RULES = 64 };

/* client_files_find writes the rules, and returns how many there are. Their paths stay until it is called
 * again. */
size_t client_files_find(struct landlock_rule rules[MAX_CLIENT_RULES]);

/* client_files_keep_servers: where the list of name servers is a file of its own, what replaces it cannot
 * be read any more, and the C library would ask this machine instead. It keeps to those it knows. To be
 * called before names are looked up. */
void client_files_keep_servers(void);

#endif
