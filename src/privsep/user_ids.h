/*
 * user_ids.h - the user and group of a process: real, effective and saved. It can become the saved one
 * again.
 */
#ifndef SRC_USER_IDS_H
#define SRC_USER_IDS_H

#include <stdbool.h>
#include <sys/types.h>

/* user_ids_set sets all three users, group_ids_set all three groups. Returns false and sets errno if
 * that is not allowed; some may have been set then. */
bool user_ids_set(uid_t real, uid_t effective, uid_t saved);
bool group_ids_set(gid_t real, gid_t effective, gid_t saved);

#endif
