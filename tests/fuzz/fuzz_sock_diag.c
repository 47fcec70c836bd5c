/*
 * fuzz_sock_diag.c - answers of the kernel about sockets, as read from the netlink socket.
 */
#include "send/kernel/sock_diag.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void take(void *context, const struct diag_socket *socket)
{
    size_t *num = context;
    for (int end = 0; end < 2; end++) {
        if (socket->addr[end].family != 4 && socket->addr[end].family != 6)
            abort();
    }
    if (socket->facts.busy_ns < 0 || socket->facts.rwnd_limited_ns < 0 || socket->facts.round_trip_ns < 0)
        abort();
    ++*num;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    enum { LEAST = 16 + 72 }; /* bytes of an answer about a socket */
    size_t num = 0;
    int error;
    /* A copy in a block of its own, so that the sanitizer notices a read beyond its end. */
    char *copy = malloc(len + 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, len);
    const enum sock_diag_end end = sock_diag_read((struct ds_text){copy, len}, take, &num, &error);
    if (num > len / LEAST || error < 0 || (error != 0 && end != SOCK_DIAG_WRONG))
        abort();
    free(copy);
    return 0;
}
