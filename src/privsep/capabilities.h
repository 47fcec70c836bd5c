/*
 * capabilities.h - Linux capabilities, the parts of root's privileges. Other systems do not have them:
 * there, only the user is changed.
 */
#ifndef SRC_CAPABILITIES_H
#define SRC_CAPABILITIES_H

#include <stdbool.h>

/* capabilities_drop drops all of them for good. Returns false and sets errno if some are left. */
bool capabilities_drop(void);

/* capabilities_left says what this build does not drop; NULL: nothing. */
const char *capabilities_left(void);

/* capabilities_keep_for_files drops all except those with which root opens files as another user. It
 * keeps the ones that it has: root in a container may lack some. Returns false if others are left. */
bool capabilities_keep_for_files(bool is_root);

/* capabilities_stay makes the capabilities survive the next change of the user. Call it before
 * capabilities_keep_for_kernel. */
bool capabilities_stay(void);

/* capabilities_keep_for_kernel keeps the capabilities to list the sockets of other processes and to
 * enter their network namespaces, if the process has them, and drops all others. Returns false if
 * others are left. */
bool capabilities_keep_for_kernel(void);

#endif
