/*
 * listen_address.c - see listen_address.h. Names are not resolved, except localhost.
 */
#include "core/listen_address.h"

#include "core/complain.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST_LEN = 64, BACKLOG = 16 };

/* port_of reads a port; -1 if it is invalid. */
static int port_of(const char *text)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return -1;
    errno = 0;
    const unsigned long port = strtoul(text, &end, 10);
    return errno == 0 && *end == '\0' && port <= UINT16_MAX ? (int)port : -1;
}

/* set_host makes an address from a host, without brackets. */
static bool set_host(struct listen_address *out, const char *host, uint16_t port)
{
    struct sockaddr_in *four = (struct sockaddr_in *)&out->addr;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&out->addr;
    if (strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    memset(&out->addr, 0, sizeof out->addr);
    if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        out->len = sizeof *four;
        return true;
    }
    if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        out->len = sizeof *six;
        return true;
    }
    return false;
}

bool listen_address_parse(const char *option, const char *value, struct listen_address *out)
{
    const char *colon = strrchr(value, ':');
    const int port = port_of(colon != NULL ? colon + 1 : value);
    char host[HOST_LEN] = "localhost";
    size_t len = colon != NULL ? (size_t)(colon - value) : 0;
    bool ok = port >= 0 && len < sizeof host && (colon == NULL || len != 0);
    if (ok && colon != NULL) {
        const bool has_brackets = len > 2 && value[0] == '[' && value[len - 1] == ']';
        len -= has_brackets ? 2 : 0;
        memcpy(host, value + has_brackets, len);
        host[len] = '\0';
        ok = has_brackets == (strchr(host, ':') != NULL);
    }
    if (ok && set_host(out, host, (uint16_t)port))
        return true;
    complain("%s takes [ADDR:]PORT, such as 8080, 127.0.0.1:8080 or [::1]:8080, not '%s'", option,
             value);
    return false;
}

static void name_of(const struct sockaddr_storage *addr, struct listen_name *name)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)addr;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)addr;
    const bool is_six = addr->ss_family == AF_INET6;
    char host[INET6_ADDRSTRLEN] = "?";
    inet_ntop(addr->ss_family, is_six ? (const void *)&six->sin6_addr : &four->sin_addr, host,
              sizeof host);
    snprintf(name->text, sizeof name->text, is_six ? "[%s]:%u" : "%s:%u", host,
             (unsigned)ntohs(is_six ? six->sin6_port : four->sin_port));
}

/* remedy says what the user can do about an error of bind. */
static const char *remedy(int error)
{
    switch (error) {
    case EADDRINUSE:
        return ": choose another port, or 0 for a free one";
    case EADDRNOTAVAIL:
        return ": no interface of this machine has that address";
    case EACCES:
        return ": ports below 1024 need root; choose a higher one";
    default:
        return "";
    }
}

int listen_address_open(const char *option, const struct listen_address *address,
                        struct listen_name *name)
{
    struct sockaddr_storage bound = address->addr;
    socklen_t len = sizeof bound;
    const int yes = 1;
    const int fd = socket(address->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool ok = fd >= 0;
    if (ok)
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (ok && address->addr.ss_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    ok = ok && bind(fd, (const struct sockaddr *)&address->addr, address->len) == 0 &&
         listen(fd, BACKLOG) == 0;
    const int error = errno;
    if (ok)
        (void)getsockname(fd, (struct sockaddr *)&bound, &len);
    name_of(&bound, name);
    if (ok)
        return fd;
    complain("%s: cannot listen on %s: %s%s", option, name->text, strerror(error), remedy(error));
    if (fd >= 0)
        close(fd);
    return -1;
}

bool listen_address_is_local(const struct listen_address *address)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)&address->addr;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address->addr;
    return address->addr.ss_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&six->sin6_addr)
                                               : (ntohl(four->sin_addr.s_addr) >> 24) == 127;
}
