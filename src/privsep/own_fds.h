/*
 * own_fds.h - descriptors of this process that its later child processes close. Executed programs do
 * not inherit them anyway.
 */
#ifndef SRC_OWN_FDS_H
#define SRC_OWN_FDS_H

/* own_fds_add remembers one, own_fds_drop forgets it before it is closed. Only a few can be remembered.
 * Call them before other threads start. */
void own_fds_add(int fd);
void own_fds_drop(int fd);

/* own_fds_close closes them, in a process that has just been started. */
void own_fds_close(void);

#endif
