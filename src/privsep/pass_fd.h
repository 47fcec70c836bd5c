/*
 * pass_fd.h - sends a message, with a descriptor, from one process to another over a socket (unix(7),
 * SCM_RIGHTS).
 */
#ifndef SRC_PASS_FD_H
#define SRC_PASS_FD_H

#include <stdbool.h>
#include <stddef.h>

/* pass_fd_send sends len bytes and a descriptor, which stays open here; -1: none. Returns false if the
 * other side has ended. */
bool pass_fd_send(int socket, const void *bytes, size_t len, int fd);

/* pass_fd_receive reads a message of exactly len bytes; *fd is the descriptor that came with it, closed
 * on exec, or -1. Returns false with errno EINTR if a signal came first; with another errno if the
 * other side has ended. */
bool pass_fd_receive(int socket, void *bytes, size_t len, int *fd);

#endif
