/*
 * socket_find.c - the table of connections beside the distribution, sockets.def. The first that
 * says yes has the connection.
 */
#include "sockets/socket_find.h"

#include "sockets/socket.h"

static const struct socket_proto *const kinds[] = {
#define SOCKET(id, name) &socket_##id,
#include "sockets/sockets.def"
#undef SOCKET
};

enum proto_guess socket_find(const struct dissect_ctx *env, const struct conn *conn, int dir,
                             struct cursor bytes, const struct proto **out)
{
    enum proto_guess guess = PROTO_NO;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        switch (kinds[i]->begins(env, conn, dir, bytes, conn->late[dir])) {
        case PROTO_YES:
            *out = &kinds[i]->proto;
            return PROTO_YES;
        case PROTO_MORE:
            guess = PROTO_MORE;
            break;
        case PROTO_NO:
            break;
        }
    }
    return guess;
}

const char *ds_proto_name(size_t i)
{
    return i < sizeof kinds / sizeof kinds[0] ? kinds[i]->proto.name : NULL;
}
