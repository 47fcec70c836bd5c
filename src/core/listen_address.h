/*
 * listen_address.h - [ADDR:]PORT, where others may connect: 8080, 127.0.0.1:8080, [::1]:8080. Without
 * an address only this machine can connect; port 0 is any free port.
 */
#ifndef SRC_LISTEN_ADDRESS_H
#define SRC_LISTEN_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

struct listen_address {
    struct sockaddr_storage addr;
    socklen_t len; /* 0: there is no address */
};

/* The text for a browser's address bar: "127.0.0.1:8080". */
struct listen_name {
    char text[72];
};

/* listen_address_parse reads the argument of an option. Returns false after an error message. */
bool listen_address_parse(const char *option, const char *value, struct listen_address *out);

/* listen_address_open returns a listening socket, and sets name to its address. -1 after an error
 * message. */
int listen_address_open(const char *option, const struct listen_address *address,
                        struct listen_name *name);

/* listen_address_is_local says whether only this machine can connect. */
bool listen_address_is_local(const struct listen_address *address);

#endif
