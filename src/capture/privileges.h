/*
 * privileges.h - root is needed to open an interface, and for nothing else.
 */
#ifndef SRC_PRIVILEGES_H
#define SRC_PRIVILEGES_H

#include <stdbool.h>

/* privileges_return gives back what a set-user-ID program file granted. False after a
 * complaint. */
bool privileges_return(void);

/* privileges_drop, when run as root, becomes user for good; NULL means nobody. False after
 * a complaint. */
bool privileges_drop(const char *user);

#endif
