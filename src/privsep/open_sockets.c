/*
 * open_sockets.c - see open_sockets.h. The address family of a socket decides its kind. TCP and UDP are
 * of neither kind: they are this process's servers, or sockets that a user passed as standard output.
 */
#include "privsep/open_sockets.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { FIRST_FDS = 65536 }; /* used if /proc is not there */

#ifdef SO_DOMAIN

/* look adds fd if it is a socket of some kind. Returns false if there is no room. */
static bool look(struct open_sockets *sockets, int fd)
{
    int family;
    socklen_t len = sizeof family;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len) != 0 || family == AF_INET ||
        family == AF_INET6 || family == AF_VSOCK)
        return true;
    struct socket_list *list = &sockets->of[family == AF_UNIX ? SOCKETS_LOCAL : SOCKETS_PACKETS];
    if (list->num == MAX_OPEN_SOCKETS)
        return false;
    list->fds[list->num++] = fd;
    return true;
}

bool open_sockets_find(struct open_sockets *sockets)
{
    bool ok = true;
    DIR *folder = opendir("/proc/self/fd");
    *sockets = (struct open_sockets){0};
    for (int fd = 0; fd < FIRST_FDS && folder == NULL && ok; fd++)
        ok = look(sockets, fd);
    for (const struct dirent *entry; ok && folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.')
            ok = look(sockets, atoi(entry->d_name));
    }
    if (folder != NULL)
        closedir(folder);
    return ok;
}

#else

bool open_sockets_find(struct open_sockets *sockets)
{
    *sockets = (struct open_sockets){0};
    return true;
}

#endif
