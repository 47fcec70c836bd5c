/*
 * sock_diag.h - requests to the kernel about TCP sockets, and its answers (sock_diag(7)).
 */
#ifndef SRC_SOCK_DIAG_H
#define SRC_SOCK_DIAG_H

#include <distsniff/event.h>
#include <distsniff/tcp_stats.h>

enum { SOCK_DIAG_QUESTION = 72 };

/* diag_socket is one of the kernel's sockets: addr[0] and port[0] are the local ones. */
struct diag_socket {
    struct ds_addr addr[2];
    uint16_t port[2];
    uint32_t inode;         /* the process has the socket by this inode; 0: no process has it */
    struct ds_socket facts; /* without asked_ns and the owner */
};

/* sock_diag_ask writes a request for all connected sockets of an address family (AF_INET,
 * AF_INET6). */
void sock_diag_ask(int family, uint8_t question[SOCK_DIAG_QUESTION]);

enum sock_diag_end {
    SOCK_DIAG_MORE,  /* other answers follow */
    SOCK_DIAG_DONE,
    SOCK_DIAG_WRONG, /* the kernel refuses, with *error set to errno, or it is no answer: *error is 0 */
};

/* sock_diag_read parses the bytes of one recv(2), and calls take with each socket. */
enum sock_diag_end sock_diag_read(struct ds_text answer,
                                  void (*take)(void *context, const struct diag_socket *socket),
                                  void *context, int *error);

#endif
