/*
 * service.c - see service.h.
 */
#include "app/run/service.h"

#include "core/complain.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { NS_PER_US = 1000 };

/* number_of parses a number from the environment; 0 if there is none. */
static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);
    char *end;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return 0;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && number <= INT64_MAX / NS_PER_US ? number : 0;
}

/* find_socket connects to the socket of that name; -1 and errno on failure. */
static int find_socket(const char *name)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    const size_t len = strlen(name);
    errno = EINVAL;
    if ((name[0] != '/' && name[0] != '@') || name[1] == '\0' || len >= sizeof addr.sun_path)
        return -1;
    memcpy(addr.sun_path, name, len);
    if (name[0] == '@')
        addr.sun_path[0] = '\0';
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)&addr,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) == 0)
        return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

void service_open(struct service *service)
{
    /* A user who may run the program with another user's rights must not make it write with these. */
    const bool is_own = getuid() == geteuid() && getgid() == getegid();
    const char *name = is_own ? getenv("NOTIFY_SOCKET") : NULL;
    const uint64_t pid = number_of("WATCHDOG_PID");
    *service = (struct service){.socket = -1};
    if (name != NULL && name[0] != '\0') {
        service->socket = find_socket(name);
        if (service->socket < 0)
            complain("cannot report to systemd that this service is ready: NOTIFY_SOCKET is %s: "
                     "%s", name,
                     strerror(errno));
        if (pid == 0 || pid == (uint64_t)getpid())
            service->watchdog_ns = (int64_t)number_of("WATCHDOG_USEC") * NS_PER_US;
    }
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

void service_say(const struct service *service, const char *lines)
{
    /* Do not wait for the receiver: most messages are repeated, and it does not wait for the others
     * either. write() is used because the sandbox allows no call that can send a descriptor. */
    if (service->socket >= 0)
        (void)!write(service->socket, lines, strlen(lines));
}

void service_reloads(const struct service *service, int64_t now_ns)
{
    char lines[64];
    snprintf(lines, sizeof lines, "RELOADING=1\nMONOTONIC_USEC=%" PRId64, now_ns / NS_PER_US);
    service_say(service, lines);
}

bool service_is_due(struct service *service, int64_t now_ns)
{
    if (service->socket < 0 || service->watchdog_ns == 0 ||
        now_ns - service->alive_ns < service->watchdog_ns / 2)
        return false;
    service->alive_ns = now_ns;
    return true;
}

void service_close(struct service *service)
{
    if (service->socket >= 0)
        close(service->socket);
    service->socket = -1;
}
