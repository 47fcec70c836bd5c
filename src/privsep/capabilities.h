/*
 * capabilities.h - the parts into which Linux divides what root may do. Other systems do not divide it, and
 * have nothing to be given up beside the user.
 */
#ifndef SRC_CAPABILITIES_H
#define SRC_CAPABILITIES_H

#include <stdbool.h>

/* capabilities_drop gives up all of them for good; false and errno where some are left. */
bool capabilities_drop(void);

/* capabilities_left says what this build does not give up, NULL: nothing. */
const char *capabilities_left(void);

/* capabilities_keep_for_files gives up all but those with which root opens files as another user, of
 * which it keeps what it has: root of a container may lack some. False where others are left. */
bool capabilities_keep_for_files(bool is_root);

/* capabilities_stay lets the capabilities outlast the next change of the user. Call it before
 * capabilities_keep_for_kernel. */
bool capabilities_stay(void);

/* capabilities_keep_for_kernel keeps the capabilities to list the sockets of other processes and to
 * enter their network namespaces, as far as the process has them, and gives up all others. False: others
 * are left. */
bool capabilities_keep_for_kernel(void);

#endif
