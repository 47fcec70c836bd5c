/*
 * proto.c - the table of protocols. The first one whose probe says yes gets the connection. Those
 * beside the distribution, sockets.def, are asked last.
 */
#include "conn/proto.h"

#include "dist/dist.h"
#include "dist/epmd.h"
#include "sockets/socket.h"

enum { FIRST_SOCKET = 2 };
static const struct proto *const protos[] = {
    &epmd_proto,
    &dist_proto,
#define SOCKET(id, name) &socket_##id.proto,
#include "sockets/sockets.def"
#undef SOCKET
};
enum { NUM_PROTOS = sizeof protos / sizeof protos[0] };

enum proto_guess proto_find(const struct dissect_ctx *env, const struct conn *conn, int dir,
                            struct cursor bytes, const struct proto **out)
{
    enum proto_guess found = PROTO_NO;
    for (size_t i = 0; i < NUM_PROTOS && found != PROTO_YES; i++) {
        const enum proto_guess guess = protos[i]->probe(env, conn, dir, bytes, conn->late[dir]);
        if (guess == PROTO_YES)
            *out = protos[i];
        if (guess != PROTO_NO)
            found = guess;
    }
    return found;
}

const char *ds_proto_name(size_t i)
{
    return i < NUM_PROTOS - FIRST_SOCKET ? protos[FIRST_SOCKET + i]->name : NULL;
}
