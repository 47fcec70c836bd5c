/*
 * pass_fd.h - a message, and with it a descriptor, from one process to another over a socket (unix(7),
 * SCM_RIGHTS).
 */
#ifndef SRC_PASS_FD_H
#define SRC_PASS_FD_H

#include <stdbool.h>
#include <stddef.h>

/* pass_fd_send sends len bytes and a descriptor, which stays open here; -1: none. False: the other side
 * is gone. */
bool pass_fd_send(int socket, const void *bytes, size_t len, int fd);

/* pass_fd_receive takes a message of just so many bytes; *fd is what came with it, closed on exec, or
 * -1. False with errno EINTR: a signal came first; with another: the other side is gone. */
bool pass_fd_receive(int socket, void *bytes, size_t len, int *fd);

#endif
