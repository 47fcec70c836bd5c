/*
 * own_fds.h - descriptors of this process that are closed in those which it starts later. What is
 * executed gets none of them anyway.
 */
#ifndef SRC_OWN_FDS_H
#define SRC_OWN_FDS_H

/* own_fds_add notes one, own_fds_drop forgets it before it is closed. Those beyond a few are not noted. To
 * be called before there are threads. */
void own_fds_add(int fd);
void own_fds_drop(int fd);

/* own_fds_close closes them, in a process that was just started. */
void own_fds_close(void);

#endif
