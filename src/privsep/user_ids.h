/*
 * user_ids.h - who a process is: its real, effective and saved user and group. The saved one is who it may
 * become again.
 */
#ifndef SRC_USER_IDS_H
#define SRC_USER_IDS_H

#include <stdbool.h>
#include <sys/types.h>

/* user_ids_set sets all three, group_ids_set those of the group. False, with errno, when that is not
 * allowed; some may have been set then. */
bool user_ids_set(uid_t real, uid_t effective, uid_t saved);
bool group_ids_set(gid_t real, gid_t effective, gid_t saved);

#endif
